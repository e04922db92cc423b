"""Bit sets of table columns: cut points, codes, words."""

from __future__ import annotations

import math
from bisect import bisect_right

from hypothesis import given
from hypothesis import strategies as st

from engine.language import tree
from engine.targets import masks
from tests.unit.target_books import DASH, compares, equals, flag, num, text

THRESHOLDS = st.sampled_from([-1.0, 0.0, 0.1, 2.0, 2.5, 100.0])


@st.composite
def number_cells(draw: st.DrawFn) -> tree.Cell:
    kind = draw(st.sampled_from(["dash", "equals", "compare", "range"]))
    low, high = draw(THRESHOLDS), draw(THRESHOLDS)
    negated = draw(st.booleans())
    if kind == "dash":
        return DASH
    if kind == "equals":
        return equals(num(low), num(high), negated=negated)
    if kind == "compare":
        return compares(draw(st.sampled_from(["<", "<=", ">", ">="])), num(low))
    opens = draw(st.tuples(st.booleans(), st.booleans()))
    return tree.Cell((tree.Test("range", num(low), "", num(high), *opens),), negated)


@given(st.lists(number_cells(), min_size=1, max_size=8), THRESHOLDS, st.integers(-1, 1))
def test_regions_hold_exactly_the_rows_that_accept_a_number(
    cells: list[tree.Cell], threshold: float, side: int
) -> None:
    value = threshold if side == 0 else math.nextafter(threshold, side * math.inf)
    column = masks.column(cells, "number")
    rows = column.regions[bisect_right(column.cuts, value)]
    expected = sum(
        1 << place
        for place, cell in enumerate(cells)
        if not cell.tests or masks.accepts(cell, value)
    )
    assert rows == expected
    assert list(column.cuts) == sorted(set(column.cuts))


def test_codes_of_texts_and_booleans() -> None:
    cells = [equals(text("a"), text("b")), DASH, equals(text("a"), negated=True)]
    column = masks.column(cells, "text")
    assert dict(column.codes) == {"a": 0b011, "b": 0b111}
    assert (column.others, column.dash) == (0b110, 0b010)
    flags = masks.column([equals(flag(True)), DASH], "boolean")
    assert dict(flags.codes) == {False: 0b10, True: 0b11}


def test_cells_with_more_than_literals_are_tested_one_by_one() -> None:
    limit = tree.Parameter("limit")
    column = masks.column([compares("<", limit), compares("<", num(3.0)), DASH], "number")
    assert column.tested == (0,)
    assert column.regions == (0b110, 0b100)


def test_words_of_31_bits_hold_all_rows() -> None:
    mask = (1 << 100) - 1 - (1 << 40)
    parts = masks.words(mask, 31, 4)
    assert all(0 <= part < 1 << 31 for part in parts)
    assert sum(part << (31 * place) for place, part in enumerate(parts)) == mask
