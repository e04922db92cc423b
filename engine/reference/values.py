"""Values of the language at run time: numbers, booleans, texts and unknown with its causes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from engine.language.frozen import frozen

CauseKind = Literal["missing", "lookup", "curve", "ladder", "stated", "empty", "no_match", "blank"]


@frozen
class Cause:
    """Why something is unknown.

    `kind` and `name`: missing (a fact's path: ask), lookup (`table:key` not in the table),
    curve (its id: outside its points, or no such key), ladder (its id: above the last step),
    stated (`decision.row`: the book says so; also `division`, `sqrt`, `power`), empty (the
    relation of a min or max over no rows), no_match (`relation.alias` of an optional join, a
    ranking without a kept row, a decision none of whose rows holds), blank (`table.column` or
    `fact.field` that the catalog or the list leaves empty).
    """

    kind: CauseKind
    name: str


@frozen
class UnknownValue:
    """No value, and why; equal to nothing in the language (`same` is false)."""

    causes: tuple[Cause, ...]

    def missing(self) -> tuple[str, ...]:
        """Paths of the facts to ask for, in the order they were met."""
        return tuple(cause.name for cause in self.causes if cause.kind == "missing")


Known = float | bool | str
Answer = float | bool | str | UnknownValue


def unknown(kind: CauseKind, name: str) -> UnknownValue:
    return UnknownValue((Cause(kind, name),))


def union(answers: Iterable[object]) -> UnknownValue:
    """One unknown with the causes of all unknowns among `answers`, each once, in order."""
    unknowns = {id(answer): answer for answer in answers if isinstance(answer, UnknownValue)}
    if len(unknowns) == 1:
        (only,) = unknowns.values()
        return only
    causes: dict[Cause, None] = {}
    for answer in unknowns.values():
        causes.update(dict.fromkeys(answer.causes))
    return UnknownValue(tuple(causes))


def same(left: Answer, right: Answer) -> bool:
    """Whether both are known and equal."""
    if isinstance(left, UnknownValue) or isinstance(right, UnknownValue):
        return False
    return left == right


def output(answer: Answer) -> Answer:
    """What leaves a decision, column or fact: zero loses its sign, numbers are floats."""
    if isinstance(answer, (bool, str, UnknownValue)):
        return answer
    return float(answer) + 0.0


def plain(answer: object) -> object:
    """The form of the targets' results: unknown is None."""
    return None if isinstance(answer, UnknownValue) else answer
