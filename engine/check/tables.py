"""Proofs about one decision table or advice table.

B201 a gap                       B204 a row no value can match
B202 rows overlap                B205 an `otherwise` that is never used (a warning)
B203 a row that never answers    B206 too complicated to prove
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.book.model import Row, Table, Unknown
from engine.check.axes import Atom, NotAbove, TooManyAtomsError, axis
from engine.check.sweep import Sweep, TooManyStepsError, common_witness, overlaps
from engine.language.problems import Position, Problem
from engine.language.render import render, render_cell
from engine.language.tree import Cell, Node


def check_table(owner: str, table: Table, position: Position, not_above: NotAbove) -> list[Problem]:
    """Every finding about the rows of a decision table, with a profile that shows it."""
    cells = [row.when for row in table.rows]
    axes = _axes(owner, table.inputs, cells, position, not_above)
    if isinstance(axes, Problem):
        return [axes]
    problems = _impossible(owner, table.inputs, table.rows, axes)
    dead = {row for row, _ in problems}
    found = [problem for _, problem in problems]
    try:
        if table.hit == "first":
            found += _first(owner, table, axes, dead, position)
        elif table.hit != "collect":
            if table.hit in ("unique", "any"):
                found += _overlapping(owner, table, axes)
            sweep = Sweep(axes, len(table.rows))
            found += _totality(owner, table, sweep, sweep.answers(), position)
    except TooManyStepsError:
        found.append(_too_complicated(owner, position))
    return found


def check_rows(
    owner: str, inputs: tuple[Node, ...], rows: Sequence[tuple[tuple[Cell, ...], Position, str]],
    position: Position, not_above: NotAbove,
) -> list[Problem]:  # fmt: skip
    """Rows of an advice table: each can match something. `rows`: cells, position, id."""
    axes = _axes(owner, inputs, [cells for cells, _, _ in rows], position, not_above)
    if isinstance(axes, Problem):
        return [axes]
    listed = [Row(name, cells, Unknown(), position=where) for cells, where, name in rows]
    return [problem for _, problem in _impossible(owner, inputs, listed, axes)]


def profile_words(inputs: Sequence[Node], witness: Sequence[str]) -> str:
    """`model.layers = 3, urgent = true`; inputs without a word can be anything."""
    pairs = [f"{render(node, short=True)} {words}" for node, words in zip(inputs, witness)]  # noqa: B905
    return ", ".join(pairs) or "any input"


def _axes(
    owner: str,
    inputs: Sequence[Node],
    rows: Sequence[tuple[Cell, ...]],
    position: Position,
    not_above: NotAbove,
) -> list[list[Atom]] | Problem:
    try:
        return [
            axis(subject, [cells[column] for cells in rows], not_above)
            for column, subject in enumerate(inputs)
        ]
    except TooManyAtomsError:
        return _too_complicated(owner, position)


def _too_complicated(owner: str, position: Position) -> Problem:
    return Problem(
        "B206", f"the rows of {owner} cut its inputs in too many ways to prove", position,
        "a table with fewer overlapping conditions", "split it into two tables",
    )  # fmt: skip


def _impossible(
    owner: str, inputs: Sequence[Node], rows: Sequence[Row], axes: list[list[Atom]]
) -> list[tuple[int, Problem]]:
    found = []
    for index, row in enumerate(rows):
        for column, atoms in enumerate(axes):
            if not any(atom.accepts >> index & 1 for atom in atoms):
                cell, subject = row.when[column], render(inputs[column], short=True)
                where = cell.position if cell.position.line else row.position
                found.append((index, Problem(
                    "B204", f'row "{row.id}" of {owner} can never match: {subject} is never '
                    f"{render_cell(cell, short=True)}", where,
                    "a cell that some value of the input meets",
                    f"the input lies within {_domain_words(inputs[column])}",
                )))  # fmt: skip
                break
    return found


def _domain_words(node: Node) -> str:
    kind = node.type
    if kind is None or kind.kind == "boolean":
        return "true, false"
    if kind.kind == "number":
        return f"[{kind.low:.12g}, {kind.high:.12g}]"
    return ", ".join(kind.values or ("any text",))


def _first(
    owner: str, table: Table, axes: list[list[Atom]], dead: set[int], position: Position
) -> list[Problem]:
    sweep = Sweep(axes, len(table.rows))
    answers = sweep.answers()
    together = overlaps(axes, len(table.rows))
    found = []
    for index, row in enumerate(table.rows):
        if answers >> index & 1 or index in dead:
            continue
        before = [table.rows[other].id for other in _bits(together[index] & ((1 << index) - 1))]
        found.append(Problem(
            "B203", f'row "{row.id}" of {owner} can never answer: wherever it matches, '
            f"{_listed(before)} comes first", row.position,
            "a row that is the first match somewhere", "move it up, narrow the rows above, or drop "
            "it",
        ))  # fmt: skip
    return found + _totality(owner, table, sweep, answers, position)


def _totality(
    owner: str, table: Table, sweep: Sweep, answers: int, position: Position
) -> list[Problem]:
    if table.otherwise is not None:
        if answers & sweep.gap:
            return []
        return [Problem(
            "B205", f"the otherwise of {owner} is never used: the rows cover every input",
            table.otherwise.position if table.otherwise.position.line else position,
            "no otherwise", "drop it, so that a new value is noticed", severity="warning",
        )]  # fmt: skip
    if not answers & sweep.gap:
        return []
    witness = profile_words(table.inputs, sweep.gap_witness())
    return [Problem(
        "B201", f"no row of {owner} matches {witness}", position, "an answer for every input",
        "add a row for it, or an otherwise",
    )]  # fmt: skip


def _overlapping(owner: str, table: Table, axes: list[list[Atom]]) -> list[Problem]:
    found = []
    for first, partners in enumerate(overlaps(axes, len(table.rows))):
        for second in _bits(partners >> (first + 1) << (first + 1)):
            one, other = table.rows[first], table.rows[second]
            if table.hit == "any" and _same_outputs(one, other):
                continue
            witness = profile_words(table.inputs, common_witness(axes, first, second))
            rule = "one row for every input" if table.hit == "unique" else "equal outputs there"
            found.append(Problem(
                "B202", f'rows "{one.id}" and "{other.id}" of {owner} both match {witness}',
                other.position, rule, "narrow one of them, or use hit: first",
            ))  # fmt: skip
    return found


def _same_outputs(one: Row, other: Row) -> bool:
    if isinstance(one.then, Unknown) or isinstance(other.then, Unknown):
        return False
    return [render(node) for node in one.then] == [render(node) for node in other.then]


def _bits(mask: int) -> Iterable[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _listed(names: list[str]) -> str:
    quoted = [f'"{name}"' for name in names[:4]]
    more = f" or {len(names) - 4} more" if len(names) > 4 else ""
    return "row " + ", ".join(quoted) + more
