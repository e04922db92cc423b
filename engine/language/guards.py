"""What a condition says about the numbers in it.

`if c - e > smallest then a / (c - e)`: in the `then` branch the term `c - e`, written the same
way, is at least `smallest`. A bound counts only when it cannot be unknown: an unknown condition
runs both branches, and the guarded term may then be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from engine.language import intervals
from engine.language.intervals import Interval
from engine.language.tree import MIRRORED, OPPOSITE, And, Cell, Comparison, In, Node, Not, Or
from engine.language.types import Type

Bounds = Mapping[int, Interval]  # by structural key of a term
KeyOf = Callable[[Node], int]
Intern = Callable[[tuple[Hashable, ...]], int]


def assume(condition: Node, truth: bool, known: Bounds, key_of: KeyOf, intern: Intern) -> Bounds:
    """`known` and what follows from `condition` (typed) being `truth` or unknown."""
    found = dict(known)
    _assume(condition, truth, found, key_of, intern)
    return found


def _assume(
    condition: Node, truth: bool, found: dict[int, Interval], key_of: KeyOf, intern: Intern
) -> None:
    match condition:
        case Not(operand=operand):
            _assume(operand, not truth, found, key_of, intern)
        case And(parts=parts) if truth:
            for part in parts:
                _assume(part, True, found, key_of, intern)
        case Or(parts=parts) if not truth:
            for part in parts:
                _assume(part, False, found, key_of, intern)
        case Comparison(operator=operator, left=left, right=right):
            _compare(left, operator if truth else OPPOSITE[operator], right, found, key_of, intern)
        case In(subject=subject, cell=cell):
            _within(subject, cell, truth, found, key_of, intern)
        case _:
            pass


def _within(
    subject: Node,
    cell: Cell,
    truth: bool,
    found: dict[int, Interval],
    key_of: KeyOf,
    intern: Intern,
) -> None:
    if len(cell.tests) != 1:
        return
    test = cell.tests[0]
    holds = truth != cell.negated
    if test.kind == "range" and holds and test.high is not None:
        _compare(subject, ">" if test.low_open else ">=", test.low, found, key_of, intern)
        _compare(subject, "<" if test.high_open else "<=", test.high, found, key_of, intern)
    elif test.kind != "range":
        operator = test.operator or "="
        _compare(
            subject, operator if holds else OPPOSITE[operator], test.low, found, key_of, intern
        )


def _compare(
    left: Node,
    operator: str,
    right: Node,
    found: dict[int, Interval],
    key_of: KeyOf,
    intern: Intern,
) -> None:
    a, b = left.type, right.type
    if a is None or b is None or a.kind != "number" or b.kind != "number":
        return
    if not b.nullable:
        _bound(found, key_of(left), a, operator, b)
    if not a.nullable:
        _bound(found, key_of(right), b, MIRRORED[operator], a)
    # A difference is unknown whenever one side is, so it needs no such care.
    whole = a.integer and b.integer and _exact(a) and _exact(b)
    zero = Type("number", a.unit, 0.0, 0.0, True)
    for first, second, sign in ((left, right, operator), (right, left, MIRRORED[operator])):
        key = intern(("Arithmetic", "-", key_of(first), key_of(second)))
        _bound(found, key, Type("number", a.unit, integer=whole), sign, zero)


def _exact(kind: Type) -> bool:
    return max(abs(kind.low), abs(kind.high)) < intervals.EXACT / 2


def _bound(found: dict[int, Interval], key: int, subject: Type, operator: str, limit: Type) -> None:
    low, high = found.get(key, (subject.low, subject.high))
    whole = subject.integer
    if operator in (">", ">="):
        low = max(low, intervals.above(limit.low, strict=operator == ">", integer=whole))
    elif operator in ("<", "<="):
        high = min(high, intervals.below(limit.high, strict=operator == "<", integer=whole))
    elif operator == "=":
        low, high = max(low, limit.low), min(high, limit.high)
    elif limit.low == limit.high and whole:
        low = low + 1 if low == limit.low else low
        high = high - 1 if high == limit.low else high
    if low <= high:  # otherwise this branch never runs; what is known stays as it was
        found[key] = (low + 0.0, high + 0.0)
