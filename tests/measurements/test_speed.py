"""The speed estimates keep to the bounds set for them on the measurements that may be shipped.

The bounds are the accuracy asked of the estimates, not what they happen to reach.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from engine.readers.measurements import Measurement, read_measurements
from engine.run.score import Scorer, result
from tests.measurements.test_measurements import HERE, SMALLER_SET, at_most
from tests.rules.ask import book

KINDS = ("inference_offline", "online_tokens", "online_tpot", "online_ttft", "training",
         "transfer", "scaling_efficiency")  # fmt: skip


@cache
def speed(bf16: bool = False) -> dict[str, Any]:
    file = read_measurements(str(HERE / "throughput.jsonl"))
    kept = [row for row in file.rows if row.kind in KINDS and row.confidence in ("high", "medium")]
    if bf16:
        kept = [row for row in kept if row.kind == "training" and computes(row) == "bf16"]
    scorer = Scorer(book().bundle, "throughput", {})
    scorer.enter(file, kept)
    found: dict[str, Any] = result([scorer.estimate(row) for row in kept], 0)["kinds"]
    return found


def computes(row: Measurement) -> object:
    precision = row.profile.get("precision", {})
    return precision.get("compute")


@pytest.mark.parametrize(
    ("kind", "metric", "error"),
    [
        ("online_tpot", "tpot_ms", 0.16),
        ("online_ttft", "ttft_ms", 0.35),
        ("training", "training_tokens_per_s_per_card", 0.11),
        ("transfer", "all_reduce_ms", 0.12),
    ],
)
def test_median_error_of_speed(kind: str, metric: str, error: float) -> None:
    assert speed()[kind]["metrics"][metric]["median_ape"] <= error * SMALLER_SET


def test_median_error_of_offline_throughput() -> None:
    """Of two metrics, tokens a second and the same for each card."""
    assert speed()["inference_offline"]["median_ape"] <= 0.09 * SMALLER_SET


def test_median_error_of_training_in_bf16() -> None:
    assert speed(bf16=True)["training"]["median_ape"] <= 0.06 * SMALLER_SET


@pytest.mark.parametrize(
    "kind", ["inference_offline", "online_tokens", "training", "scaling_efficiency"]
)
def test_nine_in_ten_reach_what_is_promised(kind: str) -> None:
    """Within what so many groups can tell: 0.9 lies in the exact binomial interval of 95 %."""
    figures = speed()[kind]
    groups = figures["groups"]
    missed = groups - round(figures["p10_coverage"] * groups)
    assert at_most(missed, groups, 0.1) < 0.975  # not more misses than chance allows
    assert at_most(missed + 1, groups, 0.1) > 0.025  # nor fewer: the promise is not hidden behind
