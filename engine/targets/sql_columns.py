"""Names and types of the columns that a query reads and gives."""

from __future__ import annotations

from engine.book.model import Book, Curve, Formula, Table
from engine.language.types import Type
from engine.targets.sql_expressions import Rows
from engine.targets.sql_text import Sql, quoted, type_name

LIST_KINDS = frozenset({"list", "records", "distribution"})


def item_field(item: str, name: str, like: Sql) -> Sql:
    """A field of the struct in a lambda variable."""
    text = f"{item}.{quoted(name)}"
    return Sql(text, (0, 0), like.nullable, like.low, frozenset({item}))


def fact_fields(book: Book, path: str) -> dict[str, Type]:
    """Name and type of each field of a list fact; a plain list has the one field `value`."""
    fact = book.facts[path]
    return {part.name: part.type for part in fact.fields} or {"value": fact.type}


def fact_rows(book: Book, path: str, items: Sql) -> Rows:
    fields = fact_fields(book, path)

    def column(name: str, item: str) -> Sql:
        # A row of a list may leave any field empty.
        return item_field(item, name, Sql("", nullable=True, low=fields[name].low))

    return Rows(items, column)


def struct_type(book: Book, path: str) -> str:
    """The DuckDB type of a list fact."""
    fields = fact_fields(book, path).items()
    return f"STRUCT({', '.join(f'{quoted(name)} {type_name(kind)}' for name, kind in fields)})[]"


def missing_rows(book: Book, path: str) -> str | None:
    """What a list fact is when it is not given, as SQL: no rows, or None for unknown."""
    fact = book.facts[path]
    return None if fact.asked or fact.optional else f"CAST([] AS {struct_type(book, path)})"


def output_names(body: Formula | Table | Curve) -> list[str]:
    """Names of the outputs; [""] for a single value, [] for a curve."""
    if isinstance(body, Curve):
        return []
    if isinstance(body, Formula) or len(body.outputs) == 1:
        return [""]
    return [output.name for output in body.outputs]


def decision_column(name: str, output: str) -> str:
    return f"decision:{name}.{output}" if output else f"decision:{name}"


def advice_column(name: str, row: str) -> str:
    return f"advice:{name}.{row}"
