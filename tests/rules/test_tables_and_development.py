"""Tables must fit with their copies; development takes the smallest tier of memory."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

TREES: dict[str, Any] = {
    "task": "classical_ml",
    "tabular": {"rows": 1_000_000, "columns": 2000, "library": "xgboost"},
}
GIB = 2**30


def trees(**changes: Any) -> Answer:
    return Answer({**TREES, "tabular": {**TREES["tabular"], **changes}})


def test_a_boosting_job_takes_about_what_was_seen() -> None:
    # 1,000,000 rows of 2,000 columns in 32 bits, 8.0 GB, were seen to take about 6 GB.
    seen = trees().decision("needs.tables.working_set_p50") * GIB / 1e9
    assert seen == pytest.approx(6.0, rel=0.05)
    assert trees().decision("needs.tables.working_set_p95") * GIB / 1e9 == pytest.approx(20.0)


def test_a_data_frame_holds_input_and_output() -> None:
    frames = Answer({**TREES, "task": "data_processing",
                     "tabular": {**TREES["tabular"], "library": "rapids"}})  # fmt: skip
    assert frames.decision("needs.tables.working_set_p50") == pytest.approx(2 * 2e9 * 8 / GIB)


@pytest.mark.parametrize(
    ("card", "library", "able"),
    [
        ("p40", "rapids", "library_unsupported"),
        ("v100-sxm2-32", "rapids", "able"),
        ("p40", "xgboost", "able"),
        ("mi300x", "xgboost", "library_unsupported"),
        ("mi300x", "lightgbm", "able"),
        ("tpu-v5e", "rapids", "library_unsupported"),
        ("mi300x", "other", None),
    ],
)
def test_libraries_run_where_they_are_supported(card: str, library: str, able: str | None) -> None:
    tabular = {**TREES["tabular"], "library": library, "working_set_gib": 6}
    answer = Answer({**TREES, "tabular": tabular, "hardware": {"gpu": card}})
    assert [row["able"] for row in answer.rows("hardware.tables.tabled")] == [able]


def test_a_table_is_divided_over_cards_where_the_library_does() -> None:
    rows = {row["cards"]: row for row in trees(rows=20_000_000).layouts(card_id="a100-sxm-80")}
    one, four = rows[1]["memory_p50_gib"], rows[4]["memory_p50_gib"]
    assert four - 0.5 == pytest.approx((one - 0.5) / 4)
    whole = trees(rows=20_000_000, library="lightgbm").layouts(card_id="a100-sxm-80")
    assert len({row["memory_p50_gib"] for row in whole}) == 1


def test_more_rows_never_fit_better() -> None:
    order = {"fits": 0, "tight": 1, "does_not_fit": 2}
    before = {(r["card_id"], r["layout_id"]): r["fit"] for r in trees().layouts()}
    after = {(r["card_id"], r["layout_id"]): r["fit"] for r in trees(rows=9_000_000).layouts()}
    known = [key for key in before if before[key] and after[key]]
    assert known and all(order[after[key]] >= order[before[key]] for key in known)
    assert any(after[key] != before[key] for key in known)


def test_another_library_is_asked_for_its_memory() -> None:
    answer = trees(library="other")
    assert answer.ranked() == [] and answer.decision("needs.tables.working_set_p50") is None


def test_development_takes_the_cheapest_hour_of_the_smallest_tier() -> None:
    answer = Answer({"task": "development"})
    assert answer.decision("needs.development.tier") == "small"  # B.2: 4 to 16 GB
    ranked = answer.ranked()
    best = [row for row in ranked if row["fit_order"] == 0 and row["band_order"] == 0]
    assert ranked[0]["cards"] == 1
    hours = [row["price_per_hour_usd"] for row in best]
    assert hours[0] == min(hours)
    assert not {row["card_id"] for row in ranked} & {"p4", "p40", "v100-sxm2-16"}, "CUDA 13"


def test_developing_a_large_problem_takes_the_large_tier() -> None:
    answer = Answer({"task": "development", "science": {"working_set_gib": 40}})
    assert answer.decision("needs.development.tier") == "large"
    # 40 × 1.1 + 0.5 = 44.5 GiB: cards of 48 GB and more.
    assert min(row["memory_usable_gib"] for row in answer.ranked() if row["fit"] == "fits") > 44.5
