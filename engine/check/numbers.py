"""Numbers a reader recognises."""

from __future__ import annotations

import math


def nice_number(low: float, high: float, *, integer: bool = False) -> float:
    """The number with the fewest digits in the closed interval; 0 when it is inside."""
    if low <= 0 <= high:
        return 0.0
    if low == high:
        return low
    if low < 0:
        return -nice_number(-high, -low, integer=integer)
    top = math.floor(math.log10(min(high, 1e300))) + 1
    for exponent in range(top, top - 18, -1):
        step = 10.0**exponent if exponent >= 0 else 1 / 10.0**-exponent
        if integer and exponent < 0:
            break
        value = _multiple(low, exponent, step)
        if low <= value <= high:
            return value
    return low


def _multiple(low: float, exponent: int, step: float) -> float:
    count = math.ceil(low / step)
    return float(count * 10**exponent) if exponent >= 0 else count / 10.0**-exponent
