"""Units as plain data, and quantities as people type them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.language
from engine.language.problems import ProblemError
from engine.language.quantity import convert, read_quantity
from engine.language.units import (
    NAMES,
    by_registry,
    divide,
    multiply,
    parse_unit,
    raised,
    root,
    table_text,
)


def test_equal_units_have_equal_scale() -> None:
    assert parse_unit("GB").same_as(parse_unit("MB*count/ratio")) is False
    assert parse_unit("billion*byte").same_as(parse_unit("GB"))
    assert parse_unit("kW*hour").same_as(parse_unit("kWh"))
    assert not parse_unit("GB").same_as(parse_unit("GiB"))
    assert not parse_unit("Gbit/second").same_as(parse_unit("GB/second"))
    assert not parse_unit("USD").same_as(parse_unit("CNY"))
    assert not parse_unit("USD/hour").same_as(parse_unit("money/hour"))


def test_information_and_cards_are_dimensions() -> None:
    assert parse_unit("GiB/card").dimension == (("card", -1), ("information", 1))
    assert parse_unit("TFLOP/second/card").dimension == (
        ("card", -1), ("operation", 1), ("time", -1),
    )  # fmt: skip
    assert parse_unit("GiB").scale == 8 * 2**30
    assert parse_unit("month").scale == 730 * 3600


@pytest.mark.parametrize("text", ["GiB/crad", "gib", "GiBs", "GiB per card", "", "1/hour", "m"])
def test_other_spellings_are_refused(text: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse_unit(text)
    assert caught.value.problems[0].code == "B104"


def test_a_misspelt_unit_gets_a_suggestion() -> None:
    with pytest.raises(ProblemError, match='did you mean "card"'):
        parse_unit("GiB/crad")


def test_products_of_units_need_no_registry() -> None:
    per_card = parse_unit("GiB/card")
    assert multiply(per_card, parse_unit("card")).same_as(parse_unit("GiB"))
    assert divide(per_card, per_card).dimension == ()
    assert multiply(parse_unit("ratio"), per_card).symbol == "GiB/card"
    assert root(parse_unit("GB^2")).symbol == "GB"  # type: ignore[union-attr]
    assert root(parse_unit("GB")) is None
    assert raised(parse_unit("hour"), -2).same_as(parse_unit("ratio/hour^2"))
    assert parse_unit(divide(parse_unit("ratio"), parse_unit("hour")).symbol).same_as(
        parse_unit("ratio/hour")
    )


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("50 GB", "GB", 50),
        ("500 MB", "GB", 0.5),
        ("1 GiB", "MiB", 1024),
        ("5 Mbit/s", "Mbit/second", 5),
        ("1 Gbps", "Mbit/second", 1000),
        ("35 %", "ratio", 0.35),
        ("35%", "percent", 35),
        ("CNY 20000", "CNY", 20000),
        ("¥20000", "CNY", 20000),
        ("20000元", "CNY", 20000),
        ("$2.5/h", "USD/hour", 2.5),
        ("2 weeks", "day", 14),
        ("24 GiB", "GiB/card", 24),
        ("24 GiB per card", "GiB/card", 24),
        ("7 billion", "billion", 7),
        ("1e9", "count", 1e9),
        ("12", "GiB/card", 12),
        ("-3.5 ms", "second", -0.0035),
    ],
)
def test_quantities_convert(text: str, unit: str, value: float) -> None:
    assert convert(text, parse_unit(unit)) == value


@pytest.mark.parametrize(
    ("text", "unit", "code"),
    [
        ("50 GB", "hour", "E122"),
        ("24 GiB/node", "GiB/card", "E122"),
        ("CNY 20000", "USD", "E122"),
        ("50 GX", "GB", "E121"),
        ("50 Gb", "GB", "E121"),
        ("50 Mb/s", "Mbit/second", "E121"),
        ("５０ GB", "GB", "E120"),
        ("٥٠ GB", "GB", "E120"),
        ("20,000 GB", "GB", "E120"),
        ("much", "GB", "E120"),
        ("", "GB", "E120"),
        ("nan GB", "GB", "E120"),
    ],
)
def test_other_texts_are_refused(text: str, unit: str, code: str) -> None:
    with pytest.raises(ProblemError) as caught:
        convert(text, parse_unit(unit))
    assert caught.value.problems[0].code == code


def test_the_door_can_see_which_unit_was_written() -> None:
    quantity = read_quantity("CNY 20000")
    assert (quantity.value, quantity.unit.symbol, quantity.named) == (20000, "CNY", True)


def test_the_shipped_table_is_the_registry_s() -> None:
    shipped = Path(engine.language.__file__).with_name("unit_table.json")
    assert shipped.read_text(encoding="utf-8") == table_text()


WORDS = st.sampled_from(NAMES)
POWERS = st.sampled_from(["", "", "^2", "^-1", "^3"])


@given(
    st.tuples(WORDS, POWERS).map("".join),
    st.lists(st.tuples(st.sampled_from("*/"), WORDS, POWERS).map("".join), max_size=4),
)
def test_units_are_what_pint_makes_of_them(first: str, more: list[str]) -> None:
    text = first + "".join(more)
    ours, theirs = parse_unit(text), by_registry(text)
    assert ours.dimension == theirs.dimension
    assert math.isclose(ours.scale, theirs.scale, rel_tol=1e-12)


def test_a_ratio_of_units_is_exact_where_it_can_be() -> None:
    assert parse_unit("TFLOP/GFLOP").scale == 1000


def test_quantities_and_rendering_need_neither_pint_nor_lark() -> None:
    code = (
        "import sys, engine.language.quantity as q, engine.language.render, engine.language.check\n"
        "assert q.read_quantity('50 GB').value == 50\n"
        "assert not {'pint', 'lark'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
