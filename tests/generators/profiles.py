"""Random profiles of any rule book, derived from its `facts`.

Numbers are drawn at the thresholds the book compares with, one binary64 beside them, at the
ends of their range and in between; every fact may be left out. The result is what the door
hands on: floats, booleans, texts; list facts as lists of tuples.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.book.model import Book, Catalog, Fact, Formula, Table
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type
from engine.language.walk import walk
from tests.generators.choices import Choices

LIST_KINDS = frozenset({"list", "records", "distribution"})
Profile = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What profiles are drawn from."""

    facts: tuple[Fact, ...]
    thresholds: tuple[float, ...]
    texts: tuple[str, ...]
    keys: Mapping[str, tuple[str, ...]]
    figures: tuple[float, ...] = ()  # numbers of the catalog
    # Texts of the catalog columns that a text fact may name, by (table, number of the column).
    named: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    dates: tuple[float, ...] = ()  # of the catalog
    _inside: dict[tuple[float, float], tuple[float, ...]] = field(default_factory=dict)

    def inside(self, low: float, high: float) -> tuple[float, ...]:
        """The thresholds of an interval."""
        found = self._inside.get((low, high))
        if found is None:
            found = tuple(value for value in self.thresholds if low <= value <= high)
            self._inside[low, high] = found
        return found


def vocabulary(book: Book, catalog: Catalog) -> Vocabulary:
    """The numbers and texts a book tells apart, and the keys of its catalog tables."""
    numbers: dict[float, None] = {}
    texts: dict[str, None] = {}
    for node in literals(book):
        value = node.value
        if isinstance(value, str):
            texts[value] = None
        elif not isinstance(value, bool):
            numbers[float(value)] = None
    for parameter in book.parameters.values():
        if isinstance(parameter.value, float | int) and not isinstance(parameter.value, bool):
            numbers[float(parameter.value)] = None
        numbers.update(dict.fromkeys(parameter.steps))
    for decision in book.decisions.values():
        for _, points in getattr(decision.body, "segments", ()):
            numbers.update((x, None) for x, _ in points)
    keys = {
        name: tuple(
            row[[column.name for column in schema.columns].index(schema.key)]
            for row in catalog.tables[name].rows
        )
        for name, schema in book.tables.items()
        if name in catalog.tables
    }
    cells = (cell for data in catalog.tables.values() for row in data.rows for cell in row)
    figures = tuple(dict.fromkeys(cell for cell in cells if isinstance(cell, float)))
    facts = tuple(book.facts.values())
    named = {
        column: _texts(catalog, *column)
        for fact in facts
        for column in fact.found_in
        if column[0] in catalog.tables
    }
    dates = {
        row[place]
        for name, schema in book.tables.items()
        for place, column in enumerate(schema.columns)
        if column.date and name in catalog.tables
        for row in catalog.tables[name].rows
    }
    days = tuple(sorted(date for date in dates if isinstance(date, float)))
    return Vocabulary(facts, tuple(numbers), tuple(texts), keys, figures, named, days)


def _texts(catalog: Catalog, table: str, column: int) -> tuple[str, ...]:
    cells = (row[column] for row in catalog.tables[table].rows)
    return tuple(dict.fromkeys(cell for cell in cells if isinstance(cell, str)))


def profile(words: Vocabulary, choices: Choices, missing: float = 0.25) -> Profile:
    """One profile; each fact is left out with probability `missing`.

    Optional facts, which only narrow the answer down, are left out half of the time.
    """
    given: Profile = {}
    for fact in words.facts:
        if not choices.chance(max(missing, 0.5) if fact.optional else missing):
            value = value_of(fact, words, choices)
            if value is not None:
                given[fact.path] = value
    return given


def mutated(
    words: Vocabulary,
    choices: Choices,
    base: Profile,
    missing: float = 0.25,
    most: int = 8,
) -> Profile:
    """A realistic profile with a few of its facts changed, added or left out."""
    given = dict(base)
    for _ in range(choices.integer(0, most)):
        fact = choices.one_of(words.facts)
        value = None if choices.chance(missing) else value_of(fact, words, choices)
        given.pop(fact.path, None)
        if value is not None:
            given[fact.path] = value
    return given


def profiles(book: Book, catalog: Catalog, missing: float = 0.25) -> Any:
    """A Hypothesis strategy of profiles."""
    from hypothesis import strategies as st

    from tests.generators.choices import Drawn

    words = vocabulary(book, catalog)

    @st.composite
    def strategy(draw: Any) -> Profile:
        return profile(words, Drawn(draw), missing)

    return strategy()


def number_in(kind: Type, words: Vocabulary, choices: Choices) -> float:
    """A number of a type: near a threshold, at an end, on a whole number or anywhere."""
    low = max(kind.low, -1e12)
    high = min(kind.high, 1e12)
    way = choices.integer(0, 9)
    inside = words.inside(low, high)
    if way < 5 and inside:
        value = choices.one_of(inside)
        way = choices.integer(0, 3)
        if way > 1:
            value = math.nextafter(value, math.inf if way == 2 else -math.inf)
    elif way == 7 and words.figures:
        value = choices.one_of(words.figures)
    elif way == 5:
        value = choices.one_of([low, high])
    elif way == 6:
        value = float(choices.integer(math.ceil(low), math.floor(min(high, low + 64)) or 0))
    elif low > 0 and high / low > 100:
        # Anywhere on a logarithmic scale.
        value = low * (high / low) ** choices.real(0.0, 1.0)
    else:
        value = choices.real(low, high)
    if kind.integer:
        value = float(round(value))
    return min(max(value, low), high)


def value_of(fact: Fact, words: Vocabulary, choices: Choices) -> Any:
    """A value of any fact."""
    if fact.kind in LIST_KINDS:
        rows = 0 if choices.chance(0.4) else choices.integer(0, min(fact.max_rows or 4, 6))
        return [row_of(fact, words, choices) for _ in range(rows)]
    if fact.kind == "date" and words.dates and choices.chance(0.8):
        # A day of the catalog, or as far behind one as something is told apart by days.
        days = words.inside(0.0, 1000.0)
        value = choices.one_of(words.dates) + (choices.one_of(days) if days else 0.0)
        return float(round(min(max(value, fact.type.low), fact.type.high)))
    return scalar(fact.type, fact.key_of, fact.found_in, words, choices)


def row_of(
    fact: Fact, words: Vocabulary, choices: Choices, given: Mapping[str, Any] | None = None
) -> tuple[Any, ...]:
    """A row of a list fact; what is not given is drawn."""
    if not fact.fields:
        return (scalar(fact.type, fact.key_of, fact.found_in, words, choices),)
    return tuple(
        given[item.name]
        if given is not None and item.name in given
        else None
        if item.type.nullable and choices.chance(0.2)
        else scalar(item.type, item.key_of, fact.found_in, words, choices)
        for item in fact.fields
    )


def scalar(
    kind: Type,
    key_of: str,
    found_in: tuple[tuple[str, int], ...],
    words: Vocabulary,
    choices: Choices,
) -> Any:
    if kind.kind == "number":
        return number_in(kind, words, choices)
    if kind.kind == "boolean":
        return choices.chance(0.5)
    if key_of:
        keys = words.keys.get(key_of, ())
        return choices.one_of(keys) if keys else None
    if kind.values is not None:
        return choices.one_of(kind.values)
    if found_in and choices.chance(0.8):
        named = words.named.get(choices.one_of(found_in), ())
        if named:
            return choices.one_of(named)
    return choices.one_of([*words.texts, "", "something else"])


# ---------------------------------------------------------------- walking over a book


def literals(book: Book) -> Iterator[tree.Literal]:
    for node in trees(book):
        for part in walk(node):
            if isinstance(part, tree.Literal):
                yield part


def trees(book: Book) -> Iterator[Node]:
    """Every tree of a book: what it compares, computes and filters with."""
    for fact in book.facts.values():
        yield from _some(fact.default, fact.derive)
    bodies = [decision.body for decision in book.decisions.values()]
    for relation in book.relations.values():
        bodies.extend(column.decision.body for column in relation.columns)
        yield from (node for node, _ in relation.where)
    for body in bodies:
        if isinstance(body, Formula):
            yield body.expression
        elif isinstance(body, Table):
            yield from _table_trees(body)
    for advice in book.advice.values():
        yield from advice.inputs
        for row in advice.rows:
            yield from row.when
    for ranking in book.rankings.values():
        yield from _some(ranking.keep, *(node for node, _ in ranking.by))


def _table_trees(table: Table) -> Iterator[Node]:
    yield from table.inputs
    for row in [*table.rows, *_some(table.otherwise)]:
        yield from row.when
        if isinstance(row.then, tuple):
            yield from row.then


def _some(*items: Any) -> Iterable[Any]:
    return [item for item in items if item is not None]
