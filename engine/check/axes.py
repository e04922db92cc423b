"""One column of a decision table, cut where its cells cut it.

An axis is a list of atoms: sets of values that no cell of the column tells apart, each with the
rows that accept it. Where a cell compares with a parameter the cut can lie anywhere in the
parameter's range; an atom then also says on which side of each such cut it lies, and atoms
that contradict the parameters' ranges or declared order are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from engine.check.numbers import nice_number
from engine.language.intervals import above, below
from engine.language.render import number_text, render, render_cell
from engine.language.tree import Cell, Literal, Node, Parameter, Test
from engine.language.types import Type

# Is parameter a never above parameter b (as declared)?
NotAbove = Callable[[str, str], bool]

MOST_ATOMS = 50_000


@dataclass(frozen=True, slots=True)
class Atom:
    """`accepts`: the rows, as bits. `place`: (literal position, sign against each other cut).

    Two atoms of a numeric axis are in order when their places are, part by part.
    """

    accepts: int
    words: Callable[[], str]
    place: tuple[int, ...] = ()

    @property
    def witness(self) -> str:
        """A value in the atom, as `= 5`; made when asked for, as most never are."""
        return self.words()


class TooManyAtomsError(Exception):
    """The cells of a column cut it into more pieces than can be enumerated."""


def axis(subject: Node, cells: Sequence[Cell], not_above: NotAbove) -> list[Atom]:
    """The atoms of a column, in ascending order where its subject is a number.

    Raises TooManyAtomsError.
    """
    kind = subject.type
    assert kind is not None
    make = _numbers if kind.kind == "number" else _words
    atoms: list[Atom] = []
    for atom in make(kind, cells, not_above):
        atoms.append(atom)
        if len(atoms) > MOST_ATOMS:
            raise TooManyAtomsError
    return atoms


# ---------------------------------------------------------------- numbers


@dataclass(frozen=True, slots=True)
class _Cut:
    """A bound that is not a literal: where it can lie."""

    text: str
    low: float
    high: float
    parameter: str


def _numbers(kind: Type, cells: Sequence[Cell], not_above: NotAbove) -> Iterator[Atom]:
    literals = sorted({bound.value for bound in _bounds(cells) if isinstance(bound, Literal)})
    cuts = list({cut.text: cut for cut in map(_cut, _bounds(cells)) if cut is not None}.values())
    order = [
        (i, j)
        for i, first in enumerate(cuts)
        for j, second in enumerate(cuts)
        if i != j and _ordered(first, second, not_above)
    ]
    positions = {value: 2 * index + 1 for index, value in enumerate(literals)}
    indices = {cut.text: index for index, cut in enumerate(cuts)}

    def place(bound: Node) -> _Side:
        if isinstance(bound, Literal):
            at = positions[bound.value]
            return lambda position, _: (position > at) - (position < at)
        index = indices[render(bound)]
        return lambda _, signs: signs[index]

    compiled = [(rows, _compiled(cell, place)) for cell, rows in _rows_by_cell(cells)]
    for position, low, high in _regions(kind, [float(value) for value in literals]):
        for signs, inner_low, inner_high in _sides(cuts, low, high, kind.integer, order):
            accepts = 0
            for rows, test in compiled:
                if test(position, signs):
                    accepts |= rows
            words = partial(_number_words, kind, cuts, signs, inner_low, inner_high)
            yield Atom(accepts, words, (position, *signs))


# On which side of a bound an atom lies (-1, 0, 1), from its position and signs.
_Side = Callable[[int, tuple[int, ...]], int]
_Holds = Callable[[int, tuple[int, ...]], bool]


def _rows_by_cell(cells: Sequence[Cell]) -> list[tuple[Cell, int]]:
    """Each different cell once, with the rows that hold it as bits."""
    found: dict[str, tuple[Cell, int]] = {}
    for row, cell in enumerate(cells):
        text = render_cell(cell)
        rows = found[text][1] if text in found else 0
        found[text] = (cell, rows | 1 << row)
    return list(found.values())


def _compiled(cell: Cell, place: Callable[[Node], _Side]) -> _Holds:
    if not cell.tests:
        return lambda position, signs: True
    tests = [_test(test, place) for test in cell.tests]
    if len(tests) == 1 and not cell.negated:
        return tests[0]
    return lambda position, signs: any(test(position, signs) for test in tests) != cell.negated


def _test(test: Test, place: Callable[[Node], _Side]) -> _Holds:
    low = place(test.low)
    if test.kind == "equals":
        return lambda position, signs: low(position, signs) == 0
    if test.kind == "range":
        assert test.high is not None
        high = place(test.high)
        # Whole sides: strictly inside is at least 1, on a closed end at least 0.
        least, most = int(test.low_open), -int(test.high_open)
        return lambda position, signs: (
            low(position, signs) >= least and high(position, signs) <= most
        )
    wanted = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}[test.operator]
    return lambda position, signs: low(position, signs) in wanted


def _bounds(cells: Sequence[Cell]) -> Iterator[Node]:
    for cell in cells:
        for test in cell.tests:
            yield test.low
            if test.high is not None:
                yield test.high


def _cut(bound: Node) -> _Cut | None:
    if isinstance(bound, Literal):
        return None
    assert bound.type is not None
    name = bound.id if isinstance(bound, Parameter) else ""
    return _Cut(render(bound), bound.type.low, bound.type.high, name)


def _ordered(first: _Cut, second: _Cut, not_above: NotAbove) -> bool:
    if first.high <= second.low:
        return True
    return bool(first.parameter and second.parameter) and not_above(
        first.parameter, second.parameter
    )


def _regions(kind: Type, literals: list[float]) -> Iterator[tuple[int, float, float]]:
    """Between and at the literals, within the type: position and closed ends. Odd: at one."""
    start = kind.low
    for index, value in enumerate(literals):
        end = min(below(value, strict=True, integer=kind.integer), kind.high)
        if start <= end:
            yield 2 * index, start, end
        if kind.low <= value <= kind.high and (not kind.integer or value.is_integer()):
            yield 2 * index + 1, value, value
        start = max(kind.low, above(value, strict=True, integer=kind.integer))
    if start <= kind.high:
        yield 2 * len(literals), start, kind.high


def _sides(
    cuts: list[_Cut], low: float, high: float, integer: bool, order: list[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], float, float]]:
    """Every consistent choice of below (-1), at (0), above (1) each cut, with what is left."""
    waiting: list[tuple[tuple[int, ...], float, float]] = [((), low, high)]
    while waiting:
        signs, low, high = waiting.pop()
        if len(signs) == len(cuts):
            yield signs, low, high
            continue
        cut = cuts[len(signs)]
        choices = (
            (1, max(low, above(cut.low, strict=True, integer=integer)), high),
            (0, max(low, above(cut.low, strict=False, integer=integer)),
             min(high, below(cut.high, strict=False, integer=integer))),
            (-1, low, min(high, below(cut.high, strict=True, integer=integer))),
        )  # fmt: skip
        for sign, inner_low, inner_high in choices:
            chosen = (*signs, sign)
            if inner_low <= inner_high and _consistent(chosen, order):
                waiting.append((chosen, inner_low, inner_high))


def _consistent(signs: tuple[int, ...], order: list[tuple[int, int]]) -> bool:
    # A value lies at least as far above the lower cut as above the higher one.
    known = len(signs)
    return all(signs[i] >= signs[j] for i, j in order if i < known and j < known)


def _number_words(
    kind: Type, cuts: list[_Cut], signs: tuple[int, ...], low: float, high: float
) -> str:
    if not cuts:
        return f"= {number_text(nice_number(low, high, integer=kind.integer))}"
    words = [f"{'<=>'[sign + 1]} {cut.text}" for cut, sign in zip(cuts, signs, strict=True)]
    value = number_text(nice_number(low, high, integer=kind.integer))
    return " and ".join(words) + f" (for example {value})"


# ---------------------------------------------------------------- booleans and texts


def _words(kind: Type, cells: Sequence[Cell], not_above: NotAbove) -> Iterator[Atom]:
    literals = [bound.value for bound in _bounds(cells) if isinstance(bound, Literal)]
    values: list[float | bool | str | None]
    if kind.kind == "boolean":
        values = [False, True]
    elif kind.values is not None:
        values = list(kind.values)
    else:
        values = [*dict.fromkeys(literals), None]  # None: any other text
    others = list({render(b): b for b in _bounds(cells) if not isinstance(b, Literal)}.items())
    listed = _rows_by_cell(cells)
    for index, value in enumerate(values):
        for equal in _equalities(value, [bound for _, bound in others]):
            sides = {text: same for (text, _), same in zip(others, equal, strict=True)}
            accepts = 0
            for cell, rows in listed:
                if _matches(cell, value, sides):
                    accepts |= rows
            yield Atom(accepts, partial(_text_words, value, sides), (index,))


def _text_words(value: float | bool | str | None, sides: dict[str, bool]) -> str:
    first = "= another text" if value is None else f"= {_value_words(value)}"
    named = [f"{'=' if same else '!='} {text}" for text, same in sides.items()]
    return " and ".join([first, *named])


def _equalities(value: float | bool | str | None, bounds: list[Node]) -> Iterator[tuple[bool, ...]]:
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        chosen = waiting.pop()
        if len(chosen) == len(bounds):
            yield chosen
            continue
        kind = bounds[len(chosen)].type
        closed = kind.values if kind is not None else None
        if closed is None or value is None or closed != (value,):
            waiting.append((*chosen, False))
        if closed is None or value is None or value in closed:
            waiting.append((*chosen, True))


def _matches(cell: Cell, value: float | bool | str | None, sides: dict[str, bool]) -> bool:
    if not cell.tests:
        return True
    hit = any(
        test.low.value == value if isinstance(test.low, Literal) else sides[render(test.low)]
        for test in cell.tests
    )
    return hit != cell.negated


def _value_words(value: float | bool | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
