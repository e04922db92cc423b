"""Ranges of results, and the guards that keep divisors away from nought."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language import intervals
from engine.language.types import Type
from tests.unit.language_book import BOOK, amount, problems_of, type_of

RATIO = "own.price / (cloud.price - own.price)"


def codes(text: str) -> list[str]:
    return [problem.code for problem in problems_of(text, BOOK)]


def span(text: str) -> tuple[float, float]:
    found = type_of(text, BOOK)
    return found.low, found.high


def test_results_lie_in_the_interval_of_their_operation() -> None:
    assert span("share - 2") == (-2, -1)
    assert span("drift * 3") == (-3, 3)
    assert span("drift * drift") == (0, 1)
    assert span("abs(drift)") == (0, 1)
    assert span("-share") == (-1, 0)
    assert span("floor(share - 0.5)") == (-1, 0)
    assert span("ceiling(share * 2.5)") == (0, 3)
    assert span("max(0, min(drift, 0.5))") == (0, 0.5)
    assert span("sqrt(share * 4)") == (0, 2)
    assert span("round_half_up(share * 0.126, 2)") == (0, 0.13)
    assert span("power(2, 10)") == (1024, 1024)
    assert span("if share > 0.5 then 3 else drift") == (-1, 3)
    assert span("count(for o in options)") == (0, 1000)


def test_a_sum_of_nothing_is_nought() -> None:
    low, high = span("sum(for o in options return o.cards)")
    assert (low, high) == (0, 8000)
    low, high = span("sum(for o in options return o.price)")
    assert low == 0 and 100_000 <= high < 100_001


# ---------------------------------------------------------------- divisors


def test_a_divisor_away_from_nought_divides() -> None:
    assert span("1 / (share + 1)") == (0.5, 1)
    assert span("share / small_ratio")[1] == 1 / 1e-6


def test_a_divisor_that_can_be_nought_is_refused() -> None:
    (problem,) = problems_of("1 / share", BOOK)
    assert problem.code == "B130"
    assert "[0, 1]" in problem.message
    assert problem.position.column == 18
    assert codes("1 / (share - 0.5)") == ["B130"]


@pytest.mark.parametrize(
    "text",
    [
        f"if cloud.price - own.price > smallest then {RATIO} else 0",
        f"if smallest < cloud.price - own.price then {RATIO} else 0",
        f"if not (cloud.price - own.price <= smallest) then {RATIO} else 0",
        f"if cloud.price - own.price <= smallest then 0 else {RATIO}",
        f"if share > 0.5 and cloud.price - own.price > smallest then {RATIO} else 0",
        f"if share < 0.5 or cloud.price - own.price <= smallest then 0 else {RATIO}",
        f"cloud.price - own.price > smallest and {RATIO} > 0.5",
        "if share > small_ratio then 1 / share else 0",
        "if share between 0.1 and 0.5 then 1 / share else 0",
        "if share in (> 0.1) then 1 / share else 0",
        "if not (share in (<= 0.1)) then 1 / share else 0",
        "if usage.flag and share > 0.1 then 1 / share else 0",
        "if usage.hours > hour_at_least then usage.cards / usage.hours else 0 / hour_at_least",
        "max(for o in options where o.price > smallest return smallest / o.price)",
    ],
)
def test_a_guard_on_the_same_term_lets_it_divide(text: str) -> None:
    parameters = {**BOOK.parameters, "hour_at_least": amount("hour", 1, 5)}
    if "/ usage.hours" in text:
        text = "if usage.hours > hour_at_least then 1 / usage.hours else 1 / hour_at_least"
    type_of(text, replace(BOOK, parameters=parameters))


@pytest.mark.parametrize(
    "text",
    [
        "if cloud.price > own.price then " + RATIO + " else 0",  # may be as small as one likes
        "if share > 0 then 1 / share else 0",
        "if share != 0 then 1 / share else 0",
        "if share > 0.5 or drift > 0 then 1 / share else 0",
        "if drift > 0.5 then 1 / share else 0",
        "if share > 0.5 then 0 else 1 / share",
        "if share > maybe + 0.1 then 1 / share else 0",  # an unknown bound guards nothing
        f"if own.price - cloud.price > smallest then 0 else {RATIO}",
    ],
)
def test_a_guard_that_does_not_keep_the_quotient_finite_is_refused(text: str) -> None:
    assert codes(text) == ["B130"]


def test_whole_numbers_that_differ_differ_by_one() -> None:
    book = replace(
        BOOK, facts={"a": amount(integer=True), "b": amount(integer=True), "x": amount()}
    )
    assert type_of("if a > b then x / (a - b) else 0", book).high == 100
    assert type_of("if a > 0 then x / a else 0", book).high == 100
    assert type_of("if a != 0 then x / a else 0", book).high == 100
    assert type_of("if a >= b then x * (a - b) else 0", book).low == 0


def test_a_guard_narrows_the_range_of_its_branch() -> None:
    found = type_of("if share >= 0.25 then share else 0.5", BOOK)
    assert (found.low, found.high) == (0.25, 1)
    found = type_of("if cloud.price >= own.price then cloud.price - own.price else 0", BOOK)
    assert (found.low, found.high) == (0, 1000)


# ---------------------------------------------------------------- finite results


def test_results_must_stay_finite() -> None:
    huge = amount("ratio", 0, 1e200)
    book = replace(BOOK, facts={"huge": huge, "n": amount("count", 0, 4096, integer=True)})
    assert problems_of("huge * huge", book)[0].code == "B131"
    assert problems_of("power(2, n)", book)[0].code == "B131"
    endless = replace(BOOK, facts={"endless": Type("number")})
    assert problems_of("endless + 1", endless)[0].code == "B131"


def test_roots_and_exponents_are_proven() -> None:
    assert codes("sqrt(drift)") == ["B132"]
    assert codes("power(share, drift)") == ["B133"]
    assert codes("power(share, usage.cards * 0 - 1)") != []
    assert codes("power(share, 5000)") == ["B133"]


# ---------------------------------------------------------------- laws

NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[tuple[float, float], float]:
    """An interval and a number in it."""
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    return (low, high), draw(st.floats(low, high))


def inside(value: float, interval: tuple[float, float]) -> bool:
    return interval[0] <= value <= interval[1]


@given(ranges(), ranges())
def test_arithmetic_never_leaves_its_interval(
    left: tuple[tuple[float, float], float], right: tuple[tuple[float, float], float]
) -> None:
    (a, x), (b, y) = left, right
    assert inside(x + y, intervals.add(a, b))
    assert inside(x - y, intervals.subtract(a, b))
    assert inside(x * y, intervals.multiply(a, b))
    assert inside(x * x, intervals.square(a))
    assert inside(abs(x), intervals.absolute(a))
    assert inside(min(x, y), intervals.smallest([a, b]))
    assert inside(max(x, y), intervals.largest([a, b]))
    if b[0] > 0 or b[1] < 0:
        assert inside(x / y, intervals.divide(a, b))


@given(st.floats(-3, 3), st.floats(0, 3), st.integers(0, 40), st.integers(0, 20), st.data())
def test_powers_never_leave_their_interval(
    low: float, width: float, fewest: int, more: int, data: st.DataObject
) -> None:
    x = data.draw(st.floats(low, low + width))
    n = data.draw(st.integers(fewest, fewest + more))
    value = by_squaring(x, n)
    assert inside(value, intervals.power((low, low + width), (fewest, fewest + more)))


@pytest.mark.parametrize(
    ("x", "n"), [(2.3236688577506985, 41), (1.4422641778405834, 100), (1.592550835380691, 72)]
)
def test_a_power_that_happens_to_come_out_whole_is_not_taken_for_exact(x: float, n: int) -> None:
    assert inside(by_squaring(x, n), intervals.power((x, x), (n, n)))


def by_squaring(x: float, n: int) -> float:
    value = 1.0
    for bit in range(12, -1, -1):
        value = value * value
        if n >> bit & 1:
            value = value * x
    return value


@given(st.lists(st.floats(-5, 9), max_size=50))
def test_sums_never_leave_their_interval(terms: list[float]) -> None:
    total = 0.0
    for term in terms:
        total += term
    assert inside(total, intervals.repeated_sum((-5, 9), 50, integer=False))


def test_the_next_number_after_a_strict_bound() -> None:
    assert intervals.above(3, strict=True, integer=True) == 4
    assert intervals.above(2.5, strict=False, integer=True) == 3
    assert intervals.below(3, strict=True, integer=True) == 2
    assert intervals.above(1.0, strict=True, integer=False) == math.nextafter(1.0, 2)
