"""What would change the answer: for each headline decision, the nearest other value of an input.

The compiled book is run again with one input changed: numbers by widening steps and then
bisection, lists of values by trying each. The report names the decisions and at most twelve
inputs (`what_if`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.book.model import Fact
from engine.run.values import Values

MOST_INPUTS = 12
_STEPS = (1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0)
_PRECISION = 0.005

Answers = dict[str, Any]


def nearest_flips(values: Values, language: str) -> list[dict[str, Any]]:
    """`[{decision, field, label, from, to, answer_from, answer_to}]`, nearest first per decision.

    `from` and `to` are values of the field; a number is exact to half a percent, a whole number
    exactly. Inputs that are neither stated nor assumed are not tried.
    """
    search = _Search(values)
    found = []
    for path in values.book.report.get("what_if", {}).get("inputs", ())[:MOST_INPUTS]:
        fact = values.book.facts[path]
        current = values.value(f"facts.{path}")
        if current is None or isinstance(current, list):
            continue
        for key, value, became, distance in search.flips(fact, current):
            found.append(
                {
                    "decision": key,
                    "field": path,
                    "label": fact.label.in_language(language),
                    "unit": fact.type.unit.symbol if fact.type.kind == "number" else "",
                    "from": current,
                    "to": int(value) if fact.type.integer else value,
                    "answer_from": search.base[key],
                    "answer_to": became,
                    "distance": distance,
                }
            )
    order = list(search.base)
    found.sort(key=lambda flip: (order.index(flip["decision"]), flip["distance"]))
    return [{key: flip[key] for key in flip if key != "distance"} for flip in found]


class _Search:
    def __init__(self, values: Values) -> None:
        self.values = values
        spec = values.book.report.get("what_if", {})
        self.names = {str(one["key"]): str(one["value"]) for one in spec.get("decisions", ())}
        self.rows: Mapping[str, Any] = values.book.report["rows"]
        self.base = self.answers(values.outcome)

    def answers(self, outcome: Mapping[str, Any]) -> Answers:
        """The values of the decisions in an outcome."""
        other = self.values.of(outcome)
        return {key: other.value(name) for key, name in self.names.items()}

    def with_value(self, path: str, value: Any) -> Answers:
        return self.answers(self.values.run.again({path: value}))

    def flips(self, fact: Fact, current: Any) -> Iterator[tuple[str, Any, Any, float]]:
        """For each decision that some value of the fact changes: that value and the new answer."""
        nearest: dict[str, tuple[str, Any, Any, float]] = {}
        if fact.type.kind == "number":
            found = self._numbers(fact, float(current))
        else:
            found = self._choices(fact, current)
        for flip in found:
            if flip[0] not in nearest or flip[3] < nearest[flip[0]][3]:
                nearest[flip[0]] = flip
        yield from nearest.values()

    def _choices(self, fact: Fact, current: Any) -> Iterator[tuple[str, Any, Any, float]]:
        every = (True, False) if fact.type.kind == "boolean" else fact.type.values or ()
        for value in every:
            if value == current:
                continue
            answers = self.with_value(fact.path, value)
            for key, became in answers.items():
                if _differs(became, self.base[key]):
                    yield key, value, became, 0.0

    def _numbers(self, fact: Fact, current: float) -> Iterator[tuple[str, Any, Any, float]]:
        for probes in (_upwards(fact, current), _downwards(fact, current)):
            inner, pending = current, dict(self.base)
            for probe in probes:
                answers = self.with_value(fact.path, probe)
                for key in [key for key in pending if _differs(answers[key], pending[key])]:
                    value, became = self._bisect(fact, key, inner, probe)
                    yield key, value, became, _distance(current, value)
                    del pending[key]
                inner = probe
                if not pending:
                    break

    def _bisect(self, fact: Fact, key: str, same: float, other: float) -> tuple[float, Any]:
        """The value nearest to `same` at which the decision differs."""
        became = self.with_value(fact.path, other)[key]
        while _apart(fact, same, other):
            middle = (same + other) / 2
            if fact.type.integer:
                middle = math.floor(middle) if other > same else math.ceil(middle)
            answer = self.with_value(fact.path, float(middle))[key]
            if _differs(answer, self.base[key]):
                other, became = float(middle), answer
            else:
                same = float(middle)
        return _rounded(fact, key, same, other, self), became


def _differs(answer: Any, base: Any) -> bool:
    return bool(answer != base)


def _apart(fact: Fact, low: float, high: float) -> bool:
    gap = abs(high - low)
    return gap > 1 if fact.type.integer else gap > _PRECISION * max(abs(low), abs(high), 1e-9)


def _rounded(fact: Fact, key: str, same: float, other: float, search: _Search) -> float:
    """The shortest decimal near `other` that still flips the decision."""
    if fact.type.integer:
        return other
    for digits in (1, 2, 3):
        for value in _decimals(other, digits):
            inside = min(same, other) < value <= max(same, other) or value == other
            near = abs(value - other) <= 2 * _PRECISION * abs(other)
            allowed = fact.type.low <= value <= fact.type.high
            if allowed and (inside or near):
                answer = search.with_value(fact.path, value)[key]
                if _differs(answer, search.base[key]):
                    return value
    return other


def _decimals(value: float, digits: int) -> tuple[float, ...]:
    if value == 0:
        return (0.0,)
    power = 10.0 ** (digits - 1 - math.floor(math.log10(abs(value))))
    return (math.floor(value * power) / power, math.ceil(value * power) / power)


def _distance(current: float, value: float) -> float:
    if current == 0 or value == 0 or (current > 0) is not (value > 0):
        return abs(value - current) + 1
    return abs(math.log(value / current))


def _upwards(fact: Fact, current: float) -> Iterator[float]:
    yield from _probes(fact, current, lambda x, step: x * step, fact.type.high)


def _downwards(fact: Fact, current: float) -> Iterator[float]:
    yield from _probes(fact, current, lambda x, step: x / step, fact.type.low)


def _probes(
    fact: Fact, current: float, move: Callable[[float, float], float], end: float
) -> Iterator[float]:
    """Values ever further from the current one, the end of the range last."""
    upwards = end > current
    previous = current
    start = current if current > 0 else (1.0 if upwards else 0.0)
    for step in _STEPS if start > 0 else ():
        value = move(start, step)
        if fact.type.integer:
            value = float(math.ceil(value) if upwards else math.floor(value))
        if (value >= end) if upwards else (value <= end):
            break
        if value != previous and (value > previous) is upwards:
            yield value
            previous = value
    if math.isfinite(end) and end != previous:
        yield end
