"""The measured rows that are most like a profile, with what the book says of each.

Which facts make rows alike is said by the file of readings (`nearest` in rules/validation):

    nearest:
      same: [path, …]             # a row that differs here is not looked at
      close: {path: weight, …}    # numbers: the weight for every doubling between them
      alike: {path: weight, …}    # others: the weight where they differ
      metrics: [metric, …]        # measured figures that are shown

What a row leaves open counts as different.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.language.frozen import frozen
from engine.readers.measurements import Measurement, Measurements
from engine.run.score import Estimate, Scorer

_OPEN = 1.0  # doublings that stand for a number a row does not state


@frozen
class Near:
    """A measured row and its estimate; `distance` in the weights of the readings."""

    estimate: Estimate
    distance: float


def nearest(scorer: Scorer, file: Measurements, facts: Mapping[str, Any], most: int) -> list[Near]:
    """At most `most` rows, one of each group; `facts` are those of a decided profile."""
    spec = scorer.spec.get("nearest")
    if not spec:
        return []
    metrics = spec["metrics"]
    alike = [
        row
        for row in file.rows
        if row.metric in metrics
        and all(_stated(row, path) == facts.get(path) for path in spec["same"])
    ]
    scorer.enter(file, alike)
    found: dict[str, tuple[float, int, Measurement]] = {}
    for row in alike:
        apart = _distance(spec, scorer.completed(row).given, facts)
        place = (apart, metrics.index(row.metric), row)
        known = found.get(row.group)
        if known is None or place[:2] < known[:2]:
            found[row.group] = place
    chosen = sorted(found.values(), key=lambda place: (place[0], place[2].line))[:most]
    return [Near(scorer.estimate(row), apart) for apart, _, row in chosen]


def _stated(row: Measurement, path: str) -> Any:
    value: Any = row.profile
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _distance(spec: Mapping[str, Any], row: Mapping[str, Any], facts: Mapping[str, Any]) -> float:
    total = 0.0
    for path, weight in spec["close"].items():
        ours, theirs = facts.get(path), row.get(path)
        if ours is None:
            continue
        apart = _OPEN if not theirs or not ours else abs(math.log2(theirs / ours))
        total += weight * apart
    for path, weight in spec["alike"].items():
        if facts.get(path) is not None and row.get(path) != facts[path]:
            total += weight
    return total


def as_data(found: Sequence[Near]) -> list[dict[str, Any]]:
    """Plain data: what was measured, by whom, and what the book says of the same run."""
    return [
        {
            "id": near.estimate.row.id,
            "metric": near.estimate.row.metric,
            "unit": near.estimate.row.unit,
            "measured": near.estimate.row.value,
            "expected": near.estimate.expected,
            "cautious": near.estimate.cautious,
            "reason": near.estimate.reason,
            "distance": near.distance,
            "source": near.estimate.row.fields.get("source"),
            "locator": near.estimate.row.fields.get("locator"),
            "profile": near.estimate.row.profile,
        }
        for near in found
    ]
