"""Where evaluation ends: cells of catalog tables and fields of list facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.book.model import Book, Catalog
from engine.reference.values import Answer, UnknownValue, output, unknown

Rows = Sequence[tuple[Any, ...]]


class Leaves:
    """The catalog and the list facts of one profile, read by row number."""

    def __init__(self, book: Book, catalog: Catalog, given: Mapping[str, Any]) -> None:
        self.book, self.catalog, self.given = book, catalog, given
        self._places: dict[str, dict[str, int]] = {}

    def size(self, table: str) -> int:
        return len(self.catalog.tables[table].rows)

    def cell(self, table: str, column: str, number: int) -> Answer:
        """A cell of a catalog table; an empty one is unknown (blank)."""
        value = self.catalog.tables[table].rows[number][self.places(table)[column]]
        if value is None:
            return unknown("blank", f"{table}.{column}")
        return value if isinstance(value, (bool, str)) else float(value)

    def column(self, table: str, column: str) -> Iterable[object]:
        """A whole column, None where a cell is empty."""
        place = self.places(table)[column]
        return (row[place] for row in self.catalog.tables[table].rows)

    def fact_rows(self, path: str) -> Rows | UnknownValue:
        """The rows of a list fact; unknown when it is asked for and not given."""
        rows: Rows | None = self.given.get(path)
        if rows is not None:
            return rows
        # The default of a list is always that it has no rows.
        fact = self.book.facts[path]
        return unknown("missing", path) if fact.asked or fact.optional else ()

    def field(self, path: str, field: str, number: int) -> Answer:
        """A field of a row of a list fact; a missing one is unknown (blank)."""
        rows = self.fact_rows(path)
        if isinstance(rows, UnknownValue):
            return rows
        names = [item.name for item in self.book.facts[path].fields]
        value = rows[number][names.index(field)]
        return unknown("blank", f"{path}.{field}") if value is None else output(value)

    def places(self, table: str) -> dict[str, int]:
        """Where the columns of a table stand in its rows."""
        if table not in self._places:
            columns = self.book.tables[table].columns
            self._places[table] = {item.name: place for place, item in enumerate(columns)}
        return self._places[table]
