"""Every place of a book that a run can come through: the rows of its tables, both ways of its
branches. Derived from the book; each can be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.book.model import Advice, Book, Catalog, Decision, Formula, Row, Table
from engine.language import tree
from engine.language.tree import Cell, Node
from engine.language.walk import children
from tests.generators.choices import Choices
from tests.generators.profiles import Vocabulary
from tests.generators.pursuit import Pursuit


@dataclass(frozen=True, slots=True)
class Goal:
    """A row of a table, or conditions on the way to a branch; `scope`: the relation it is in."""

    scope: str
    table: Table | None = None
    row: Row | None = None
    inputs: tuple[Node, ...] = ()
    cells: tuple[Cell, ...] = ()
    conditions: tuple[tuple[Node, bool], ...] = ()
    mark: tuple[str, ...] = ()  # as a run notes that it came through; empty where it does not

    def pursue(self, pursuit: Pursuit) -> None:
        last = pursuit.choices.chance(0.5)
        if self.scope and not last:
            pursuit.visit(self.scope)
        for condition, truth in self.conditions:
            pursuit.hold(condition, truth, self.scope)
        if self.table is not None and self.row is not None:
            pursuit.reach(self.table, self.row, self.scope)
        for subject, cell in zip(self.inputs, self.cells, strict=True):
            pursuit.meet(subject, cell, True, self.scope)
        if self.scope and last:
            pursuit.visit(self.scope)


def goals(book: Book) -> tuple[Goal, ...]:
    """All goals of a book, in its order."""
    found: list[Goal] = []
    for fact in book.facts.values():
        for node in (fact.derive, fact.default):
            if node is not None:
                found.extend(_branches(node, "", ()))
    for decision in book.decisions.values():
        found.extend(_of(decision, ""))
    for relation in book.relations.values():
        for node, _ in relation.where:
            found.extend(_branches(node, relation.id, ()))
        for column in relation.columns:
            found.extend(_of(column.decision, relation.id))
    for ranking in book.rankings.values():
        for node, _ in ranking.by:
            found.extend(_branches(node, ranking.relation, ()))
    for advice in book.advice.values():
        found.extend(_advice(advice))
    return tuple(found)


def _of(decision: Decision, scope: str) -> Iterator[Goal]:
    body = decision.body
    if isinstance(body, Formula):
        yield from _branches(body.expression, scope, ())
    elif isinstance(body, Table):
        name = f"{scope}.{decision.id}" if scope else decision.id
        for row in body.every_row:
            yield Goal(scope, body, row, mark=("row", name, row.id))
            if isinstance(row.then, tuple):
                for node in row.then:
                    for goal in _branches(node, scope, ()):
                        yield replace(goal, table=body, row=row)
        for node in body.inputs:
            yield from _branches(node, scope, ())


def _advice(advice: Advice) -> Iterator[Goal]:
    for row in advice.rows:
        yield Goal("", inputs=advice.inputs, cells=row.when)
    for node in advice.inputs:
        yield from _branches(node, "", ())


def _branches(node: Node, scope: str, above: tuple[tuple[Node, bool], ...]) -> Iterator[Goal]:
    """Both ways of every `if` of a tree, with the conditions of those around it."""
    if isinstance(node, tree.If):
        yield from _branches(node.condition, scope, above)
        for truth, part in ((True, node.then), (False, node.otherwise)):
            way = (*above, (node.condition, truth))
            mark = ("branch", str(node.position), "then" if truth else "else")
            yield Goal(scope, conditions=way, mark=mark)
            yield from _branches(part, scope, way)
        return
    for part in children(node):
        yield from _branches(part, scope, above)


def pursued(
    goal: Goal,
    book: Book,
    words: Vocabulary,
    catalog: Catalog,
    choices: Choices,
    parameters: Mapping[str, Any],
) -> Pursuit:
    """Wishes that lead to a goal, if all goes well."""
    pursuit = Pursuit(book, words, catalog, choices, parameters)
    goal.pursue(pursuit)
    return pursuit
