"""What the advice tables of the book say about a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.book.model import AdviceRow
from engine.reference.evaluator import Reference
from engine.reference.expressions import Scope
from engine.reference.texts import filled
from engine.reference.values import UnknownValue
from engine.run.pipeline import Run

VERDICTS = ("deny", "warn", "ask", "ok")
SEVERITIES = ("critical", "high", "medium", "low", "info")


def findings(run: Run, spec: Mapping[str, Any], language: str) -> list[dict[str, Any]]:
    """The rows that hold, and with `asks` those that might, as questions.

    `findings`: the advice tables. `keys`: answer key → id, verdict, severity, message, remedy,
    source or asks (default: all). `rows`: keys added to a row by its id. `order: severity` puts
    the gravest first; else they keep the order of the book.
    """
    found: list[dict[str, Any]] = []
    for name in spec["findings"]:
        advice = run.bundle.book.advice[name]
        states = run.outcome["advice"][name]
        answers = None
        for number, row in enumerate(advice.rows):
            if states[number] is True:
                found.append(_definite(row, run.reference, language))
            elif states[number] is None and spec.get("asks"):
                if answers is None:
                    answers = run.reference.advice(name)
                answer = answers[number]
                assert isinstance(answer, UnknownValue)
                found += _doubtful(row, answer, run.reference, language)
    if spec.get("order") == "severity":
        found.sort(key=_gravity)
    added = spec.get("rows", {})
    keys = spec.get("keys")
    return [{**_chosen(finding, keys), **added.get(finding["id"], {})} for finding in found]


def _gravity(finding: Mapping[str, Any]) -> tuple[int, int]:
    asks = finding["verdict"] == "ask"
    return (
        SEVERITIES.index(finding["severity"]) + (len(SEVERITIES) if asks else 0),
        VERDICTS.index(finding["verdict"]),
    )


def _chosen(finding: dict[str, Any], keys: Mapping[str, str] | None) -> dict[str, Any]:
    return finding if keys is None else {key: finding[field] for key, field in keys.items()}


def _definite(row: AdviceRow, reference: Reference, language: str) -> dict[str, Any]:
    scope = Scope(reference)
    return {
        "id": row.id,
        "verdict": row.verdict,
        "severity": row.severity,
        "message": filled(row.message, scope).in_language(language),
        "remedy": filled(row.remedy, scope).in_language(language),
        "source": list(row.source),
        "asks": [],
    }


def _doubtful(
    row: AdviceRow, answer: UnknownValue, reference: Reference, language: str
) -> list[dict[str, Any]]:
    """A row that might hold, as a question; nothing when no stated fact could settle it."""
    paths = answer.missing()
    if not paths:
        return []
    facts = reference.book.facts
    labels = [facts[path].label.in_language(language) or path for path in paths]
    joined = ("、" if language == "zh" else ", ").join(labels)
    said = f"尚未填写：{joined}" if language == "zh" else f"Not stated: {joined}"
    return [
        {
            "id": row.id,
            "verdict": "ask",
            "severity": row.severity,
            "message": said,
            "remedy": "",
            "source": list(row.source),
            "asks": list(paths),
        }
    ]
