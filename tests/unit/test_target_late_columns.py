"""Columns that no rule reads: left out of the rows, computed for those who ask, and the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.book.model import Book, Ranking, Relation, Source
from engine.book.rows import run_tables
from engine.language import tree
from engine.language.types import BOOLEAN, TEXT
from engine.targets.column_reads import columns_read
from engine.targets.python import compile_python
from tests.unit.target_books import answers, book_of, num
from tests.unit.test_target_relations import (
    AMOUNT,
    CATALOG,
    ITEMS,
    MAYBE,
    OFFERS,
    column,
    joined,
    own,
)


def times(node: tree.Node, factor: float) -> tree.Node:
    return tree.Arithmetic("*", node, num(factor), type=MAYBE)


def pairs() -> Relation:
    """`joined`, where only the ranking reads: the price; and twice, thrice, four times the rate."""
    relation = joined(optional=True)
    rate = own("rate", MAYBE)
    late = [column(f"by_{factor}", times(rate, float(factor)), 2) for factor in (2, 3, 4)]
    return replace(relation, columns=(*relation.columns, *late))


def groups() -> Relation:
    """By id how many pairs there are, and of their prices the least, most and sum."""
    price = tree.Column("m", "price", type=MAYBE)
    found = [
        column(name, tree.Aggregate(name, "m", "members", None, price, type=MAYBE), 1)
        for name in ("min", "max", "sum")
    ]
    count = tree.Aggregate("count", "m", "members", None, None, type=AMOUNT)
    key = tree.Column("g", "id", type=TEXT)
    source = Source("g", "group", "pairs", by=("id",))
    return Relation(
        "groups", (source,), (), (column("id", key, 1), column("count", count, 1), *found),
        (key,), 10,
    )  # fmt: skip


def book() -> Book:
    cheapest = Ranking("cheapest", "pairs", None, ((own("price", MAYBE), False),))
    many = tree.Comparison(">", own("count", AMOUNT), num(0.0), type=BOOLEAN)
    crowded = Ranking("crowded", "groups", many, ((own("count", AMOUNT), True),))
    return book_of(
        {}, {}, relations=[pairs(), groups()], rankings=[cheapest, crowded],
        tables={"items": ITEMS, "offers": OFFERS},
    )  # fmt: skip


@pytest.fixture
def program() -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    exec(compile_python(book()), namespace)
    return namespace


PAIRS = [
    (0, 0, "a", 5.0, 10.0, 20.0, 30.0, 40.0),
    (0, 2, "a", 3.0, 6.0, 12.0, 18.0, 24.0),
    (1, None, "b", None, None, None, None, None),
    (2, 3, "c", None, None, None, None, None),
]
GROUPS = [
    (0, "a", 2.0, 3.0, 5.0, 8.0),
    (1, "b", 1.0, None, None, None),
    (2, "c", 1.0, None, None, None),
]


def outcome(program: dict[str, Any], function: str) -> dict[str, Any]:
    found: dict[str, Any] = program[function]({}, {}, run_tables(book(), CATALOG))
    return found


def test_only_columns_that_rules_read_are_held() -> None:
    assert columns_read(book()) == {"pairs": {"id", "price"}, "groups": {"id", "count"}}


def test_evaluate_gives_whole_rows_as_the_other_engines_do() -> None:
    assert answers(book(), {}, CATALOG)["relations"] == {"pairs": PAIRS, "groups": GROUPS}


def test_rows_asked_for_one_by_one_are_the_same(program: dict[str, Any]) -> None:
    found = outcome(program, "decide")
    for name, rows in (("pairs", PAIRS), ("groups", GROUPS)):
        view = found["relations"][name]
        assert len(view) == len(rows)
        assert [tuple(view[number]) for number in reversed(range(len(rows)))] == rows[::-1]
        assert [tuple(row) for row in view] == rows
        assert tuple(view[-1]) == rows[-1]
        assert view[0][:3] == rows[0][:3]
    assert found["rankings"]["cheapest"]["order"] == [1, 0, 2, 3]


def test_cells_of_all_rows_whether_held_or_not(program: dict[str, Any]) -> None:
    view = outcome(program, "decide")["relations"]["pairs"]
    assert list(view.cells(3)) == [5.0, 3.0, None, None]
    assert list(view.cells(2, 7)) == [("a", 40.0), ("a", 24.0), ("b", None), ("c", None)]
