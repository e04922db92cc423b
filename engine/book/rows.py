"""Rows of a catalog table as compiled decisions read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter

TYPE_CHECKING = False  # of typing, which a first decision should not wait for
if TYPE_CHECKING:
    from typing import Any

    from engine.book.model import Book, Catalog

    Row = tuple[Any, ...]


class TableRows:
    """`rows`: tuples in the order of the schema's columns, None where a value is missing."""

    __slots__ = ("_indexes", "_load", "columns", "rows")

    rows: tuple[Row, ...]

    def __init__(self, columns: tuple[str, ...], load: Callable[[], tuple[Row, ...]]) -> None:
        self.columns = columns
        self._load = load
        self._indexes: dict[tuple[str, ...], dict[Any, list[int]]] = {}

    def __getattr__(self, name: str) -> Any:
        # Reached only while `rows` is unset: a table that no decision reads is never decoded.
        if name != "rows":
            raise AttributeError(name)
        self.rows = self._load()
        return self.rows

    def index(self, columns: tuple[str, ...]) -> dict[Any, list[int]]:
        """Row numbers, ascending, by the values of columns (one column: the plain value).

        Rows with a missing value in one of them are left out: an unknown equals nothing.
        """
        found = self._indexes.get(columns)
        if found is None:
            found = self._indexes[columns] = {}
            places = [self.columns.index(name) for name in columns]
            values = itemgetter(*places)
            for number, row in enumerate(self.rows):
                key = values(row)
                if key is not None if len(places) == 1 else None not in key:
                    found.setdefault(key, []).append(number)
        return found


def run_tables(book: Book, catalog: Catalog) -> Mapping[str, TableRows]:
    """Every table of the catalog for the `tables` argument of compiled decisions."""
    return {
        name: TableRows(tuple(column.name for column in schema.columns), rows_of(catalog, name))
        for name, schema in book.tables.items()
        if name in catalog.tables
    }


def rows_of(catalog: Catalog, name: str) -> Callable[[], tuple[Row, ...]]:
    """The rows of a table, decoded when called."""
    return lambda: catalog.tables[name].rows
