"""SQL in DuckDB equals the reference bit for bit: the sample book and random books."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks import table40
from engine.book.catalog import load_catalog
from engine.book.load import load_book
from engine.book.model import Book, Catalog
from engine.targets.sql import compile_sql
from engine.targets.sql_run import connect, outcomes
from tests.generators.books import random_book
from tests.generators.choices import Seeded
from tests.generators.profiles import profile, vocabulary
from tests.unit.sql_compare import bits, differences

pytest.importorskip("duckdb")

SAMPLE = Path(__file__).resolve().parents[1] / "books" / "sample"
MISSING = (0.0, 0.1, 0.4, 0.8)  # share of facts left out, by turns
FRESH = random.SystemRandom().randrange(2**40)


def drawn(book: Book, catalog: Catalog, count: int, seed: int) -> list[dict[str, Any]]:
    words, choices = vocabulary(book, catalog), Seeded(seed)
    return [profile(words, choices, MISSING[number % len(MISSING)]) for number in range(count)]


@pytest.mark.parametrize("staged", [True, False], ids=["in stages", "single queries"])
@pytest.mark.parametrize("seed", [7, FRESH], ids=["fixed", "fresh"])
def test_the_sample_book_answers_the_same(seed: int, staged: bool) -> None:
    book = load_book(SAMPLE)
    catalog = load_catalog(SAMPLE)
    found = differences(book, catalog, drawn(book, catalog, 60, seed), staged=staged)
    assert not found, f"seed {seed}: " + "\n".join(found[:5])


@pytest.mark.parametrize(
    "seed",
    [*range(8), *(FRESH + number for number in range(4))],
    ids=[*(f"fixed{number}" for number in range(8)), *(f"fresh{number}" for number in range(4))],
)
def test_random_books_answer_the_same(seed: int) -> None:
    book, catalog = random_book(seed)
    profiles = drawn(book, catalog, 16, seed)
    found = differences(book, catalog, profiles, staged=seed % 2 == 0)
    assert not found, f"seed {seed}: " + "\n".join(found[:5])


def test_the_bench_table_gives_its_three_thousand_results() -> None:
    data = table40.load()
    book, cases = table40.book(data), table40.cases(data)
    profiles = [
        {name: value if isinstance(value, (bool, str)) else float(value)
         for name, value in inputs.items()}
        for inputs, _ in cases
    ]  # fmt: skip
    found = outcomes(connect(threads=1), book, compile_sql(book), profiles)
    for outcome, (_, winner) in zip(found, cases, strict=True):
        for name, value in data["rules"][winner]["then"].items():
            expected = float(value) if isinstance(value, int) else value
            assert bits(outcome["decisions"][f"table.{name}"]) == bits(expected)
    assert len(found) == 3000
