"""What the examples of a rule book should reach, and what they leave untouched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from engine.book.contents import body_trees
from engine.book.model import AdviceRow, Book, Curve, Decision, Example, Table
from engine.language import tree
from engine.language.problems import NOWHERE, Position
from engine.language.walk import walk
from engine.reference.hits import Hit
from engine.reference.writing import cell_text, formula_text


@dataclass(frozen=True, slots=True)
class Uncovered:
    """Something no example reaches.

    `kind`: row (never the answer), near_miss (no example misses it by one cell alone), boundary
    (no pair of examples on both sides of a numeric test), advice (never true), branch (`then` or
    `else` of a conditional), segment (of a curve).
    """

    kind: str
    owner: str
    what: str
    position: Position = NOWHERE


@dataclass(frozen=True, slots=True)
class Owner:
    """What an example speaks about: a decision, a relation's column or an advice row."""

    id: str
    examples: tuple[Example, ...]
    decision: Decision | None = None
    relation: str = ""
    row: AdviceRow | None = None


def owners(book: Book) -> Iterator[Owner]:
    for name, decision in book.decisions.items():
        yield Owner(name, decision.examples, decision)
    for relation in book.relations.values():
        for column in relation.columns:
            own = column.decision
            yield Owner(f"{relation.id}.{own.id}", own.examples, own, relation.id)
    for advice in book.advice.values():
        for row in advice.rows:
            yield Owner(f"{advice.id}.{row.id}", row.examples, row=row)


def covered(
    book: Book, only: str, hits: Set[Hit]
) -> tuple[Mapping[str, tuple[int, int]], tuple[Uncovered, ...]]:
    """Per kind of coverage (reached, all), and what nothing reached.

    `only`: of entries whose id starts with it.
    """
    expected = list(_to_cover(book, only))
    missing = tuple(item for item, keys in expected if not hits >= set(keys))
    counts: dict[str, tuple[int, int]] = {}
    for kind in dict.fromkeys(item.kind for item, _ in expected):
        every = sum(item.kind == kind for item, _ in expected)
        counts[kind] = (every - sum(item.kind == kind for item in missing), every)
    return counts, missing


def _to_cover(book: Book, only: str) -> Iterator[tuple[Uncovered, list[Hit]]]:
    """Everything an example should reach, with the hits that reaching it takes."""
    for owner in owners(book):
        if not owner.id.startswith(only):
            continue
        if owner.row is not None:
            table, _, row = owner.id.rpartition(".")
            item = Uncovered("advice", table, row, owner.row.position)
            yield item, [("advice", table, row)]
            continue
        decision = owner.decision
        assert decision is not None
        if isinstance(decision.body, Curve):
            yield from _segments(owner.id, decision, decision.body)
        if isinstance(decision.body, Table):
            yield from _rows(owner.id, decision.body)
        for place, node in enumerate(_conditionals(decision)):
            for taken in ("then", "else"):
                what = f"{taken} of if {place + 1}"
                yield Uncovered("branch", owner.id, what, node.position), [(id(node), taken)]


def _rows(name: str, table: Table) -> Iterator[tuple[Uncovered, list[Hit]]]:
    for row in table.rows:
        yield Uncovered("row", name, row.id, row.position), [("row", name, row.id)]
        if any(cell.tests for cell in row.when):
            yield Uncovered("near_miss", name, row.id, row.position), [("near", name, row.id)]
        for column, (node, cell) in enumerate(zip(table.inputs, row.when, strict=True)):
            if cell.tests and node.type is not None and node.type.kind == "number":
                what = f"{row.id}: {formula_text(node)} {cell_text(cell)}"
                both = [("cell", name, row.id, column, held) for held in (True, False)]
                yield Uncovered("boundary", name, what, row.position), both
    if table.otherwise is not None:
        last = table.otherwise
        yield Uncovered("row", name, last.id, last.position), [("row", name, last.id)]


def _segments(name: str, decision: Decision, curve: Curve) -> Iterator[tuple[Uncovered, list[Hit]]]:
    for key, points in curve.segments:
        for place in range(len(points) - 1):
            what = f"{key + ' ' if key else ''}{points[place][0]:g} to {points[place + 1][0]:g}"
            item = Uncovered("segment", name, what, decision.position)
            yield item, [("segment", name, key, place)]


def _conditionals(decision: Decision) -> Iterator[tree.If]:
    for node in body_trees(decision.body):
        for part in walk(node):
            if isinstance(part, tree.If):
                yield part
