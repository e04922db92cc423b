"""Catalog tables as the compiled book reads them: rows, and indexes built when first used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.book.model import TableData, TableSchema


class Rows:
    """The rows of one table in the order of its schema's columns."""

    __slots__ = ("_columns", "_indexes", "rows")

    def __init__(self, schema: TableSchema, data: TableData) -> None:
        self.rows: Sequence[tuple[Any, ...]] = data.rows
        self._columns = {column.name: number for number, column in enumerate(schema.columns)}
        self._indexes: dict[tuple[str, ...], dict[Any, list[int]]] = {}

    def index(self, names: tuple[str, ...]) -> dict[Any, list[int]]:
        """Row numbers by the values of some columns (a plain key for one); no unknown keys."""
        found = self._indexes.get(names)
        if found is None:
            found = self._indexes[names] = self._build(names)
        return found

    def _build(self, names: tuple[str, ...]) -> dict[Any, list[int]]:
        numbers = [self._columns[name] for name in names]
        index: dict[Any, list[int]] = {}
        for row_number, row in enumerate(self.rows):
            key = tuple(row[number] for number in numbers)
            if None not in key:
                index.setdefault(key[0] if len(key) == 1 else key, []).append(row_number)
        return index


def rows_of(schemas: Mapping[str, TableSchema], data: Mapping[str, TableData]) -> dict[str, Rows]:
    """Every table of the catalog."""
    return {name: Rows(schemas[name], table) for name, table in data.items() if name in schemas}
