"""The measured rows beside an estimate are those most like it, and say where they come from."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.readers.measurements import Measurements, read_measurements
from engine.run.nearest import as_data, nearest
from engine.run.score import Scorer
from tests.rules.ask import book

MEMORY = str(Path(__file__).with_name("memory.jsonl"))
PROFILE = {
    "task": "qlora", "model.parameters_b": 7.2, "training.sequence_length": 512.0,
    "training.micro_batch": 2.0, "precision.weights": "nf4", "precision.format": "bitsandbytes",
    "training.framework": "litgpt", "hardware.gpu": "a10g",
}  # fmt: skip


@cache
def file() -> Measurements:
    return read_measurements(MEMORY)


def found(**changes: Any) -> list[dict[str, Any]]:
    facts = {**PROFILE, **changes}
    return as_data(nearest(Scorer(book().bundle, "memory", {}), file(), facts, 3))


def test_three_rows_of_the_same_work_each_of_another_group() -> None:
    rows = found()
    by_id = {row.id: row for row in file().rows}
    assert len(rows) == 3
    assert len({by_id[row["id"]].group for row in rows}) == 3
    assert all(row["profile"]["task"] == "qlora" for row in rows)
    assert [row["distance"] for row in rows] == sorted(row["distance"] for row in rows)


def test_every_row_names_its_source_and_our_estimate() -> None:
    for row in found():
        assert row["source"] and row["locator"] and row["measured"] > 0
        assert row["expected"] > 0 or row["reason"]


def test_a_measured_run_is_nearest_to_itself() -> None:
    row = next(
        row for row in file().rows if row.kind == "train_qlora" and row.metric == "peak_allocated"
    )
    scorer = Scorer(book().bundle, "memory", {})
    scorer.enter(file(), [row])
    rows = as_data(nearest(scorer, file(), scorer.completed(row).given, 3))
    by_id = {one.id: one for one in file().rows}
    assert rows[0]["distance"] == 0
    assert by_id[rows[0]["id"]].group == row.group


def test_models_of_the_same_size_come_first() -> None:
    small, large = (
        found(**{"model.parameters_b": billions})[0]["profile"]["model"]["parameters_b"]
        for billions in (1.2, 14.0)
    )
    assert small < 3 < 7 < large


def test_work_nobody_measured_has_no_neighbours() -> None:
    assert found(task="transcoding") == []


@pytest.mark.parametrize("part", ["close", "alike"])
def test_every_part_of_a_profile_that_counts_is_a_fact(part: str) -> None:
    spec = book().bundle.book.validation["memory"]["nearest"]
    assert spec[part] and set(spec[part]) <= set(book().bundle.book.facts)
