"""Typing of arithmetic and functions: units, intervals, divisors, finite results."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from engine.language import intervals, units
from engine.language.checker import Checker, Place, of
from engine.language.describe import interval_words, unit_words
from engine.language.tree import (
    Arithmetic,
    Call,
    Column,
    Fact,
    Negate,
    Node,
    Power,
    RoundHalfUp,
)
from engine.language.types import BOOLEAN, DIMENSIONLESS, Type, Unit

LARGEST_EXPONENT = 4096


def negate(checker: Checker, node: Negate, place: Place) -> Node:
    operand = checker.node(node.operand, place)
    if not checker.numbers((operand,), "what is negated"):
        return node
    kind = of(operand)
    low, high = intervals.negate((kind.low, kind.high))
    found = replace(kind, low=low, high=high)
    return checker.done(
        Negate(operand, type=found, position=node.position), place, checker.key_of(operand)
    )


def arithmetic(checker: Checker, node: Arithmetic, place: Place) -> Node:
    left, right = checker.node(node.left, place), checker.node(node.right, place)
    if not checker.numbers((left, right), f"an operand of {node.operator}"):
        return node
    a, b = of(left), of(right)
    x, y = (a.low, a.high), (b.low, b.high)
    whole = a.integer and b.integer
    unit: Unit | None
    if node.operator in ("+", "-"):
        unit = checker.common_unit((left, right), f"operands of {node.operator}")
        interval = (intervals.add if node.operator == "+" else intervals.subtract)(x, y)
    elif node.operator == "*":
        unit = units.multiply(a.unit, b.unit)
        same = checker.key_of(left) == checker.key_of(right)
        interval = intervals.square(x) if same else intervals.multiply(x, y)
    else:
        unit, whole = units.divide(a.unit, b.unit), False
        if y[0] <= 0 <= y[1]:
            divisor(checker, right, "can be 0")
            return node
        interval = intervals.divide(x, y)
        if not intervals.is_finite(interval):
            divisor(checker, right, "can be so close to 0 that the quotient is not finite")
            return node
    if unit is None:
        return node
    nullable = a.nullable or b.nullable
    found = checker.number(node.position, unit, interval, integer=whole, nullable=nullable)
    if found is None:
        return node
    result = Arithmetic(node.operator, left, right, type=found, position=node.position)
    return checker.done(result, place, node.operator, checker.key_of(left), checker.key_of(right))


def divisor(checker: Checker, node: Node, what: str) -> None:
    kind = of(node)
    checker.report(
        "B130",
        f"the divisor {what}: it lies in {interval_words(kind.low, kind.high)}",
        node.position,
        "a divisor away from 0",
        "guard it: if <divisor> > <a positive parameter> then … / <divisor> else …, with the "
        "same term and a bound that is never unknown",
    )


def call(checker: Checker, node: Call, place: Place) -> Node:
    arguments = tuple(checker.node(argument, place) for argument in node.arguments)
    found = _CALLS[node.function](checker, node, arguments, place)
    if found is None:
        return node
    result = Call(node.function, arguments, type=found, position=node.position)
    return checker.done(result, place, node.function, *(checker.key_of(part) for part in arguments))


def extreme(checker: Checker, node: Call, arguments: tuple[Node, ...], place: Place) -> Type | None:
    what = f"an argument of {node.function}"
    if not checker.numbers(arguments, what):
        return None
    unit = checker.common_unit(arguments, f"arguments of {node.function}")
    if unit is None:
        return None
    kinds = [of(argument) for argument in arguments]
    pick = intervals.smallest if node.function == "min" else intervals.largest
    low, high = pick([(kind.low, kind.high) for kind in kinds])
    whole = all(kind.integer for kind in kinds)
    return Type("number", unit, low, high, whole, None, any(kind.nullable for kind in kinds))


def rounded(checker: Checker, node: Call, arguments: tuple[Node, ...], place: Place) -> Type | None:
    if not checker.numbers(arguments, f"the argument of {node.function}"):
        return None
    kind = of(arguments[0])
    interval = (kind.low, kind.high)
    if node.function == "abs":
        low, high = intervals.absolute(interval)
        return replace(kind, low=low, high=high)
    low, high = intervals.through(_ROUNDING[node.function], interval)
    return replace(kind, low=low, high=high, integer=True, zero_literal=False)


def square_root(
    checker: Checker, node: Call, arguments: tuple[Node, ...], place: Place
) -> Type | None:
    if not checker.numbers(arguments, "the argument of sqrt"):
        return None
    kind = of(arguments[0])
    if kind.low < 0:
        checker.report(
            "B132",
            f"this can be negative: {interval_words(kind.low, kind.high)}",
            arguments[0].position,
            "a value that is never below 0",
            "write sqrt(max(0, …))",
        )
        return None
    unit = units.root(kind.unit)
    if unit is None:
        checker.report(
            "B121",
            f"{unit_words(kind.unit)} has no square root",
            arguments[0].position,
            "a unit with even powers",
            "",
        )
        return None
    low, high = intervals.through(_sqrt, (kind.low, kind.high))
    return Type("number", unit, low, high, False, None, kind.nullable)


def text_test(
    checker: Checker, node: Call, arguments: tuple[Node, ...], place: Place
) -> Type | None:
    if not all(checker.is_kind(part, "text", f"{node.function} reads") for part in arguments):
        return None
    return BOOLEAN.with_nullable(any(of(part).nullable for part in arguments))


def known(checker: Checker, node: Call, arguments: tuple[Node, ...], place: Place) -> Type | None:
    read = arguments[0]
    if read.type is None:
        return None
    optional = isinstance(read, Fact) and place.scope.is_optional_fact(read.path)
    if not optional and not (isinstance(read, Column) and place.scope.is_catalog_column(read)):
        checker.report(
            "B123",
            "known(…) may only read a column of a catalog table or an optional fact",
            read.position,
            "alias.column of a catalog table",
            "a missing fact must stay unknown, so that it is asked for",
        )
        return None
    return BOOLEAN


def power(checker: Checker, node: Power, place: Place) -> Node:
    base, exponent = checker.node(node.base, place), checker.node(node.exponent, place)
    if not checker.numbers((base, exponent), "an argument of power"):
        return node
    x, n = of(base), of(exponent)
    for part, kind in ((base, x), (exponent, n)):
        if not DIMENSIONLESS.same_as(kind.unit):
            checker.units_differ(DIMENSIONLESS, kind.unit, part.position, "power takes ratios")
            return node
    if not n.integer or n.low < 0 or n.high > LARGEST_EXPONENT:
        checker.report(
            "B133",
            f"the exponent lies in {interval_words(n.low, n.high)}"
            + ("" if n.integer else " and need not be whole"),
            exponent.position,
            f"a whole number from 0 to {LARGEST_EXPONENT}",
            "declare its range",
        )
        return node
    interval = intervals.power((x.low, x.high), (n.low, n.high))
    found = checker.number(
        node.position,
        DIMENSIONLESS,
        interval,
        integer=x.integer,
        nullable=x.nullable or n.nullable,
    )
    if found is None:
        return node
    result = Power(base, exponent, type=found, position=node.position)
    return checker.done(result, place, checker.key_of(base), checker.key_of(exponent))


def round_half_up(checker: Checker, node: RoundHalfUp, place: Place) -> Node:
    operand = checker.node(node.operand, place)
    if not checker.numbers((operand,), "the argument of round_half_up"):
        return node
    kind = of(operand)
    interval = intervals.through(
        lambda x: intervals.round_half_up(x, node.places), (kind.low, kind.high)
    )
    found = checker.number(
        node.position,
        kind.unit,
        interval,
        integer=node.places == 0 or kind.integer,
        nullable=kind.nullable,
    )
    if found is None:
        return node
    result = RoundHalfUp(operand, node.places, type=found, position=node.position)
    return checker.done(result, place, node.places, checker.key_of(operand))


def _sqrt(x: float) -> float:
    return math.sqrt(x)


_ROUNDING: dict[str, Callable[[float], float]] = {
    "floor": lambda x: float(math.floor(x)),
    "ceiling": lambda x: float(math.ceil(x)),
}
_CALLS: dict[str, Callable[[Checker, Call, tuple[Node, ...], Place], Type | None]] = {
    "min": extreme,
    "max": extreme,
    "abs": rounded,
    "floor": rounded,
    "ceiling": rounded,
    "sqrt": square_root,
    "contains": text_test,
    "starts_with": text_test,
    "known": known,
}
