"""Which rows of a decision table can hold, as bit sets.

Per input one CASE gives the set of rows that accept the value; the sets of all inputs are
and-ed. Two sets come out: `yes` (every cell true) and `possible` (no cell false); they differ
only where something is unknown. Rows beyond one word continue in the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.language import tree
from engine.targets.sql_expressions import Emitter
from engine.targets.sql_text import Sql, by_cuts, literal, made_of, number_text

WORD = 62

Constant = float | bool | str


@dataclass(frozen=True, slots=True)
class Masks:
    """One text per word; `possible` is `yes` itself when nothing can be unknown."""

    yes: tuple[Sql, ...]
    possible: tuple[Sql, ...]
    count: int

    @property
    def exact(self) -> bool:
        return self.yes == self.possible


def words(rows: int, count: int) -> list[int]:
    """A set of rows (an integer with a bit per row) cut into words."""
    return [rows >> start & (1 << WORD) - 1 for start in range(0, max(count, 1), WORD)]


def bit(row: int) -> int:
    return 1 << row


def row_masks(
    emitter: Emitter, inputs: Sequence[tree.Node], cells: Sequence[Sequence[tree.Cell]]
) -> Masks:
    """The masks of rows `cells` (one cell per input), as columns that may be repeated."""
    count = len(cells)
    everything = bit(count) - 1
    columns = []
    for index, node in enumerate(inputs):
        column = [row[index] for row in cells]
        if any(cell.tests for cell in column):
            columns.append(_Column(emitter, emitter.emit(node), column))
    frame = emitter.context.frame
    yes, possible = [], []
    for number, full in enumerate(words(everything, count)):
        pairs = [column.masks(number) for column in columns]
        held = _all([pair[0] for pair in pairs], full)
        open_ = _all([pair[1] for pair in pairs], full)
        yes.append(frame.let(held))
        possible.append(frame.let(open_))
    return Masks(tuple(yes), tuple(possible), count)


def _all(parts: Sequence[Sql], full: int) -> Sql:
    if not parts:
        return Sql(str(full), literal=True)
    if len(parts) == 1:
        return parts[0]
    return made_of("(" + " & ".join(part.text for part in parts) + ")", parts)


class _Column:
    """One input and its cells: rows of constants by CASE, other rows test by test."""

    def __init__(self, emitter: Emitter, subject: Sql, cells: Sequence[tree.Cell]) -> None:
        self.frame = emitter.context.frame
        self.count = len(cells)
        self.subject = self.frame.let(subject)
        self.cells = cells
        self.dash = sum(bit(row) for row, cell in enumerate(cells) if not cell.tests)
        self.fixed = {row: cell for row, cell in enumerate(cells) if _is_fixed(cell)}
        # Rows with the same test share its mask.
        self.tests: dict[str, tuple[Sql, int]] = {}
        for row, cell in enumerate(cells):
            if cell.tests and row not in self.fixed:
                test = emitter.cell(cell, self.subject)
                known = self.tests.get(test.text, (test, 0))
                self.tests[test.text] = (known[0], known[1] | bit(row))

    def masks(self, word: int) -> tuple[Sql, Sql]:
        """`yes` and `possible` of one word."""
        yes = [self._fixed_mask(word)]
        if self.subject.nullable:
            yes[0] = self.frame.let(yes[0])
        possible = [self._possible(yes[0], word)]
        for test, rows in self.tests.values():
            mask = words(rows, self.count)[word]
            if not mask:
                continue
            held = self.frame.let(test) if test.nullable else test
            yes.append(_case(f"CASE WHEN {held.text} THEN {mask} ELSE 0 END", held))
            if test.nullable:
                held = _case(f"CASE WHEN NOT {held.text} THEN 0 ELSE {mask} END", held)
                possible.append(held)
            else:
                possible.append(yes[-1])
        return _any(yes), _any(possible)

    def _fixed_mask(self, word: int) -> Sql:
        """The rows of this word whose constant cell accepts the subject, and the dash rows."""
        dash = str(words(self.dash, self.count)[word])
        leaves, text = self._leaves(word)
        if len(set(leaves)) == 1 and (not self.subject.nullable or leaves[0] == dash):
            return Sql(leaves[0], literal=True)
        if self.subject.nullable:
            text = f"CASE WHEN {self.subject.text} IS NOT NULL THEN {text} ELSE {dash} END"
        return _case(text, self.subject)

    def _leaves(self, word: int) -> tuple[list[str], str]:
        """The masks a known subject can give, and the text that picks one."""
        constants = _constants(self.fixed.values())
        subject = self.subject.text

        def mask(place: int | Constant) -> str:
            rows = sum(bit(row) for row, cell in self.fixed.items() if _accepts(cell, place))
            return str(words(rows | self.dash, self.count)[word])

        if constants and isinstance(constants[0], bool):
            yes, no = mask(True), mask(False)
            return [yes, no], f"CASE WHEN {subject} THEN {yes} ELSE {no} END"
        if constants and isinstance(constants[0], str):
            # A text no cell names: the rows of negated cells accept it.
            rest = mask("".join(str(value) for value in constants) + "?")
            named = [(str(value), mask(value)) for value in constants]
            named = [(value, rows) for value, rows in named if rows != rest]
            cases = "".join(f" WHEN {literal(value).text} THEN {rows}" for value, rows in named)
            text = f"CASE {subject}{cases} ELSE {rest} END" if cases else rest
            return [rest, *(rows for _, rows in named)], text
        numbers = sorted(float(value) for value in constants)
        leaves, cuts = [_at(self, numbers, 0, word)], []
        for place in range(1, 2 * len(numbers) + 1):
            leaf = _at(self, numbers, place, word)
            if leaf != leaves[-1]:
                leaves.append(leaf)
                # Odd places are the constants themselves, even ones the gaps between.
                operator = "<" if place % 2 else "<="
                cuts.append(f"{operator} {number_text(numbers[(place - 1) // 2])}")
        return leaves, by_cuts(subject, cuts, leaves)

    def _possible(self, yes: Sql, word: int) -> Sql:
        """An unknown subject rules out no row of this part."""
        rows = self.dash | sum(bit(row) for row in self.fixed)
        full = words(rows, self.count)[word]
        if not self.subject.nullable or yes.text == str(full):
            return yes
        text = f"CASE WHEN {self.subject.text} IS NULL THEN {full} ELSE {yes.text} END"
        return _case(text, self.subject, yes)


def _at(column: _Column, numbers: list[float], place: int, word: int) -> str:
    """The mask at a place of the number line: 0 below the first constant, 1 on it, 2 above…"""
    rows = sum(bit(row) for row, cell in column.fixed.items() if _covers(cell, numbers, place))
    return str(words(rows | column.dash, column.count)[word])


def _is_fixed(cell: tree.Cell) -> bool:
    """Has it tests, against constants only?"""
    return bool(cell.tests) and all(
        isinstance(test.low, tree.Literal)
        and (test.high is None or isinstance(test.high, tree.Literal))
        for test in cell.tests
    )


def _constants(cells: object) -> list[Constant]:
    found: dict[Constant, None] = {}
    for cell in cells:  # type: ignore[attr-defined]
        for test in cell.tests:
            for node in (test.low, test.high):
                if isinstance(node, tree.Literal):
                    value = node.value
                    found[value if isinstance(value, (bool, str)) else float(value) + 0.0] = None
    return list(found)


def _accepts(cell: tree.Cell, value: Constant) -> bool:
    held = any(
        isinstance(test.low, tree.Literal) and test.low.value == value for test in cell.tests
    )
    return held != cell.negated


def _covers(cell: tree.Cell, numbers: list[float], place: int) -> bool:
    held = any(_test_covers(test, numbers, place) for test in cell.tests)
    return held != cell.negated


def _test_covers(test: tree.Test, numbers: list[float], place: int) -> bool:
    low = _place(test.low, numbers)
    if test.kind == "equals":
        return place == low
    if test.kind == "compare":
        return {
            "<": place < low, "<=": place <= low, ">": place > low, ">=": place >= low,
        }[test.operator]  # fmt: skip
    assert test.high is not None
    high = _place(test.high, numbers)
    above = place > low if test.low_open else place >= low
    return above and (place < high if test.high_open else place <= high)


def _place(node: tree.Node, numbers: list[float]) -> int:
    assert isinstance(node, tree.Literal)
    return 2 * numbers.index(float(node.value)) + 1


def _case(text: str, *parts: Sql) -> Sql:
    """A mask made by CASE: never NULL."""
    return made_of(text, parts, nullable=False)


def _any(parts: list[Sql]) -> Sql:
    kept = [part for part in parts if part.text != "0"] or parts[:1]
    if len(kept) == 1:
        return kept[0]
    return made_of("(" + " | ".join(part.text for part in kept) + ")", kept)
