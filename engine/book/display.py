"""Names that stand for keys of the catalog where people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.book.model import Book, Catalog

Names = Mapping[str, Mapping[str, str]]


def display_names(book: Book, catalog: Catalog) -> dict[str, dict[str, str]]:
    """By key and language the names of the tables that the report lists under `names`.

    Each entry there says for a table which column holds the name in a language. A key without a
    name in a language stands for itself.
    """
    found: dict[str, dict[str, str]] = {}
    for table, columns in (book.report or {}).get("names", {}).items():
        schema = book.tables[table]
        places = [column.name for column in schema.columns]
        key = places.index(schema.key)
        named = {language: places.index(column) for language, column in columns.items()}
        for row in catalog.tables[table].rows:
            here = {language: row[at] for language, at in named.items()}
            found[str(row[key])] = {k: str(name) for k, name in here.items() if name is not None}
    return found


def with_names(book: Book, catalog: Catalog) -> Any:
    """The report with names of the catalog among its words; a word of its own goes first."""
    report = book.report
    return {**report, "words": {**display_names(book, catalog), **report.get("words", {})}}
