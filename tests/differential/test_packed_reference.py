"""The reference on packed decisions gives what it gives on trees: values, causes, reads, rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from engine.book.model import Book, Catalog
from engine.book.rows import run_tables
from engine.reference.evaluator import Reference
from engine.reference.packed import Bodies
from engine.reference.packing import packed_book
from engine.run.bundle import bodies
from engine.targets.python import compile_python
from tests.generators.books import random_book
from tests.generators.choices import Seeded
from tests.generators.parameters import random_parameters
from tests.generators.profiles import profile, vocabulary
from tests.properties import worlds


def both(
    book: Book, catalog: Catalog, bodies: Bodies, given: Mapping[str, Any], **more: Any
) -> tuple[Reference, Reference]:
    trees = Reference(book, catalog, given, brief=True, **more)
    packed = Reference(book, catalog, given, brief=True, bodies=bodies, **more)
    assert packed.outcome() == trees.outcome()
    return trees, packed


def same(trees: Reference, packed: Reference) -> None:
    assert packed._memo == trees._memo  # with the causes of what is unknown, each in its place
    assert packed.reads == trees.reads
    assert {what: decided.winner for what, decided in packed._decided.items()} == {
        what: decided.winner for what, decided in trees._decided.items()
    }


@pytest.mark.parametrize("part", range(4))
def test_random_books_on_random_profiles(part: int) -> None:
    for seed in range(part * 15, part * 15 + 15):
        book, catalog = random_book(seed)
        found, choices = Bodies(packed_book(book)), Seeded(seed)
        words = vocabulary(book, catalog)
        for number in range(4):
            policy = random_parameters(book, choices, 0.5 * (number % 2))
            same(*both(book, catalog, found, profile(words, choices), parameters=policy))


@pytest.mark.parametrize("part", range(2))
def test_with_rows_taken_from_a_fast_target(part: int) -> None:
    for seed in range(part * 10, part * 10 + 10):
        book, catalog = random_book(seed)
        found, choices = Bodies(packed_book(book)), Seeded(seed)
        words, tables = vocabulary(book, catalog), run_tables(book, catalog)
        program: dict[str, Any] = {}
        exec(compile_python(book), program)
        values = {one.id: one.value for one in book.parameters.values() if not one.steps}
        for _ in range(4):
            given = profile(words, choices)
            outcome = program["evaluate"](given, values, tables)
            taken = {
                part: {name: found for name, found in outcome[part].items() if found is not None}
                for part in ("relations", "rankings")
            }
            same(*both(book, catalog, found, given, **taken))


@pytest.mark.parametrize("part", range(3))
def test_the_rule_book_on_its_examples(part: int) -> None:
    bundle = worlds.book().bundle
    for number in range(part, len(worlds.examples()), 6):
        given = {"as_of": float(bundle.catalog.newest), **worlds.examples()[number]}
        outcome = bundle.evaluate(given, bundle.parameters, bundle.tables)
        taken = {
            part: {name: found for name, found in outcome[part].items() if found is not None}
            for part in ("relations", "rankings")
        }
        trees, packed = (
            Reference(bundle.book, bundle.catalog, given, brief=True, bodies=one, **taken)
            for one in (None, bodies(bundle))
        )
        for name, decision in bundle.book.decisions.items():
            for output in decision.output_names:
                found = packed.collected(name, output)
                assert found == trees.collected(name, output), (name, output)
        for relation, rows in taken["relations"].items():
            sources = len(bundle.book.relations[relation].sources)
            for row in rows[:: max(1, len(rows) // 5)]:
                for column in bundle.book.relations[relation].columns:
                    name = column.decision.id
                    one, other = (
                        reference.row(relation, row[:sources]).column(name)
                        for reference in (trees, packed)
                    )
                    assert one == other, (relation, name)
        same(trees, packed)
