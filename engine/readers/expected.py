"""What may stand in a field, and what was found there, in words of either language."""

from __future__ import annotations

from typing import Any

from engine.book.model import Fact, Field
from engine.language.types import Type, Unit
from engine.readers.messages import word


def expectation(fact: Fact, language: str) -> str:
    """What may stand in the field, in words."""
    fields = ", ".join(column.name for column in fact.fields)
    if fact.kind == "distribution":
        return word("rows_or_path", language, fields=fields)
    if fact.kind == "records":
        return word("rows", language, fields=fields)
    if fact.kind == "list":
        column = fact.fields[0] if fact.fields else None
        kind = column.type if column else fact.type
        key_of = fact.key_of or (column.key_of if column else "")
        return word("list_of", language, items=text_expected(kind, key_of, language))
    if fact.kind == "date":
        return word("date", language)
    if fact.kind == "boolean":
        return word("boolean", language)
    if fact.kind in ("number", "integer"):
        return number_expected(fact.type, language)
    return text_expected(fact.type, fact.key_of, language)


def cell_expected(column: Field, language: str) -> str:
    """What may stand in a field of a row, in words."""
    if column.type.kind == "number":
        return number_expected(column.type, language)
    if column.type.kind == "boolean":
        return word("boolean", language)
    return text_expected(column.type, column.key_of, language)


def number_expected(kind: Type, language: str) -> str:
    """`a number in GiB/card`, `a whole number`."""
    if kind.integer:
        return word("whole", language)
    if not kind.unit.dimension and kind.unit.scale == 1.0:
        return word("plain_number", language)
    return word("number_in", language, unit=unit_name(kind.unit, language))


def text_expected(kind: Type, key_of: str, language: str) -> str:
    """`one of a, b`, `an id or name of catalog table models`, `a text`."""
    if key_of:
        return word("catalog_id", language, table=key_of)
    if kind.values is not None:
        return word("one_of", language, choices=", ".join(kind.values))
    return word("text", language)


def unit_hint(kind: Type, language: str, example: str = "") -> str:
    """How to write a number with or without its unit."""
    if not kind.unit.dimension and kind.unit.scale == 1.0:
        return word("numbers_only", language)
    unit = unit_name(kind.unit, language)
    return word("units_like", language, unit=unit, example=example or f"10 {kind.unit.symbol}")


def unit_name(unit: Unit, language: str) -> str:
    """The unit, or words for a plain number."""
    return unit.symbol or word("plain_number", language)


def unit_tail(unit: Unit) -> str:
    """The unit behind a number, where there is one to say."""
    named = bool(unit.symbol) and unit.symbol not in ("count", "ratio")
    return f" {unit.symbol}" if named else ""


def describe(value: Any, language: str) -> str:
    """The kind of a value, in words."""
    if value is None:
        name = "nothing"
    elif isinstance(value, bool):
        name = "boolean"
    elif isinstance(value, (int, float)):
        name = "number"
    elif isinstance(value, str):
        name = "text"
    else:
        name = "list" if isinstance(value, tuple) else "mapping"
    if name == "boolean":
        return "true" if value else "false"
    return word(name, language)
