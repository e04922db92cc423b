"""Trees and values written for explanations: as the language, or with values put in."""

from __future__ import annotations

from collections.abc import Callable

from engine.language import tree
from engine.language.render import render, render_cell
from engine.reference.values import Answer, UnknownValue

_READS = (
    tree.Fact,
    tree.Parameter,
    tree.DecisionValue,
    tree.Column,
    tree.Best,
    tree.Lookup,
    tree.Interpolate,
    tree.FirstAtLeast,
    tree.Aggregate,
)


def short_number(value: float) -> str:
    """A number to be read, not read back: whole in full, others to six significant digits."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6g}"


def value_text(value: Answer) -> str:
    if isinstance(value, UnknownValue):
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else short_number(float(value))


def formula_text(node: tree.Node) -> str:
    """The tree in the language itself, on one line, ids by their last part."""
    return render(node, short=True)


def numbers_text(node: tree.Node, value: Callable[[tree.Node], Answer]) -> str:
    """The tree with the value of every reference, look-up and aggregate in its place."""
    return render(node, _values(value), short=True)


def cell_text(cell: tree.Cell, value: Callable[[tree.Node], Answer] | None = None) -> str:
    """The cell as written, or with the value of every reference in its place."""
    return render_cell(cell, None if value is None else _values(value), short=True)


def _values(value: Callable[[tree.Node], Answer]) -> Callable[[tree.Node], str | None]:
    def text(node: tree.Node) -> str | None:
        return value_text(value(node)) if isinstance(node, _READS) else None

    return text
