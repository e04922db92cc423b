"""Expressions and cells of a file: text to typed tree, with positions in the file."""

from __future__ import annotations

from engine.book.yaml_reader import Located, expression_text
from engine.language.check import typed, typed_cell
from engine.language.parse import parse_cell, parse_expression
from engine.language.problems import ProblemError
from engine.language.scope import Scope
from engine.language.tree import Cell, Node
from engine.language.types import Type


def expression(located: Located, scope: Scope, expected: Type | None = None) -> Node:
    """The typed tree of an expression. Raises ProblemError."""
    text, position = expression_text(located)
    return typed_tree(parse_expression(text, position), scope, expected)


def typed_tree(tree: Node, scope: Scope, expected: Type | None = None) -> Node:
    """`typed`, but an error when something it needs could not be resolved."""
    found = typed(tree, scope, expected)
    if found.type is None:
        raise ProblemError([])  # reported where the needed entry stands
    return found


def cell(located: Located, subject: Type, scope: Scope) -> Cell:
    """A typed table cell. Raises ProblemError."""
    text, position = expression_text(located)
    if text == "-":
        return Cell((), type=_CONDITION, position=position)
    return typed_cell(parse_cell(text, position), subject, scope)


_CONDITION = Type("boolean")
