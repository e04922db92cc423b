"""Arithmetic backwards: what the parts of a number must be for it to lie in an interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.language import tree
from engine.language.tree import Node
from tests.generators.choices import Choices

if TYPE_CHECKING:
    from tests.generators.pursuit import Pursuit

Part = tuple[Node, float, float]


def inverse(pursuit: Pursuit, node: Node, low: float, high: float, scope: str) -> Iterator[Part]:
    """Parts of a node with the interval each should lie in; none where there is no saying."""
    match node:
        case tree.Negate(operand=operand):
            yield operand, -high, -low
        case tree.RoundHalfUp(operand=operand):
            yield operand, low, high
        case tree.FirstAtLeast(x=x):
            yield x, low, high
        case tree.Power(base=base):
            yield base, low, high
        case tree.Arithmetic():
            yield from _arithmetic(pursuit, node, low, high, scope)
        case tree.Call(function="min" | "max", arguments=parts):
            every = (node.function == "min") == math.isfinite(low)
            chosen = [part for part in parts if not pursuit.constant(part)] or list(parts)
            for part in chosen if every else [pursuit.choices.one_of(chosen)]:
                yield part, low, high
        case tree.Call(function="floor" | "ceiling" | "abs", arguments=(part,)):
            yield part, low, high
        case tree.Call(function="sqrt", arguments=(part,)):
            yield part, max(low, 0.0) ** 2, min(high, 1e100) ** 2


def _arithmetic(
    pursuit: Pursuit, node: tree.Arithmetic, low: float, high: float, scope: str
) -> Iterator[Part]:
    left, right = node.left, node.right
    ways = [way for way in (True, False) if not pursuit.constant(left if way else right)]
    if not ways:
        return
    # Rather move what is open against what is settled than the other way round.
    settled = [w for w in ways if pursuit.estimate(right if w else left, scope) is not None]
    first = pursuit.choices.one_of(settled or ways)
    moved, other = (left, right) if first else (right, left)
    value = pursuit.estimate(other, scope)
    if value is None:
        pursuit.know(other, scope)
        value = pursuit.forced(other, scope)
    if isinstance(value, float):
        found = _solved(node.operator, first, low, high, value)
        if found is not None:
            yield moved, *found
        return
    up = math.isfinite(low) and not math.isfinite(high)
    if up or (math.isfinite(high) and not math.isfinite(low)):
        yield left, *pushed(left, up, pursuit.choices)
        opposite = node.operator in ("-", "/")
        yield right, *pushed(right, up is not opposite, pursuit.choices)


def _solved(
    operator: str, first: bool, low: float, high: float, value: float
) -> tuple[float, float] | None:
    """The interval of one operand when the other has that value."""
    if operator == "+":
        return low - value, high - value
    if operator == "-":
        return (low + value, high + value) if first else (value - high, value - low)
    if value == 0:
        return None
    if operator == "*" or first:
        ends = [low / value, high / value] if operator == "*" else [low * value, high * value]
        return min(ends), max(ends)
    # value / x within low..high, of positive numbers as a book has them.
    if value > 0 and high > 0:
        return value / high, value / low if low > 0 else math.inf
    return None


def pushed(node: Node, up: bool, choices: Choices) -> tuple[float, float]:
    """The upper, or lower, part of what the node can be; its size is drawn."""
    kind = node.type
    low = max(kind.low if kind else -1e12, -1e12)
    high = min(kind.high if kind else 1e12, 1e12)
    share = choices.real(0.3, 0.95) if up else choices.real(0.05, 0.7)
    if low >= 0 and high > 100 * max(low, 1.0):
        middle = math.exp(math.log1p(low) + (math.log1p(high) - math.log1p(low)) * share) - 1
    else:
        middle = low + (high - low) * share
    return (middle, math.inf) if up else (-math.inf, middle)
