"""The constants that suit the rows together, each row's estimate taken as the product of changes.

Tried one at a time, two constants that make the same rows slower are both raised, and a group
judged by both at once is missed twice over. Here the shifts of the logarithms are added up over
all constants and the sum decides, one constant after the other until none moves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from engine.run.score import Estimate

Row = tuple[str, str, str]  # kind, group, id
Logs = Mapping[Row, float]  # how far above what was measured
HALF = 0.3  # the logarithm at which a row counts half; one that is wrong by far counts little more
ROUNDS = 8


def logs(estimates: Iterable[Estimate]) -> dict[Row, float]:
    return {
        (one.row.kind, one.row.group, one.row.id): math.log(one.expected / one.row.value)
        for one in estimates
    }


def loss(errors: Logs, weights: Mapping[Row, float]) -> float:
    return sum(
        weight * abs(errors[row]) / (abs(errors[row]) + HALF) for row, weight in weights.items()
    )


def weights_of(rows: Iterable[Row], leaving_out: str = "") -> dict[Row, float]:
    """Every group once in its kind, every kind once; nothing of a group that is left out."""
    kept = [row for row in rows if row[1] != leaving_out]
    sizes = Counter(row[:2] for row in kept)
    groups = Counter(kind for kind, _ in sizes)
    return {row: 1 / sizes[row[:2]] / groups[row[0]] for row in kept}


def together(
    tables: Mapping[str, Mapping[float, Logs]], stored: Mapping[str, float], leaving_out: str = ""
) -> dict[str, float]:
    """The value of each constant; the stored one where none is better.

    `tables`: for each constant and each of its values, the errors of the rows it can move, all the
    others as stored.
    """
    errors: dict[Row, float] = {}
    for name, table in tables.items():
        errors.update(table[stored[name]])
    weights = weights_of(errors, leaving_out)
    chosen = {name: stored[name] for name in tables}
    for _ in range(ROUNDS):
        before = dict(chosen)
        for name, table in tables.items():
            found = [(loss(errors, weights), chosen[name], errors)]
            for value in table:
                if value != chosen[name]:
                    moved = shifted(errors, table[chosen[name]], table[value])
                    found.append((loss(moved, weights), value, moved))
            _, chosen[name], errors = min(found, key=lambda one: one[0])
        if chosen == before:
            break
    return chosen


def shifted(errors: Logs, old: Logs, new: Logs) -> dict[Row, float]:
    """The errors with a constant moved from the value of `old` to that of `new`."""
    return {
        row: error + new[row] - old[row] if row in old and row in new else error
        for row, error in errors.items()
    }
