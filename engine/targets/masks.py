"""Bit sets of decision tables: which rows accept which values of a column.

Bit i stands for row i. Numbers are split at cut points: region k holds the values x with
cuts[k-1] <= x < cuts[k]; an open bound is the next binary64. Cells that hold more than literals
have no bit here and are tested one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.language import tree
from engine.language.tree import Value


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `dash`: rows that accept anything, a missing value too. `tested`: rows to be tested one by
    one. `cuts`, `regions`: of a number (regions has one more). `codes`, `others`: of any other
    value, by value and for values not listed.
    """

    dash: int
    tested: tuple[int, ...]
    cuts: tuple[float, ...] = ()
    regions: tuple[int, ...] = ()
    codes: tuple[tuple[Value, int], ...] = ()
    others: int = 0

    @property
    def literal(self) -> bool:
        """Whether any row has a cell of literals."""
        return len(set(self.regions)) > 1 or bool(self.codes)


def column(cells: Sequence[tree.Cell], kind: str) -> Column:
    """The bit sets of one column's cells, one per row, for inputs of this kind."""
    dash = sum(1 << row for row, cell in enumerate(cells) if not cell.tests)
    tested = tuple(row for row, cell in enumerate(cells) if cell.tests and not is_literal(cell))
    literal = [
        (row, cell) for row, cell in enumerate(cells) if cell.tests and row not in set(tested)
    ]
    values = list(dict.fromkeys(constants(cell for _, cell in literal)))

    def accepting(value: Value | None) -> int:
        return dash | sum(1 << row for row, cell in literal if accepts(cell, value))

    if kind != "number":
        if kind == "boolean":
            codes: list[tuple[Value, int]] = [(v, accepting(v)) for v in (False, True)]
            return Column(dash, tested, codes=tuple(codes) if literal else (), others=dash)
        codes = [(value, accepting(value)) for value in values]
        return Column(dash, tested, codes=tuple(codes), others=accepting(None))
    starts: set[float] = set()
    for value in values:
        starts.update((float(value), math.nextafter(float(value), math.inf)))
    cuts: list[float] = []
    regions = [accepting(-math.inf)]
    for start in sorted(starts):
        rows = accepting(start)
        if rows != regions[-1]:
            cuts.append(start)
            regions.append(rows)
    return Column(dash, tested, cuts=tuple(cuts), regions=tuple(regions))


def is_literal(cell: tree.Cell) -> bool:
    return all(
        isinstance(part, tree.Literal)
        for test in cell.tests
        for part in (test.low, test.high)
        if part is not None
    )


def constants(cells: Iterable[tree.Cell]) -> Iterable[Value]:
    """The literals that cells compare with."""
    for cell in cells:
        for test in cell.tests:
            for part in (test.low, test.high):
                if isinstance(part, tree.Literal):
                    yield part.value


def accepts(cell: tree.Cell, value: Value | None) -> bool:
    """Whether a cell of literals holds on a known value; None: a text no cell names."""
    return any(_holds(test, value) for test in cell.tests) != cell.negated


def _holds(test: tree.Test, value: Value | None) -> bool:
    low = test.low
    assert isinstance(low, tree.Literal)
    if test.kind == "equals":
        return value == low.value
    if value is None:
        return False
    if test.kind == "compare":
        return _compare(float(value), test.operator, float(low.value))
    assert isinstance(test.high, tree.Literal)
    above = _compare(float(value), ">" if test.low_open else ">=", float(low.value))
    return above and _compare(float(value), "<" if test.high_open else "<=", float(test.high.value))


def _compare(left: float, operator: str, right: float) -> bool:
    if operator == "<":
        return left < right
    if operator == "<=":
        return left <= right
    if operator == ">":
        return left > right
    return left >= right


def words(mask: int, bits: int, count: int) -> list[int]:
    """A bit set cut into `count` words of `bits` bits; bits 0: one word holds all."""
    if bits == 0:
        return [mask]
    return [mask >> (bits * word) & ((1 << bits) - 1) for word in range(count)]
