"""Fits the constants of the memory estimate and its bands to published measurements.

    python -m tests.measurements.calibrate [FILE] [--write]

For each constant some values around the stored one are tried; beside the error of the stored and
the best value stands the cross-validated one: each group of rows is judged with the value that
suits all the others best. Then, kind by kind, the same with all constants at once, and for each
band the P95 over P50 that 95 % of the groups stay under, with the share of each group's rows under
the ratio of the other groups. The constants themselves are changed by hand in rules/parameters,
with the number of groups and the date; `--write` stores the figures in held_out.json for the pages.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.readers.measurements import read_measurements
from tests.measurements.cross_validation import Constant, Estimates, band, kinds_held_out

HERE = Path(__file__).resolve().parent
ROWS, RESULT = HERE / "memory.jsonl", HERE / "held_out.json"
TRAINING = ("train_lora", "train_qlora", "train_full")
KINDS = (*TRAINING, "pretrain", "inference", "kv_cache_tokens", "diffusion")
# What was measured by itself (a driver context, bytes of a format) is not fitted to whole runs.
CONSTANTS = (
    Constant("quantised_activation_factor", TRAINING, (1.15, 1.2, 1.3, 1.35)),
    Constant("reserved_slack", TRAINING, (0.25, 0.35, 0.45, 0.65)),
    Constant("reserved_slack_varying", TRAINING, (0.8, 1.0, 1.2, 1.4)),
    Constant("most_slack_gib", TRAINING, (8, 10, 12, 16)),
    Constant("loading_bytes", TRAINING, (2, 3, 5, 6)),
    Constant("adapter_v2_activation_factor", TRAINING, (1.2, 1.3, 1.4, 1.6)),
    Constant("recomputed_hidden_copies", TRAINING, (8, 10, 14, 16)),
    Constant("recomputed_width_copies", TRAINING, (2.5, 3.5, 4)),
    Constant("recomputed_score_bytes", TRAINING, (12, 13.5, 16)),
    Constant("recomputed_score_bytes_quantised", TRAINING, (15, 16.5, 20)),
    Constant("logit_bytes_cast", TRAINING, (14, 16, 18, 22)),
    Constant("collective_context_gib", (*TRAINING, "pretrain"), (0.6, 0.9, 1.5)),
    Constant("megatron_buffers_gib", ("pretrain", "train_full"), (0.5, 1, 1.5, 2, 2.5, 3)),
    Constant("sharded_update_bytes", ("pretrain", "train_full"), (7, 8, 10, 11)),
    Constant("loaded_head_bytes", ("inference",), (0.5, 0.7, 1.0, 1.1)),
    Constant("exllama_copies", ("inference",), (7, 8, 11)),
    Constant("prompt_score_bytes", ("inference",), (6, 7, 9, 10)),
    Constant("profile_copies_hidden", ("inference",), (2, 4)),
    Constant("sampler_bytes", ("inference",), (32, 36, 42)),
    Constant("eager_serving_gib", ("inference",), (0.02, 0.05)),
    Constant("visible_memory_ratio", ("kv_cache_tokens", "inference"), (0.98, 0.985, 0.995)),
    Constant("decode_bytes_image", ("diffusion",), (1700, 1800, 2050, 2150)),
    Constant("decode_workspace_image", ("diffusion",), (350, 450, 600, 700)),
    Constant("decode_bytes_video", ("diffusion",), (3700, 3900, 4400)),
    Constant("block_bytes", ("diffusion",), (75, 85, 100, 110)),
    Constant("wide_part_gib", ("diffusion",), (1.4, 1.6, 2)),
)
PEAKS = ("peak_allocated", "peak_process", "peak_total_all_cards", "weights_reserved")
BANDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "p95_ratio_lora": (("train_lora",), ()),
    "p95_ratio_qlora": (("train_qlora",), ()),
    "p95_ratio_shown_full": (("train_full",), ()),
    "p95_ratio_pretrain": (("pretrain",), ()),
    "p95_ratio_inference": (("inference",), PEAKS),
    "p95_ratio_weights": (("inference",), ("weights",)),
    "p95_ratio_working": (("inference",), ("activation_peak",)),
    "p95_ratio_cache": (("kv_cache_tokens",), ("kv_cache_gib",)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=str(ROWS))
    parser.add_argument("--write", action="store_true", help="store the figures for the pages")
    arguments = parser.parse_args()
    found = figures(Estimates(read_measurements(arguments.file)))
    if arguments.write:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def figures(estimates: Estimates) -> dict[str, Any]:
    """Everything this file prints, as it prints it."""
    found: dict[str, Any] = {"constants": {}, "kinds": {}, "bands": {}}
    print(f"{'constant':34}{'groups':>7}{'stored':>8}{'best':>8}{'error':>9}{'held out':>10}")
    fits = []
    for constant in CONSTANTS:
        fit = estimates.fit(constant)
        if not fit.moved:
            print(f"{constant.name:34}      0  no row of this file is moved by it")
            continue
        fits.append(fit)
        line = found["constants"][constant.name] = {
            "groups": len(fit.moved), "stored": fit.stored, "best": fit.best(),
            "in_sample": fit.in_sample(fit.stored), "held_out": fit.held_out,
        }  # fmt: skip
        print(f"{constant.name:34}{line['groups']:7d}{fit.stored:8g}{line['best']:8g}"
              f"{line['in_sample']:9.2%}{line['held_out']:10.2%}", flush=True)  # fmt: skip
    print(f"\n{'kind':34}{'rows':>7}{'groups':>8}{'error':>9}{'held out':>10}"
          f"{'median':>9}{'held out':>10}")  # fmt: skip
    for kind, figure in kinds_held_out(estimates, fits, KINDS).items():
        found["kinds"][kind] = asdict(figure)
        print(f"{kind:34}{figure.rows:7d}{figure.groups:8d}{figure.in_sample:9.2%}"
              f"{figure.held_out:10.2%}{figure.median:9.2%}{figure.median_held_out:10.2%}",
              flush=True)  # fmt: skip
    print(f"\n{'band':34}{'groups':>7}{'stored':>8}{'P95/P50':>9}{'held out':>10}")
    for name, (kinds, metrics) in BANDS.items():
        rows = [
            one
            for one in estimates.of(kinds, {})
            if not metrics or one.row.metric in metrics
            if one.metric is not None and one.metric.sense == "cost" and one.metric.cautious
        ]
        ratio = band(rows)
        stored = float(estimates.bundle.parameters[name])
        found["bands"][name] = {**asdict(ratio), "stored": stored}
        print(f"{name:34}{ratio.groups:7d}{stored:8g}{ratio.ratio:9.3f}{ratio.covered:10.1%}")
    return found


if __name__ == "__main__":
    main()
