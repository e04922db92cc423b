"""Rankings: the order of a relation's kept rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.book.model import Ranking, Relation
from engine.language.frozen import frozen
from engine.reference.expressions import evaluate
from engine.reference.relations import RelationRow
from engine.reference.values import Answer, UnknownValue


@frozen
class Ranked:
    """Row numbers of the kept rows in order, of the undecided rows, and the Pareto flags.

    `pareto` has one flag per ordered row, or none when the ranking declares no axes.
    """

    order: tuple[int, ...]
    undecided: tuple[int, ...]
    pareto: tuple[bool, ...]


def rank(ranking: Ranking, relation: Relation, rows: Sequence[RelationRow]) -> Ranked:
    """The order of `rows`; a row whose `keep` is unknown is undecided."""
    kept, undecided = [], []
    for number, row in enumerate(rows):
        keep: Answer = True if ranking.keep is None else evaluate(ranking.keep, row.scope())
        if isinstance(keep, UnknownValue):
            undecided.append(number)
        elif keep:
            kept.append(number)
    # Sorting is stable: the last criterion first.
    for node in reversed(relation.key):
        kept = _sorted(kept, {number: evaluate(node, rows[number].scope()) for number in kept})
    for node, descending in reversed(ranking.by):
        values = {number: evaluate(node, rows[number].scope()) for number in kept}
        kept = _sorted(kept, values, descending)
    return Ranked(tuple(kept), tuple(undecided), _pareto(ranking, rows, kept))


def undecided_because(
    ranking: Ranking, ranked: Ranked, rows: Sequence[RelationRow]
) -> list[Answer]:
    """The `keep` of each undecided row."""
    if ranking.keep is None:
        return []
    return [evaluate(ranking.keep, rows[number].scope()) for number in ranked.undecided]


def _sorted(numbers: list[int], values: dict[int, Answer], descending: bool = False) -> list[int]:
    """Stable, unknown last in either direction."""
    known = [number for number in numbers if not isinstance(values[number], UnknownValue)]
    rest = [number for number in numbers if isinstance(values[number], UnknownValue)]
    # reverse=True keeps equal rows in their order.
    known.sort(key=lambda number: values[number], reverse=descending)  # type: ignore[arg-type,return-value]
    return known + rest


def _pareto(ranking: Ranking, rows: Sequence[RelationRow], order: list[int]) -> tuple[bool, ...]:
    if ranking.pareto is None:
        return ()
    points: list[tuple[float, float] | None] = []
    for number in order:
        a, b = (evaluate(node, rows[number].scope()) for node in ranking.pareto)
        known = not isinstance(a, UnknownValue) and not isinstance(b, UnknownValue)
        points.append((a, b) if known else None)  # type: ignore[arg-type]
    # In ascending order a point is on the front when its second axis is below all before it.
    front, lowest = set(), math.inf
    for point in sorted({point for point in points if point is not None}):
        if point[1] < lowest:
            front.add(point)
            lowest = point[1]
    return tuple(point in front for point in points)
