"""Python, JavaScript and the reference give the same answers bit for bit."""

from __future__ import annotations

import atexit
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from py_mini_racer import MiniRacer

from engine.book.model import Book, Catalog
from tests.differential.flat import bits, differences
from tests.differential.packed import packed
from tests.differential.run import Plan, run
from tests.differential.runtimes import JavaScriptRuntime, PythonRuntime, reference_outcome
from tests.generators.books import Sizes, books, random_book
from tests.generators.choices import Seeded
from tests.generators.parameters import random_parameters
from tests.generators.profiles import profile, vocabulary

SAMPLE = Path(__file__).parents[1] / "books" / "sample"
SMALL = Sizes(depth=2, decisions=3, tables=2, relations=1, long_tables=False)


@lru_cache(maxsize=1)
def _context() -> MiniRacer:
    """One for all books, as starting V8 takes longer than running them."""
    context = MiniRacer()
    atexit.register(context.close)
    return context


def disagreements(book: Book, catalog: Catalog, seed: int, count: int) -> list[Any]:
    """What differs on `count` random profiles, half of them under a policy."""
    choices = Seeded(seed)
    words = vocabulary(book, catalog)
    python = PythonRuntime(book, catalog)
    found: list[Any] = []
    with JavaScriptRuntime(book, catalog, _context()) as javascript:
        for number in range(count):
            policy = random_parameters(book, choices, 0.5 * (number % 2))
            facts = profile(words, choices)
            for runtime in (python, javascript):
                runtime.use(catalog, policy)
            outcome = python.outcome(facts)
            expected = reference_outcome(book, catalog, policy, facts)
            found.extend(differences(book, expected, outcome))
            if python.packed([facts]) != javascript.packed([facts]):
                found.append((facts, outcome, javascript.outcome(facts)))
    return found


@pytest.mark.parametrize("part", range(4))
def test_random_books_mean_the_same_everywhere(part: int) -> None:
    for seed in range(part * 15, part * 15 + 15):
        book, catalog = random_book(seed)
        assert disagreements(book, catalog, seed, 4) == [], f"book {seed}"


@given(books(SMALL))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_drawn_books_mean_the_same_everywhere(drawn: tuple[Book, Catalog]) -> None:
    assert disagreements(*drawn, seed=1, count=2) == []


def test_the_sample_book_means_the_same_everywhere_and_all_of_it_is_reached() -> None:
    report = run(Plan(SAMPLE, (7,), profiles=3000, rows=20, reference=6), jobs=1)
    assert report.mismatches == []
    assert report.compared["python"] == report.compared["javascript"] == 3000
    assert sum(n for name, n in report.compared.items() if name.startswith("reference")) > 0
    reached, of = report.reached("row")
    assert of > 20
    assert reached >= 0.95 * of, report.missed()


def test_a_difference_of_one_bit_is_a_difference() -> None:
    assert bits(0.1 + 0.2) != bits(0.3)
    assert bits(0.0) != bits(-0.0)
    assert bits(1.0) != bits(True)
    assert bits(None) != bits(0.0)
    assert bits([("a", None)]) == bits((["a", None],))


def test_a_difference_of_one_bit_shows_in_a_packed_outcome() -> None:
    def outcome(value: Any) -> dict[str, Any]:
        decisions = {"a": value, "b": None}
        parts = {"facts": {}, "advice": {}, "relations": {}, "rankings": {}}
        return {**parts, "decisions": decisions}

    values = (0.3, 0.1 + 0.2, 0.0, -0.0, 1.0, True, None, "", (), (None,))
    assert len({packed(outcome(value)) for value in values}) == len(values)
    swapped = {**outcome(0.3), "decisions": {"b": None, "a": 0.3}}
    assert packed(swapped, outcome(0.3)) == packed(outcome(0.3))
    for other in ({"a": 0.3}, {"a": 0.3, "b": None, "c": None}, {"a": 0.3, "c": None}):
        wrong = {**outcome(0.3), "decisions": other}
        assert packed(wrong, outcome(0.3)) != packed(outcome(0.3))


@pytest.mark.slow
def test_many_random_books_mean_the_same_everywhere() -> None:
    for seed in range(1000, 1400):
        book, catalog = random_book(seed)
        assert disagreements(book, catalog, seed, 3) == [], f"book {seed}"
