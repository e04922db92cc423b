"""Declared types: what `type`, `unit`, `range`, `values` of a fact, field, column or output say."""

from __future__ import annotations

from typing import Any

from engine.book.dates import FIRST_DAY, LAST_DAY, day_number
from engine.book.problems import refuse
from engine.book.yaml_reader import Located
from engine.language.problems import Position
from engine.language.types import BOOLEAN, TEXT, Type, enumeration, number
from engine.language.units import parse_unit

NUMERIC = ("number", "integer")


def declared_kind(body: dict[str, Located]) -> str:
    """The declared `type`, or the one that `values` or `unit` imply."""
    if "type" in body:
        kind: str = body["type"].value
        return kind
    if "values" in body:
        return "enumeration"
    return "number" if "unit" in body else ""


def value_type(body: dict[str, Located], where: Position, *, ranged: bool = True) -> Type:
    """The type a declaration states; `ranged`: numbers need a finite range.

    Raises ProblemError (B020 incomplete or contradictory declaration, B021 range, B104 unit).
    """
    kind = declared_kind(body)
    if not kind:
        raise refuse(
            "B020", "the type is not stated", where, "one of type, unit (for numbers) or values"
        )
    _only(kind, "unit", NUMERIC, body)
    _only(kind, "range", (*NUMERIC, "date"), body)
    _only(kind, "values", ("enumeration", "list"), body)
    if kind in NUMERIC:
        return _number(kind, body, where, ranged)
    if kind == "boolean":
        return BOOLEAN
    if kind == "date":
        return date_type(body.get("range"))
    if kind == "enumeration":
        if "values" not in body:
            raise refuse("B020", "the list of values is missing", where, "values: [first, second]")
        return enumeration(tuple(item.value for item in body["values"].value))
    return TEXT


def date_type(range_: Located | None = None) -> Type:
    """Whole days since 1970-01-01, up to 2100-01-01 unless a range of two dates is given."""
    low, high = FIRST_DAY, LAST_DAY
    if range_ is not None:
        days = [_day(item) for item in range_.value]
        low, high = days[0], days[1]
        if low > high:
            raise refuse("B021", "the range ends before it begins", range_.where)
    return number(parse_unit("day"), float(low), float(high), integer=True)


def bounds(range_: Located) -> tuple[float, float]:
    """A range of two numbers, the first not above the second."""
    values: list[Any] = [item.value for item in range_.value]
    for item, value in zip(range_.value, values, strict=True):
        if isinstance(value, (str, bool)):
            raise refuse("B021", "a range holds numbers", item.position, "[low, high]")
    low, high = float(values[0]), float(values[1])
    if low > high:
        raise refuse("B021", "the range ends before it begins", range_.where, "[low, high]")
    return low, high


def _number(kind: str, body: dict[str, Located], where: Position, ranged: bool) -> Type:
    if "unit" not in body:
        raise refuse("B020", "a number needs a unit", where, "unit: …", "write `ratio` or `count`")
    unit = parse_unit(body["unit"].value, body["unit"].position)
    integer = kind == "integer"
    if not ranged:
        return number(unit, integer=integer)
    if "range" not in body:
        raise refuse(
            "B021", "a number needs a finite range", where, "range: [low, high]",
            "the proofs hold for every value in it",
        )  # fmt: skip
    low, high = bounds(body["range"])
    if integer and not (low.is_integer() and high.is_integer()):
        raise refuse("B021", "a range of whole numbers has whole ends", body["range"].where)
    return number(unit, low, high, integer=integer)


def _only(kind: str, key: str, kinds: tuple[str, ...], body: dict[str, Located]) -> None:
    if key in body and kind not in kinds:
        raise refuse(
            "B020", f"`{key}` does not go with the type {kind}", body[key].where,
            "only " + " or ".join(kinds),
        )  # fmt: skip


def _day(item: Located) -> int:
    day = day_number(item.value) if isinstance(item.value, str) else None
    if day is None:
        raise refuse("B021", f"{item.raw} is not a date", item.position, "a date: 2026-11-30")
    return day
