"""Typing of comparisons, conditions and table cells."""

from __future__ import annotations

from dataclasses import replace

from engine.language import guards, intervals, presence
from engine.language.checker import Checker, Place, of, parts_of
from engine.language.describe import type_words
from engine.language.problems import ProblemError
from engine.language.suggest import did_you_mean
from engine.language.tree import (
    And,
    Cell,
    Comparison,
    If,
    In,
    Literal,
    Name,
    Node,
    Not,
    Or,
    Test,
)
from engine.language.types import BOOLEAN, TEXT, Type, enumeration


def comparison(checker: Checker, node: Comparison, place: Place) -> Node:
    left, right = checker.node(node.left, place), checker.node(node.right, place)
    if left.type is None or right.type is None:
        return node
    a, b = left.type, right.type
    if node.operator not in ("=", "!="):
        what = f"an operand of {node.operator}"
        if not all(checker.is_kind(part, "number", what) for part in (left, right)):
            return node
    if not comparable(checker, left, right):
        return node
    kind = BOOLEAN.with_nullable(a.nullable or b.nullable)
    result = Comparison(node.operator, left, right, type=kind, position=node.position)
    return checker.done(result, place, node.operator, checker.key_of(left), checker.key_of(right))


def comparable(checker: Checker, left: Node, right: Node) -> bool:
    a, b = of(left), of(right)
    if a.kind != b.kind:
        checker.report(
            "B120",
            f"{type_words(b)} is compared with {type_words(a)}",
            right.position,
            type_words(a),
            "",
        )
        return False
    if a.kind == "number":
        return checker.common_unit((left, right), "what is compared") is not None
    if a.values is None or b.values is None or set(a.values) & set(b.values):
        return True
    # The literal side is the one to correct.
    one, other = (right, left) if isinstance(right, Literal) else (left, right)
    checker.within_list(of(one), of(other).values or (), one.position)
    return False


def conjunction(checker: Checker, node: And, place: Place) -> Node:
    parts: list[Node] = []
    bounds = place.bounds
    there: frozenset[int] = frozenset()
    nullable = False
    for part in node.parts:
        found = checker.node(part, replace(place, bounds=bounds))
        if checker.is_kind(found, "boolean", "an operand of and"):
            bounds = guards.assume(found, True, bounds, checker.key_of, checker.intern)
            nullable = nullable or presence.can_be_unknown(found, there, checker.key_of)
            there |= presence.present(found, True, checker.key_of)
        parts.append(found)
    result = And(tuple(parts), position=node.position)
    return joined(checker, result, tuple(parts), node, place, nullable=nullable)


def disjunction(checker: Checker, node: Or, place: Place) -> Node:
    parts = tuple(checker.node(part, place) for part in node.parts)
    for part in parts:
        checker.is_kind(part, "boolean", "an operand of or")
    nullable = any(part.type is not None and part.type.nullable for part in parts)
    return joined(checker, Or(parts, position=node.position), parts, node, place, nullable=nullable)


def joined(
    checker: Checker,
    found: Node,
    parts: tuple[Node, ...],
    node: Node,
    place: Place,
    *,
    nullable: bool,
) -> Node:
    if any(part.type is None or part.type.kind != "boolean" for part in parts):
        return node
    kind = BOOLEAN.with_nullable(nullable)
    return checker.done(replace(found, type=kind), place, *(checker.key_of(part) for part in parts))


def negation(checker: Checker, node: Not, place: Place) -> Node:
    operand = checker.node(node.operand, place)
    if not checker.is_kind(operand, "boolean", "what follows not"):
        return node
    result = Not(operand, type=operand.type, position=node.position)
    return checker.done(result, place, checker.key_of(operand))


def conditional(checker: Checker, node: If, place: Place) -> Node:
    condition = checker.node(node.condition, place)
    first = second = place
    if checker.is_kind(condition, "boolean", "the condition"):
        first, second = (
            replace(
                place,
                bounds=guards.assume(
                    condition, truth, place.bounds, checker.key_of, checker.intern
                ),
            )
            for truth in (True, False)
        )
    then, otherwise = checker.node(node.then, first), checker.node(node.otherwise, second)
    if condition.type is None or then.type is None or otherwise.type is None:
        return node
    if condition.type.kind != "boolean":
        return node
    kind = either(checker, then, otherwise)
    if kind is None:
        return node
    branches = ((then, True), (otherwise, False))
    kind = kind.with_nullable(
        condition.type.nullable
        or any(
            presence.can_be_unknown(
                branch, presence.present(condition, truth, checker.key_of), checker.key_of
            )
            for branch, truth in branches
        )
    )
    result = If(condition, then, otherwise, type=kind, position=node.position)
    parts = (condition, then, otherwise)
    return checker.done(result, place, *(checker.key_of(part) for part in parts))


def either(checker: Checker, then: Node, otherwise: Node) -> Type | None:
    a, b = of(then), of(otherwise)
    nullable = a.nullable or b.nullable
    if a.kind != b.kind:
        checker.report(
            "B120",
            f"then gives {type_words(a)}, else gives {type_words(b)}",
            otherwise.position,
            type_words(a),
            "",
        )
        return None
    if a.kind == "number":
        unit = checker.common_unit((then, otherwise), "then and else")
        if unit is None:
            return None
        low, high = intervals.hull([(a.low, a.high), (b.low, b.high)])
        zero = a.zero_literal and b.zero_literal
        return Type("number", unit, low, high, a.integer and b.integer, None, nullable, zero)
    if a.kind == "text" and a.values is not None and b.values is not None:
        return enumeration(tuple(dict.fromkeys((*a.values, *b.values))), nullable=nullable)
    return (TEXT if a.kind == "text" else BOOLEAN).with_nullable(nullable)


def membership(checker: Checker, node: In, place: Place) -> Node:
    subject = checker.node(node.subject, place)
    if subject.type is None:
        return node
    before = len(checker.problems)
    cell = typed_cell(checker, node.cell, subject.type, place)
    if len(checker.problems) > before:
        return node
    nullable = subject.type.nullable or any(
        of(part).nullable for test in cell.tests for part in parts_of(test)
    )
    kind = BOOLEAN.with_nullable(nullable)
    result = In(subject, cell, type=kind, position=node.position)
    forms = tuple(
        (
            test.kind,
            test.operator,
            test.low_open,
            test.high_open,
            *(checker.key_of(part) for part in parts_of(test)),
        )
        for test in cell.tests
    )
    return checker.done(result, place, checker.key_of(subject), cell.negated, forms)


def typed_cell(checker: Checker, cell: Cell, subject: Type, place: Place) -> Cell:
    tests = tuple(typed_test(checker, test, subject, place) for test in cell.tests)
    return Cell(tests, cell.negated, type=BOOLEAN, position=cell.position)


def typed_test(checker: Checker, test: Test, subject: Type, place: Place) -> Test:
    ordered = test.kind != "equals"
    if ordered and subject.kind != "number":
        checker.report(
            "B120",
            f"only numbers are ordered; this column is {type_words(subject)}",
            test.position,
            "a value, several values or not(…)",
        )
        return test
    low = bound(checker, test.low, subject, place)
    high = None if test.high is None else bound(checker, test.high, subject, place)
    if high is not None and low.type is not None and high.type is not None:
        empty = low.type.low > high.type.high or (
            (test.low_open or test.high_open) and low.type.low >= high.type.high
        )
        if empty:
            checker.report(
                "B124",
                "no value lies in this range",
                test.position,
                "a lower bound below the upper bound",
                "swap the bounds",
            )
    return replace(test, low=low, high=high, type=BOOLEAN)


def bound(checker: Checker, node: Node, subject: Type, place: Place) -> Node:
    """A value a cell compares its subject with; bare words are values of the list."""
    if isinstance(node, Name) and subject.values is not None and node.path in subject.values:
        found: Node = Literal(node.path, type=enumeration((node.path,)), position=node.position)
        return checker.done(found, place, "str", node.path)
    if isinstance(node, Name) and subject.kind == "text" and unresolved(node, place):
        if subject.values is None:
            checker.unknown_name(node, place.scope)
        else:
            checker.report(
                "B122",
                f'"{node.path}" is not in the list of this column',
                node.position,
                "one of " + ", ".join(subject.values),
                did_you_mean(node.path, subject.values),
            )
        return node
    found = checker.node(node, place)
    if found.type is None:
        return node
    if found.type.kind != subject.kind:
        checker.report(
            "B120", f"this is {type_words(found.type)}", node.position, type_words(subject)
        )
    elif subject.kind == "number":
        if not found.type.zero_literal and not subject.unit.same_as(found.type.unit):
            checker.units_differ(subject.unit, found.type.unit, node.position, "column and cell")
    elif subject.values is not None and isinstance(found, Literal):
        checker.within_list(found.type, subject.values, node.position)
    return found


def unresolved(node: Name, place: Place) -> bool:
    try:
        return place.scope.resolve(node.path, node.position) is None
    except ProblemError:
        return False
