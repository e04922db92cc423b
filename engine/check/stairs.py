"""How the answer of a table, or of a choice, steps where a condition changes."""

from __future__ import annotations

from engine.book.model import Table, Unknown
from engine.check.axes import NotAbove, TooManyAtomsError, axis
from engine.check.compare import at_most
from engine.check.sweep import Sweep, TooManyStepsError
from engine.check.trend import DOWN, MIXED, STILL, UP, Trend
from engine.language.render import render
from engine.language.tree import Node


def step(before: Node, after: Node, not_above: NotAbove) -> int:
    """The ways a value can step when `after` takes the place of `before`."""
    if render(before) == render(after):
        return STILL
    rises = at_most(before, after, not_above)
    falls = at_most(after, before, not_above)
    return (STILL if rises else DOWN) | (STILL if falls else UP)


def staircase(table: Table, output: int, column: int, moved: Trend, not_above: NotAbove) -> Trend:
    """How the answer steps when one input moves through its cuts, the others held."""
    subject = table.inputs[column]
    lost = Trend(MIXED, True, moved.blame or subject)
    ordered = subject.type is not None and subject.type.kind != "text"
    if table.hit not in ("first", "unique", "any") or not ordered or moved.way == MIXED:
        return lost
    results = table.every_row
    try:
        axes = [
            axis(one, [row.when[index] for row in table.rows], not_above)
            for index, one in enumerate(table.inputs)
        ]
        lives = Sweep(axes, len(table.rows)).live_sets(column)
    except (TooManyAtomsError, TooManyStepsError):
        return lost
    pairs: set[tuple[int, int]] = set()
    for live in lives:
        winners = [
            (one.place, _lowest(live & one.accepts, len(table.rows))) for one in axes[column]
        ]
        for place, first in winners:
            for later, second in winners:
                if first != second and all(a <= b for a, b in zip(place, later, strict=True)):
                    pairs.add((first, second))
    way = STILL
    for pair in pairs:
        one, other = (results[index] if index < len(results) else None for index in pair)
        if one is None or other is None:
            continue  # a gap: reported by the proof of totality
        if not isinstance(one.then, Unknown) and not isinstance(other.then, Unknown):
            way |= step(one.then[output], other.then[output], not_above)
    found = Trend(way, True, subject if way == MIXED else None)
    return found.flipped() if moved.way == DOWN else found


def _lowest(mask: int, none: int) -> int:
    return (mask & -mask).bit_length() - 1 if mask else none
