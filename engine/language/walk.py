"""Walking over trees."""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.frozen import field_names
from engine.language.tree import Node

_NOT_NODES = ("type", "position")


_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def _fields(kind: type[Node]) -> tuple[str, ...]:
    found = _FIELDS.get(kind)
    if found is None:
        names = field_names(kind)
        found = _FIELDS[kind] = tuple(name for name in names if name not in _NOT_NODES)
    return found


def children(node: Node) -> Iterator[Node]:
    """The nodes directly inside a node, in reading order (tests and cells are nodes too)."""
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for part in value:
                if isinstance(part, Node):
                    yield part


def walk(node: Node) -> Iterator[Node]:
    """The node and everything inside it, outermost first."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(list(children(current))))


def height(node: Node) -> int:
    """How many levels a tree has; needs no deep call stack itself."""
    level, count = [node], 0
    while level:
        level = [child for parent in level for child in children(parent)]
        count += 1
    return count
