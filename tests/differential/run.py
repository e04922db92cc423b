"""A rule book on many random profiles, in every runtime.

Work is cut into batches; each batch has its own small selection of catalog rows, so that
relations stay small while all rows of the catalog get their turn.
"""

from __future__ import annotations

import faulthandler
import gc
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.book.catalog import load_catalog
from engine.book.load import load_book
from engine.book.model import Book, Catalog
from engine.readers.document import read_document
from engine.readers.profile import admit
from tests.differential.flat import differences
from tests.differential.packed import all_packed, count
from tests.differential.runtimes import (
    Given,
    JavaScriptRuntime,
    Outcome,
    PythonRuntime,
    SqlRuntime,
    reference_outcome,
)
from tests.differential.sampled import Sampled
from tests.generators.batches import aims, origin, profiles, selection
from tests.generators.choices import Choices, Seeded
from tests.generators.parameters import Parameters, defaults, random_parameters

Batch = tuple[int, int, int]  # seed, number, profiles


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: `profiles` in all, an equal share for each seed; `rows` of each catalog table
    and `reference` profiles per batch."""

    root: Path
    seeds: tuple[int, ...]
    profiles: int
    rows: int = 4
    reference: int = 3
    batch: int = 2500  # DuckDB plans each batch anew, which costs as much as some hundred profiles
    targets: tuple[str, ...] = ("python", "javascript", "reference")


@dataclass(frozen=True, slots=True)
class Where:
    """What a batch runs on."""

    book: Book
    catalog: Catalog
    parameters: Parameters


@dataclass(frozen=True, slots=True)
class Runtimes:
    """`counted` is the Python target that notes what it comes through."""

    python: PythonRuntime
    counted: PythonRuntime
    javascript: JavaScriptRuntime
    sql: SqlRuntime | None


@dataclass(slots=True)
class Report:
    profiles: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    values: int = 0
    mismatches: list[str] = field(default_factory=list)
    marks: dict[tuple[str, ...], int] = field(default_factory=dict)
    relation_rows: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)

    def add(self, other: Report) -> None:
        self.profiles += other.profiles
        self.values += other.values
        self.compared.update(other.compared)
        self.mismatches.extend(other.mismatches)
        self.relation_rows.update(other.relation_rows)
        self.seconds.update(other.seconds)
        for mark, hits in other.marks.items():
            self.marks[mark] = self.marks.get(mark, 0) + hits

    def reached(self, kind: str) -> tuple[int, int]:
        """How many marks of a kind were come through, of how many."""
        counts = [count for mark, count in self.marks.items() if mark[0] == kind]
        return sum(1 for count in counts if count), len(counts)

    def missed(self) -> list[str]:
        return sorted(" ".join(mark) for mark, count in self.marks.items() if not count)


def run(plan: Plan, jobs: int = 2, minutes: float = 60) -> Report:
    """The whole plan on `jobs` processes; one that works longer than `minutes` prints where it is
    and ends, which fails the run."""
    batches = plan_batches(plan)
    total = Report()
    if jobs <= 1:
        total.add(run_batches(plan, batches))
        return total
    parts = [batches[place::jobs] for place in range(jobs)]
    with ProcessPoolExecutor(jobs, initializer=_end_after, initargs=(minutes * 60,)) as pool:
        for report in pool.map(run_batches, [plan] * jobs, parts):
            total.add(report)
    return total


def _end_after(seconds: float) -> None:
    faulthandler.dump_traceback_later(seconds, exit=True)


def plan_batches(plan: Plan) -> list[Batch]:
    """Batches of equal seed one after another."""
    found = []
    for place, seed in enumerate(plan.seeds):
        left = plan.profiles * (place + 1) // len(plan.seeds)
        left -= plan.profiles * place // len(plan.seeds)
        sizes = [plan.batch] * (left // plan.batch) + [left % plan.batch] * (left % plan.batch > 0)
        found += [(seed, number, size) for number, size in enumerate(sizes)]
    return found


def run_batches(plan: Plan, batches: Sequence[Batch]) -> Report:
    """Some batches of a plan, one after another, in this process.

    Later batches pursue what earlier ones have not reached.
    """
    book = load_book(plan.root)
    catalog = load_catalog(plan.root)
    report = Report()
    python = PythonRuntime(book, catalog)
    examples = example_profiles(plan.root, book, catalog)
    sources = origin(book, catalog, examples, python.outcome)
    counted = PythonRuntime(book, catalog, coverage=True)
    sql = SqlRuntime(book) if "sql" in plan.targets else None
    with JavaScriptRuntime(book, catalog) as javascript:
        runtimes = Runtimes(python, counted, javascript, sql)
        for seed, number, size in batches:
            choices = Seeded(f"{seed}/{number}")
            # Every third batch runs under a policy.
            policy = random_parameters(book, choices, 0.4) if number % 3 == 2 else defaults(book)
            with spent(report, "generators"):
                goals = aims(sources, counted.missed())
                part = selection(sources, goals, choices, plan.rows, policy)
                made = profiles(sources, goals, part, choices, policy, size)
            for runtime in (python, counted, javascript):
                runtime.use(part, policy)
            _compare(plan, Where(book, part, policy), runtimes, made, choices, report)
            gc.unfreeze()  # what the batch left behind
            gc.collect()
            gc.freeze()  # the book and the catalog
    report.marks = dict(zip(counted.marks(), counted.hits(), strict=True))
    return report


def _compare(
    plan: Plan,
    where: Where,
    runtimes: Runtimes,
    profiles: Sequence[Given],
    choices: Choices,
    report: Report,
) -> None:
    python, counted = runtimes.python, runtimes.counted
    javascript, sql = runtimes.javascript, runtimes.sql
    with spent(report, "python"), uncollected():
        outcomes = [python.outcome(given) for given in profiles]
        expected = all_packed(outcomes)
    report.profiles += len(profiles)
    report.compared["python"] += len(profiles)
    report.values += sum(map(count, outcomes))
    with spent(report, "coverage"):
        # Counting slows the program down; half of the profiles show what all of them reach.
        for given in profiles[: -(-len(profiles) // 2)]:
            counted.outcome(given)
    if "javascript" in plan.targets:
        with spent(report, "javascript"):
            found = javascript.packed(profiles)
        report.compared["javascript"] += len(profiles)
        if found != expected:
            report.mismatches.extend(_locate(where, python, javascript, profiles))
    if sql is not None:
        with spent(report, "sql"), uncollected():
            others = sql.outcomes(where.catalog, where.parameters, profiles)
            same = all_packed(others, outcomes) == expected
        report.compared["sql"] += len(profiles)
        if not same:
            _explain("sql", where, profiles, outcomes, others, report)
        del others
    if "reference" in plan.targets:
        with spent(report, "reference"):
            whole = profiles[: plan.reference]
            others = [
                reference_outcome(where.book, where.catalog, where.parameters, given)
                for given in whole
            ]
        report.compared["reference, whole outcomes"] += len(whole)
        _explain("reference", where, whole, outcomes, others, report)
        with spent(report, "reference"):
            sampled = Sampled(where.book, where.catalog, where.parameters)
            for given, outcome in zip(profiles, outcomes, strict=True):
                for place, value, other in sampled.differences(given, outcome, choices):
                    report.mismatches.append(_line("reference", place, value, other, given))
                report.compared["reference, sampled values"] += sampled.values


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
            report.mismatches.append(_line(target, place, value, found, given))


@contextmanager
def spent(report: Report, target: str) -> Iterator[None]:
    """Counts the CPU seconds of a target; those of V8 and DuckDB run in this process too."""
    started = time.process_time()
    yield
    report.seconds[target] += time.process_time() - started  # type: ignore[assignment]


@contextmanager
def uncollected() -> Iterator[None]:
    """Keeps the collector from looking at what is made here again and again.

    A batch holds millions of values, none of them in a cycle.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _locate(
    where: Where,
    python: PythonRuntime,
    javascript: JavaScriptRuntime,
    profiles: Sequence[Given],
) -> Iterator[str]:
    """The first profile of a batch on which two runtimes differ."""
    for given in profiles:
        if python.packed([given]) != javascript.packed([given]):
            expected, found = python.outcome(given), javascript.outcome(given)
            places = list(differences(where.book, expected, found))
            if not places:
                yield f"javascript differs in the sign of a zero on {dict(given)!r}"
            for place, value, other in places[:3]:
                yield _line("javascript", place, value, other, given)
            return


def _line(target: str, place: str, expected: Any, found: Any, given: Given) -> str:
    values = f"expected {str(expected)[:400]}, {target} gives {str(found)[:400]}"
    return f"{place}: {values}; profile {dict(given)!r}"


def example_profiles(root: Path, book: Book, catalog: Catalog) -> list[dict[str, Any]]:
    """The example profiles beside a book, as the door leaves them."""
    files = sorted((root / "docs" / "examples").glob("*.yaml"))
    return [
        dict(admit(read_document(str(file)), book.facts, catalog.tables).given) for file in files
    ]
