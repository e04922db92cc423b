"""Piecewise linear curves."""

from __future__ import annotations

from itertools import pairwise

from engine.book.model import Curve

Points = tuple[tuple[float, float], ...]


def points_of(curve: Curve, key: str) -> Points | None:
    """The points of one key; None when the curve has no such key."""
    return dict(curve.segments).get(key)


def interpolated(curve: Curve, key: str, x: float) -> tuple[float | None, int]:
    """y at x (None: refused) and the number of the segment: -1 below, the last + 1 above."""
    points = points_of(curve, key)
    if points is None:
        return None, -1
    if x < points[0][0]:
        return (points[0][1] if curve.below == "hold" else None), -1
    if x > points[-1][0]:
        return (points[-1][1] if curve.above == "hold" else None), len(points) - 1
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        if x < x1:
            y = y0 + (x - x0) * ((y1 - y0) / (x1 - x0))
            # Rounding must not carry the line past the segment's far end.
            return (min(y, y1) if y1 >= y0 else max(y, y1)), number
    return points[-1][1], len(points) - 2
