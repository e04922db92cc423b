"""Typed trees, built so that they are valid: types, ranges and what may be unknown."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.language import intervals, tree
from engine.language.tree import Node, Value
from engine.language.types import BOOLEAN, TEXT, Type, enumeration, number

LIMIT = 1e60  # numbers are kept below, so that every product stays finite


def kind_of(node: Node) -> Type:
    assert node.type is not None
    return node.type


def interval(node: Node) -> intervals.Interval:
    kind = kind_of(node)
    return kind.low, kind.high


def nullable(*nodes: Node) -> bool:
    return any(kind_of(node).nullable for node in nodes)


def literal(value: Value) -> tree.Literal:
    if isinstance(value, bool):
        return tree.Literal(value, type=BOOLEAN)
    if isinstance(value, str):
        return tree.Literal(value, type=TEXT)
    value = float(value)
    kind = number(low=value, high=value, integer=value.is_integer())
    return tree.Literal(value, type=replace(kind, zero_literal=value == 0))


def choice_literal(value: str, values: tuple[str, ...]) -> tree.Literal:
    return tree.Literal(value, type=enumeration(values))


def numeric(found: intervals.Interval, *parts: Node, unknown: bool = False) -> Type:
    return number(low=found[0], high=found[1], nullable=unknown or nullable(*parts))


def boolean(*parts: Node, unknown: bool = False) -> Type:
    return BOOLEAN.with_nullable(unknown or nullable(*parts))


def bounded(node: Node) -> Node:
    """The number, limited where it may get too large for further products."""
    low, high = interval(node)
    if low >= -LIMIT and high <= LIMIT:
        return node
    return call("max", call("min", node, literal(LIMIT)), literal(-LIMIT))


def arithmetic(operator: str, left: Node, right: Node) -> Node:
    """Division only by what cannot be near 0."""
    operation = {
        "+": intervals.add,
        "-": intervals.subtract,
        "*": intervals.multiply,
        "/": intervals.divide,
    }[operator]
    found = operation(interval(left), interval(right))
    return bounded(
        tree.Arithmetic(operator, left, right, type=numeric(found, left, right))  # type: ignore[arg-type]
    )


def may_divide(node: Node) -> bool:
    low, high = interval(node)
    return low >= 1e-9 or high <= -1e-9


def call(function: str, *arguments: Node) -> Node:
    parts = [interval(argument) for argument in arguments]
    if function == "min":
        found = intervals.smallest(parts)
    elif function == "max":
        found = intervals.largest(parts)
    elif function == "abs":
        found = intervals.absolute(parts[0])
    elif function == "sqrt":
        found = (math.sqrt(parts[0][0]), math.sqrt(parts[0][1]))
    elif function == "floor":
        found = (float(math.floor(parts[0][0])), float(math.floor(parts[0][1])))
    else:
        found = (float(math.ceil(parts[0][0])), float(math.ceil(parts[0][1])))
    return tree.Call(function, arguments, type=numeric(found, *arguments))


def negate(node: Node) -> Node:
    return tree.Negate(node, type=numeric(intervals.negate(interval(node)), node))


def compare(operator: str, left: Node, right: Node) -> Node:
    return tree.Comparison(operator, left, right, type=boolean(left, right))  # type: ignore[arg-type]


def choose(condition: Node, then: Node, otherwise: Node) -> Node:
    unknown = nullable(condition, then, otherwise)
    kind = kind_of(then)
    if kind.kind == "number":
        kind = numeric(intervals.hull([interval(then), interval(otherwise)]))
    return tree.If(condition, then, otherwise, type=kind.with_nullable(unknown))
