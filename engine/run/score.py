"""Holds a file of published measurements against the book: one estimate for each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.language.frozen import frozen
from engine.language.problems import Problem
from engine.readers.document import Document, InputError, document_of, nested
from engine.readers.measurements import Measurement, Measurements
from engine.readers.messages import problem
from engine.readers.profile import Profile, admit
from engine.reference.values import UnknownValue
from engine.run.bundle import Bundle
from engine.run.pipeline import Run, decide
from engine.run.score_figures import Judged, figures, macro, share
from engine.run.validation import Metric, Readings, readings


@frozen
class Estimate:
    """A row and what the book says; `reason`: why it says nothing."""

    row: Measurement
    metric: Metric | None
    expected: Any
    cautious: Any
    reason: str = ""


class Scorer:
    """Estimates rows of the measurements file `name` of the book (`rules/validation/NAME.yaml`)."""

    def __init__(
        self, bundle: Bundle, name: str, overrides: Mapping[str, Any], language: str = "en"
    ) -> None:
        self.bundle, self.overrides, self.language = bundle, overrides, language
        self.spec: Mapping[str, Any] = bundle.book.validation[name]
        self._readings: dict[str, Readings] = {}
        self._complete: dict[str, Mapping[str, Any]] = {}
        self._profiles: dict[int, Profile] = {}
        self._decided: dict[str, Mapping[str, Any]] = {}  # one run often has several metrics

    def readings(self, kind: str) -> Readings:
        if kind not in self._readings:
            found = self._readings[kind] = readings(self.spec, kind)
            facts, tables = self.bundle.book.facts, self.bundle.catalog.tables
            stated = document_of(nested(found.complete), f"rules/validation ({kind})")
            self._complete[kind] = admit(stated, facts, tables, language=self.language).given
        return self._readings[kind]

    def enter(self, file: Measurements, rows: Sequence[Measurement]) -> None:
        """Checks the rows at the door; raises `InputError` with everything that is wrong."""
        problems: list[Problem] = []
        for row in rows:
            try:
                self._profiles[row.line] = self._admitted(document_of(row.profile, file.file))
            except InputError:  # once more, with the place of every value
                try:
                    self._admitted(file.document(row, self.language))
                except InputError as error:
                    problems += error.problems
            metric = self.readings(row.kind).metrics.get(row.metric)
            if metric is not None:
                problems += self._unfit(file, row, metric)
        if problems:
            raise InputError(problems[:50], {file.file: file.lines})

    def _admitted(self, document: Document) -> Profile:
        facts, tables = self.bundle.book.facts, self.bundle.catalog.tables
        required = self.bundle.book.report.get("required", ())
        return admit(document, facts, tables, required=required, language=self.language)

    def _unfit(self, file: Measurements, row: Measurement, metric: Metric) -> list[Problem]:
        """A value that the metric cannot have."""
        wrong = (
            row.value not in metric.verdicts.values()
            if metric.sense == "verdict"
            else row.value == 0
        )
        if not wrong:
            return []
        where = file.place(row, "value", self.language)
        return [problem("out_of_range", where, self.language, field="value", value=row.value,
                        hint="")]  # fmt: skip

    def completed(self, row: Measurement) -> Profile:
        """The profile of a row that has come through `enter`, with what its kind takes as said."""
        self.readings(row.kind)
        profile = self._profiles[row.line]
        given = {**self._complete[row.kind], **profile.given}
        return Profile(given, profile.positions, profile.file)

    def estimate(self, row: Measurement) -> Estimate:
        """What the book says of a row that has come through `enter`."""
        how = self.readings(row.kind)
        metric = how.metrics.get(row.metric)
        if metric is None:
            return Estimate(row, None, None, None, f"no rule estimates {row.metric} of {row.kind}")
        if row.unit not in metric.units:
            return Estimate(
                row, metric, None, None, f"no rule estimates {row.metric} in {row.unit}"
            )
        profile = self.completed(row)
        decisions = self._decisions(profile)
        expected = decisions[metric.expected]
        if expected is None or (metric.sense != "verdict" and expected <= 0):
            run = decide(self.bundle, profile, self.overrides)
            return Estimate(row, metric, None, None, _why(run, metric.expected))
        if metric.sense == "verdict" and expected not in metric.verdicts:
            return Estimate(row, metric, None, None, f"{metric.expected} is {expected}")
        cautious = decisions[metric.cautious] if metric.cautious else None
        return Estimate(row, metric, expected, cautious)

    def _decisions(self, profile: Profile) -> Mapping[str, Any]:
        key = repr(sorted(profile.given.items()))
        if key not in self._decided:
            run = decide(self.bundle, profile, self.overrides)
            self._decided[key] = run.outcome["decisions"]
        return self._decided[key]


def _why(run: Run, decision: str) -> str:
    """The causes of an unknown decision, as a person writes them."""
    value = run.reference.decision(decision)
    if not isinstance(value, UnknownValue):
        return f"{decision} is {value}"
    missing = ", ".join(value.missing())
    others = ", ".join(f"{one.kind} {one.name}" for one in value.causes if one.kind != "missing")
    parts = [f"missing: {missing}" if missing else "", others]
    return "; ".join(part for part in parts if part)


def result(estimates: Iterable[Estimate], skipped: int) -> dict[str, Any]:
    """The figures of all rows: by kind, their mean, and the rows without an answer."""
    kinds: dict[str, list[Estimate]] = {}
    for one in estimates:
        kinds.setdefault(one.row.kind, []).append(one)
    found = {kind: _kind(rows) for kind, rows in sorted(kinds.items())}
    everyone = [one for rows in kinds.values() for one in rows]
    unanswered = sorted((one for one in everyone if one.reason), key=lambda one: one.row.line)
    return {
        "kinds": found,
        "macro": macro(list(found.values())),
        "unanswered": [{"id": one.row.id, "reason": one.reason} for one in unanswered],
        "skipped": skipped,
    }


def _kind(rows: Sequence[Estimate]) -> dict[str, Any]:
    verdicts = [one for one in rows if _is_verdict(one)]
    numbers = [one for one in rows if not _is_verdict(one)]
    metrics = sorted({one.row.metric for one in numbers})
    right = [
        (one.row.group, one.metric.verdicts[one.expected] == one.row.value)
        for one in verdicts
        if one.metric is not None and not one.reason
    ]
    return {
        **_figures(numbers),
        "groups": len({one.row.group for one in numbers}),
        "fits": len(verdicts),
        "fits_answered": len(right),
        "fits_right": share(right),
        "metrics": {
            metric: _figures([one for one in numbers if one.row.metric == metric])
            for metric in metrics
        },
    }


def _is_verdict(one: Estimate) -> bool:
    return one.metric is not None and one.metric.sense == "verdict"


def _figures(rows: Sequence[Estimate]) -> dict[str, Any]:
    judged = [
        Judged(one.row.group, one.metric.sense, one.row.value, one.expected, one.cautious)
        for one in rows
        if one.metric is not None and not one.reason
    ]
    return figures(judged, len(rows))
