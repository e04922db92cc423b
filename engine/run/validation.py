"""Which decision of the book stands for which published measurement: rules/validation/*.yaml.

A file holds `title`, `metrics` and, where kinds of rows differ, `kinds`:

    metrics:
      METRIC: {units: [text, …], sense: cost | rate | verdict, expected: ID, cautious: ID,
               verdicts: {answer: measured value, …}}
    complete: {path: value}            # facts set where a row is silent
    kinds:
      KIND: {metrics: …, complete: …}  # in the place of the above

`expected` is the P50; `cautious` the P95 of a cost, the P10 of a rate. A metric that is `null` for
a kind is not estimated there. `nearest` (see engine/run/nearest.py) says which rows are alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.book.model import Book
from engine.language.frozen import factory, frozen
from engine.language.problems import Position, Problem
from engine.language.suggest import did_you_mean
from engine.run.published import wrong_readings

SENSES = ("cost", "rate", "verdict")
PARTS = ("title", "metrics", "complete", "kinds", "nearest")
FIELDS = ("units", "sense", "expected", "cautious", "verdicts")


@frozen
class Metric:
    """How one metric is estimated. `verdicts`: by answer, the measured value it agrees with."""

    units: tuple[str, ...]
    sense: str
    expected: str
    cautious: str = ""
    verdicts: Mapping[str, float] = factory(default_factory=dict)


@frozen
class Readings:
    """How rows of one kind are read."""

    metrics: Mapping[str, Metric]
    complete: Mapping[str, Any]


def readings(spec: Mapping[str, Any], kind: str) -> Readings:
    """How the file `spec` says that rows of `kind` are read."""
    own = (spec.get("kinds") or {}).get(kind) or {}
    metrics = {**spec["metrics"], **(own.get("metrics") or {})}
    return Readings(
        {name: _metric(entry) for name, entry in metrics.items() if entry is not None},
        {**(spec.get("complete") or {}), **(own.get("complete") or {})},
    )


def _metric(entry: Mapping[str, Any]) -> Metric:
    return Metric(
        tuple(entry["units"]),
        str(entry["sense"]),
        str(entry["expected"]),
        str(entry.get("cautious", "")),
        {str(name): float(value) for name, value in (entry.get("verdicts") or {}).items()},
    )


def check_validation(book: Book) -> list[Problem]:
    """What the files name and the book does not have, and parts that are not of the form (B510)."""
    problems: list[Problem] = []
    for name, spec in book.validation.items():
        where = Position(f"rules/validation/{name}.yaml", 1, 1)
        try:
            found = list(wrong_readings(book, spec) if "readings" in spec else _wrong(book, spec))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            found = [("", f"a part does not have the form it should ({error})", "")]
        problems += [
            Problem("B510", f"{path}: {said}".removeprefix(": "), where, "", hint)
            for path, said, hint in found
        ]
    return problems


def _wrong(book: Book, spec: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield from _unknown("", spec, PARTS)
    for part in ("title", "metrics"):
        if not spec.get(part):
            yield part, "this part is missing", ""
    for place, paths in (spec.get("nearest") or {}).items():
        known = spec["metrics"] if place == "metrics" else book.facts
        for path in paths:
            if path not in known:
                yield f"nearest.{place}", f"there is no {path}", did_you_mean(path, known)
    places = {
        "": spec,
        **{f"kinds.{kind}.": own for kind, own in (spec.get("kinds") or {}).items()},
    }
    for place, part in places.items():
        for path in part.get("complete") or {}:
            if path not in book.facts:
                yield place + "complete", f"no fact {path}", did_you_mean(path, book.facts)
        for name, entry in (part.get("metrics") or {}).items():
            if entry is not None:
                yield from _entry(book, f"{place}metrics.{name}", entry)


def _entry(book: Book, path: str, entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield from _unknown(path + ".", entry, FIELDS)
    metric = _metric(entry)
    if metric.sense not in SENSES:
        yield path, f"sense cannot be {metric.sense}", did_you_mean(metric.sense, SENSES)
    for id in filter(None, (metric.expected, metric.cautious)):
        decision = book.decisions.get(id)
        if decision is None:
            yield path, f"no decision {id}", did_you_mean(id, book.decisions)
        elif metric.sense != "verdict" and decision.type.kind != "number":
            yield path, f"{id} is not a number", ""
        elif metric.sense == "verdict":
            answers = decision.type.values or ()
            for answer in metric.verdicts:
                if answer not in answers:
                    yield path, f"{id} is never {answer}", did_you_mean(answer, answers)


def _unknown(
    place: str, part: Mapping[str, Any], known: tuple[str, ...]
) -> Iterator[tuple[str, str, str]]:
    for key in part:
        if key not in known:
            yield place + key, "there is no such part", did_you_mean(key, known)
