"""Fits the constants of the memory estimate and its bands to published measurements.

    python -m tests.measurements.calibrate [FILE]

For each constant the values of a grid are tried; the one with the least mean error wins, every
group of rows counting once. Beside it stands the cross-validated error: each group is judged with
the value that suits all the others best. Then, for each kind of row, the P95 over P50 that 95 % of
the groups stay under. Nothing is written: the figures go into rules/parameters by hand, with the
number of groups and the date.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from engine.readers.measurements import Measurement, Measurements, read_measurements
from engine.run.bundle import open_bundle
from engine.run.score import Estimate, Scorer

ROWS = Path(__file__).with_name("memory.jsonl")
TRAINING = ("train_lora", "train_qlora", "train_full")
GRIDS: Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "quantised_activation_factor": (("train_qlora",), (1.1, 1.15, 1.2, 1.25, 1.3, 1.35, 1.4)),
    "mixed_sharding_factor": (("train_lora",), (1.3, 1.4, 1.5, 1.6, 1.7)),
    "reserved_slack": (TRAINING, (0.05, 0.15, 0.25, 0.35, 0.45, 0.55)),
    "reserved_slack_varying": (TRAINING, (0.6, 0.8, 1.0, 1.2, 1.4)),
    "most_slack_gib": (TRAINING, (4, 6, 8, 10, 12)),
    "loading_bytes": (TRAINING, (2, 3, 4, 5, 6)),
    "adapter_v2_activation_factor": (TRAINING, (1.2, 1.3, 1.4, 1.5)),
    "loaded_head_bytes": (("inference",), (0.5, 0.7, 0.9, 1.0, 1.1)),
}
BANDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "p95_ratio_lora": (("train_lora",), ()),
    "p95_ratio_qlora": (("train_qlora",), ()),
    "p95_ratio_shown_full": (("train_full",), ()),
    "p95_ratio_inference": (("inference",), ("peak_allocated", "peak_process",
                                             "peak_total_all_cards", "weights_reserved")),
    "p95_ratio_weights": (("inference",), ("weights",)),
    "p95_ratio_working": (("inference",), ("activation_peak",)),
    "p95_ratio_buffer": (("inference",), ("compute_buffer",)),
}  # fmt: skip

Errors = dict[str, float]


class Estimates:
    """Estimates of the rows of a file with some parameters changed."""

    def __init__(self, file: Measurements) -> None:
        self.rows = [row for row in file.rows if row.confidence in ("high", "medium")]
        self.file, self.bundle = file, open_bundle()
        Scorer(self.bundle, "memory", {}).enter(file, self.rows)

    def of(self, kinds: Sequence[str], changes: Mapping[str, float]) -> list[Estimate]:
        scorer = Scorer(self.bundle, "memory", changes)
        rows = [row for row in self.rows if row.kind in kinds]
        scorer.enter(self.file, rows)
        found = [scorer.estimate(row) for row in rows]
        return [one for one in found if _number(one)]


def _number(one: Estimate) -> bool:
    return not one.reason and one.metric is not None and one.metric.sense != "verdict"


def by_group(estimates: Iterable[Estimate]) -> Errors:
    """The mean absolute relative error of each group of each kind."""
    found: dict[str, list[float]] = defaultdict(list)
    for one in estimates:
        row: Measurement = one.row
        found[f"{row.kind}|{row.group}"].append(abs(one.expected / row.value - 1))
    return {group: sum(errors) / len(errors) for group, errors in found.items()}


def mean(errors: Errors, leaving_out: str = "") -> float:
    kept = [error for group, error in errors.items() if group != leaving_out]
    return sum(kept) / len(kept)


def fitted(table: Mapping[float, Errors]) -> tuple[float, float, float]:
    """The best value of a grid, its error, and the error cross-validated by group."""
    best = min(table, key=lambda value: mean(table[value]))
    groups = table[best]
    held_out = [
        table[min(table, key=lambda value: mean(table[value], group))][group] for group in groups
    ]
    return best, mean(groups), sum(held_out) / len(held_out)


def quantile(estimates: Iterable[Estimate], share: float) -> tuple[float, int]:
    """Measured over expected that `share` of the weight stays under, each group weighing 1."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for one in estimates:
        ratios[one.row.group].append(one.row.value / one.expected)
    weighed = sorted((ratio, 1 / len(each)) for each in ratios.values() for ratio in each)
    below = 0.0
    for ratio, weight in weighed:
        below += weight
        if below >= share * len(ratios):
            return ratio, len(ratios)
    return weighed[-1][0], len(ratios)


def main(path: str) -> None:
    estimates = Estimates(read_measurements(path))
    print(f"{'constant':32} {'best':>7} {'error':>8} {'held out':>9}")
    for name, (kinds, values) in GRIDS.items():
        table = {value: by_group(estimates.of(kinds, {name: value})) for value in values}
        best, error, held_out = fitted(table)
        print(f"{name:32} {best:7g} {100 * error:7.2f}% {100 * held_out:8.2f}%")
    print(f"\n{'band':32} {'P95/P50':>7} {'groups':>8}")
    for name, (kinds, metrics) in BANDS.items():
        rows = [
            one
            for one in estimates.of(kinds, {})
            if not metrics or one.row.metric in metrics
            if one.metric is not None and one.metric.sense == "cost" and one.metric.cautious
        ]
        ratio, groups = quantile(rows, 0.95)
        print(f"{name:32} {ratio:7.3f} {groups:8d}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(ROWS))
