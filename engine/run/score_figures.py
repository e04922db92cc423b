"""How far estimates are from measurements: every group of rows counts once.

A row weighs one over the number of judged rows of its group, in shares, means and medians alike, so
that a large table of one source cannot carry a figure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from engine.language.frozen import frozen

SHARES = (
    "median_ape", "mape", "within_10", "within_20", "under_10", "over_10", "p95_coverage",
    "p10_coverage", "median_p95_over_p50",
)  # fmt: skip
KEYS = ("n", "answered", *SHARES)
NEAR, FAR = 0.1, 0.2
FEWEST_GROUPS = 10  # of a kind that counts in the mean over kinds


@frozen
class Judged:
    """A measurement beside its estimate. `sense`: cost (less is better) or rate.

    `cautious` is the P95 of a cost, the P10 of a rate; None where the book states none.
    """

    group: str
    sense: str
    measured: float
    expected: float
    cautious: float | None


def figures(judged: Sequence[Judged], rows: int) -> dict[str, Any]:
    """The figures of `rows` rows of which `judged` were answered; None where nothing was."""
    errors = [abs(one.expected - one.measured) / one.measured for one in judged]
    weights = _weights(judged)
    held = {"cost": "p95_coverage", "rate": "p10_coverage"}
    found: dict[str, Any] = {
        "n": rows,
        "answered": len(judged),
        "median_ape": weighted_median(errors, weights),
        "mape": _mean(errors, weights),
        "within_10": _mean([float(error <= NEAR) for error in errors], weights),
        "within_20": _mean([float(error <= FAR) for error in errors], weights),
        "under_10": _mean(
            [float(one.expected < (1 - NEAR) * one.measured) for one in judged], weights
        ),
        "over_10": _mean(
            [float(one.expected > (1 + NEAR) * one.measured) for one in judged], weights
        ),
    }
    for sense, key in held.items():
        bounded = [one for one in judged if one.sense == sense and one.cautious is not None]
        kept = [
            float(one.measured <= one.cautious if sense == "cost" else one.measured >= one.cautious)
            for one in bounded
            if one.cautious is not None
        ]
        found[key] = _mean(kept, _weights(bounded))
        if sense == "cost":
            wide = [one for one in bounded if one.expected > 0]
            found["median_p95_over_p50"] = weighted_median(
                [(one.cautious or 0.0) / one.expected for one in wide], _weights(wide)
            )
    return {key: found[key] for key in KEYS}


def macro(kinds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The means over the kinds with at least ten groups; `kinds`: how many those are."""
    counted = [kind for kind in kinds if kind["groups"] >= FEWEST_GROUPS]
    found: dict[str, Any] = {"kinds": len(counted)}
    for key in (*SHARES, "fits_right"):
        values = [kind[key] for kind in counted if kind[key] is not None]
        found[key] = math.fsum(values) / len(values) if values else None
    return found


def share(flags: Sequence[tuple[str, bool]]) -> float | None:
    """The share of (group, flag) that hold, every group counting once."""
    sizes = Counter(group for group, _ in flags)
    weights = [Fraction(1, sizes[group]) for group, _ in flags]
    return _mean([float(flag) for _, flag in flags], weights)


def _weights(judged: Sequence[Judged]) -> list[Fraction]:
    sizes = Counter(one.group for one in judged)
    return [Fraction(1, sizes[one.group]) for one in judged]


def _mean(values: Sequence[float], weights: Sequence[Fraction]) -> float | None:
    if not values:
        return None
    total = sum(weights)
    return math.fsum(
        value * float(weight / total) for value, weight in zip(values, weights, strict=True)
    )


def weighted_median(values: Sequence[float], weights: Sequence[Fraction]) -> float | None:
    """Half of the weight lies at or below it; between two values, their mean."""
    ordered = sorted(zip(values, weights, strict=True))
    half, below = sum(weights, Fraction()) / 2, Fraction()
    for number, (value, weight) in enumerate(ordered):
        below += weight
        if below == half:
            return (value + ordered[number + 1][0]) / 2
        if below > half:
            return value
    return None
