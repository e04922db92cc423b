"""The reference's evaluation of decisions kept as tuples (see `packing`), for runs without traces.

The same answers, causes and reads as `expressions` and `tables` give when they judge no more than
an answer needs; the meaning of every operation is theirs.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from engine.reference.expressions import (
    RowLike,
    Scope,
    aggregate,
    arithmetic,
    call,
    compare,
    conjunction,
    disjunction,
    negation,
    power,
    round_half_up,
)
from engine.reference.reads import Read
from engine.reference.tables import Candidate, Decided, Results, settle
from engine.reference.values import Answer, Cause, UnknownValue, output, same, union

Packed = tuple[Any, ...]
_read = partial(tuple.__new__, Read)


class Bodies:
    """What `packing.packed_book` wrote; each entry is taken apart when it is first asked for."""

    def __init__(self, data: bytes) -> None:
        entries = marshal.loads(data)
        self._decisions: dict[str, Any] = entries["decisions"]
        self._columns: dict[str, dict[str, Any]] = entries["columns"]
        self._facts: dict[str, Any] = entries["facts"]
        self._advice: dict[str, Any] = entries["advice"]
        self.lists = frozenset(entries["lists"])  # facts that hold rows

    def decision(self, id: str) -> Packed:
        return _taken(self._decisions, id)

    def column(self, relation: str, name: str) -> Packed:
        return _taken(self._columns[relation], name)

    def fact(self, path: str) -> Packed:
        """What the fact follows from, its default, when it matters; None where there is none."""
        return _taken(self._facts, path) if path in self._facts else (None, None, None)

    def advice(self, name: str) -> Packed:
        """The inputs of advice, and of its rows by id the cells."""
        return _taken(self._advice, name)


def _taken(entries: dict[str, Any], name: str) -> Packed:
    found: bytes | Packed = entries[name]
    if isinstance(found, bytes):
        found = entries[name] = marshal.loads(found)
    return found  # type: ignore[return-value]


def evaluate_packed(node: Packed, scope: Scope) -> Answer:
    """The value of a packed tree."""
    return OPERATIONS[node[0]](node, scope)


# ---------------------------------------------------------------- operations, by place in a tree


def literal(node: Packed, scope: Scope) -> Answer:
    return node[1]  # type: ignore[no-any-return]


def column(node: Packed, scope: Scope) -> Answer:
    return scope.column(node[1], node[2])


def read(node: Packed, scope: Scope) -> Answer:
    return scope.reader.read(_read(node[1]))


def computed(node: Packed, scope: Scope) -> Answer:
    _, operator, left, right = node
    return arithmetic(
        operator, OPERATIONS[left[0]](left, scope), OPERATIONS[right[0]](right, scope)
    )


def compared(node: Packed, scope: Scope) -> Answer:
    _, operator, left, right = node
    return compare(operator, OPERATIONS[left[0]](left, scope), OPERATIONS[right[0]](right, scope))


def every(node: Packed, scope: Scope) -> Answer:
    return conjunction(OPERATIONS[part[0]](part, scope) for part in node[1])


def either(node: Packed, scope: Scope) -> Answer:
    return disjunction(OPERATIONS[part[0]](part, scope) for part in node[1])


def chosen(node: Packed, scope: Scope) -> Answer:
    _, condition, then, otherwise = node
    held = evaluate_packed(condition, scope)
    if not isinstance(held, UnknownValue):
        return evaluate_packed(then if held else otherwise, scope)
    one, other = evaluate_packed(then, scope), evaluate_packed(otherwise, scope)
    return one if same(one, other) else union([held, one, other])


def known(node: Packed, scope: Scope) -> Answer:
    return not isinstance(evaluate_packed(node[1], scope), UnknownValue)


def called(node: Packed, scope: Scope) -> Answer:
    return call(node[1], [evaluate_packed(argument, scope) for argument in node[2]])


def contained(node: Packed, scope: Scope) -> Answer:
    return cell_holds(node[2], evaluate_packed(node[1], scope), scope)


def negated(node: Packed, scope: Scope) -> Answer:
    return negation(evaluate_packed(node[1], scope))


def opposite(node: Packed, scope: Scope) -> Answer:
    number = evaluate_packed(node[1], scope)
    return number if isinstance(number, UnknownValue) else -float(number)


def raised(node: Packed, scope: Scope) -> Answer:
    return power(evaluate_packed(node[1], scope), evaluate_packed(node[2], scope))


def rounded(node: Packed, scope: Scope) -> Answer:
    return round_half_up(evaluate_packed(node[1], scope), node[2])


def interpolated(node: Packed, scope: Scope) -> Answer:
    _, curve, by, along = node
    key = "" if by is None else evaluate_packed(by, scope)
    x = evaluate_packed(along, scope)
    if isinstance(key, UnknownValue) or isinstance(x, UnknownValue):
        return union([key, x])
    return scope.reader.interpolate(curve, str(key), float(x))


def stepped(node: Packed, scope: Scope) -> Answer:
    wanted = evaluate_packed(node[2], scope)
    if isinstance(wanted, UnknownValue):
        return wanted
    return scope.reader.first_at_least(node[1], float(wanted))


def looked_up(node: Packed, scope: Scope) -> Answer:
    _, table, name, by = node
    entry = evaluate_packed(by, scope)
    if isinstance(entry, UnknownValue):
        return entry
    return scope.reader.read(Read("lookup", table, name, key=str(entry)))


def aggregated(node: Packed, scope: Scope) -> Answer:
    _, function, alias, relation, columns, where, result, ruled_out = node
    rows = scope.rows(relation, columns)
    if isinstance(rows, UnknownValue):
        return rows

    def judged() -> Iterable[tuple[Answer, Answer]]:
        for row in _worth_judging(rows, ruled_out, scope):
            inner = scope.with_variable(alias, row)
            held = True if where is None else evaluate_packed(where, inner)
            skipped = held is False or result is None
            yield held, True if skipped else evaluate_packed(result, inner)

    if function == "any":
        return disjunction(conjunction(pair) for pair in judged())
    if function == "every":
        return conjunction(disjunction([negation(held), value]) for held, value in judged())
    return aggregate(function, judged(), relation)


def _worth_judging(rows: Sequence[RowLike], ruled_out: Packed, scope: Scope) -> Iterable[RowLike]:
    maybe_equal = getattr(rows, "maybe_equal", None)
    if maybe_equal is None or not ruled_out or not rows:
        return rows
    pairs = [(name, evaluate_packed(value, scope)) for name, value in ruled_out]
    known = [(name, value) for name, value in pairs if not isinstance(value, UnknownValue)]
    found: Iterable[RowLike] = maybe_equal(known) if known else rows
    return found


# The order is the format of what `packing` writes: change `bundle.BODIES` when it changes.
OPERATIONS: tuple[Callable[[Packed, Scope], Answer], ...] = (
    literal, column, read, computed, compared, every, either, chosen, known, called, contained,
    negated, opposite, raised, rounded, interpolated, stepped, looked_up, aggregated,
)  # fmt: skip


# ---------------------------------------------------------------- cells and tables


def cell_holds(cell: Packed, subject: Answer, scope: Scope) -> Answer:
    """As `expressions.cell_holds`."""
    if not cell:
        return True
    inverted, tests = cell
    held = disjunction(_test_holds(test, subject, scope) for test in tests)
    return negation(held) if inverted else held


def _test_holds(test: Packed, subject: Answer, scope: Scope) -> Answer:
    low = evaluate_packed(test[1], scope)
    if len(test) == 2:
        return compare(test[0], subject, low)
    high = evaluate_packed(test[3], scope)
    return conjunction([compare(test[0], subject, low), compare(test[2], subject, high)])


def row_holds(cells: Packed, inputs: Packed, scope: Scope) -> Answer:
    """The condition of a row of advice; reads only the inputs that the row tests."""
    return conjunction(
        cell_holds(cell, evaluate_packed(node, scope), scope)
        for cell, node in zip(cells, inputs, strict=True)
        if cell
    )


def subjects_of(table: Packed, scope: Scope) -> tuple[Answer, ...]:
    """The values of a table's inputs."""
    return tuple([OPERATIONS[node[0]](node, scope) for node in table[1]])


def answers_by_inputs(table: Packed) -> bool:
    """Whether its rows hold nothing but literals, so that equal inputs have equal answers."""
    _, _, rows, otherwise, _, _ = table
    every_row = rows if otherwise is None else (*rows, otherwise)
    bounds = [
        bound
        for row in every_row
        for cell in row[1]
        if cell
        for test in cell[1]
        for bound in test[1::2]
    ]
    outputs = [node for row in every_row for node in row[2] or ()]
    return all(OPERATIONS[node[0]] is literal for node in (*bounds, *outputs))


def decide_packed(
    name: str,
    table: Packed,
    subjects: Sequence[Answer],
    scope: Scope,
    given: frozenset[str],
) -> Decided:
    """As `tables.decide` for an answer alone; the rows judged are not told."""
    hit, _, rows, otherwise, outputs, aggregated_by = table
    last = hit in ("first", "unique", "any")
    candidates: list[Candidate] = []
    for number, row in enumerate(rows):
        cells: list[Answer] = []
        for cell, subject in zip(row[1], subjects, strict=True):
            held = cell_holds(cell, subject, scope)
            cells.append(held)
            if held is False:
                break
        else:
            holds = conjunction(cells)
            doubt = holds if isinstance(holds, UnknownValue) else None
            candidates.append(Candidate(number, row, row[0], doubt))
            if last and doubt is None:
                break
    final = None if otherwise is None else Candidate(len(rows), otherwise, otherwise[0], None)

    def values(row: Packed) -> tuple[Answer, ...]:
        if row[2] is None:
            asks = [Cause("missing", path) for path in row[3] if path not in given]
            stated = UnknownValue((Cause("stated", f"{name}.{row[0]}"), *asks))
            return (stated,) * len(outputs)
        return tuple([output(evaluate_packed(node, scope)) for node in row[2]])

    kinds = tuple([kind for _, kind in outputs])
    return settle(Results(name, hit, aggregated_by, kinds, values), candidates, final)
