"""`score`: published measurements held against the rules, with figures worked out by hand.

In the small book 2 GiB of weights are expected for 1.073741824 billion parameters of 2 bytes
(2³¹ bytes), and the cautious figure is five quarters of the expected one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SAMPLE, Result, Run

SIZES = """\
id: needs.sizes
title: {en: Sizes, zh: 大小}
decisions:
  cautious: {title: {en: Cautious, zh: 保守}, unit: GiB, formula: weights_size * 1.25}
  slow: {title: {en: Slow, zh: 偏慢}, unit: GiB, formula: weights_size * 0.75}
  verdict:
    title: {en: Small enough, zh: 够小}
    values: [small, large]
    hit: unique
    inputs: [precision.weights]
    rows:
      - {id: small, when: ["fp8, int4"], then: small}
      - {id: large, when: [bf16], then: large}
"""
VALIDATION = """\
title: {en: Sizes, zh: 大小}
metrics:
  weights:
    units: [GiB]
    sense: cost
    expected: needs.speed.weights_size
    cautious: needs.sizes.cautious
  rate: {units: [1/s], sense: rate, expected: needs.speed.weights_size, cautious: needs.sizes.slow}
  fits:
    units: ["1/0"]
    sense: verdict
    expected: needs.sizes.verdict
    verdicts: {small: 1, large: 0}
complete: {model.parameters_b: 1.073741824}
kinds:
  other: {metrics: {weights: null}}
"""
GIB = 1.073741824  # billion parameters of two bytes are two gibibytes


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("book")
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    (folder / "rules/needs/sizes.yaml").write_text(SIZES, encoding="utf-8")
    (folder / "rules/validation").mkdir()
    (folder / "rules/validation/memory.yaml").write_text(VALIDATION, encoding="utf-8")
    return str(folder)


def row(id: str, value: float, group: str = "g", billions: float = GIB, **others: Any) -> Any:
    fields = {
        "id": id, "kind": "sizes", "metric": "weights", "value": value, "unit": "GiB",
        "group": group, "confidence": "high", "usable": True,
        "profile": {"task": "inference", "model": {"parameters_b": billions}},
    }  # fmt: skip
    return {**fields, **others}


Score = Callable[..., Result]


@pytest.fixture
def score(run: Run, book: str, tmp_path: Path) -> Score:
    def command(rows: list[Any] | str, *arguments: object, **options: Any) -> Result:
        text = rows if isinstance(rows, str) else "\n".join(json.dumps(one) for one in rows) + "\n"
        path = tmp_path / "rows.jsonl"
        path.write_text(text, encoding="utf-8")
        return run("score", "memory", path, "--book", book, *arguments, **options)

    return command


def figures(score: Score, rows: list[Any], *arguments: object) -> Any:
    result = score(rows, "--format", "json", *arguments)
    assert result.status == 0, result.err
    return result.json()


def test_a_large_group_counts_no_more_than_a_small_one(score: Score) -> None:
    # Errors: 0 % in the group of one; 25 %, 25 %, 50 % in the group of three.
    rows = [row("a", 2, "one"), row("b", 1.6, "three"), row("c", 1.6, "three"),
            row("d", 4, "three")]  # fmt: skip
    found = figures(score, rows)["kinds"]["sizes"]
    assert (found["n"], found["answered"], found["groups"]) == (4, 4, 2)
    assert found["mape"] == pytest.approx((0 + (0.25 + 0.25 + 0.5) / 3) / 2)
    assert found["within_10"] == pytest.approx(0.5)
    assert found["over_10"] == pytest.approx(0.5 * 2 / 3)
    assert found["under_10"] == pytest.approx(0.5 * 1 / 3)
    # Half of the weight lies exactly at 0 %: the median is between 0 % and 25 %.
    assert found["median_ape"] == pytest.approx(0.125)


def test_the_cautious_figure_covers_what_it_says(score: Score) -> None:
    rows = [row("a", 2.5, "a"), row("b", 2.6, "b"), row("c", 1, "c"), row("d", 2, "d")]
    found = figures(score, rows)["kinds"]["sizes"]
    assert found["p95_coverage"] == pytest.approx(0.75)  # 2.6 exceeds 1.25 · 2
    assert found["p10_coverage"] is None
    assert found["median_p95_over_p50"] == pytest.approx(1.25)


def test_a_rate_promises_at_least_its_cautious_figure(score: Score) -> None:
    rows = [row(str(n), value, str(n), metric="rate", unit="1/s")
            for n, value in enumerate((1.4, 1.5, 2, 3))]  # fmt: skip
    found = figures(score, rows)["kinds"]["sizes"]
    assert found["p10_coverage"] == pytest.approx(0.75)  # 1.4 is less than 0.75 · 2
    assert found["p95_coverage"] is None and found["median_p95_over_p50"] is None


def test_fits_counts_in_its_own_figure_alone(score: Score) -> None:
    small = {"task": "inference", "precision": {"weights": "fp8"}}
    verdict = {"metric": "fits", "unit": "1/0"}
    rows = [
        row("a", 1, "a", profile=small, **verdict),
        row("b", 1, "a", **verdict),
        row("c", 0, "b", **verdict),
        row("d", 2, "c"),
    ]
    found = figures(score, rows)["kinds"]["sizes"]
    assert found["n"] == 1 and list(found["metrics"]) == ["weights"]
    assert found["fits"] == 3 and found["fits_right"] == pytest.approx((0.5 + 1) / 2)


def test_each_metric_has_the_same_keys(score: Score) -> None:
    rows = [row("a", 2, "a"), row("b", 1, "b", metric="rate", unit="1/s")]
    found = figures(score, rows)["kinds"]["sizes"]
    for metric in ("weights", "rate"):
        assert set(found["metrics"][metric]) == set(found) - {
            "metrics", "groups", "fits", "fits_answered", "fits_right"}  # fmt: skip
    assert found["metrics"]["rate"]["mape"] == 1


def test_the_mean_over_kinds_leaves_out_kinds_of_few_groups(score: Score) -> None:
    rows = [row(f"a{n}", 4, f"a{n}", kind="many") for n in range(10)]
    rows += [row(f"b{n}", 2, f"b{n}", kind="also") for n in range(10)]
    rows += [row(f"c{n}", 1, f"c{n}", kind="few") for n in range(9)]
    found = figures(score, rows)
    assert found["macro"]["kinds"] == 2
    assert found["macro"]["mape"] == pytest.approx(0.25)  # of 50 % and 0 %
    assert found["kinds"]["few"]["mape"] == 1


def test_a_row_without_an_answer_says_why(score: Score) -> None:
    rows = [row("a", 2), row("b", 2, kind="other"), row("c", 2, metric="odd"),
            row("d", 2, unit="GB")]  # fmt: skip
    found = figures(score, rows)
    assert found["unanswered"] == [
        {"id": "b", "reason": "no rule estimates weights of other"},
        {"id": "c", "reason": "no rule estimates odd of sizes"},
        {"id": "d", "reason": "no rule estimates weights in GB"},
    ]
    assert found["kinds"]["sizes"]["n"] == 3 and found["kinds"]["sizes"]["answered"] == 1
    assert found["kinds"]["other"]["mape"] is None


def test_a_silent_row_is_completed_as_the_book_says(score: Score) -> None:
    silent = row("a", 2, profile={"task": "inference"})
    assert figures(score, [silent])["kinds"]["sizes"]["mape"] == 0


def test_rows_that_are_not_usable_are_counted_and_not_read(score: Score) -> None:
    rows = [row("a", 2), row("b", 9, usable=False), {"usable": False}]
    found = figures(score, rows)
    assert found["skipped"] == 2 and found["kinds"]["sizes"]["n"] == 1


def test_rows_can_be_selected(score: Score, tmp_path: Path) -> None:
    rows = [row("a", 2, "a"), row("b", 4, "b", confidence="medium"),
            row("c", 1, "c", billions=3, confidence="low")]  # fmt: skip
    kept = figures(score, rows, "--confidence", "high,medium")["kinds"]["sizes"]
    assert kept["n"] == 2 and kept["mape"] == pytest.approx(0.25)
    assert figures(score, rows, "--where", "model.parameters_b=3")["kinds"]["sizes"]["n"] == 1
    assert figures(score, rows, "--where", "group=b")["kinds"]["sizes"]["n"] == 1
    ids = tmp_path / "ids.txt"
    ids.write_text("a\nc\n", encoding="utf-8")
    assert figures(score, rows, "--ids", ids)["kinds"]["sizes"]["n"] == 2
    nothing = score(rows, "--where", "group=z")
    assert nothing.status == 2 and "E211" in nothing.err


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"value": "two"}, "E102", "value is"),
        ({"value": -1}, "E104", "out of range"),
        ({"value": 0}, "E104", "out of range"),
        ({"group": ""}, "E108", "group has no value"),
        ({"confidence": "sure"}, "E105", "confidence cannot be"),
        ({"usable": "yes"}, "E102", "usable is"),
        ({"profile": []}, "E102", "profile is"),
        ({"profile": {}}, "E111", "task is missing"),
        ({"profile": {"task": "inferense"}}, "E105", "task cannot be"),
        ({"metric": "fits", "unit": "1/0", "value": 0.5}, "E104", "out of range"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(
    score: Score, change: dict[str, Any], code: str, said: str
) -> None:
    result = score([row("a", 2), {**row("b", 2), **change}])
    assert result.status == 2 and result.out == ""
    assert "rows.jsonl:2:" in result.err and code in result.err and said in result.err


def test_what_is_wrong_comes_as_json_too(score: Score) -> None:
    bad = row("b", 2)
    del bad["group"]
    bad["profile"]["modle"] = {}
    result = score([row("a", 2), bad], "--format", "json")
    found = result.json()["errors"]
    assert result.status == 2 and [(one["code"], one["line"]) for one in found] == [("E111", 2)]
    del bad["profile"]
    assert len(score([bad], "--format", "json").json()["errors"]) == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("not json\n", "E"),
        ("[1]\n", "E116"),
        ('{"id": 1, "id": 2}\n', "E005"),
        ('{"id": NaN}\n', "E"),
        ("[" * 5000, "E001"),
    ],
)
def test_a_line_that_is_no_row_is_refused(score: Score, text: str, code: str) -> None:
    result = score(text)
    assert result.status == 2 and code in result.err and "Traceback" not in result.err


def test_the_same_id_twice_is_refused(score: Score) -> None:
    result = score([row("a", 2), row("a", 2)])
    assert result.status == 2 and "rows.jsonl:2:" in result.err and "line 1" in result.err


def test_no_file_no_rules_and_no_bytes(score: Score, run: Run, book: str, tmp_path: Path) -> None:
    assert run("score", "memory", tmp_path / "none", "--book", book).status == 2
    unknown = run("score", "memori", tmp_path / "none", "--book", book)
    assert unknown.status == 2 and "did you mean memory?" in unknown.err
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b"\xff\xfe")
    assert "E002" in run("score", "memory", path, "--book", book).err


def test_the_table_speaks_both_languages(score: Score) -> None:
    rows = [row("a", 2, "a"), row("b", 4, "b"), row("c", 1, "c", metric="odd")]
    shown = score(rows).out
    assert "25.0 %" in shown and "no rule estimates odd" in shown
    assert "25.0 %" in score(rows, "--lang", "zh").out and "类别" in score(rows, "--lang", "zh").out


def test_names_of_the_book_are_checked(run: Run, book: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(book, broken)
    path = broken / "rules/validation/memory.yaml"
    path.write_text(VALIDATION.replace("needs.sizes.slow", "needs.sizes.slov"), encoding="utf-8")
    result = run("rules", "check", "--book", broken)
    assert "B510" in result.err and 'did you mean "needs.sizes.slow"?' in result.err
