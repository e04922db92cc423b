"""Types of expressions: numbers with unit and interval, booleans, texts (open or closed)."""

from __future__ import annotations

import math
from typing import Literal

from engine.language.frozen import frozen

Kind = Literal["number", "boolean", "text"]


@frozen
class Unit:
    """A unit of measure.

    `symbol` is how the book writes it (`GiB/card`), `dimension` the exponents of the base
    dimensions in alphabetical order, `scale` the factor to the base units. Two units are the
    same when dimension and scale are (GB is not GiB, Gbit/s is not GB/s).
    """

    symbol: str = ""
    dimension: tuple[tuple[str, int], ...] = ()
    scale: float = 1.0

    def same_as(self, other: Unit) -> bool:
        return self.dimension == other.dimension and math.isclose(
            self.scale, other.scale, rel_tol=1e-12
        )


DIMENSIONLESS = Unit()


@frozen
class Type:
    """What an expression can be.

    Numbers: `unit` and the closed interval [`low`, `high`] that holds every value; `integer`
    when all are whole. Texts: `values` when the list is closed (an enumeration). `nullable`:
    the value may be unknown at run time. `zero_literal`: a literal 0, which fits any unit.
    """

    kind: Kind
    unit: Unit = DIMENSIONLESS
    low: float = -math.inf
    high: float = math.inf
    integer: bool = False
    values: tuple[str, ...] | None = None
    nullable: bool = False
    zero_literal: bool = False

    def with_nullable(self, nullable: bool) -> Type:
        if self.nullable == nullable:
            return self
        from dataclasses import replace

        return replace(self, nullable=nullable)


BOOLEAN = Type("boolean")
TEXT = Type("text")


def number(
    unit: Unit = DIMENSIONLESS,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    integer: bool = False,
    nullable: bool = False,
) -> Type:
    """A number type; see `Type`."""
    return Type("number", unit, low, high, integer, None, nullable)


def enumeration(values: tuple[str, ...], *, nullable: bool = False) -> Type:
    """A closed text type; values are compared case-sensitively."""
    return Type("text", values=values, nullable=nullable)
