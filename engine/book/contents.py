"""Walking over what a book holds: its decisions, their trees, what they cite."""

from __future__ import annotations

from collections.abc import Iterator

from engine.book.model import (
    Advice,
    Book,
    Curve,
    Decision,
    Formula,
    Ranking,
    Relation,
    Table,
    Unknown,
)
from engine.language.problems import Position
from engine.language.tree import Node


def body_trees(body: Formula | Table | Curve) -> Iterator[Node]:
    """Every tree and cell of a decision's body, in reading order."""
    if isinstance(body, Formula):
        yield body.expression
    elif isinstance(body, Table):
        yield from body.inputs
        for row in body.every_row:
            yield from row.when
            if not isinstance(row.then, Unknown):
                yield from row.then


def relation_trees(relation: Relation) -> Iterator[Node]:
    """Every tree of a relation: sources, conditions, key and columns."""
    for source in relation.sources:
        yield from (tree for _, tree in source.on)
        yield from (tree for tree in (source.start, source.stop, source.step) if tree is not None)
    yield from (tree for tree, _ in relation.where)
    yield from relation.key
    for column in relation.columns:
        yield from body_trees(column.decision.body)


def ranking_trees(ranking: Ranking) -> Iterator[Node]:
    """Every tree of a ranking."""
    if ranking.keep is not None:
        yield ranking.keep
    yield from (tree for tree, _ in ranking.by)
    yield from ranking.pareto or ()


def advice_trees(advice: Advice) -> Iterator[Node]:
    """Every tree and cell of an advice table."""
    yield from advice.inputs
    for row in advice.rows:
        yield from row.when


def citations(book: Book) -> Iterator[tuple[str, tuple[str, ...], Position]]:
    """Everything that may cite sources: what, the ids, where."""
    for fact in book.facts.values():
        yield fact.path, fact.source, fact.position
    for parameter in book.parameters.values():
        yield parameter.id, parameter.source, parameter.position
    for decision in all_decisions(book):
        yield decision.id, decision.source, decision.position
        if isinstance(decision.body, Table):
            for row in decision.body.every_row:
                yield f"{decision.id}, row {row.id}", row.source, row.position
    for advice in book.advice.values():
        for item in advice.rows:
            yield f"{advice.id}, row {item.id}", item.source, item.position


def all_decisions(book: Book) -> Iterator[Decision]:
    """Every decision and every column of a relation."""
    yield from book.decisions.values()
    for relation in book.relations.values():
        yield from (column.decision for column in relation.columns)
