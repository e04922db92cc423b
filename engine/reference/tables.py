"""Decision tables: which rows hold, and what the hit policy makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, Literal

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

    def values(row: Row) -> tuple[Answer, ...]:
        if isinstance(row.then, Unknown):
            asks = [Cause("missing", path) for path in row.then.asks if path not in given]
            stated = UnknownValue((Cause("stated", f"{name}.{row.id}"), *asks))
            return (stated,) * len(table.outputs)
        return tuple(output(evaluate(node, scope)) for node in row.then)

    candidates = [
        Candidate(number, item.row, item.row.id, item.doubt() if item.state == "maybe" else None)
        for number, item in enumerate(judged)
        if item.state != "out"
    ]
    last = table.otherwise
    final = None if last is None else Candidate(len(judged), last, last.id, None)
    kinds = tuple(one.type.values for one in table.outputs)
    settled = settle(Results(name, table.hit, table.aggregate, kinds, values), candidates, final)
    return Decided(settled.outputs, judged, settled.winner)


# ---------------------------------------------------------------- what the rows that hold make


@frozen
class Candidate:
    """A row that is not out: its place, itself, its id, and why it is a maybe one."""

    number: int
    row: Any
    id: str
    doubt: UnknownValue | None


@frozen
class Results:
    """What a table's rows give: `values` of a row, evaluated when asked for.

    `kinds`: of each output the values it can have, in order, where they are declared.
    """

    name: str
    hit: str
    aggregate: str
    kinds: tuple[tuple[str, ...] | None, ...]
    values: Callable[[Any], tuple[Answer, ...]]


def settle(
    results: Results, candidates: Sequence[Candidate], otherwise: Candidate | None
) -> Decided:
    """The answer of a table by its rows that are not out (and what stands after all of them)."""
    if results.hit == "collect":
        return _collect(results, candidates, otherwise)
    definite = [item for item in candidates if item.doubt is None]
    if results.hit == "priority" and definite:
        return _priority(results, candidates, definite)
    return _first(results, candidates, definite[0] if definite else otherwise)


def _first(results: Results, candidates: Sequence[Candidate], last: Candidate | None) -> Decided:
    """first, unique, any — and priority when no row is definite."""
    doubtful = list(takewhile(lambda item: item.doubt is not None, candidates))
    found = [results.values(item.row) for item in doubtful]
    if last is not None:
        found.append(results.values(last.row))
    if not found:
        return Decided((unknown("no_match", results.name),) * len(results.kinds), (), "")
    doubts = [item.doubt for item in doubtful]
    outputs: list[TableValue] = []
    for values in zip(*found, strict=True):
        if all(same(values[0], value) for value in values):
            outputs.append(values[0])
        else:
            outputs.append(union([*doubts, *values]))
    # The last candidate answers also when earlier maybe rows would say the same.
    return Decided(tuple(outputs), (), last.id if last is not None else "")


def _priority(
    results: Results, candidates: Sequence[Candidate], definite: list[Candidate]
) -> Decided:
    def rank(item: Candidate) -> tuple[int, ...]:
        ranks = []
        for value, declared in zip(results.values(item.row), results.kinds, strict=True):
            if isinstance(value, UnknownValue):
                ranks.append(-1)
            elif declared is not None:
                ranks.append(declared.index(str(value)))
        return (*ranks, item.number)

    best = min(definite, key=rank)
    values = results.values(best.row)
    above = [
        item
        for item in candidates
        if item.doubt is not None
        and rank(item) < rank(best)
        and not all(map(same, results.values(item.row), values))
    ]
    if not above:
        return Decided(values, (), best.id)
    doubt = union([*(item.doubt for item in above), *values])
    return Decided((doubt,) * len(values), (), "")


def _collect(
    results: Results, candidates: Sequence[Candidate], otherwise: Candidate | None
) -> Decided:
    doubts = [item.doubt for item in candidates if item.doubt is not None]
    if doubts:
        return Decided((union(doubts),) * len(results.kinds), (), "")
    rows, winner = list(candidates), ""
    if not rows and otherwise is not None:
        if results.aggregate:
            return Decided(results.values(otherwise.row), (), otherwise.id)
        rows, winner = [otherwise], otherwise.id
    found = [results.values(item.row) for item in rows]
    columns = [[values[index] for values in found] for index in range(len(results.kinds))]
    return Decided(tuple(_collected(results, values) for values in columns), (), winner)


def _collected(results: Results, values: list[Answer]) -> TableValue:
    function = results.aggregate
    if function:
        pairs: list[tuple[Answer, Answer]] = [(True, value) for value in values]
        return output(aggregate(function, pairs, results.name))
    blocked = union(values)
    return blocked if blocked.causes else tuple(values)
