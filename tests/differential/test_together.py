"""Batches that share a run of SQL answer as each alone; the program that counts as the plain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.book.catalog import load_catalog
from engine.book.load import load_book
from engine.book.model import Book, Catalog, TableData
from engine.targets.sql import compile_sql
from tests.differential.fetched import names_of
from tests.differential.packed import packed
from tests.differential.runtimes import PythonRuntime
from tests.differential.together import Together, Waiting, digest, of_many
from tests.generators.books import random_book
from tests.generators.choices import Seeded
from tests.generators.parameters import random_parameters
from tests.generators.profiles import profile, vocabulary

pytest.importorskip("duckdb")

SAMPLE = Path(__file__).parents[1] / "books" / "sample"
BATCHES, EACH = 3, 12


def sample() -> tuple[Book, Catalog]:
    return load_book(SAMPLE), load_catalog(SAMPLE)


def part_of(catalog: Catalog, choices: Seeded) -> Catalog:
    """Some rows of each table; of a table perhaps none."""
    return replace(
        catalog,
        tables={
            name: TableData(tuple(row for row in data.rows if choices.chance(0.6)))
            for name, data in catalog.tables.items()
        },
    )


def batches(book: Book, catalog: Catalog, seed: int) -> Iterator[tuple[Waiting, dict[str, object]]]:
    """Batches on rows and parameters of their own, with an outcome each."""
    choices, python = Seeded(seed), PythonRuntime(book, catalog)
    for number in range(BATCHES):
        part, policy = part_of(catalog, choices), random_parameters(book, choices, 0.5 * number)
        words = vocabulary(book, part)
        given = [profile(words, choices, 0.1) for _ in range(EACH)]
        python.use(part, policy)
        outcomes = [python.outcome(one) for one in given]
        digests = [digest(packed(outcome)) for outcome in outcomes]
        yield Waiting(part, policy, given, digests, 0), outcomes[0]


def differing(book: Book, found: list[tuple[Waiting, dict[str, object]]]) -> int:
    together = Together(book, compile_sql(book))
    for batch, _ in found:
        together.add(batch)
    assert together.size() == BATCHES * EACH
    return len(list(together.differing(names_of(found[0][1]))))


def test_batches_of_the_sample_book_answer_as_each_alone() -> None:
    book, catalog = sample()
    for seed in range(3):
        assert differing(book, list(batches(book, catalog, seed))) == 0


@pytest.mark.parametrize("seed", range(8))
def test_batches_of_random_books_answer_as_each_alone(seed: int) -> None:
    book, catalog = random_book(seed)
    assert differing(book, list(batches(book, catalog, seed))) == 0


def test_a_batch_on_the_rows_of_another_is_seen() -> None:
    book, catalog = sample()
    (first, one), *rest = batches(book, catalog, 1)
    moved = replace(first, catalog=rest[0][0].catalog, parameters=rest[0][0].parameters)
    assert 0 < differing(book, [(moved, one), *rest]) <= EACH


def test_a_table_read_in_a_way_not_known_is_refused() -> None:
    known = 'SELECT p.*\nFROM r0 AS p\nJOIN "catalog_cards" AS s ON TRUE'
    assert '"#choice"' in of_many(known)
    with pytest.raises(ValueError, match="1 tables read, 0 of them rewritten"):
        of_many('SELECT count(*) FROM "catalog_cards"')


def test_the_program_that_counts_gives_the_same_outcomes() -> None:
    for book, catalog in (sample(), *(random_book(seed) for seed in range(20))):
        choices, words = Seeded(3), vocabulary(book, catalog)
        plain = PythonRuntime(book, catalog)
        counted = PythonRuntime(book, catalog, coverage=True)
        given = [profile(words, choices, 0.1) for _ in range(20)]
        assert counted.packed(given) == plain.packed(given)
