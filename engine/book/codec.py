"""Books and catalogs as plain data, generic over their frozen dataclasses.

A dataclass is an array: its number in `CLASSES`, then its fields with trailing defaults left
out. 0 leads a tuple, -1 a list; a mapping is one of texts; -2 stands for infinities. Types are kept
once, each on a line of its own, and referred to by number; a position is one whole number. What
most runs never read stands on a line of its own, its number in its place: examples, and of records
inside others all but the fields of `AT_HAND` (-3, the line, then those). `encoder` writes,
`decoder` reads.
"""

from __future__ import annotations

from typing import Any

from engine.book import model
from engine.language import tree, types
from engine.language.frozen import described, frozen

# The order is the format: change `FORMAT` in `compiled` when a class or its fields change.
CLASSES: tuple[type, ...] = (
    tree.Literal, tree.Name, tree.Fact, tree.Parameter, tree.DecisionValue, tree.Column,
    tree.Negate, tree.Not, tree.Arithmetic, tree.Comparison, tree.And, tree.Or, tree.If, tree.Call,
    tree.Power, tree.RoundHalfUp, tree.Interpolate, tree.FirstAtLeast, tree.Lookup, tree.Aggregate,
    tree.Best, tree.Test, tree.Cell, tree.In,
    model.Text, model.Unknown, model.Field, model.Fact, model.Parameter, model.Formula, model.Row,
    model.Output, model.Table, model.Curve, model.Example, model.Decision, model.Source,
    model.RelationColumn, model.Relation, model.Ranking, model.AdviceRow, model.Advice,
    model.TableColumn, model.TableSchema, model.TableData,
    types.Unit,
)  # fmt: skip
TUPLE, LIST, INFINITE, IN_PARTS = 0, -1, -2, -3
# Of a column and of a row of advice, what is asked of all of them to find the few that matter.
AT_HAND: dict[type, tuple[str, ...]] = {
    model.Decision: ("id", "type"),
    model.AdviceRow: ("id",),
}
# How many leading fields of a record every run asks for; of a node all but type and position. The
# others are decoded each when it is read.
ASKED_FOR: dict[type, int] = {
    model.Fact: 1,
    model.Parameter: 2,
    model.Decision: 1,
    model.Row: 1,
    model.Table: 1,
    model.Output: 1,
    model.TableColumn: 1,
}
EXAMPLES = "tuple[Example, ...]"
FIRST = 1  # the number of the first class
LINE_BITS, COLUMN_BITS = 24, 16  # of a position, after the number of the file


@frozen
class Shape:
    """How a class is written: its fields in order, which hold a type or position, defaults."""

    made: type
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    defaults: tuple[Any, ...]
    slots: tuple[tuple[Any, str, Any], ...]  # how to fill a slot, its kind, its default
    places: dict[str, int]  # of the names


def shape(made: type, at_hand: bool | None = None) -> Shape:
    """`at_hand`: only the fields of `AT_HAND`, or only the others."""
    fields = described(made)
    if at_hand is not None:
        fields = [one for one in fields if (one[0] in AT_HAND[made]) is at_hand]
    ordered = [one for one in fields if not one[3]] + [one for one in fields if one[3]]
    names = tuple(name for name, _, _, _ in ordered)
    written = [annotation.removesuffix(" | None") for _, annotation, _, _ in ordered]
    kinds = tuple(kind if kind in ("Type", "Position", EXAMPLES) else "" for kind in written)
    defaults = tuple(default for _, _, default, _ in ordered)
    places = {name: place for place, name in enumerate(names)}
    fills = [getattr(made, name).__set__ for name in names]
    return Shape(
        made, names, kinds, defaults, tuple(zip(fills, kinds, defaults, strict=True)), places
    )


def divided(made: type) -> tuple[Shape, Shape]:
    """Of a class in `AT_HAND`: what is at hand, and the rest."""
    return shape(made, True), shape(made, False)
