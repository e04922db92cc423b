"""The cross-validated figures of speed on the pages are those of the rules as they are."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from engine.readers.measurements import Measurement
from engine.run.score import Estimate
from engine.run.validation import Metric
from tests.measurements.calibrate_speed import (
    GRIDS,
    JUDGED,
    PROMISES,
    RESULT,
    best,
    held_out,
    promised,
)
from tests.measurements.speed_held_out import median_error, on_their_kernels
from tests.measurements.test_speed import speed
from tests.rules.ask import book

STORED: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8"))
RATE = Metric(("tokens/s",), "rate", "expected", "cautious", {})


def estimate(group: str, measured: float, expected: float, cautious: float | None) -> Estimate:
    row = Measurement(f"{group}{measured}", "online_tokens", "output_tokens_per_s", measured,
                      "tokens/s", group, "high", {}, {}, 1)  # fmt: skip
    return Estimate(row, RATE, expected, cautious)


def test_the_constants_are_those_that_were_judged() -> None:
    parameters = book().bundle.parameters
    now = {name: float(parameters[name]) for name in (*GRIDS, *PROMISES)}
    both = {**STORED["constants"], **STORED["promises"]}
    assert now == {name: one["stored"] for name, one in both.items()}
    assert set(STORED["kinds"]) == set(JUDGED)


@pytest.mark.parametrize("kind", ["inference_offline", "training"])
def test_the_errors_are_those_of_today(kind: str) -> None:
    """A hundredth apart, `python -m tests.measurements.calibrate_speed --write` is due."""
    assert STORED["kinds"][kind]["in_sample"] == pytest.approx(
        speed()[kind]["median_ape"], abs=0.01
    )


@pytest.mark.parametrize("kind", [kind for kind in JUDGED if kind != "decode_bs1"])
def test_groups_left_out_are_not_far_worse(kind: str) -> None:
    """Constants that only suit the rows they were fitted to would be twice as wrong outside."""
    figure = STORED["kinds"][kind]
    assert figure["held_out"] <= 1.5 * figure["in_sample"]


def test_a_group_left_out_is_left_out_of_every_kind() -> None:
    """At 1 group a is right in both kinds, at 2 group b is: without a nothing speaks for 1."""
    table = {
        1.0: {("tpot", "a"): 0.0, ("ttft", "a"): 0.0, ("tpot", "b"): 0.5},
        2.0: {("tpot", "a"): 0.4, ("ttft", "a"): 0.4, ("tpot", "b"): 0.1},
    }
    assert best(table) == 1.0  # 0.5 in all against 0.9
    assert best(table, "a") == 2.0
    assert best(table, "b") == 1.0
    assert held_out(table) == pytest.approx((0.4 + 0.4 + 0.5) / 3)


def test_a_kernel_is_judged_by_its_other_groups() -> None:
    """Others run at 0.8 of the estimate: a group at 0.9 is missed by an eighth, not a tenth."""
    speeds = {"a": 90, "b": 80, "c": 80, "alone": 50}
    rows = [estimate(group, measured, 100, None) for group, measured in speeds.items()]
    kernels = {one.row.id: "other" if one.row.group == "alone" else "same" for one in rows}
    found = {one.row.group: one.expected for one in on_their_kernels(rows, kernels)}
    assert found["a"] == pytest.approx(80)
    assert found["b"] == pytest.approx(100 * math.exp((math.log(0.8) + math.log(0.9)) / 2))
    assert "alone" not in found


def test_every_group_counts_once() -> None:
    """Three rows off by half in one group, one row off by a tenth in each of two others."""
    rows = [estimate("a", 100 + n, 1.5 * (100 + n), None) for n in range(3)]
    rows += [estimate("b", 100, 110, None), estimate("c", 100, 90, None)]
    assert median_error(rows) == pytest.approx(0.1)


def test_a_promise_is_judged_where_it_is_made() -> None:
    rows = [estimate("a", 60, 100, 50), estimate("b", 60, 100, 40), estimate("c", 60, 100, None)]
    assert [one.row.group for one in promised(rows, 0.5)] == ["a"]
    assert [one.row.group for one in promised(rows, 0.4)] == ["b"]
