"""Catalog rows that meet: what realistic profiles join, as seen in their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.book.model import Book
from tests.generators.choices import Choices
from tests.generators.profiles import Profile

Place = tuple[str, int]  # a catalog table and the number of its row
Outcome = Mapping[str, Any]
KEPT = 40  # rows of each relation and profile


def witnesses(
    book: Book, examples: Sequence[Profile], run: Callable[[Profile], Outcome], choices: Choices
) -> tuple[tuple[tuple[Place, ...], ...], ...]:
    """For each profile, sets of catalog rows that some row of a relation is made of."""
    return tuple(_of_outcome(book, run(given), choices) for given in examples)


def _of_outcome(book: Book, outcome: Outcome, choices: Choices) -> tuple[tuple[Place, ...], ...]:
    found: dict[tuple[Place, ...], None] = {}
    for id, rows in outcome["relations"].items():
        for _ in range(min(KEPT, len(rows or ()))):
            places = _places(book, outcome, id, choices.one_of(range(len(rows))))
            if places:
                found[tuple(sorted(places))] = None
    return tuple(found)


def _places(book: Book, outcome: Outcome, id: str, number: int) -> dict[Place, None]:
    """The catalog rows behind a row of a relation, those of the relations it reads included."""
    row = outcome["relations"][id][number]
    found: dict[Place, None] = {}
    for source, at in zip(book.relations[id].sources, row, strict=False):
        if at is None:
            continue
        if source.kind == "table":
            found[source.name, int(at)] = None
        elif source.kind == "relation":
            found.update(_places(book, outcome, source.name, int(at)))
    return found
