"""What the published measurements that come with a book say of its estimates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.readers.measurements import read_measurements
from engine.run.bundle import Bundle
from engine.run.nearest import as_data, nearest
from engine.run.score import Scorer, result

MEASUREMENTS = "tests/measurements"
HELD_OUT = f"{MEASUREMENTS}/held_out.json"
SPEED_HELD_OUT = f"{MEASUREMENTS}/speed_held_out.json"


def accuracy(bundle: Bundle, root: Path, name: str) -> Mapping[str, Any]:
    """What `score NAME` says of the shipped rows of high or medium confidence."""
    file = read_measurements(str(root / MEASUREMENTS / f"{name}.jsonl"))
    rows = [row for row in file.rows if row.confidence in ("high", "medium")]
    scorer = Scorer(bundle, name, {})
    scorer.enter(file, rows)
    return result([scorer.estimate(row) for row in rows], file.skipped)


def held_out(root: Path) -> Mapping[str, Any]:
    """The cross-validated figures, which take minutes to find: see tests/measurements/calibrate
    and calibrate_speed, whose figures stand under `speed` and `promises`."""
    found: dict[str, Any] = json.loads((root / HELD_OUT).read_text(encoding="utf-8"))
    speed = json.loads((root / SPEED_HELD_OUT).read_text(encoding="utf-8"))
    return {**found, "speed": speed["kinds"], "promises": speed["promises"]}


def nearest_rows(
    bundle: Bundle, root: Path, name: str, facts: Mapping[str, Any], most: int
) -> list[dict[str, Any]]:
    """The shipped rows most like a decided profile, nearest first."""
    file = read_measurements(str(root / MEASUREMENTS / f"{name}.jsonl"))
    return as_data(nearest(Scorer(bundle, name, {}), file, facts, most))
