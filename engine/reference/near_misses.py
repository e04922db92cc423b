"""What a table row would have needed: the cells that failed and the bound that would flip one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.book.model import Table
from engine.language import tree
from engine.language.frozen import frozen
from engine.language.types import Type
from engine.reference.expressions import Scope, evaluate
from engine.reference.tables import Decided, Judged, TableValue, decide
from engine.reference.values import Answer, Known, UnknownValue
from engine.reference.writing import cell_text, formula_text


@frozen
class FailedCell:
    """A cell that is false: its column, the input's text and value, the test as written and
    with values put in."""

    column: int
    input: str
    found: Answer
    test: str
    numbers: str


@frozen
class NearMiss:
    """A row one cell away: were the input `operator` `bound`, the row would match.

    `operator` is one of < <= > >= =. `value` is the nearest such value of the input inside its
    declared range; `outputs` is what the table would then say and `flips` whether that differs.
    """

    row: str
    column: int
    input: str
    found: Known
    operator: str
    bound: Known
    value: Known
    outputs: tuple[TableValue, ...]
    flips: bool


def failed_cells(
    table: Table, item: Judged, subjects: Sequence[Answer], scope: Scope
) -> tuple[FailedCell, ...]:
    """The false cells of a row."""

    def value(node: tree.Node) -> Answer:
        return evaluate(node, scope)

    return tuple(
        FailedCell(
            column,
            formula_text(table.inputs[column]),
            subjects[column],
            cell_text(item.row.when[column]),
            cell_text(item.row.when[column], value),
        )
        for column, held in enumerate(item.cells)
        if held is False
    )


def near_misses(
    name: str,
    table: Table,
    decided: Decided,
    subjects: Sequence[Answer],
    scope: Scope,
    given: frozenset[str],
) -> tuple[NearMiss, ...]:
    """For every row that lost by exactly one cell: the nearest values that would let it match."""
    found = []
    for item in decided.judged:
        wrong = [column for column, held in enumerate(item.cells) if held is False]
        if len(wrong) != 1 or any(isinstance(held, UnknownValue) for held in item.cells):
            continue
        (column,) = wrong
        subject = subjects[column]
        if isinstance(subject, UnknownValue):
            continue
        kind = table.inputs[column].type
        if kind is None:
            raise LookupError(f"{name}: input {column} has no type")
        for operator, bound in _needed(item.row.when[column], subject, kind, scope):
            value = _value_at(operator, bound, kind)
            if value is None:
                continue
            moved = [*subjects[:column], value, *subjects[column + 1 :]]
            outputs = decide(name, table, scope, given, moved).outputs
            found.append(
                NearMiss(
                    item.row.id,
                    column,
                    formula_text(table.inputs[column]),
                    subject,
                    operator,
                    bound,
                    value,
                    outputs,
                    outputs != decided.outputs,
                )
            )
    return tuple(found)


def _needed(cell: tree.Cell, subject: Known, kind: Type, scope: Scope) -> list[tuple[str, Known]]:
    """What would make the cell true: for numbers the nearest bound, else each accepted value."""
    if kind.kind == "number":
        bounds = [bound for test in cell.tests for bound in _bounds(test, cell.negated, scope)]
        x = float(subject)
        return sorted(bounds, key=lambda bound: abs(float(bound[1]) - x))[:1]
    values = [evaluate(test.low, scope) for test in cell.tests]
    named = [value for value in values if not isinstance(value, UnknownValue)]
    if not cell.negated:
        return [("=", value) for value in named]
    every: Sequence[Known] = (True, False) if kind.kind == "boolean" else kind.values or ()
    return [("=", value) for value in every if value not in named]


def _bounds(test: tree.Test, negated: bool, scope: Scope) -> list[tuple[str, Known]]:
    """The ways to satisfy (or, negated, to leave) one numeric test."""
    low = evaluate(test.low, scope)
    high = low if test.high is None else evaluate(test.high, scope)
    if isinstance(low, UnknownValue) or isinstance(high, UnknownValue):
        return []
    if test.kind == "equals":
        return [("<", low), (">", low)] if negated else [("=", low)]
    if test.kind == "compare":
        return [(tree.OPPOSITE[test.operator] if negated else test.operator, low)]
    above, below = (">" if test.low_open else ">="), ("<" if test.high_open else "<=")
    if negated:
        return [(tree.OPPOSITE[above], low), (tree.OPPOSITE[below], high)]
    return [(above, low), (below, high)]


def _value_at(operator: str, bound: Known, kind: Type) -> Known | None:
    """The value nearest to the bound on the right side of it; None outside the declared range."""
    if isinstance(bound, (bool, str)):
        return bound
    value = float(bound)
    if operator == ">":
        value = math.floor(value) + 1.0 if kind.integer else math.nextafter(value, math.inf)
    elif operator == "<":
        value = math.ceil(value) - 1.0 if kind.integer else math.nextafter(value, -math.inf)
    elif kind.integer:
        value = float(math.ceil(value) if operator == ">=" else math.floor(value))
    return value if kind.low <= value <= kind.high else None
