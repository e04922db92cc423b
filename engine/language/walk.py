"""Walking over trees."""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.frozen import field_names
from engine.language.tree import Node

_ABOUT = ("type", "position")
_CONTENTS: dict[type[Node], tuple[str, ...]] = {}


def content_fields(kind: type[Node]) -> tuple[str, ...]:
    """The fields that make up a kind of node: all but those that say something about it."""
    found = _CONTENTS.get(kind)
    if found is None:
        names = field_names(kind)
        found = _CONTENTS[kind] = tuple(name for name in names if name not in _ABOUT)
    return found


def children(node: Node) -> Iterator[Node]:
    """The nodes directly inside a node, in reading order (tests and cells are nodes too)."""
    for name in content_fields(type(node)):
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
