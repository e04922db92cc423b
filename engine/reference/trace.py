"""The explanation of a value as a tree of plain data: what it is, why, and what it read."""

from __future__ import annotations

from typing import Any

from engine.book.model import Text
from engine.language.frozen import field_names, frozen
from engine.reference.near_misses import FailedCell, NearMiss
from engine.reference.tables import TableValue
from engine.reference.values import Answer, Cause, UnknownValue

NO_TEXT = Text()


@frozen
class TraceRow:
    """A table row: `state` won, matched, maybe or lost; `failed` its false cells.

    `doubtful`: numbers of the columns whose cell is unknown. `then`: outputs as written.
    """

    id: str
    state: str
    then: str
    because: Text = NO_TEXT
    source: tuple[str, ...] = ()
    failed: tuple[FailedCell, ...] = ()
    doubtful: tuple[int, ...] = ()


@frozen
class TraceInput:
    text: str
    value: Answer
    unit: str


@frozen
class TraceTable:
    """How a table decided. `winner` "": several rows, or none can be told."""

    hit: str
    inputs: tuple[TraceInput, ...]
    rows: tuple[TraceRow, ...]
    winner: str
    near_misses: tuple[NearMiss, ...] = ()


@frozen
class TraceCurve:
    """The point read of a curve: all its points for the key, and x."""

    key: str
    x: float
    points: tuple[tuple[float, float], ...]
    below: str
    above: str


@frozen
class TraceNode:
    """One value and where it comes from.

    `kind`: decision, column, advice, fact, parameter, cell, field, step, group, lookup, curve,
    ladder, relation (its `value` the number of rows; its children everything its rows depend
    on), ranking, best. `id`: full id, fact path, `table.column`, `relation.column`. `key`: which
    row (keys of catalog rows, row numbers). `origin`: given, derived, default, missing for
    facts; book or override for parameters; assumed. `because` has its placeholders filled in.
    `formula` as written, `numbers` with values put in.
    """

    kind: str
    id: str
    value: TableValue
    title: Text = NO_TEXT
    output: str = ""
    key: str = ""
    unit: str = ""
    origin: str = ""
    because: Text = NO_TEXT
    source: tuple[str, ...] = ()
    basis: str = ""
    formula: str = ""
    numbers: str = ""
    table: TraceTable | None = None
    curve: TraceCurve | None = None
    children: tuple[TraceNode, ...] = ()

    @property
    def causes(self) -> tuple[Cause, ...]:
        return self.value.causes if isinstance(self.value, UnknownValue) else ()

    def to_dict(self, depth: int = 1000) -> dict[str, Any]:
        """Plain data for JSON. A node met again has `repeated` and no children.

        Below `depth` levels a node has only `more`, the number of its children.
        """
        return _plain_node(self, set(), depth)


def _plain_node(node: TraceNode, seen: set[int], depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name in field_names(type(node)):
        value = getattr(node, name)
        if name == "children":
            continue
        if value not in ("", (), None, NO_TEXT) or name == "value":
            result[name] = _plain(value)
    if node.causes:
        result["causes"] = _plain(node.causes)
    if id(node) in seen and node.children:
        return {**result, "repeated": True}
    if depth <= 0 and node.children:
        return {**result, "more": len(node.children)}
    seen.add(id(node))
    if node.children:
        result["children"] = [_plain_node(child, seen, depth - 1) for child in node.children]
    return result


def _plain(value: Any) -> Any:
    if isinstance(value, UnknownValue):
        return None
    if isinstance(value, Text):
        return {"en": value.en, "zh": value.zh}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in field_names(type(value))}
    return value
