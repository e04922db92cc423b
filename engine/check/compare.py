"""Is one term never above another, whatever the inputs? A small, sound comparison of trees."""

from __future__ import annotations

from engine.check.axes import NotAbove
from engine.language.render import render
from engine.language.tree import Arithmetic, Call, If, Literal, Negate, Node, Parameter


def at_most(first: Node, second: Node, not_above: NotAbove) -> bool:
    """Proven first <= second (false <= true) wherever both are known; False: not proven."""
    return _at_most(first, second, not_above, 12)


def _at_most(first: Node, second: Node, not_above: NotAbove, depth: int) -> bool:
    a, b = first.type, second.type
    if a is None or b is None or a.kind != b.kind or depth == 0:
        return False
    if a.kind == "number" and a.high <= b.low:
        return True
    if a.kind == "boolean" and (_is(first, False) or _is(second, True)):
        return True
    if a.kind == "text":
        return False
    if render(first) == render(second):
        return True
    if isinstance(first, Parameter) and isinstance(second, Parameter):
        return not_above(first.id, second.id)
    return _smaller(first, second, not_above, depth - 1) or _larger(
        first, second, not_above, depth - 1
    )


def _is(node: Node, value: bool) -> bool:
    return isinstance(node, Literal) and node.value is value


def _smaller(first: Node, second: Node, not_above: NotAbove, depth: int) -> bool:
    """Because of the form of the first."""
    match first:
        case Call(function="min", arguments=arguments):
            return any(_at_most(part, second, not_above, depth) for part in arguments)
        case Call(function="max", arguments=arguments):
            return all(_at_most(part, second, not_above, depth) for part in arguments)
        case Call(function="floor", arguments=(part,)):
            return _at_most(part, second, not_above, depth)
        case If(then=then, otherwise=otherwise):
            return all(_at_most(part, second, not_above, depth) for part in (then, otherwise))
        case Arithmetic(operator="-", left=left, right=right) if _low(right) >= 0:
            return _at_most(left, second, not_above, depth)
        case Arithmetic(operator="+", left=left, right=right):
            # x + y <= x when y <= 0, rounding included.
            return (_high(right) <= 0 and _at_most(left, second, not_above, depth)) or (
                _high(left) <= 0 and _at_most(right, second, not_above, depth)
            )
        case Arithmetic(operator="*", left=left, right=right):
            return (
                _within_one(right) and _low(left) >= 0 and _at_most(left, second, not_above, depth)
            ) or (
                _within_one(left) and _low(right) >= 0 and _at_most(right, second, not_above, depth)
            )
        case Arithmetic(operator="/", left=left, right=right) if _low(left) >= 0:
            return _low(right) >= 1 and _at_most(left, second, not_above, depth)
        case Negate():
            return False
        case _:
            return False


def _larger(first: Node, second: Node, not_above: NotAbove, depth: int) -> bool:
    """Because of the form of the second."""
    match second:
        case Call(function="max", arguments=arguments):
            return any(_at_most(first, part, not_above, depth) for part in arguments)
        case Call(function="min", arguments=arguments):
            return all(_at_most(first, part, not_above, depth) for part in arguments)
        case Call(function="ceiling", arguments=(part,)):
            return _at_most(first, part, not_above, depth)
        case If(then=then, otherwise=otherwise):
            return all(_at_most(first, part, not_above, depth) for part in (then, otherwise))
        case Arithmetic(operator="-", left=left, right=right) if _high(right) <= 0:
            return _at_most(first, left, not_above, depth)
        case Arithmetic(operator="+", left=left, right=right):
            return (_low(right) >= 0 and _at_most(first, left, not_above, depth)) or (
                _low(left) >= 0 and _at_most(first, right, not_above, depth)
            )
        case Arithmetic(operator="*", left=left, right=right):
            return (
                _low(right) >= 1 and _low(left) >= 0 and _at_most(first, left, not_above, depth)
            ) or (_low(left) >= 1 and _low(right) >= 0 and _at_most(first, right, not_above, depth))
        case _:
            return False


def _low(node: Node) -> float:
    return node.type.low if node.type is not None else float("-inf")


def _high(node: Node) -> float:
    return node.type.high if node.type is not None else float("inf")


def _within_one(node: Node) -> bool:
    return _low(node) >= 0 and _high(node) <= 1
