"""The generators draw what they promise: every construct, valid values, the same for a seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings

from engine.book.catalog import load_catalog
from engine.book.load import load_book
from engine.book.model import Formula, Table, TableData
from engine.language import tree
from engine.language.walk import walk
from tests.differential.runtimes import PythonRuntime
from tests.generators.batches import SMALL, aims, origin, selection
from tests.generators.books import Sizes, books, random_book
from tests.generators.choices import Seeded
from tests.generators.goals import goals, pursued
from tests.generators.parameters import defaults, random_parameters
from tests.generators.profiles import mutated, profile, profiles, trees, vocabulary

SAMPLE = Path(__file__).parents[1] / "books" / "sample"
BOOK = load_book(SAMPLE)
CATALOG = load_catalog(SAMPLE)
WORDS = vocabulary(BOOK, CATALOG)


def test_a_seed_always_gives_the_same_book_and_profile() -> None:
    assert random_book(5) == random_book(5)
    assert random_book(5) != random_book(6)
    assert profile(WORDS, Seeded(1)) == profile(WORDS, Seeded(1))


def test_random_books_use_every_construct() -> None:
    kinds: set[str] = set()
    hits: set[str] = set()
    sources: set[str] = set()
    for seed in range(60):
        book, _ = random_book(seed)
        for node in trees(book):
            kinds.update(type(part).__name__ for part in walk(node))
        hits.update(
            f"{item.body.hit} {item.body.aggregate}".strip()
            for item in book.decisions.values()
            if isinstance(item.body, Table)
        )
        for relation in book.relations.values():
            sources.update(source.kind for source in relation.sources)
            sources.update("optional" for source in relation.sources if source.optional)
    nodes = {
        kind.__name__
        for kind in vars(tree).values()
        if isinstance(kind, type)
        and issubclass(kind, tree.Node)
        and kind not in (tree.Node, tree.Name)
    }
    assert nodes <= kinds
    assert {"first", "unique", "any", "priority", "collect", "collect sum"} <= hits
    assert sources == {"table", "relation", "fact", "steps", "group", "optional"}


def test_profiles_stay_inside_the_ranges_and_meet_the_thresholds() -> None:
    choices = Seeded(2)
    met: set[float] = set()
    for _ in range(3000):
        for path, value in profile(WORDS, choices, 0.1).items():
            fact = BOOK.facts[path]
            if fact.type.kind == "number" and isinstance(value, float):
                assert fact.type.low <= value <= fact.type.high
                assert not fact.type.integer or value.is_integer()
                met.add(value)
    beside = [
        (math.nextafter(at, -math.inf), at, math.nextafter(at, math.inf)) for at in WORDS.thresholds
    ]
    assert any(met.issuperset(three) for three in beside)


def test_a_changed_profile_keeps_most_of_the_one_it_comes_from() -> None:
    base = profile(WORDS, Seeded(3), 0.0)
    for seed in range(50):
        changed = mutated(WORDS, Seeded(seed), base)
        assert len({k for k in base if base.get(k) != changed.get(k)}) <= 8


def test_random_parameters_stay_in_range_and_in_order() -> None:
    plain = defaults(BOOK)
    for seed in range(200):
        values = random_parameters(BOOK, Seeded(seed), 0.6)
        assert values.keys() == plain.keys()
        for name, value in values.items():
            kind = BOOK.parameters[name].type
            if kind.kind == "number":
                assert kind.low <= value <= kind.high
            for other in BOOK.parameters[name].at_most:
                assert value <= values[other]


@given(profiles(BOOK, CATALOG))
@settings(max_examples=20)
def test_hypothesis_draws_profiles_of_the_book(drawn: dict[str, object]) -> None:
    assert drawn.keys() <= BOOK.facts.keys()


@given(books(Sizes(depth=1, decisions=2, tables=1, relations=1, long_tables=False)))
@settings(max_examples=10)
def test_hypothesis_draws_whole_books(drawn: tuple[object, object]) -> None:
    book, _ = drawn
    assert any(isinstance(item.body, Formula) for item in book.decisions.values())  # type: ignore[attr-defined]


def test_every_row_and_branch_of_a_book_is_a_goal() -> None:
    counted = PythonRuntime(BOOK, CATALOG, coverage=True)
    marks = {goal.mark for goal in goals(BOOK)}
    assert len(counted.marks()) > 20
    assert marks.issuperset(counted.marks())


def test_pursuing_a_row_reaches_it_where_drawing_at_random_does_not() -> None:
    # One line of a tender asks for exactly what the card has: two numbers must be the same.
    (goal,) = [one for one in goals(BOOK) if one.mark == ("row", "review.tender.lines.met", "same")]

    def met(draw: Callable[[Seeded], dict[str, object]]) -> int:
        counted = PythonRuntime(BOOK, CATALOG, coverage=True)
        reached = 0
        for seed in range(60):
            counted.outcome(draw(Seeded(seed)))
            reached += goal.mark not in counted.missed()
            counted.forget()
        return reached

    assert met(lambda choices: profile(WORDS, choices, 0.0)) < 6
    wished = met(
        lambda choices: pursued(goal, BOOK, WORDS, CATALOG, choices, defaults(BOOK)).laid_over({})
    )
    assert wished > 30


def test_a_choice_of_rows_is_a_part_of_the_catalog() -> None:
    source = origin(BOOK, CATALOG)
    for seed in range(20):
        part = selection(source, aims(source, ()), Seeded(seed), 2, defaults(BOOK))
        for name, data in part.tables.items():
            whole = CATALOG.tables[name].rows
            assert len(data.rows) == min(2, len(whole)) or len(data.rows) == len(whole) <= SMALL
            assert set(data.rows) <= set(whole)


def test_with_room_for_every_row_nothing_is_drawn() -> None:
    # `rows` is how the whole catalog is asked for; draws in its number would never end.
    long = {
        name: TableData(data.rows * (SMALL + 1) if data.rows else ())
        for name, data in CATALOG.tables.items()
    }
    source = origin(BOOK, replace(CATALOG, tables=long))
    for seed in range(10):
        part = selection(source, aims(source, ()), Seeded(seed), 10**12, defaults(BOOK))
        assert part == source.catalog
