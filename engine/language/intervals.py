"""Intervals of operations on binary64.

An interval is (low, high), both ends included. Correctly rounded operations are monotone, so
the ends of a result are the operation applied to ends: no outward rounding is needed where one
operation is applied once. Where rounding errors add up (sums, powers) the ends are widened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

Interval = tuple[float, float]

EVERYTHING: Interval = (-math.inf, math.inf)
EXACT = 2.0**53  # up to here every whole number is a binary64


def is_finite(interval: Interval) -> bool:
    return math.isfinite(interval[0]) and math.isfinite(interval[1])


def hull(parts: Iterable[Interval]) -> Interval:
    """The smallest interval around all parts (at least one)."""
    lows, highs = zip(*parts, strict=True)
    return min(lows), max(highs)


def _ends(values: Iterable[float]) -> Interval:
    found = list(values)
    if any(math.isnan(value) for value in found):
        return EVERYTHING
    return min(found) + 0.0, max(found) + 0.0


def add(left: Interval, right: Interval) -> Interval:
    return _ends((left[0] + right[0], left[1] + right[1]))


def subtract(left: Interval, right: Interval) -> Interval:
    return _ends((left[0] - right[1], left[1] - right[0]))


def multiply(left: Interval, right: Interval) -> Interval:
    return _ends(a * b for a in left for b in right)


def square(operand: Interval) -> Interval:
    low, high = absolute(operand)
    return low * low, high * high


def divide(left: Interval, right: Interval) -> Interval:
    """The quotient; `right` must not hold 0."""
    return _ends(a / b for a in left for b in right)


def negate(operand: Interval) -> Interval:
    return 0.0 - operand[1], 0.0 - operand[0]


def absolute(operand: Interval) -> Interval:
    low, high = operand
    if low >= 0:
        return operand
    if high <= 0:
        return negate(operand)
    return 0.0, max(-low, high)


def through(function: Callable[[float], float], operand: Interval) -> Interval:
    """A function that never decreases."""
    try:
        return function(operand[0]) + 0.0, function(operand[1]) + 0.0
    except OverflowError:
        return EVERYTHING


def smallest(parts: list[Interval]) -> Interval:
    return min(low for low, _ in parts), min(high for _, high in parts)


def largest(parts: list[Interval]) -> Interval:
    return max(low for low, _ in parts), max(high for _, high in parts)


def power(base: Interval, exponent: Interval) -> Interval:
    """Powers with whole exponents within `exponent`, each at least 0."""
    low, high = base
    fewest, most = int(exponent[0]), int(exponent[1])
    if low >= 0:
        ends = [_raised(x, n) for x in (low, high) for n in (fewest, most)]
        if fewest == 0:
            ends.append(1.0)
        least, greatest = min(ends), max(ends)
    else:
        reach = max(-low, high)
        greatest = max(_raised(reach, fewest), _raised(reach, most), 1.0 if fewest == 0 else 0.0)
        least = 0.0 if fewest == most and fewest % 2 == 0 else -greatest
    # Roundings add up on the way; powers of whole numbers below 2^53 come out exactly.
    whole = low.is_integer() and high.is_integer()
    return _outward(least, -1, whole), _outward(greatest, 1, whole)


def _raised(x: float, n: int) -> float:
    try:
        return float(x**n)
    except OverflowError:
        return math.inf


def _outward(value: float, direction: int, whole: bool) -> float:
    if value in (0.0, 1.0) or (whole and abs(value) <= EXACT):
        return value + 0.0
    if abs(value) < 1e-290:
        return 0.0 if (value > 0) == (direction < 0) else math.copysign(1e-290, value)
    return value + direction * abs(value) * 1e-11


def repeated_sum(term: Interval, most: int, *, integer: bool) -> Interval:
    """A sum of 0 to `most` terms, added one after another."""
    low, high = min(0.0, term[0]) * most, max(0.0, term[1]) * most
    if integer and max(-low, high) <= EXACT:
        return low + 0.0, high + 0.0
    slack = 1.0 + most * 2.0**-52
    return low * slack + 0.0, high * slack + 0.0


def round_half_up(x: float, places: int) -> float:
    """floor(x · 10^places + 0.5) / 10^places, the meaning of the language's function."""
    factor = 10.0**places
    return math.floor(x * factor + 0.5) / factor + 0.0


def above(bound: float, *, strict: bool, integer: bool) -> float:
    """The least binary64 (or whole number) that is > or >= bound."""
    if integer:
        return math.floor(bound) + 1.0 if strict else float(math.ceil(bound))
    return math.nextafter(bound, math.inf) if strict else bound


def below(bound: float, *, strict: bool, integer: bool) -> float:
    """The greatest binary64 (or whole number) that is < or <= bound."""
    return -above(-bound, strict=strict, integer=integer)
