"""A rule book on many random profiles, in every runtime.

Work is cut into batches; each batch has its own small selection of catalog rows, so that
relations stay small while all rows of the catalog get their turn.
"""

from __future__ import annotations

import faulthandler
import gc
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.book.catalog import load_catalog
from engine.book.load import load_book
from engine.book.model import Book, Catalog
from engine.readers.document import read_document
from engine.readers.profile import admit
from tests.differential.comparing import Runtimes, Where, compare, compare_waiting
from tests.differential.report import Report, spent
from tests.differential.runtimes import JavaScriptRuntime, PythonRuntime, SqlRuntime
from tests.differential.together import Together
from tests.generators.batches import aims, origin, profiles, selection
from tests.generators.choices import Seeded
from tests.generators.parameters import defaults, random_parameters

Batch = tuple[int, int, int]  # seed, number, profiles
TOGETHER = 36_000_000  # values of outcomes for which SQL runs once: nearly 2 GB of memory


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: `profiles` in all, an equal share for each seed; `rows` of each catalog table
    and `reference` profiles per batch."""

    root: Path
    seeds: tuple[int, ...]
    profiles: int
    rows: int = 4
    reference: int = 3
    batch: int = 1250
    targets: tuple[str, ...] = ("python", "javascript", "reference")


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
    sql = together = None
    if "sql" in plan.targets:
        with spent(report, "sql"):
            sql = SqlRuntime(book)
            together = Together(book, sql.program)
    with JavaScriptRuntime(book, catalog) as javascript:
        runtimes = Runtimes(python, counted, javascript, sql, together)
        for place, (seed, number, size) in enumerate(batches, 1):
            choices = Seeded(f"{seed}/{number}")
            # Every third batch runs under a policy.
            policy = random_parameters(book, choices, 0.4) if number % 3 == 2 else defaults(book)
            with spent(report, "generators"):
                goals = aims(sources, counted.missed())
                part = selection(sources, goals, choices, plan.rows, policy)
                made = profiles(sources, goals, part, choices, policy, size)
            for runtime in (python, counted, javascript):
                runtime.use(part, policy)
            where = Where(book, part, policy)
            compare(plan.reference, plan.targets, where, runtimes, made, choices, report)
            if together is not None and (together.values() >= TOGETHER or place == len(batches)):
                compare_waiting(book, runtimes, report)
            gc.unfreeze()  # what the batch left behind
            gc.collect()
            gc.freeze()  # the book and the catalog
    report.marks = dict(zip(counted.marks(), counted.hits(), strict=True))
    return report


def example_profiles(root: Path, book: Book, catalog: Catalog) -> list[dict[str, Any]]:
    """The example profiles beside a book, as the door leaves them."""
    files = sorted((root / "docs" / "examples").glob("*.yaml"))
    return [
        dict(admit(read_document(str(file)), book.facts, catalog.tables).given) for file in files
    ]
