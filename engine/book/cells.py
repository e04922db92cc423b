"""One cell of a catalog file to a value: readers by column type."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.book.dates import day_number
from engine.book.tables import ColumnSource
from engine.language.types import Type

# (value, code of the problem or "", what was expected)
Read = tuple[float | bool | str | None, str, str]
Reader = Callable[[str], Read]

_NUMBER = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")
_WHOLE = re.compile(r"-?[0-9]+\Z")


def reader_for(source: ColumnSource, kind: Type) -> Reader:
    """The reader of a column; it is given the text of a cell that is not empty."""
    if source.kind in ("number", "integer"):
        return _number(kind, _WHOLE if source.kind == "integer" else _NUMBER)
    if source.kind == "boolean":
        return _boolean
    if source.kind == "date":
        return _date(kind)
    if source.kind == "enumeration":
        return _enumeration(kind)
    if source.kind == "text":
        return _text
    return _key


def _number(kind: Type, form: re.Pattern[str]) -> Reader:
    expected = f"{kind.low:g} to {kind.high:g}"
    words = "a whole number" if form is _WHOLE else "a number"

    def read(text: str) -> Read:
        if not form.match(text) or not text.isascii():
            return None, "C007", words
        value = float(text) + 0.0
        if not kind.low <= value <= kind.high:
            return None, "C008", expected
        return value, "", ""

    return read


def _boolean(text: str) -> Read:
    if text in ("true", "false"):
        return text == "true", "", ""
    return None, "C007", "true or false"


def _date(kind: Type) -> Reader:
    def read(text: str) -> Read:
        day = day_number(text)
        if day is None:
            return None, "C007", "a date such as 2026-11-30"
        if not kind.low <= day <= kind.high:
            return None, "C008", "a date within the declared range"
        return float(day), "", ""

    return read


def _enumeration(kind: Type) -> Reader:
    values = kind.values or ()
    expected = "one of " + ", ".join(values)

    def read(text: str) -> Read:
        return (text, "", "") if text in values else (None, "C009", expected)

    return read


def _text(text: str) -> Read:
    return text, "", ""


def _key(text: str) -> Read:
    if text.isascii() and text.isprintable():
        return text, "", ""
    return None, "C007", "printable ASCII"
