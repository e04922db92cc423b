"""What can be said of a tree before running it: bounds, safety, equality of structure.

The types in a tree may be narrowed by the guards around them (`if d > 0 then a / d`), so they
hold only in place. Moving an expression needs what holds everywhere: bounds from the declared
types of what it reads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

from engine.language import intervals, tree
from engine.language.intervals import EVERYTHING, Interval
from engine.language.tree import Node
from engine.language.types import Type
from engine.language.walk import children

Declared = Callable[[Node], Type | None]  # the declared type of what a leaf reads
Clean = Callable[[tree.Column], bool]  # whether zeros in a column have no sign

_SAME_BOUNDS = ("min", "max", "abs", "floor", "ceiling", "sqrt")


def bounds(node: Node, declared: Declared) -> Interval:
    """An interval that holds the number wherever it is evaluated; everything if in doubt."""
    match node:
        case tree.Literal(value=value):
            if isinstance(value, (bool, str)):
                return EVERYTHING
            return float(value), float(value)
        case tree.Arithmetic(operator=operator, left=left, right=right):
            return _arithmetic(operator, bounds(left, declared), bounds(right, declared))
        case tree.Negate(operand=operand):
            return intervals.negate(bounds(operand, declared))
        case tree.If(then=then, otherwise=otherwise):
            return intervals.hull([bounds(then, declared), bounds(otherwise, declared)])
        case tree.Call(function=function, arguments=arguments) if function in _SAME_BOUNDS:
            return _call(function, [bounds(part, declared) for part in arguments])
        case tree.Aggregate(function="count"):
            return 0.0, math.inf
    kind = declared(node)
    if kind is None or kind.kind != "number":
        return EVERYTHING
    return kind.low, kind.high


def _arithmetic(operator: str, left: Interval, right: Interval) -> Interval:
    if operator == "+":
        return intervals.add(left, right)
    if operator == "-":
        return intervals.subtract(left, right)
    if operator == "*":
        return intervals.multiply(left, right)
    return EVERYTHING if right[0] <= 0 <= right[1] else intervals.divide(left, right)


def _call(function: str, parts: list[Interval]) -> Interval:
    if function == "min":
        return intervals.smallest(parts)
    if function == "max":
        return intervals.largest(parts)
    low, high = parts[0]
    if function == "abs":
        return intervals.absolute(parts[0])
    if function == "sqrt":
        return (math.sqrt(low), math.sqrt(high)) if low >= 0 else EVERYTHING
    if not intervals.is_finite(parts[0]):
        floor_low = low if math.isinf(low) else float(math.floor(low))
        ceiling_high = high if math.isinf(high) else float(math.ceil(high))
        return floor_low, ceiling_high
    return float(math.floor(low)), float(math.ceil(high))


def safe(node: Node, declared: Declared) -> bool:
    """Whether evaluating it can never fail, so that it may run where its guard does not."""
    if isinstance(node, tree.Arithmetic) and node.operator == "/":
        low, high = bounds(node.right, declared)
        if low <= 0 <= high:
            return False
    if isinstance(node, tree.Call) and node.function == "sqrt":
        (argument,) = node.arguments
        if bounds(argument, declared)[0] < 0:
            return False
    return all(safe(child, declared) for child in children(node))


def may_be_negative_zero(node: Node, declared: Declared, clean: Clean) -> bool:
    """Whether the number can be a zero with a sign; False only when it certainly cannot."""
    match node:
        case tree.Literal() | tree.Fact() | tree.DecisionValue():
            return False
        case tree.Column() if clean(node):
            return False
        case tree.Arithmetic(operator="+", left=left, right=right):
            return may_be_negative_zero(left, declared, clean) and may_be_negative_zero(
                right, declared, clean
            )
        case tree.Arithmetic(operator="-", left=left):
            return may_be_negative_zero(left, declared, clean)
        case tree.Arithmetic(operator="*" | "/", left=left, right=right):
            return any(
                bounds(part, declared)[0] < 0 or may_be_negative_zero(part, declared, clean)
                for part in (left, right)
            )
        case tree.If(then=then, otherwise=otherwise):
            return may_be_negative_zero(then, declared, clean) or may_be_negative_zero(
                otherwise, declared, clean
            )
        case tree.Call(function="abs"):
            return False
        case tree.Call(function="min" | "max" | "floor" | "sqrt", arguments=arguments):
            return any(may_be_negative_zero(part, declared, clean) for part in arguments)
        case tree.Power(base=base):
            return bounds(base, declared)[0] < 0 or may_be_negative_zero(base, declared, clean)
        case tree.Aggregate(function=function, result=result):
            if function in ("sum", "count") or result is None:
                return False
            return may_be_negative_zero(result, declared, clean)
        case tree.FirstAtLeast() | tree.Best():
            return False
    if node.type is not None and node.type.kind != "number":
        return False
    low, high = bounds(node, declared)
    return low <= 0 <= high


def same_tree_key(node: Node) -> Hashable:
    """Equal for trees of equal structure, whatever their types and positions."""
    parts: list[Hashable] = [type(node).__name__]
    for name in node.__dataclass_fields__:
        if name in ("type", "position"):
            continue
        value = getattr(node, name)
        if isinstance(value, Node):
            parts.append(same_tree_key(value))
        elif isinstance(value, tuple):
            parts.append(tuple(same_tree_key(part) for part in value))
        else:
            # 1.0 and True are equal in Python but not in the language.
            parts.append((type(value).__name__, value))
    return tuple(parts)
