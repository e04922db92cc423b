"""Fits the constants of the speed estimate and its promises to published measurements.

    python -m tests.measurements.calibrate_speed [FILE] [--only NAME ...]

Each constant is tried over a grid while the others stand as they are in rules/parameters; the value
with the least error wins, every group of rows counting once in its kind and every kind once. The
error is the distance of the logarithms, bounded so that a run with a fault of its own cannot pull a
constant. Beside it stands the cross-validated error: each group is judged with the value that suits
all the others best. Then, for each kind with a promise, the share of the estimate that nine in ten
groups reach. Nothing is written: the figures go into rules/parameters by hand, with the number of
groups and the date.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from engine.readers.measurements import Measurement, Measurements, read_measurements
from engine.run.bundle import open_bundle
from engine.run.score import Estimate, Scorer
from tests.measurements.cross_validation import quantile

Errors = dict[str, float]  # by group

ROWS = Path(__file__).with_name("throughput.jsonl")
FARTHEST = 1.2  # as a logarithm: beyond a factor of 3.3 a row is wrong and no longer counts more
OFFLINE = ("inference_offline",)
SERVING = ("decode_bs1", "inference_offline", "online_tpot", "online_ttft")
ONLINE = ("online_tpot", "online_ttft", "online_tokens")
GRIDS: Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "bandwidth_gain": (SERVING, (1.06, 1.13, 1.2)),
    "cache_bandwidth_share": (SERVING, (0.84, 0.9, 0.95)),
    "four_bit_bandwidth_share": (SERVING, (0.57, 0.65, 0.73)),
    "llama_hbm_share": (("decode_bs1",), (0.55, 0.6, 0.65, 0.7)),
    "decode_compute_share": (SERVING, (0.88, 0.94, 1.0, 1.06)),
    "mixture_decode_share": (SERVING, (0.5, 0.6, 0.7, 0.8)),
    "prefill_compute_share": (SERVING, (0.95, 1.06, 1.18)),
    "mixture_prefill_share": (SERVING, (0.5, 0.6, 0.7)),
    "llama_prefill_share": (("prefill",), (0.4, 0.46, 0.53)),
    "layer_overhead": (SERVING, (1.5e-5, 1.9e-5, 2.3e-5)),
    "mixture_overhead": (SERVING, (3.0e-6, 6.0e-6, 1.0e-5)),
    "host_overhead": (SERVING, (0.001, 0.0013, 0.0016)),
    "collective_latency": (SERVING, (8.0e-6, 1.05e-5, 1.3e-5)),
    "small_exchange_share": (SERVING, (0.7, 0.83, 1.0)),
    "pcie_staged_bandwidth": (ONLINE, (6, 9, 12)),
    "staged_latency": (ONLINE, (2.0e-5, 4.0e-5, 6.0e-5)),
    "restricted_rate_share": (ONLINE, (0.86, 0.93, 1.0)),
    "mixture_prefill_overhead": (ONLINE, (0.0008, 0.0012, 0.0017)),
    "unmixed_layer_overhead": (ONLINE, (0, 0.0003, 0.0005, 0.0008)),
    "unmixed_prompts_share": (ONLINE, (0.09, 0.18, 0.27)),
    "merged_prompts_share": (ONLINE, (0.25, 0.4, 0.6)),
    "first_token_overhead": (("online_ttft",), (0.001, 0.005, 0.015)),
    "busy_places_share": (("online_tokens",), (0.7, 0.8, 0.9)),
    "average_output_share": (OFFLINE, (0.5, 0.6, 0.7)),
    "offline_sequences": (OFFLINE, (1400, 1700, 2048)),
    "mixture_training_share": (("training",), (0.46, 0.505, 0.555, 0.61)),
    "recompute_full_share": (("training",), (0.77, 0.795, 0.82, 0.845)),
}
PROMISES: Mapping[str, str] = {
    "throughput_p10_single": "decode_bs1",
    "throughput_p10_offline": "inference_offline",
    "throughput_p10_online": "online_tokens",
    "throughput_p10_training": "training",
}


class Estimates:
    """Estimates of the rows of a file with some parameters changed."""

    def __init__(self, file: Measurements) -> None:
        self.file, self.bundle = file, open_bundle()
        Scorer(self.bundle, "throughput", {}).enter(file, file.rows)

    def of(self, kinds: Sequence[str], changes: Mapping[str, float]) -> list[Estimate]:
        scorer = Scorer(self.bundle, "throughput", changes)
        rows = [row for row in self.file.rows if row.kind in kinds]
        scorer.enter(self.file, rows)
        return [one for one in map(scorer.estimate, rows) if not one.reason]


def mean(errors: Errors, leaving_out: str = "") -> float:
    kept = [error for group, error in errors.items() if group != leaving_out]
    return sum(kept) / len(kept) if kept else 0.0


def fitted(table: Mapping[float, Errors]) -> tuple[float, float, float]:
    """The best value of a grid, its error, and the error cross-validated by group."""
    best = min(table, key=lambda value: mean(table[value]))
    groups = table[best]
    held_out = [
        table[min(table, key=lambda value: mean(table[value], group))][group] for group in groups
    ]
    return best, mean(groups), sum(held_out) / len(held_out)


def by_group(estimates: Iterable[Estimate]) -> Errors:
    """The mean bounded error of each group of each kind, each kind weighing the same."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in estimates:
        row: Measurement = one.row
        error = min(abs(math.log(one.expected / row.value)), FARTHEST)
        found[row.kind][row.group].append(error)
    most = max(map(len, found.values()))
    return {
        f"{kind}|{group}": sum(errors) / len(errors) * most / len(groups)
        for kind, groups in found.items()
        for group, errors in groups.items()
    }


def reached(estimates: Iterable[Estimate], share: float) -> tuple[float, int]:
    """The part of the estimate that `share` of the groups reach, and the number of groups."""
    rates = [one for one in estimates if one.metric is not None and one.metric.sense == "rate"]
    return quantile(rates, 1 - share), len({one.row.group for one in rates})


def main(path: str, only: Sequence[str]) -> None:
    estimates = Estimates(read_measurements(path))
    print(f"{'constant':28} {'best':>9} {'error':>7} {'held out':>9}")
    for name, (kinds, values) in GRIDS.items():
        if only and name not in only:
            continue
        table = {value: by_group(estimates.of(kinds, {name: value})) for value in values}
        best, error, held_out = fitted(table)
        print(f"{name:28} {best:9g} {error:7.3f} {held_out:9.3f}", flush=True)
    if only:
        return
    print(f"\n{'promise':28} {'P10/P50':>9} {'groups':>7}")
    for name, kind in PROMISES.items():
        part, groups = reached(estimates.of((kind,), {}), 0.9)
        print(f"{name:28} {part:9.3f} {groups:7d}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", default=str(ROWS))
    parser.add_argument("--only", nargs="*", default=())
    given = parser.parse_args()
    main(given.file, given.only)
