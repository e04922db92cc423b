"""Calculations as a reader repeats them by hand: one figure a line, each with what is done to it.

The first line puts a figure down, every later one adds, takes away, multiplies, divides or raises
to a power what stands above it, and a line with `=` says what that comes to (`≈`: to the cent).
Figures are written with so many digits that the sum can be checked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from engine.language.types import Type
from engine.run.values import Place as Row
from engine.site.library import SiteError
from engine.site.markup import table
from engine.site.pen import Pen
from engine.site.places import Place

_LINE = re.compile(r"(?:([+−×÷^=≈]) )?([\w.-]+)(?:\[(\d+)\]\.(\w+))?")
_DIGITS, _CENTS, _MOST = 7, 2, 10
_KINDS = ("decision", "parameter", "fact")


def tape(pen: Pen, preset: str, lines: Sequence[str]) -> str:
    """The lines of a calculation for a preset, as a table.

    A line is `SIGN NAME`; NAME is a decision, a parameter, a fact, or `RELATION[ROW].COLUMN` with
    rows counted from 0. Raises SiteError for what does not exist or is unknown.
    """
    if not lines:
        raise SiteError("a calculation without lines")
    rows = [_row(pen, preset, line) for line in lines]
    header = ["", escape(pen.say("line")), escape(pen.say("figure"))]
    return f'<div class="tape">{table(header, rows, (False, False, True))}</div>'


def _row(pen: Pen, preset: str, line: str) -> list[str]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise SiteError(f"{line!r} is no line of a calculation: write a sign and a name")
    sign, name, number, column = match.groups()
    place, value, kind, unit = _figure(pen, preset, name, number, column)
    if value is None:
        raise SiteError(f"{place.anchor} is unknown for {preset}: state what it needs")
    title = place.entry.label if place.kind == "fact" else place.entry.title
    numeric = kind.kind == "number"
    shown = exact(pen, float(value), unit) if numeric else pen.figures.value(value, kind)
    return [sign or "", pen.link(place, escape(pen.text(title))), escape(shown)]


def _figure(
    pen: Pen, preset: str, name: str, number: str | None, column: str | None
) -> tuple[Place, Any, Type, str]:
    """Where the figure stands on the site, its value, its type and its unit."""
    values = pen.library.values(preset)
    if number is not None:
        relation = pen.places.find(name, "relation").anchor
        rows = values.outcome["relations"].get(relation) or ()
        if int(number) >= len(rows):
            raise SiteError(f"{relation} has {len(rows)} rows for {preset}")
        place = pen.places.find(f"{relation}.{column}", "column")
        at = Row(relation, int(number))
        found = values.type(str(column), at)
        assert found is not None
        return place, values.value(str(column), at), found, values.unit(found)
    place = pen.places.find(name, *_KINDS)
    if place.kind == "parameter":
        return place, place.entry.value, place.entry.type, place.entry.type.unit.symbol
    kind: Type = place.entry.type
    if place.kind == "fact":
        return place, values.value(f"facts.{place.anchor}"), kind, kind.unit.symbol
    return place, values.value(place.anchor), kind, values.unit(kind)


def exact(pen: Pen, value: float, unit: str) -> str:
    """A figure with seven digits, amounts of money with two decimals at least."""
    share = unit.partition("/")[0] == "ratio" and 0 < abs(value) <= 1
    size = value * 100 if share else value
    digits = _DIGITS - 1 - (math.floor(math.log10(abs(size))) if size else 0)
    places = min(max(digits, 0), _MOST)
    while places > 0 and round(size, places - 1) == round(size, places):
        places -= 1
    if re.match("[A-Z]{3}", unit):
        places = max(places, _CENTS)
    return pen.figures.number(value, unit, places)
