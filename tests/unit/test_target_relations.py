"""Relations and rankings in the script targets: hoisting, joins, order, the Pareto front."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.book.model import (
    Catalog,
    Decision,
    Formula,
    Ranking,
    Relation,
    RelationColumn,
    Source,
    TableColumn,
    TableData,
    TableSchema,
)
from engine.language import tree
from engine.language.types import BOOLEAN, TEXT, Type, enumeration, number
from engine.targets.python import compile_python
from tests.unit.target_books import answers, book_of, equals, fact, num, table, text

AMOUNT = number(low=0.0, high=1e6)
MAYBE = AMOUNT.with_nullable(True)
COLOUR = enumeration(("red", "blue"))
ITEMS = TableSchema(
    "items",
    "id",
    (
        TableColumn("id", TEXT),
        TableColumn("colour", COLOUR.with_nullable(True)),
        TableColumn("weight", MAYBE),
    ),
    10,
)
OFFERS = TableSchema(
    "offers",
    "id",
    (
        TableColumn("id", TEXT),
        TableColumn("item", TEXT.with_nullable(True)),
        TableColumn("price", MAYBE),
    ),
    10,
)
CATALOG = Catalog(
    {
        "items": TableData((("a", "red", 2.0), ("b", None, None), ("c", "blue", 4.0))),
        "offers": TableData(
            (("o1", "a", 5.0), ("o2", None, 1.0), ("o3", "a", 3.0), ("o4", "c", None))
        ),
    },
    "",
    0,
    0,
)


def column(name: str, body: tree.Node | Any, level: int) -> RelationColumn:
    made = Formula(body) if isinstance(body, tree.Node) else body
    kind: Type = body.type if isinstance(body, tree.Node) else body.outputs[0].type
    return RelationColumn(Decision(name, made, kind), level)


def own(name: str, kind: Type) -> tree.Column:
    return tree.Column("", name, type=kind)


def joined(*, optional: bool) -> Relation:
    on = (("item", tree.Column("i", "id", type=TEXT)),)
    price = tree.Column("o", "price", type=MAYBE)
    weight = tree.Column("i", "weight", type=MAYBE)
    return Relation(
        "pairs",
        (Source("i", "table", "items"), Source("o", "table", "offers", on, optional)),
        (),
        (
            column("id", tree.Column("i", "id", type=TEXT), 1),
            column("price", price, 2),
            column("rate", tree.Arithmetic("*", price, weight, type=MAYBE), 2),
        ),
        (tree.Column("i", "id", type=TEXT), tree.Column("o", "id", type=TEXT.with_nullable(True))),
        100,
    )


def test_a_join_goes_through_row_numbers_and_unknown_matches_nothing() -> None:
    for optional, unmatched in ((False, []), (True, [(1, None, "b", None, None)])):
        book = book_of({}, {}, relations=[joined(optional=optional)],
                       tables={"items": ITEMS, "offers": OFFERS})  # fmt: skip
        rows = answers(book, {}, CATALOG)["relations"]["pairs"]
        assert rows == [
            (0, 0, "a", 5.0, 10.0),
            (0, 2, "a", 3.0, 6.0),
            *unmatched,
            (2, 3, "c", None, None),
        ]


def test_a_ranking_puts_unknown_last_and_breaks_ties_by_key() -> None:
    ranking = Ranking(
        "best", "pairs", None, ((own("price", MAYBE), False),), (own("price", MAYBE),) * 2
    )
    winner = tree.Best("best", "id", type=TEXT.with_nullable(True))
    book = book_of({}, {"winner": Formula(winner)}, relations=[joined(optional=True)],
                   rankings=[ranking], tables={"items": ITEMS, "offers": OFFERS},
                   late=["winner"])  # fmt: skip
    outcome = answers(book, {}, CATALOG)
    assert outcome["rankings"]["best"] == {
        "order": [1, 0, 2, 3],
        "undecided": [],
        "pareto": [True, False, False, False],
    }
    assert outcome["decisions"]["winner"] == "a"


def test_what_reads_nothing_of_a_row_is_computed_once_but_a_guarded_division_is_not() -> None:
    x, y = fact("x", AMOUNT), fact("y", AMOUNT)
    product = tree.Arithmetic("*", x, y, type=MAYBE)
    quotient = tree.Arithmetic("/", x, y, type=MAYBE)
    guarded = tree.If(
        tree.Comparison(">", y, num(0.0), type=BOOLEAN.with_nullable(True)),
        quotient,
        num(1.0),
        type=MAYBE,
    )
    weight = tree.Column("i", "weight", type=MAYBE)
    relation = Relation(
        "rows",
        (Source("i", "table", "items"),),
        (),
        (
            column("a", tree.Arithmetic("+", weight, product, type=MAYBE), 1),
            column("b", tree.Arithmetic("+", weight, guarded, type=MAYBE), 1),
        ),
        (),
        100,
    )
    book = book_of({"x": AMOUNT, "y": AMOUNT}, {}, relations=[relation], tables={"items": ITEMS})
    body = compile_python(book)
    body = body[body.index("def R") :]
    assert body.index(" * ") < body.index("for ")
    assert body.index(" / ") > body.index("for ")
    assert answers(book, {"x": 3.0, "y": 0.0}, CATALOG)["relations"]["rows"][0] == (0, 2.0, 3.0)
    assert answers(book, {"x": 3.0}, CATALOG)["relations"]["rows"][0] == (0, None, None)


def test_a_column_read_in_one_branch_of_a_filter_is_there_for_all_rows() -> None:
    weight = tree.Column("i", "weight", type=MAYBE)
    heavy = tree.If(tree.Call("known", (weight,), type=BOOLEAN), weight, num(0.0), type=AMOUNT)
    red = tree.Comparison("=", tree.Column("i", "id", type=TEXT), text("b"), type=BOOLEAN)
    over = tree.Comparison(">", own("w", AMOUNT), num(3.0), type=BOOLEAN)
    relation = Relation(
        "rows",
        (Source("i", "table", "items"),),
        ((tree.Or((red, over), type=BOOLEAN), 1),),
        (column("w", heavy, 1), column("id", tree.Column("i", "id", type=TEXT), 1)),
        (),
        100,
    )
    book = book_of({}, {}, relations=[relation], tables={"items": ITEMS})
    rows = answers(book, {}, CATALOG)["relations"]["rows"]
    assert rows == [(1, 0.0, "b"), (2, 4.0, "c")]


def test_a_table_column_with_a_missing_cell() -> None:
    colour = tree.Column("i", "colour", type=COLOUR.with_nullable(True))
    made = table("first", [colour], [([equals(text("red"))], text("warm"))], otherwise=text("cold"))
    relation = Relation(
        "rows", (Source("i", "table", "items"),), (), (column("kind", made, 1),), (), 100
    )
    book = book_of({}, {}, relations=[relation], tables={"items": ITEMS})
    rows = answers(book, {}, CATALOG)["relations"]["rows"]
    assert [kind for _, kind in rows] == ["warm", None, "cold"]


def test_the_order_of_many_rows_with_equal_values_is_that_of_the_reference() -> None:
    names = [f"n{place % 5}" for place in range(40)]
    rows = tuple(
        (f"k{place}", None, float(place * 7 % 4) if place % 6 else None)
        for place, _ in enumerate(names)
    )
    catalog = Catalog({"items": TableData(rows)}, "", 0, 0)
    weight = tree.Column("i", "weight", type=MAYBE)
    key = tree.Column("i", "id", type=TEXT)
    relation = Relation(
        "rows",
        (Source("i", "table", "items"),),
        (),
        (column("w", weight, 1), column("id", key, 1)),
        (key,),
        100,
    )
    for by in (
        ((own("w", MAYBE), False),),
        ((own("w", MAYBE), True),),
        ((own("id", TEXT), True), (own("w", MAYBE), False)),
    ):
        keep = tree.Comparison("!=", own("w", MAYBE), num(2.0), type=BOOLEAN.with_nullable(True))
        ranking = Ranking("best", "rows", keep, by, (own("w", MAYBE), own("w", MAYBE)))
        book = book_of({}, {}, relations=[relation], rankings=[ranking], tables={"items": ITEMS})
        outcome = answers(book, {}, catalog)
        assert len(outcome["rankings"]["best"]["undecided"]) == 7


POINT = st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.sampled_from([0.0, 1.0, 2.0, None]))


@given(st.lists(POINT, max_size=25))
def test_the_front_is_what_no_other_point_beats(points: list[tuple[float, float | None]]) -> None:
    from engine.targets.python_runtime import source

    namespace: dict[str, Any] = {}
    exec(source(["front"]), namespace)
    expected = [
        y is not None
        and not any(b is not None and a <= x and b <= y and (a, b) != (x, y) for a, b in points)
        for x, y in points
    ]
    assert namespace["front_"](points) == expected
