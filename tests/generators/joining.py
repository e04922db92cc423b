"""Wishes for rows: which rows of the catalog and of lists a relation joins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from engine.book.model import Relation, Source
from engine.language import tree
from tests.generators import knowing, numbers
from tests.generators.wishes import Binding, inside

if TYPE_CHECKING:
    from tests.generators.pursuit import Pursuit


def text_column(
    pursuit: Pursuit, alias: str, name: str, wanted: frozenset[Any], scope: str, depth: int
) -> None:
    kind, what, binding = pursuit.alias(scope, alias)
    if kind == "table":
        pursuit.narrow(binding, what, name, wanted.__contains__)
    elif kind == "fact":
        row = pursuit.record(binding, what)
        if row.get(name) not in wanted:
            row[name] = pursuit.choices.one_of(sorted(wanted))
            pursuit.memory.clear()
    elif kind == "relation":
        pursuit.visit(what, depth)
        pursuit.of_decision(pursuit.own(what, name), "", wanted, what, depth)


def number_column(
    pursuit: Pursuit, alias: str, name: str, low: float, high: float, scope: str, depth: int
) -> None:
    kind, what, binding = pursuit.alias(scope, alias)
    if kind == "table":
        pursuit.narrow(binding, what, name, lambda cell: inside(cell, low, high))
    elif kind == "fact":
        row = pursuit.record(binding, what)
        if not inside(row.get(name), low, high):
            row[name] = pursuit.field_number(what, name, low, high)
            pursuit.memory.clear()
    elif kind == "steps":
        step(pursuit, binding, low, high)
    elif kind == "relation":
        pursuit.visit(what, depth)
        numbers.of_decision(pursuit, pursuit.own(what, name), "", low, high, what, depth)


def known_column(pursuit: Pursuit, alias: str, name: str, scope: str, depth: int) -> None:
    kind, what, binding = pursuit.alias(scope, alias)
    if kind == "table":
        pursuit.narrow(binding, what, name, lambda cell: cell is not None)
    elif kind == "fact":
        pursuit.record(binding, what)
    elif kind == "relation":
        pursuit.visit(what, depth)
        knowing.of_decision(pursuit, pursuit.own(what, name), what, depth)


def visit(pursuit: Pursuit, id: str, depth: int = 0) -> None:
    """The relation is to have a row: its sources join and every condition holds."""
    if id in pursuit.visited:
        return
    pursuit.visited[id] = None
    relation = pursuit.book.relations[id]
    for source in relation.sources:
        if source.kind == "steps":
            step(pursuit, (id, source.alias), -math.inf, math.inf)
    for source in relation.sources:
        join(pursuit, relation, source, depth + 1)
    for source in relation.sources:
        # An optional source is entered when it is read: nothing else needs its row.
        if source.kind in ("relation", "group") and not source.optional:
            pursuit.visit(source.name, depth + 1)
    for node, _ in relation.where:
        pursuit.hold(node, True, id, depth + 1)


def step(pursuit: Pursuit, binding: Binding, low: float, high: float) -> None:
    """The row of the steps is to be one whose value lies in an interval."""
    id, alias = binding
    source = next(one for one in pursuit.book.relations[id].sources if one.alias == alias)
    if inside(pursuit.taken.get(binding), low, high):
        return
    assert source.start is not None and source.stop is not None and source.step is not None
    start, stop, by = (
        pursuit.estimate(node, id) for node in (source.start, source.stop, source.step)
    )
    if start is None or stop is None or not by:
        return
    count = int(min(max((stop - start) / by, 0), 100))
    values = [start + by * number for number in range(count + 1)]
    fitting = [value for value in values if low <= value <= high]
    if not fitting:
        return
    again = binding in pursuit.taken
    pursuit.taken[binding] = pursuit.choices.one_of(fitting)
    pursuit.memory.clear()
    if again:
        # What was joined for the other row is joined anew.
        for other in [one for one in pursuit.rows if one[0] == id]:
            del pursuit.rows[other]
        pursuit.visited.pop(id, None)
        pursuit.visit(id)


def join(pursuit: Pursuit, relation: Relation, source: Source, depth: int) -> None:
    """Rows that join; chosen before those of the relations joined are narrowed down."""
    kind, what, binding = pursuit.alias(relation.id, source.alias)
    if kind == "fact":
        pursuit.record(binding, what)
    elif kind == "table":
        pursuit.candidates(binding, what)
    for name, node in source.on:
        column = tree.Column(source.alias, name, type=node.type)
        if node.type is None or node.type.kind != "number":
            pursuit.equal(column, node, True, relation.id, depth)
        elif kind == "table":
            value = pursuit.forced(column, relation.id)
            if isinstance(value, float):
                pursuit.within(node, value, value, relation.id, depth)


def best(pursuit: Pursuit, ranking: str, scope: str, depth: int) -> None:
    item = pursuit.book.rankings[ranking]
    pursuit.visit(item.relation, depth)
    if item.keep is not None:
        pursuit.hold(item.keep, True, item.relation, depth)
