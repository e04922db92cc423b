"""How a value moves when one number rises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.book.names import canonical
from engine.language import tree
from engine.language.tree import Node
from engine.language.walk import children

STILL, UP, DOWN, MIXED = 0, 1, 2, 3  # bit sets: MIXED = UP | DOWN

# Unknown for reasons beyond what they read: a miss, an end that refuses, no row at all.
_UNKNOWN_BY_THEMSELVES = (
    tree.Lookup, tree.Best, tree.FirstAtLeast, tree.Interpolate, tree.Aggregate,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trend:
    """`way`: how the value moves. `gaps`: it may become unknown on the way. `blame`: the first
    term whose movement could not be told."""

    way: int
    gaps: bool = False
    blame: Node | None = None

    def flipped(self) -> Trend:
        way = (self.way & UP) << 1 | (self.way & DOWN) >> 1
        return replace(self, way=way)


HELD = Trend(STILL)


def joined(node: Node, trends: Iterable[Trend]) -> Trend:
    """Moves every part makes, when the value moves with each part."""
    way, gaps, blame = STILL, False, None
    for one in trends:
        way, gaps = way | one.way, gaps or one.gaps
        blame = blame or one.blame
    return Trend(way, gaps, (blame or node) if way == MIXED else None)


def scaled(moved: Trend, factor: Node, node: Node) -> Trend:
    """A moving number times (or over) a factor of known sign."""
    kind = factor.type
    if moved.way == STILL or kind is None or kind.low >= 0:
        return moved
    if kind.high <= 0:
        return moved.flipped()
    return Trend(MIXED, moved.gaps, moved.blame or node)


def mattering(node: tree.Call) -> list[Node]:
    """Arguments of min or max that can ever be the result."""
    kinds = [part.type for part in node.arguments]
    if any(kind is None for kind in kinds):
        return list(node.arguments)
    known = [kind for kind in kinds if kind is not None]
    if node.function == "max":
        floor = max(kind.low for kind in known)
        kept = [p for p, kind in zip(node.arguments, known, strict=True) if kind.high > floor]
    else:
        top = min(kind.high for kind in known)
        kept = [p for p, kind in zip(node.arguments, known, strict=True) if kind.low < top]
    return kept or list(node.arguments)


def open_beside(node: Node, claimed: str) -> bool:
    """May a term be unknown although the claimed number (by its canonical name) is there?"""
    if isinstance(node, (tree.Fact, tree.Parameter, tree.DecisionValue, tree.Column)):
        nullable = node.type is None or node.type.nullable
        return nullable and canonical(node) != claimed
    # A cell's own type says nothing of the values its tests compare with.
    if isinstance(node, (tree.Cell, tree.Test)) or node.type is None or node.type.nullable:
        own = isinstance(node, _UNKNOWN_BY_THEMSELVES)
        return own or any(open_beside(part, claimed) for part in children(node))
    return False
