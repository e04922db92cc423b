"""What a profile and its catalog rows must say for a place of a book to be reached.

`Wishes` collects values of facts, rows of list facts and rows of catalog tables. A wish that
contradicts an earlier one takes its place or is dropped by chance: whoever asks twice gets
different answers, and nobody may count on any of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from engine.book.model import Book, Catalog
from tests.generators.choices import Choices
from tests.generators.profiles import LIST_KINDS, Profile, Vocabulary, row_of, value_of

Row = tuple[Any, ...]
Binding = tuple[str, str]  # relation and alias, or "lookup" and table


def inside(value: Any, low: float, high: float) -> bool:
    return isinstance(value, float) and low <= value <= high


def between(choices: Choices, low: float, high: float, whole: bool) -> float:
    """A number of a closed interval, most often at or right beside one of its ends."""
    if whole:
        low, high = float(math.ceil(low)), float(math.floor(high))
    ends = [end for end in (low, high) if math.isfinite(end)]
    way = choices.integer(0, 9)
    if ends and way < 5:
        value = choices.one_of(ends)
        if way > 2:
            step = 1.0 if whole else 0.0
            value = value + step if value == low else value - step
            value = value if whole else math.nextafter(value, high if value == low else low)
    elif ends and way < 8:
        # Not far from an end: thresholds that belong together lie close to each other.
        end = choices.one_of(ends)
        value = end * choices.one_of([0.5, 0.9, 1.1, 1.5, 2.0, 10.0, 1000.0])
    elif low > 0 and high / low > 100:
        value = low * (high / low) ** choices.real(0.0, 1.0)
    else:
        value = choices.real(max(low, -1e12), min(high, 1e12))
    value = min(max(value, low), high)
    return float(round(value)) if whole else value


class Wishes:
    """Wishes of one profile; `rows` of the catalog it may choose from."""

    def __init__(self, book: Book, words: Vocabulary, catalog: Catalog, choices: Choices) -> None:
        self.book, self.words, self.choices = book, words, choices
        self.catalog = catalog
        self.facts: Profile = {}
        self.lists: dict[str, list[dict[str, Any]]] = {}
        self.absent: dict[str, None] = {}
        self.rows: dict[Binding, list[Row]] = {}
        self.tables: dict[Binding, str] = {}
        self.records: dict[Binding, dict[str, Any]] = {}
        # What was concluded from the wishes so far; forgotten when they change.
        self.memory: dict[tuple[int, str], Any] = {}
        self._places: dict[tuple[str, str], int] = {}

    # ------------------------------------------------------------ facts

    def state(self, path: str, value: Any, fits: Callable[[Any], bool]) -> None:
        """The fact is to have that value, unless what is wished already fits as well."""
        if path in self.facts and (fits(self.facts[path]) or self.choices.chance(0.4)):
            return
        self.absent.pop(path, None)
        self.facts[path] = value
        self.memory.clear()

    def leave_out(self, path: str) -> None:
        if path not in self.facts or self.choices.chance(0.5):
            self.facts.pop(path, None)
            self.absent[path] = None
            self.memory.clear()

    def number(self, path: str, low: float, high: float) -> None:
        """The fact is to lie within an interval; out of reach for it: as near as it gets."""
        fact = self.book.facts[path]
        kind = fact.type
        low = min(max(low, kind.low, -1e12), kind.high)
        high = max(min(high, kind.high, 1e12), kind.low)
        if (kind.integer and math.ceil(low) > math.floor(high)) or low > high:
            return
        value = between(self.choices, low, high, kind.integer)
        self.state(path, value, lambda old: inside(old, low, high))

    def anything(self, path: str) -> None:
        """The fact is to be stated, whatever it says."""
        fact = self.book.facts[path]
        if path in self.facts or path in self.lists:
            return
        if fact.kind in LIST_KINDS:
            if fact.asked or fact.optional:
                self.lists.setdefault(path, [])
                self.absent.pop(path, None)
            return
        value = value_of(fact, self.words, self.choices)
        if value is not None:
            self.state(path, value, lambda _: True)

    # ------------------------------------------------------------ rows of lists

    def record(self, binding: Binding, path: str) -> dict[str, Any]:
        """The row of a list fact that an alias stands for."""
        if binding not in self.records:
            rows = self.lists.setdefault(path, [])
            self.absent.pop(path, None)
            if rows and (self.choices.chance(0.8) or len(rows) >= self.book.facts[path].max_rows):
                self.records[binding] = self.choices.one_of(rows)
            else:
                self.records[binding] = {}
                rows.append(self.records[binding])
        return self.records[binding]

    # ------------------------------------------------------------ rows of the catalog

    def candidates(self, binding: Binding, table: str) -> list[Row]:
        if binding not in self.rows:
            self.rows[binding] = list(self.catalog.tables[table].rows)
            self.tables[binding] = table
            self.memory.clear()
        return self.rows[binding]

    def column(self, table: str, name: str) -> int:
        key = (table, name)
        if key not in self._places:
            names = [column.name for column in self.book.tables[table].columns]
            self._places[key] = names.index(name)
        return self._places[key]

    def narrow(self, binding: Binding, table: str, name: str, fits: Callable[[Any], bool]) -> None:
        """Only rows whose cell fits, where there are any."""
        place = self.column(table, name)
        rows = self.candidates(binding, table)
        left = [row for row in rows if fits(row[place])]
        if left and len(left) < len(rows):
            self.rows[binding] = left
            self.memory.clear()

    def cells(self, binding: Binding, table: str, name: str) -> dict[Any, None]:
        place = self.column(table, name)
        return dict.fromkeys(row[place] for row in self.candidates(binding, table))

    def settle(self, binding: Binding) -> Row | None:
        """One of the rows left, from now on the only one."""
        rows = self.rows[binding]
        if len(rows) > 1:
            self.rows[binding] = rows = [self.choices.one_of(rows)]
            self.memory.clear()
        return rows[0] if rows else None

    # ------------------------------------------------------------ what came of it

    def laid_over(self, base: Mapping[str, Any]) -> Profile:
        """A profile with all wishes fulfilled."""
        given = {path: value for path, value in base.items() if path not in self.absent}
        given.update(self.facts)
        for path, rows in self.lists.items():
            fact = self.book.facts[path]
            given[path] = [row_of(fact, self.words, self.choices, row) for row in rows]
        return given
