"""Plain values written in examples and defaults, in the form the targets take.

Numbers become floats, dates whole days since 1970-01-01, rows of list facts tuples in the order
of the fact's fields with None for a missing field.
"""

from __future__ import annotations

from typing import Any

from engine.book.dates import day_number
from engine.book.model import Fact, Field
from engine.book.problems import refuse
from engine.book.yaml_reader import Located
from engine.language.suggest import did_you_mean
from engine.language.types import Type

Scalar = float | bool | str


def is_unknown(located: Located, kind: Type | None) -> bool:
    """`null`, or the bare word `unknown` where it is not one of the listed values."""
    if located.value is None:
        return True
    if located.value != "unknown" or located.style:
        return False
    return kind is None or kind.values is None or "unknown" not in kind.values


def scalar(located: Located, kind: Type, *, date: bool = False) -> Scalar:
    """One value of a type, checked against kind, range and list. Raises ProblemError (B030)."""
    value = located.value
    if date and isinstance(value, str):
        day = day_number(value)
        if day is None:
            raise refuse("B030", f'"{value}" is not a date', located.position, "2026-11-30")
        value = float(day)
    if kind.kind == "boolean":
        if isinstance(value, bool):
            return value
        raise refuse("B030", f"found {located.raw}", located.position, "true or false")
    if kind.kind == "text":
        if not isinstance(value, str):
            raise refuse(
                "B030", f"found {located.raw}", located.position, "a text",
                f'put it in quotes: "{located.raw}"',
            )  # fmt: skip
        if kind.values is not None and value not in kind.values:
            raise refuse(
                "B030", f'"{value}" is not in the list', located.position,
                "one of " + ", ".join(kind.values), did_you_mean(value, kind.values),
            )  # fmt: skip
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refuse("B030", f"found {located.raw or 'no number'}", located.position, "a number")
    if kind.integer and float(value) != int(value):
        raise refuse("B030", f"{located.raw} is not whole", located.position, "a whole number")
    if not kind.low <= value <= kind.high:
        raise refuse(
            "B030", f"{value:g} is out of range", located.position,
            f"{kind.low:g} to {kind.high:g}",
        )  # fmt: skip
    return float(value)


def fact_value(fact: Fact, located: Located) -> Any:
    """The value of a fact as `given` holds it. Raises ProblemError (B030)."""
    if not fact.is_list:
        return scalar(located, fact.type, date=fact.kind == "date")
    if not located.is_sequence:
        raise refuse("B030", "found no list", located.position, "a list")
    if len(located.value) > fact.max_rows:
        raise refuse("B030", "too many rows", located.position, f"at most {fact.max_rows}")
    return [_record(fact, item) for item in located.value]


def _record(fact: Fact, located: Located) -> tuple[Scalar | None, ...]:
    if fact.kind == "list":
        return (scalar(located, fact.fields[0].type),)
    if not located.is_mapping:
        raise refuse("B030", "found no record", located.position, "a mapping of its fields")
    names = [one.name for one in fact.fields]
    for name, child in located.value.items():
        if name not in names:
            raise refuse(
                "B030", f'unknown field "{name}"', child.where, "one of " + ", ".join(names),
                did_you_mean(name, names),
            )  # fmt: skip
    return tuple(_field(one, located) for one in fact.fields)


def _field(one: Field, record: Located) -> Scalar | None:
    located = record.value.get(one.name)
    if located is None or located.value is None:
        if one.type.nullable:
            return None
        raise refuse("B030", f'the field "{one.name}" is missing', record.position)
    return scalar(located, one.type, date=one.date)
