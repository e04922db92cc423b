"""What was stated, what was assumed, and what we must ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.book.dates import date_text
from engine.book.model import Fact
from engine.reference.evaluator import Reference
from engine.reference.expressions import Scope, evaluate
from engine.reference.texts import filled
from engine.reference.values import UnknownValue
from engine.run.pipeline import Run
from engine.run.values import Values


def questions(run: Run, values: Values, language: str) -> list[dict[str, Any]]:
    """The facts that are missing and could change the answer, those of headline decisions first.

    Each with the decisions it is needed for; `headline` false: only other parts of the answer
    wait for it.
    """
    report = run.bundle.book.report
    needed: dict[str, list[str]] = {}
    for spec in report["headline"]:
        key, strict = str(spec["key"]), bool(spec.get("strict"))
        for name in (spec["value"], *spec.get("while_unknown", ())):
            _ask(needed, values, str(name), key, strict)
    headline = set(needed)
    for path, name in _names(report["answer"]):
        _ask(needed, values, name, path)
    facts = run.bundle.book.facts
    return [
        {
            "field": path,
            "label": facts[path].label.in_language(language),
            "why_it_matters": _why(facts[path], language),
            "decisions": decisions,
            "headline": path in headline,
        }
        for path, decisions in needed.items()
        if (path in headline or not facts[path].optional) and run.belongs(path)
    ]


def _ask(
    needed: dict[str, list[str]], values: Values, name: str, shown: str, strict: bool = False
) -> None:
    """Note what a decision waits for; `strict`: nothing, when the book itself says nothing."""
    read = values.read(name)
    unknown = values.unknown(read) if read is not None else None
    if unknown is None or (strict and any(cause.kind == "stated" for cause in unknown.causes)):
        return
    for path in unknown.missing():
        decisions = needed.setdefault(path, [])
        if shown not in decisions:
            decisions.append(shown)


def _names(spec: Any, path: str = "") -> list[tuple[str, str]]:
    """(place in the answer, name) of the figures and verdicts in a shape."""
    if not isinstance(spec, Mapping) or {"ranked", "every", "findings"} & spec.keys():
        return []
    if "figure" in spec or "verdict" in spec:
        return [(path, str(spec.get("figure") or spec["verdict"]))]
    return [
        found for key, inner in spec.items() for found in _names(inner, f"{path}.{key}".lstrip("."))
    ]


def _why(fact: Fact, language: str) -> str:
    return (fact.help if fact.help.en else fact.label).in_language(language)


def assumed_facts(run: Run, paths: Sequence[str], language: str) -> list[dict[str, Any]]:
    """The defaults that the answer rests on, with the reason of each."""
    reference = run.reference
    found = []
    for path in paths:
        fact = run.bundle.book.facts[path]
        if not _defaulted(run, reference, fact) or not run.belongs(path):
            continue
        value = [] if fact.is_list else run.outcome["facts"].get(path)
        because = filled(fact.because, Scope(reference)).in_language(language)
        found.append(
            {
                "field": path,
                "label": fact.label.in_language(language),
                "value": _shown(fact, value),
                "unit": fact.type.unit.symbol if fact.type.kind == "number" else "",
                "why": because,
            }
        )
    return found


def _defaulted(run: Run, reference: Reference, fact: Fact) -> bool:
    if run.given.get(fact.path) is not None:
        return False
    if fact.is_list:  # without a default of its own, it is empty unless it is asked for
        return not fact.asked and not fact.optional
    if fact.default is None:
        return False
    if fact.derive is None:
        return True
    return isinstance(evaluate(fact.derive, Scope(reference)), UnknownValue)


def completed(run: Run, paths: Sequence[str]) -> dict[str, Any]:
    """The profile with what follows from it: stated facts, and the others the answer rests on."""
    nested: dict[str, Any] = {}
    stated = {**run.profile.given, **run.given}
    for path in run.bundle.book.facts:
        if path not in stated and path not in paths:
            continue
        fact = run.bundle.book.facts[path]
        if path in stated:
            value = stated[path]
        elif not fact.is_list:
            value = run.outcome["facts"].get(path)
        else:
            continue
        if value is None:
            continue
        *groups, last = path.split(".")
        inner = nested
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[last] = _shown(fact, value)
    return nested


def _shown(fact: Fact, value: Any) -> Any:
    """A fact's value as a profile states it."""
    if value is None:
        return None
    if fact.kind == "date":
        return date_text(value)
    if fact.kind == "list":
        return [row[0] for row in value]
    if fact.kind in ("records", "distribution"):
        names = [column.name for column in fact.fields]
        return [
            {name: cell for name, cell in zip(names, row, strict=True) if cell is not None}
            for row in value
        ]
    if fact.kind == "integer":
        return int(value)
    return value
