"""Types in words, for messages."""

from __future__ import annotations

from engine.language.types import Type, Unit


def unit_words(unit: Unit) -> str:
    """`GiB/card`, or `a plain number` for a dimensionless unit of scale 1."""
    if not unit.dimension and unit.scale == 1:
        return "a plain number"
    return unit.symbol or f"a plain number times {unit.scale:g}"


def type_words(kind: Type) -> str:
    """What a value of this type is, in a few words."""
    if kind.kind == "boolean":
        return "true or false"
    if kind.kind == "text":
        return "a text" if kind.values is None else "one of " + ", ".join(kind.values)
    noun = "a whole number" if kind.integer else "a number"
    words = unit_words(kind.unit)
    return noun if words == "a plain number" else f"{noun} in {words}"


def interval_words(low: float, high: float) -> str:
    """`[0, 12.5]`."""
    return f"[{low:.12g}, {high:.12g}]"
