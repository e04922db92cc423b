"""Walking over trees."""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.frozen import described, field_names
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


_INNER: dict[type[Node], tuple[str, ...]] = {}


def _inner_fields(kind: type[Node]) -> tuple[str, ...]:
    """The fields that hold nodes: of names, literals and facts, which are most nodes, none do."""
    found = _INNER.get(kind)
    if found is None:
        holders = {
            name
            for name, annotation, _, _ in described(kind)
            if any(word in annotation for word in ("Node", "Cell", "Test"))
        }
        found = _INNER[kind] = tuple(name for name in content_fields(kind) if name in holders)
    return found


def children(node: Node) -> list[Node]:
    """The nodes directly inside a node, in reading order (tests and cells are nodes too)."""
    found: list[Node] = []
    for name in _inner_fields(node.__class__):
        value = getattr(node, name)
        if value.__class__ is tuple:
            found += value
        elif value is not None:
            found.append(value)
    return found


def walk(node: Node) -> Iterator[Node]:
    """The node and everything inside it, outermost first."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        inner = children(current)
        if inner:
            inner.reverse()
            waiting += inner
