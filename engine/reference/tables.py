"""Decision tables: which rows hold, and what the hit policy makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

from engine.book.model import Row, Table, Unknown
from engine.language.frozen import frozen
from engine.reference.expressions import Scope, aggregate, cell_holds, conjunction, evaluate
from engine.reference.values import (
    Answer,
    Cause,
    UnknownValue,
    output,
    same,
    union,
    unknown,
)

State = Literal["out", "maybe", "definite"]
# An output of `collect` without an aggregate is a tuple.
TableValue = Answer | tuple[Answer, ...]


@frozen
class Judged:
    """A row on the facts at hand: the value of each cell, and what they make of the row."""

    row: Row
    cells: tuple[Answer, ...]
    state: State

    def doubt(self) -> UnknownValue:
        """Why a maybe row is one."""
        return union(self.cells)


@frozen
class Decided:
    """A table's answer: one value per output, the rows judged, and the row that answered.

    `winner` is the id of the definite row (or of `otherwise`) that the answer comes from; ""
    when maybe rows leave it open or several rows are collected.
    """

    outputs: tuple[TableValue, ...]
    judged: tuple[Judged, ...]
    winner: str


def judge(
    rows: Sequence[Row], subjects: Sequence[Answer], scope: Scope, whole: bool = True
) -> tuple[Judged, ...]:
    """Every row against the values of the table's inputs; `whole`: past the first false cell."""
    result = []
    for row in rows:
        cells: list[Answer] = []
        for cell, subject in zip(row.when, subjects, strict=True):
            cells.append(cell_holds(cell, subject, scope))
            if cells[-1] is False and not whole:
                break
        holds = conjunction(cells)
        state: State = "maybe" if isinstance(holds, UnknownValue) else "out"
        result.append(Judged(row, tuple(cells), "definite" if holds is True else state))
    return tuple(result)


def _judge_needed(table: Table, subjects: Sequence[Answer], scope: Scope) -> tuple[Judged, ...]:
    """The rows up to the first definite one, where that one answers, and of their cells those up
    to the first false one."""
    result: list[Judged] = []
    last = table.hit in ("first", "unique", "any")
    for row in table.rows:
        result += judge([row], subjects, scope, whole=False)
        if last and result[-1].state == "definite":
            break
    return tuple(result)


def decide(
    name: str,
    table: Table,
    scope: Scope,
    given: frozenset[str],
    subjects: Sequence[Answer] | None = None,
    whole: bool = True,
    brief: bool = False,
) -> Decided:
    """The answer of table `name`; `given` are the facts that need no asking.

    `subjects` stand in for the values of the inputs (to ask what another value would give).
    `whole`: judge every cell of every row, also after a false one. `brief`: judge no more than
    the answer needs.
    """
    if subjects is None:
        subjects = [evaluate(node, scope) for node in table.inputs]
    if brief:
        judged = _judge_needed(table, subjects, scope)
    else:
        judged = judge(table.rows, subjects, scope, whole)
    results = _Results(name, table, scope, given)
    if table.hit == "collect":
        return _collect(results, judged)
    definite = [item for item in judged if item.state == "definite"]
    if table.hit == "priority" and definite:
        return _priority(results, judged, definite)
    return _first(results, judged, definite)


class _Results:
    """The outputs of rows, evaluated when asked for."""

    def __init__(self, name: str, table: Table, scope: Scope, given: frozenset[str]) -> None:
        self.name, self.table, self.scope, self.given = name, table, scope, given

    def of(self, row: Row) -> tuple[Answer, ...]:
        if isinstance(row.then, Unknown):
            return (self._stated(row, row.then),) * len(self.table.outputs)
        return tuple(output(evaluate(node, self.scope)) for node in row.then)

    def _stated(self, row: Row, said: Unknown) -> UnknownValue:
        asks = [Cause("missing", path) for path in said.asks if path not in self.given]
        return UnknownValue((Cause("stated", f"{self.name}.{row.id}"), *asks))


def _first(results: _Results, judged: tuple[Judged, ...], definite: list[Judged]) -> Decided:
    """first, unique, any — and priority when no row is definite."""
    table = results.table
    before = takewhile(lambda item: item.state != "definite", judged)
    doubtful = [item for item in before if item.state == "maybe"]
    last = definite[0].row if definite else table.otherwise
    candidates = [results.of(item.row) for item in doubtful]
    if last is not None:
        candidates.append(results.of(last))
    if not candidates:
        return Decided((unknown("no_match", results.name),) * len(table.outputs), judged, "")
    doubts = [item.doubt() for item in doubtful]
    outputs: list[TableValue] = []
    for values in zip(*candidates, strict=True):
        if all(same(values[0], value) for value in values):
            outputs.append(values[0])
        else:
            outputs.append(union([*doubts, *values]))
    # The last candidate answers also when earlier maybe rows would say the same.
    return Decided(tuple(outputs), judged, last.id if last is not None else "")


def _priority(results: _Results, judged: tuple[Judged, ...], definite: list[Judged]) -> Decided:
    def rank(item: Judged) -> tuple[int, ...]:
        values = zip(results.of(item.row), results.table.outputs, strict=True)
        ranks = []
        for value, declared in values:
            if isinstance(value, UnknownValue):
                ranks.append(-1)
            elif declared.type.values is not None:
                ranks.append(declared.type.values.index(str(value)))
        return (*ranks, judged.index(item))

    best = min(definite, key=rank)
    values = results.of(best.row)
    above = [
        item
        for item in judged
        if item.state == "maybe"
        and rank(item) < rank(best)
        and not all(map(same, results.of(item.row), values))
    ]
    if not above:
        return Decided(values, judged, best.row.id)
    doubt = union([*(item.doubt() for item in above), *values])
    return Decided((doubt,) * len(values), judged, "")


def _collect(results: _Results, judged: tuple[Judged, ...]) -> Decided:
    table = results.table
    doubts = [item.doubt() for item in judged if item.state == "maybe"]
    if doubts:
        return Decided((union(doubts),) * len(table.outputs), judged, "")
    rows = [item.row for item in judged if item.state == "definite"]
    winner = ""
    if not rows and table.otherwise is not None:
        value = results.of(table.otherwise)
        if table.aggregate:
            return Decided(value, judged, table.otherwise.id)
        rows, winner = [table.otherwise], table.otherwise.id
    found = [results.of(row) for row in rows]
    columns = [[values[index] for values in found] for index in range(len(table.outputs))]
    return Decided(tuple(_collected(results, values) for values in columns), judged, winner)


def _collected(results: _Results, values: list[Answer]) -> TableValue:
    function = results.table.aggregate
    if function:
        pairs: list[tuple[Answer, Answer]] = [(True, value) for value in values]
        return output(aggregate(function, pairs, results.name))
    blocked = union(values)
    return blocked if blocked.causes else tuple(values)
