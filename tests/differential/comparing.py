"""One batch of profiles in every runtime, held against the outcomes of the Python target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.book.model import Book, Catalog
from tests.differential.fetched import Names, names_of
from tests.differential.flat import differences
from tests.differential.packed import all_packed, count, packed
from tests.differential.report import Report, spent, uncollected
from tests.differential.runtimes import (
    Given,
    JavaScriptRuntime,
    Outcome,
    PythonRuntime,
    SqlRuntime,
    reference_outcome,
)
from tests.differential.sampled import Sampled
from tests.differential.together import Together, Waiting, digest
from tests.generators.choices import Choices
from tests.generators.parameters import Parameters

PLAIN = 20  # profiles of a process that SQL answers by the target's own queries, word for word
EXPLAINED = 20  # profiles of a batch on which SQL differs, at most: each is run once more


@dataclass(frozen=True, slots=True)
class Where:
    """What a batch runs on."""

    book: Book
    catalog: Catalog
    parameters: Parameters


@dataclass(slots=True)
class Runtimes:
    """`counted` is the Python target that notes what it comes through; it runs half of the
    profiles, `python` the others. `names`: those of an outcome, once there was one."""

    python: PythonRuntime
    counted: PythonRuntime
    javascript: JavaScriptRuntime
    sql: SqlRuntime | None
    together: Together | None
    names: Names | None = None

    def outcomes(self, profiles: Sequence[Given]) -> list[Outcome]:
        half = -(-len(profiles) // 2)
        return [
            (self.python if number >= half else self.counted).outcome(given)
            for number, given in enumerate(profiles)
        ]


def compare(
    whole: int,
    targets: Sequence[str],
    where: Where,
    runtimes: Runtimes,
    profiles: Sequence[Given],
    choices: Choices,
    report: Report,
) -> None:
    """`whole`: how many profiles the reference runs as a whole."""
    with spent(report, "python"), uncollected():
        outcomes = runtimes.outcomes(profiles)
        expected = [packed(outcome) for outcome in outcomes]
    values = sum(map(count, outcomes))
    report.profiles += len(profiles)
    report.compared["python"] += len(profiles)
    report.values += values
    if "javascript" in targets:
        with spent(report, "javascript"):
            found = runtimes.javascript.packed(profiles)
        report.compared["javascript"] += len(profiles)
        if found != b"".join(expected):
            _locate(where, runtimes.javascript, profiles, outcomes, report)
    if runtimes.together is not None and profiles:
        with spent(report, "sql"):
            if runtimes.names is None:
                runtimes.names = names_of(outcomes[0])
                _compare_plain(where, runtimes, profiles[:PLAIN], outcomes, report)
            digests = [digest(one) for one in expected]
            batch = Waiting(where.catalog, where.parameters, profiles, digests, values)
            runtimes.together.add(batch)
    if "reference" in targets:
        with spent(report, "reference"):
            others = [
                reference_outcome(where.book, where.catalog, where.parameters, given)
                for given in profiles[:whole]
            ]
        report.compared["reference, whole outcomes"] += len(others)
        _explain("reference", where, profiles, outcomes, others, report)
        with spent(report, "reference"):
            sampled = Sampled(where.book, where.catalog, where.parameters)
            for given, outcome in zip(profiles, outcomes, strict=True):
                for place, value, other in sampled.differences(given, outcome, choices):
                    report.differs("reference", place, value, other, given)
                report.compared["reference, sampled values"] += sampled.values


def _compare_plain(
    where: Where,
    runtimes: Runtimes,
    profiles: Sequence[Given],
    outcomes: Sequence[Outcome],
    report: Report,
) -> None:
    assert runtimes.sql is not None
    others = runtimes.sql.outcomes(where.catalog, where.parameters, profiles)
    report.compared["sql, queries word for word"] += len(profiles)
    if all_packed(others, outcomes[: len(others)]) != all_packed(outcomes[: len(others)]):
        _explain("sql", where, profiles, outcomes, others, report)


def compare_waiting(book: Book, runtimes: Runtimes, report: Report) -> None:
    """Runs SQL on all batches that wait for it."""
    together, sql = runtimes.together, runtimes.sql
    if together is None or sql is None or runtimes.names is None:
        return
    with spent(report, "sql"), uncollected():
        report.compared["sql"] += together.size()
        found: dict[int, tuple[Waiting, list[Given]]] = {}
        for batch, given in together.differing(runtimes.names):
            found.setdefault(id(batch), (batch, []))[1].append(given)
    for batch, differing in found.values():
        where = Where(book, batch.catalog, batch.parameters)
        runtimes.python.use(batch.catalog, batch.parameters)
        some = differing[:EXPLAINED]
        outcomes = [runtimes.python.outcome(given) for given in some]
        others = sql.outcomes(batch.catalog, batch.parameters, some)
        before = len(report.mismatches)
        _explain("sql", where, some, outcomes, others, report)
        if len(report.mismatches) == before:
            lost = f"sql differs on {len(differing)} profiles, but not on these alone"
            report.mismatches.append(f"{lost}: {[dict(given) for given in some[:3]]!r}")


def _explain(
    target: str,
    where: Where,
    profiles: Sequence[Given],
    outcomes: Sequence[Outcome],
    others: Sequence[Outcome],
    report: Report,
) -> None:
    """Every place where outcomes of a target differ from those of the Python target."""
    for given, outcome, other in zip(profiles, outcomes, others, strict=False):
        for place, value, found in differences(where.book, outcome, other):
            report.differs(target, place, value, found, given)


def _locate(
    where: Where,
    javascript: JavaScriptRuntime,
    profiles: Sequence[Given],
    outcomes: Sequence[Outcome],
    report: Report,
) -> None:
    """The first profile of a batch on which JavaScript differs."""
    for given, outcome in zip(profiles, outcomes, strict=True):
        if packed(outcome) != javascript.packed([given]):
            places = list(differences(where.book, outcome, javascript.outcome(given)))
            if not places:
                sign = f"javascript differs in the sign of a zero on {dict(given)!r}"
                report.mismatches.append(sign)
            for place, value, other in places[:3]:
                report.differs("javascript", place, value, other, given)
            return
    report.mismatches.append("javascript differs on a batch, but on none of its profiles alone")
