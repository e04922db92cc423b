"""`score money`: published tables of owning and renting, worked out again by our own rules."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT, Run

SHIPPED = ROOT / "tests/measurements/money.csv"
HEADER = "id,metric,currency,inputs,expected,tol_abs\n"


def written(folder: Path, *rows: tuple[str, str, str, Any, float, float]) -> Path:
    path = folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        stream.write(HEADER)
        lines = csv.writer(stream, lineterminator="\n")
        for id, metric, currency, inputs, expected, tolerance in rows:
            lines.writerow([id, metric, currency, json.dumps(inputs), expected, tolerance])
    return path


def score(run: Run, path: Path) -> Any:
    found = run("score", "money", path, "--format", "json")
    assert found.status == 0, found.err
    return found.json()


@pytest.fixture(scope="module")
def shipped() -> dict[str, dict[str, str]]:
    with SHIPPED.open(encoding="utf-8") as stream:
        return {row["id"]: row for row in csv.DictReader(stream)}


def test_every_table_that_follows_from_its_own_inputs_comes_out_and_no_other(
    run: Run, shipped: dict[str, dict[str, str]]
) -> None:
    found = score(run, SHIPPED)
    wrong = [
        row["id"]
        for row in found["rows"]
        if row["ok"] is not (shipped[row["id"]]["source_consistent"] == "1")
    ]
    assert wrong == []
    assert len(found["rows"]) == len(shipped) == found["passed"] + found["failed"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_names_everything_that_is_scored(run: Run, language: str) -> None:
    said = run("score", "--help", "--lang", language).out
    (line,) = [one for one in said.splitlines() if one.startswith("  NAME")]
    assert [one for one in ("memory", "throughput", "money", "cases") if one not in line] == []


def test_tables_of_more_than_a_division_exercise_the_rules_of_owning(run: Run) -> None:
    rules = score(run, SHIPPED)["rules"]
    for rule in ("payback.payback_hours", "api.payback_months", "payback.own_total_over_life",
                 "payback.year_one_cash"):  # fmt: skip
        assert rules[f"money.{rule}"] >= 1


def test_how_many_rows_exercise_each_rule_and_how_many_prove_little(
    run: Run, tmp_path: Path
) -> None:
    path = written(
        tmp_path,
        ("several", "breakeven_hours", "USD",
         {"capex": 100000, "cloud_hourly": 60, "onprem_opex_hourly": 10}, 2000, 0.5),
        ("single", "cost_ratio", "USD", {"cloud": 4, "onprem": 2}, 2, 0.01),
    )  # fmt: skip
    found = score(run, path)
    assert found["rules"] == {"money.payback.payback_hours": 1, "money.payback.rent_over_own": 1}
    assert found["one_step"] == {"money.payback.payback_hours": 0, "money.payback.rent_over_own": 1}
    text = run("score", "money", path).out
    assert text.splitlines()[-1].split() == ["money.payback.rent_over_own", "1", "1"]
    assert "of a single step" in text


def test_a_payback_worked_out_by_hand(run: Run, tmp_path: Path) -> None:
    # 100,000 / (60 - 10) = 2,000 hours; 2,001 lies outside a tolerance of a half
    inputs = {"capex": 100000, "cloud_hourly": 60, "onprem_opex_hourly": 10}
    path = written(
        tmp_path,
        ("right", "breakeven_hours", "USD", inputs, 2000, 0.5),
        ("wrong", "breakeven_hours", "USD", inputs, 2001, 0.5),
    )
    found = score(run, path)
    assert [row["ok"] for row in found["rows"]] == [True, False]
    assert (found["passed"], found["failed"]) == (1, 1)
    assert found["rows"][0]["found"] == pytest.approx(2000)


def test_a_table_in_yuan_is_compared_in_yuan(run: Run, tmp_path: Path) -> None:
    inputs = {"cloud_hourly": 30, "hours": 7300}  # 219,000 whatever the exchange rate is
    found = score(run, written(tmp_path, ("a", "cloud_total", "CNY", inputs, 219000, 0.01)))
    assert found["passed"] == 1


def test_a_range_is_taken_at_its_middle(run: Run, tmp_path: Path) -> None:
    inputs = {"hourly": [1, 3], "hours_per_month": 730}
    found = score(run, written(tmp_path, ("a", "cloud_month", "USD", inputs, 1460, 0.01)))
    assert found["passed"] == 1


@pytest.mark.parametrize(
    ("metric", "inputs", "said"),
    [
        ("breakeven_hours", {"capex": 1}, "no reading"),
        ("nonsense", {"capex": 1}, "no reading"),
        ("breakeven_hours", {"capex": -1, "cloud_hourly": 60, "onprem_opex_hourly": 1}, "capex"),
        ("onprem_total", {"capex": 1, "opex_hourly": 1, "years": 99}, "years"),
    ],
)
def test_what_no_rule_can_work_out_is_no_pass(
    run: Run, tmp_path: Path, metric: str, inputs: Any, said: str
) -> None:
    (row,) = score(run, written(tmp_path, ("a", metric, "USD", inputs, 1, 1e9)))["rows"]
    assert not row["ok"]
    assert row["found"] is None
    assert row["reason"]
    if said == "no reading":
        assert said in row["reason"]


@pytest.mark.parametrize(
    "line",
    [
        "a,breakeven_hours,USD,{},,1",
        "a,breakeven_hours,USD,[1],1,1",
        'a,breakeven_hours,USD,"{""capex"": true}",1,1',
        'a,breakeven_hours,USD,"{""capex"": ""1""}",1,1',
        'a,breakeven_hours,USD,"{""capex"": 1e999}",1,1',
        "a,breakeven_hours,USD,not json,1,1",
        "a,breakeven_hours,USD,{},NaN,1",
        ",breakeven_hours,USD,{},1,1",
        "a,breakeven_hours,USD,{},1,1\na,breakeven_hours,USD,{},1,1",
    ],
)
def test_a_bad_row_is_refused_where_it_stands(run: Run, tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(HEADER + line + "\n", encoding="utf-8")
    found = run("score", "money", path)
    assert found.status == 2
    assert "bad.csv:" in found.err
    assert "Traceback" not in found.err


def test_a_file_without_the_columns_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("id,metric\na,b\n", encoding="utf-8")
    assert run("score", "money", path).status == 2
    assert run("score", "money", tmp_path / "none.csv").status == 2
