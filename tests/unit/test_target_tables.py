"""Decision tables in the script targets: what is answered when inputs are missing."""

from __future__ import annotations

from typing import Any

import pytest

from engine.language.types import BOOLEAN, Type, enumeration, number
from engine.targets.python import compile_python
from tests.unit.target_books import (
    DASH,
    answers,
    book_of,
    compares,
    equals,
    fact,
    flag,
    num,
    table,
    text,
)

COLOUR = enumeration(("red", "green", "blue"))
AMOUNT = number(low=0.0, high=100.0)
FACTS: dict[str, Type] = {"colour": COLOUR, "amount": AMOUNT, "sure": BOOLEAN}
INPUTS = [fact(path, kind) for path, kind in FACTS.items()]


def decided(made: Any, **given: Any) -> Any:
    return answers(book_of(FACTS, {"d": made}), given)["decisions"]["d"]


def test_a_missing_input_does_not_matter_where_the_rows_agree() -> None:
    made = table(
        "first",
        INPUTS,
        [
            ([equals(text("red")), compares("<", num(5.0)), DASH], text("a")),
            ([equals(text("red")), DASH, DASH], text("a")),
        ],
        otherwise=text("b"),
    )
    assert decided(made, colour="red") == "a"
    assert decided(made, colour="green") == "b"
    assert decided(made, amount=3.0) is None


def test_a_dash_accepts_a_missing_value() -> None:
    made = table("first", INPUTS, [([DASH, DASH, equals(flag(True))], text("a"))])
    assert decided(made, sure=True) == "a"
    assert decided(made, sure=False) is None


def test_then_unknown_equals_nothing() -> None:
    made = table(
        "first",
        INPUTS,
        [
            ([equals(text("red")), DASH, DASH], None),
            ([equals(text("blue")), DASH, DASH], None),
        ],
        otherwise=text("b"),
    )
    assert decided(made, colour="red") is None
    assert decided(made, colour="green") == "b"
    assert decided(made) is None


@pytest.mark.parametrize("amount", [0.0, 4.999999999999999, 5.0, 5.000000000000001, 9.0])
def test_bounds_are_exact_on_both_sides_of_a_threshold(amount: float) -> None:
    rows = [
        ([DASH, compares(operator, num(5.0)), equals(flag(True))], text(operator))
        for operator in ("<", "<=", ">")
    ]
    made = table("first", INPUTS, rows, otherwise=text("unsure"))
    expected = "<" if amount < 5.0 else "<=" if amount <= 5.0 else ">"
    assert decided(made, amount=amount, sure=True) == expected
    assert decided(made, amount=amount, sure=False) == "unsure"
    # With `sure` missing the same cells are bit sets.
    assert decided(made, amount=amount) is None


def test_priority_is_the_order_of_the_values_and_a_higher_maybe_makes_it_unknown() -> None:
    ranked = enumeration(("high", "low"))
    made = table(
        "priority",
        INPUTS,
        [
            ([DASH, DASH, DASH], text("low")),
            ([DASH, compares(">", num(50.0)), DASH], text("high")),
        ],
        kind=ranked,
    )
    assert decided(made, amount=60.0) == "high"
    assert decided(made, amount=10.0) == "low"
    assert decided(made) is None


def test_collect_is_unknown_as_soon_as_a_row_is_maybe() -> None:
    rows = [
        ([equals(text("red"), text("green")), DASH, DASH], num(1.5)),
        ([DASH, compares("<", num(5.0)), DASH], num(2.0)),
    ]
    for aggregate, both, none in (("sum", 3.5, 0.0), ("count", 2.0, 0.0), ("min", 1.5, None)):
        made = table("collect", INPUTS, rows, aggregate=aggregate, kind=AMOUNT)
        assert decided(made, colour="green", amount=1.0) == both
        assert decided(made, colour="blue", amount=9.0) == none
        assert decided(made, colour="green") is None
    listed = table("collect", INPUTS, rows, kind=AMOUNT)
    assert decided(listed, colour="green", amount=1.0) == (1.5, 2.0)
    assert decided(listed, colour="blue", amount=9.0) == ()


@pytest.mark.parametrize("rows", [30, 31, 32, 61, 62, 63, 70])
def test_long_tables_need_several_words_in_javascript(rows: int) -> None:
    made = table(
        "first",
        INPUTS,
        [
            ([equals(text("red")), equals(num(float(place))), DASH], text(f"v{place % 7}"))
            for place in range(rows)
        ],
        otherwise=text("none"),
    )
    assert decided(made, colour="red", amount=float(rows - 1)) == f"v{(rows - 1) % 7}"
    assert decided(made, colour="blue", amount=1.0) == "none"
    assert decided(made, colour="blue") == "none"
    assert decided(made, colour="red") is None
    assert decided(made, amount=1000.0) == "none"


def test_cells_may_hold_expressions() -> None:
    made = table(
        "first",
        [fact("amount", AMOUNT)],
        [([compares(">=", fact("limit", AMOUNT))], text("over"))],
        otherwise=text("under"),
    )
    book = book_of({"amount": AMOUNT, "limit": AMOUNT}, {"d": made})
    assert answers(book, {"amount": 5.0, "limit": 5.0})["decisions"]["d"] == "over"
    assert answers(book, {"amount": 4.0, "limit": 5.0})["decisions"]["d"] == "under"
    assert answers(book, {"amount": 4.0})["decisions"]["d"] is None


def test_rows_that_cannot_be_reached_any_more_are_not_tested() -> None:
    """After `true` failed on a column, `false` needs no test."""
    made = table(
        "unique",
        [fact("sure", BOOLEAN)],
        [([equals(flag(True))], text("a")), ([equals(flag(False))], text("b"))],
    )
    source = compile_python(book_of(FACTS, {"d": made}))
    chain = source[source.index("def D") :].split("\n\n")[0]
    assert chain.count("if ") == 2, chain  # whether it is known, and whether it is true


def test_a_decision_is_also_a_function_of_what_it_reads() -> None:
    made = table("first", INPUTS, [([equals(text("red")), DASH, DASH], text("a"))],
                 otherwise=text("b"))  # fmt: skip
    namespace: dict[str, Any] = {}
    exec(compile_python(book_of(FACTS, {"d": made})), namespace)
    assert namespace["READS"]["d"] == ("colour",)
    assert namespace["DECISIONS"]["d"]("red") == "a"
    assert namespace["DECISIONS"]["d"](None) is None
