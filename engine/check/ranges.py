"""Proofs about numbers: declared ranges hold, and which parameter is never above which.

B210 outside its declared range    B213 a result that is not finite
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.book.contents import all_decisions
from engine.book.model import Book, Curve, Decision, Parameter
from engine.language.describe import interval_words, unit_words
from engine.language.intervals import is_finite
from engine.language.problems import Problem
from engine.language.types import Type


def check_bounds(book: Book) -> list[Problem]:
    """Declared ranges of decisions and columns that computed intervals leave."""
    found = []
    for decision in all_decisions(book):
        for kind in _output_types(decision):
            if kind.kind != "number":
                continue
            if not is_finite((kind.low, kind.high)):
                found.append(Problem(
                    "B213", f"{decision.id} may leave the finite numbers", decision.position,
                    "a finite range", "narrow the ranges it is computed from",
                ))  # fmt: skip
            elif decision.bounds is not None:
                low, high = decision.bounds
                if kind.low < low or kind.high > high:
                    found.append(_outside(decision, kind, decision.bounds))
    return found


def _outside(decision: Decision, kind: Type, bounds: tuple[float, float]) -> Problem:
    unit = unit_words(kind.unit)
    unit = "" if unit == "a plain number" else f" {unit}"
    end = "high" if kind.high > bounds[1] else "low"
    return Problem(
        "B210",
        f"{decision.id} can be {interval_words(kind.low, kind.high)}{unit}, outside its declared "
        f"range {interval_words(*bounds)}",
        decision.position,
        "a declared range that holds whatever the profile and the policy say",
        f"its {end} end is reached at the ends of what it reads: narrow those, bound it with "
        f"{'min' if end == 'high' else 'max'}, or widen the range",
    )


def _output_types(decision: Decision) -> Iterator[Type]:
    if isinstance(decision.body, Curve):
        yield decision.body.y_type
    yield from decision.outputs.values()


class ParameterOrder:
    """Which parameter is never above which, by declaration (and what follows from it)."""

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self._above: dict[str, set[str]] = {}
        for name in parameters:
            reached: set[str] = set()
            waiting = [name]
            while waiting:
                for other in parameters[waiting.pop()].at_most:
                    if other in parameters and other not in reached:
                        reached.add(other)
                        waiting.append(other)
            self._above[name] = reached

    def not_above(self, first: str, second: str) -> bool:
        return first == second or second in self._above.get(first, ())
