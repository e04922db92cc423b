"""The tables that SQL queries read, for several batches at once: sent as JSON.

DuckDB reads JSON much faster than it takes over values of Python one by one. Numbers survive:
both sides write and read the shortest decimal that is the same double.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.book.model import Book, Catalog
from engine.targets.sql_columns import LIST_KINDS, fact_fields
from engine.targets.sql_text import quoted, type_name

if TYPE_CHECKING:
    import duckdb

Kind = str | list[dict[str, str]]
CHOICE = "#choice"


def load_catalogs(
    connection: duckdb.DuckDBPyConnection, book: Book, catalogs: Sequence[tuple[int, Catalog]]
) -> None:
    """Makes `catalog_<name>`; rows are numbered anew in each batch, whose number they bear."""
    for name, schema in book.tables.items():
        names = [column.name for column in schema.columns]
        kinds: dict[str, Kind] = {CHOICE: "BIGINT", "row_number": "BIGINT"}
        kinds.update((column.name, type_name(column.type)) for column in schema.columns)
        rows = [
            {CHOICE: choice, "row_number": number, **dict(zip(names, row, strict=True))}
            for choice, catalog in catalogs
            for number, row in enumerate(catalog.tables[name].rows)
        ]
        _create(connection, f"catalog_{name}", kinds, rows)


def load_parameters(
    connection: duckdb.DuckDBPyConnection,
    book: Book,
    parameters: Sequence[tuple[int, Mapping[str, Any]]],
) -> None:
    """Makes `parameters`, one row per batch."""
    kinds: dict[str, Kind] = {CHOICE: "BIGINT"}
    for name, parameter in book.parameters.items():
        if not parameter.steps:
            kinds[name] = type_name(parameter.type)
    rows = [{CHOICE: choice, **values} for choice, values in parameters]
    _create(connection, "parameters", kinds, rows)


def load_profiles(
    connection: duckdb.DuckDBPyConnection,
    book: Book,
    batches: Sequence[tuple[int, Sequence[Mapping[str, Any]]]],
) -> list[int]:
    """Makes `profiles`, those of each batch numbered from its own start; all the numbers."""
    kinds: dict[str, Kind] = {"profile_id": "BIGINT"}
    fields: dict[str, list[str]] = {}
    for path, fact in book.facts.items():
        if fact.kind in LIST_KINDS:
            found = fact_fields(book, path)
            fields[path] = list(found)
            kinds[path] = [{name: type_name(kind) for name, kind in found.items()}]
        else:
            kinds[path] = type_name(fact.type)
    rows, numbers = [], []
    for start, profiles in batches:
        for number, given in enumerate(profiles, start):
            row = {"profile_id": number, **given}
            for path in fields.keys() & given.keys():
                if given[path] is not None:
                    names = fields[path]
                    row[path] = [dict(zip(names, cells, strict=True)) for cells in given[path]]
            rows.append(row)
            numbers.append(number)
    _create(connection, "profiles", kinds, rows)
    return numbers


def _create(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    kinds: Mapping[str, Kind],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """What a row leaves out is NULL."""
    shape = json.dumps([kinds]).replace("'", "''")
    items = f"(SELECT unnest(from_json(?, '{shape}')) AS item)"
    text = json.dumps(rows, ensure_ascii=False, allow_nan=False)
    columns = f"SELECT item.* FROM {items}"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(name)} AS {columns}", [text])
