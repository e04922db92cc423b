"""Fits the constants of the speed estimate and its promises to published measurements.

    python -m tests.measurements.calibrate_speed [FILE] [--only NAME ...] [--write]

Each constant is tried over a grid while the others stand as they are in rules/parameters; the value
with the least error wins, every group of rows counting once in its kind and every kind once. The
error is the distance of the logarithms, bounded so that a run with a fault of its own cannot pull a
constant. Beside it stands the cross-validated error: each group is judged with the value that suits
all the others best, wherever its rows stand. Then, kind by kind, the median error with all
constants at once (see speed_held_out.py) and, for each promise, the share of the estimate that nine
in ten of the groups reach to which it is made. The constants are changed by hand in
rules/parameters, with the number of groups and the date; `--write` stores the figures in
speed_held_out.json for the pages.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.readers.measurements import Measurement, Measurements, read_measurements
from engine.run.bundle import open_bundle
from engine.run.score import Estimate, Scorer
from tests.measurements.cross_validation import quantile
from tests.measurements.joint_fit import Logs, logs, together
from tests.measurements.speed_held_out import kind_held_out

Errors = dict[tuple[str, str], float]  # by kind and group

HERE = Path(__file__).resolve().parent
ROWS, RESULT = HERE / "throughput.jsonl", HERE / "speed_held_out.json"
FARTHEST = 1.2  # as a logarithm: beyond a factor of 3.3 a row is wrong and no longer counts more
OFFLINE = ("inference_offline",)
SERVING = ("decode_bs1", "inference_offline", "online_tpot", "online_ttft")
ONLINE = ("online_tpot", "online_ttft", "online_tokens")
TRAINING = ("training",)
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
    "unmixed_layer_overhead": (ONLINE, (0, 0.0003, 0.0006, 0.0009)),
    "unmixed_prompts_share": (ONLINE, (0.09, 0.18, 0.27)),
    "prompts_first_share": (ONLINE, (0.06, 0.09, 0.13)),
    "merged_prompts_share": (ONLINE, (0.25, 0.4, 0.6)),
    "first_token_overhead": (("online_ttft",), (0.001, 0.003, 0.006, 0.015)),
    "busy_places_share": (("online_tokens",), (0.7, 0.8, 0.9)),
    "average_output_share": (OFFLINE, (0.5, 0.6, 0.7)),
    "offline_sequences": (OFFLINE, (1400, 1700, 2048)),
    "mixture_training_share": (TRAINING, (0.46, 0.505, 0.555, 0.61)),
    "mixture_training_share_low": (TRAINING, (0.34, 0.37, 0.4, 0.43)),
    "recompute_full_share": (TRAINING, (0.77, 0.795, 0.82, 0.845)),
    "tuned_factor": (TRAINING, (1.12, 1.175, 1.225, 1.28)),
    "lean_trainer_factor": (TRAINING, (1.05, 1.09, 1.135, 1.18)),
    "quantised_training_share": (TRAINING, (0.63, 0.67, 0.705, 0.74)),
    "tuned_tensor_share": (TRAINING, (0.4, 0.54, 0.7)),
    "training_step_overhead": (TRAINING, (0.035, 0.053, 0.08)),
}
JUDGED = ("decode_bs1", "inference_offline", "online_tpot", "online_ttft", "training")
PROMISES: Mapping[str, str] = {
    "throughput_p10_single": "decode_bs1",
    "throughput_p10_offline": "inference_offline",
    "throughput_p10_online": "online_tokens",
    "throughput_p10_widened": "online_tokens",
    "throughput_p10_training": "training",
}


class Estimates:
    """Estimates of the rows of a file with some parameters changed."""

    def __init__(self, file: Measurements) -> None:
        self.file, self.bundle = file, open_bundle()
        self._stored: dict[tuple[tuple[str, ...], str], list[Estimate]] = {}
        Scorer(self.bundle, "throughput", {}).enter(file, file.rows)

    def of(
        self, kinds: Sequence[str], changes: Mapping[str, float], group: str = ""
    ) -> list[Estimate]:
        if changes:
            return self._of(kinds, changes, group)
        key = tuple(kinds), group
        if key not in self._stored:
            self._stored[key] = self._of(kinds, {}, group)
        return self._stored[key]

    def _of(self, kinds: Sequence[str], changes: Mapping[str, float], group: str) -> list[Estimate]:
        scorer = Scorer(self.bundle, "throughput", changes)
        rows = [row for row in self.file.rows if row.kind in kinds and group in ("", row.group)]
        scorer.enter(self.file, rows)
        return [one for one in map(scorer.estimate, rows) if not one.reason]


def mean(errors: Errors, leaving_out: str = "") -> float:
    """Leaving out a group, its rows of every kind are left out."""
    kept = [error for (_, group), error in errors.items() if group != leaving_out]
    return sum(kept) / len(kept) if kept else 0.0


def best(table: Mapping[float, Errors], leaving_out: str = "") -> float:
    """The value of a grid that suits the rows best, without those of a group."""
    return min(table, key=lambda value: mean(table[value], leaving_out))


def held_out(table: Mapping[float, Errors]) -> float:
    """The mean error of the groups, each at the value that suits the others best."""
    keys = next(iter(table.values()))
    return sum(table[best(table, group)][kind, group] for kind, group in keys) / len(keys)


def one_by_one(tables: Mapping[str, Mapping[float, Errors]]) -> Callable[[str], dict[str, float]]:
    """For training, whose constants act on different runs."""
    own = {name: table for name, table in tables.items() if GRIDS[name][0] == TRAINING}
    return lambda group: {name: best(table, group) for name, table in own.items()}


def all_together(tables: Mapping[str, Mapping[float, Logs]]) -> Callable[[str], dict[str, float]]:
    """For serving, whose constants share most runs."""
    own = {name: table for name, table in tables.items() if GRIDS[name][0] != TRAINING}
    stored = {name: next(iter(table)) for name, table in own.items()}  # tried first
    return lru_cache(maxsize=None)(lambda group: together(own, stored, group))


def by_group(estimates: Iterable[Estimate]) -> Errors:
    """The mean bounded error of each group of each kind, each kind weighing the same."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in estimates:
        row: Measurement = one.row
        error = min(abs(math.log(one.expected / row.value)), FARTHEST)
        found[row.kind][row.group].append(error)
    most = max(map(len, found.values()))
    return {
        (kind, group): sum(errors) / len(errors) * most / len(groups)
        for kind, groups in found.items()
        for group, errors in groups.items()
    }


def promised(estimates: Iterable[Estimate], promise: float) -> list[Estimate]:
    """The rates that a promise is made to: where their load shows none, none is made."""
    return [
        one
        for one in estimates
        if one.metric is not None and one.metric.sense == "rate" and one.cautious is not None
        if math.isclose(one.cautious, promise * one.expected, rel_tol=0.02)
    ]


def figures(estimates: Estimates, only: Sequence[str]) -> dict[str, Any]:
    """Everything this file prints, as it prints it."""
    found: dict[str, Any] = {"constants": {}, "kinds": {}, "promises": {}}
    tables: dict[str, Mapping[float, Errors]] = {}
    rows_of: dict[str, Mapping[float, Logs]] = {}
    print(f"{'constant':28} {'stored':>9} {'best':>9} {'error':>7} {'held out':>9}")
    for name, (kinds, values) in GRIDS.items():
        if only and name not in only:
            continue
        stored = float(estimates.bundle.parameters[name])
        tried = {stored: estimates.of(kinds, {})}
        for value in values:
            if value != stored:
                tried[value] = estimates.of(kinds, {name: value})
        table = tables[name] = {value: by_group(rows) for value, rows in tried.items()}
        rows_of[name] = {value: logs(rows) for value, rows in tried.items()}
        line = found["constants"][name] = {
            "stored": stored, "best": best(table), "in_sample": mean(table[stored]),
            "held_out": held_out(table),
        }  # fmt: skip
        print(f"{name:28} {stored:9g} {line['best']:9g} {line['in_sample']:7.3f}"
              f" {line['held_out']:9.3f}", flush=True)  # fmt: skip
    if only:
        return found
    print(f"\n{'kind':28} {'rows':>5} {'groups':>7} {'median':>8} {'held out':>9}")
    for kind in JUDGED:
        line = found["kinds"][kind] = kind_held_out(
            estimates, kind, one_by_one(tables) if kind == "training" else all_together(rows_of)
        )
        print(f"{kind:28} {line['rows']:5d} {line['groups']:7d} {line['in_sample']:8.1%}"
              f" {line['held_out']:9.1%}", flush=True)  # fmt: skip
    print(f"\n{'promise':28} {'stored':>9} {'P10/P50':>9} {'groups':>7}")
    for name, kind in PROMISES.items():
        stored = float(estimates.bundle.parameters[name])
        rows = promised(estimates.of((kind,), {}), stored)
        groups = len({one.row.group for one in rows})
        share = quantile(rows, 0.1)
        found["promises"][name] = {"groups": groups, "stored": stored, "share": share}
        print(f"{name:28} {stored:9.3f} {share:9.3f} {groups:7d}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=str(ROWS))
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--write", action="store_true", help="store the figures for the pages")
    given = parser.parse_args()
    found = figures(Estimates(read_measurements(given.file)), given.only)
    if given.write and not given.only:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
