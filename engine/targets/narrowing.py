"""Which cells of a table still need testing once the rows above have failed.

Rows are tried in order. A row that failed on a single open cell tells that its column has none
of the values of that cell, and so later cells of the column may be certain or impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.book.model import Row
from engine.language import tree
from engine.language.tree import Value
from engine.language.types import Type
from engine.targets import masks


@dataclass(frozen=True, slots=True)
class Step:
    """A row to try: the columns whose cells must be tested, none when it holds for certain."""

    row: Row
    columns: tuple[int, ...]


def steps(rows: Sequence[Row], kinds: dict[int, Type | None]) -> Iterator[Step]:
    """The rows that can answer, in order; `kinds` are the types of the columns in use.

    When the last of them needs no test, one of the rows always answers.
    """
    parts = {index: _parts([row.when[index] for row in rows], kind)
             for index, kind in kinds.items()}  # fmt: skip
    left = {index: (1 << len(values)) - 1 for index, values in parts.items()}
    for row in rows:
        tested = []
        impossible = False
        for index, values in parts.items():
            cell = row.when[index]
            if not cell.tests:
                continue
            if not masks.is_literal(cell):
                tested.append(index)
                continue
            accepted = _accepted(cell, values)
            impossible = impossible or not left[index] & accepted
            if left[index] & ~accepted:
                tested.append(index)
        if impossible:
            continue
        yield Step(row, tuple(tested))
        if not tested:
            return
        (index, *more) = tested
        if not more and masks.is_literal(row.when[index]):
            left[index] &= ~_accepted(row.when[index], parts[index])


def _accepted(cell: tree.Cell, values: Sequence[Value | None]) -> int:
    return sum(1 << place for place, value in enumerate(values) if masks.accepts(cell, value))


def _parts(cells: Sequence[tree.Cell], kind: Type | None) -> tuple[Value | None, ...]:
    """One value for each class of values that no literal cell tells apart; None: any other."""
    if kind is not None and kind.kind == "boolean":
        return (False, True)
    if kind is not None and kind.values is not None:
        return kind.values
    literal = [cell for cell in cells if masks.is_literal(cell)]
    if kind is None or kind.kind == "text":
        return (*dict.fromkeys(masks.constants(literal)), None)
    return (float("-inf"), *masks.column(literal, "number").cuts)
