"""SQL text with what is known about it: the smallest pieces of the SQL target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.language.types import Type

# Where a value can be read: (level, layer). A level is one more source joined (in relations) or
# one more round of aggregates (in the scalar query); a layer one more projection in that level.
Place = tuple[int, int]

TRUE, FALSE, UNKNOWN = "TRUE", "FALSE", "NULL"


@dataclass(frozen=True, slots=True)
class Sql:
    """An SQL expression, safe to put anywhere (compound texts carry their parentheses).

    `nullable`: it may be NULL, which is unknown; `low` a bound below every number it can be;
    `bound` the lambda variables it reads; `size` how many operations repeating it repeats;
    `literal` a constant. A division by something that may be zero is nullable, whatever guards
    it: its text means the same outside the guard.
    """

    text: str
    at: Place = (0, 0)
    nullable: bool = False
    low: float = -math.inf
    bound: frozenset[str] = frozenset()
    size: int = 1
    literal: bool = False


def made_of(
    text: str,
    parts: Sequence[Sql],
    *,
    nullable: bool | None = None,
    low: float = -math.inf,
) -> Sql:
    """A compound of `parts`; nullable when any of them is, unless said otherwise."""
    return Sql(
        text,
        max((part.at for part in parts), default=(0, 0)),
        any(part.nullable for part in parts) if nullable is None else nullable,
        low,
        frozenset().union(*(part.bound for part in parts)) if parts else frozenset(),
        1 + sum(part.size for part in parts),
    )


def quoted(name: str) -> str:
    """An identifier."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def number_text(value: float) -> str:
    """A number typed DOUBLE: only the exponent form is one (`0.1` alone is a DECIMAL)."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number of a rule book")
    text = repr(float(value) + 0.0)
    text = text if "e" in text else text + "e0"
    return f"({text})" if text.startswith("-") else text


def literal(value: float | bool | str) -> Sql:
    """A constant of the language."""
    if isinstance(value, bool):
        return Sql(TRUE if value else FALSE, literal=True)
    if isinstance(value, str):
        return Sql(text_literal(value), literal=True)
    return Sql(number_text(float(value)), low=float(value), literal=True)


def unknown(kind: Type) -> Sql:
    """NULL of a type."""
    return Sql(f"CAST(NULL AS {type_name(kind)})", nullable=True, literal=True)


def type_name(kind: Type) -> str:
    return {"number": "DOUBLE", "boolean": "BOOLEAN", "text": "VARCHAR"}[kind.kind]


def unsigned(value: Sql, kind: Type) -> Sql:
    """What leaves a decision, column or fact: zero loses its sign."""
    if kind.kind != "number" or value.literal:
        return value
    return replace(value, text=f"({value.text} + 0e0)", size=value.size + 1)


def conjunction(parts: Sequence[Sql]) -> Sql:
    """Kleene `and`; SQL's own."""
    return _joined(" AND ", parts, TRUE)


def disjunction(parts: Sequence[Sql]) -> Sql:
    """Kleene `or`; SQL's own."""
    return _joined(" OR ", parts, FALSE)


def _joined(operator: str, parts: Sequence[Sql], empty: str) -> Sql:
    kept = [part for part in parts if part.text != empty]
    if not kept:
        return Sql(empty, literal=True)
    if len(kept) == 1:
        return kept[0]
    return made_of("(" + operator.join(part.text for part in kept) + ")", kept)


def by_cuts(subject: str, cuts: Sequence[str], leaves: Sequence[str]) -> str:
    """`leaves[i]` for the first cut (`< 3e0`, `<= 5e0`, ascending) that holds, else the last.

    A balanced tree of CASE: DuckDB tests a chain one row set after the other. The subject must
    not be NULL.
    """
    if len(cuts) <= 3:
        if not cuts:
            return leaves[0]
        tests = " ".join(
            f"WHEN {subject} {cut} THEN {leaf}" for cut, leaf in zip(cuts, leaves, strict=False)
        )
        return f"CASE {tests} ELSE {leaves[-1]} END"
    middle = len(cuts) // 2
    below = by_cuts(subject, cuts[:middle], leaves[: middle + 1])
    above = by_cuts(subject, cuts[middle + 1 :], leaves[middle + 1 :])
    return f"CASE WHEN {subject} {cuts[middle]} THEN {below} ELSE {above} END"
