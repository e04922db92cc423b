"""Rows of a catalog table as compiled decisions read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.book.model import Book, Catalog

Row = tuple[Any, ...]


class TableRows:
    """`rows`: tuples in the order of the schema's columns, None where a value is missing."""

    __slots__ = ("_indexes", "columns", "rows")

    def __init__(self, columns: tuple[str, ...], rows: tuple[Row, ...]) -> None:
        self.columns = columns
        self.rows = rows
        self._indexes: dict[tuple[str, ...], dict[Any, list[int]]] = {}

    def index(self, columns: tuple[str, ...]) -> dict[Any, list[int]]:
        """Row numbers, ascending, by the values of columns (one column: the plain value).

        Rows with a missing value in one of them are left out: an unknown equals nothing.
        """
        found = self._indexes.get(columns)
        if found is None:
            found = self._indexes[columns] = {}
            places = [self.columns.index(name) for name in columns]
            for number, row in enumerate(self.rows):
                values = tuple(row[place] for place in places)
                if None not in values:
                    key = values[0] if len(values) == 1 else values
                    found.setdefault(key, []).append(number)
        return found


def run_tables(book: Book, catalog: Catalog) -> Mapping[str, TableRows]:
    """Every table of the catalog for the `tables` argument of compiled decisions."""
    return {
        name: TableRows(tuple(column.name for column in schema.columns), catalog.tables[name].rows)
        for name, schema in book.tables.items()
        if name in catalog.tables
    }
