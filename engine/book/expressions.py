"""Expressions and cells of a file: text to typed tree, with positions in the file."""

from __future__ import annotations

from engine.book.problems import refuse
from engine.book.yaml_reader import Located, expression_text
from engine.language.check import typed, typed_cell
from engine.language.parse import parse_cell, parse_expression
from engine.language.problems import Position, ProblemError
from engine.language.scope import Scope
from engine.language.suggest import did_you_mean
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


def value_named(
    name: str, position: Position, scope: Scope, expected: str = ""
) -> tuple[Node, Type]:
    """What a name of a value stands for, and its type. Raises ProblemError (B110)."""
    found = scope.resolve(name, position)
    if found is None or found.type is None:
        hint = did_you_mean(name, scope.candidates("name"))
        raise refuse("B110", f'unknown name "{name}"', position, expected, hint)
    return found, found.type


def cell(located: Located, subject: Type, scope: Scope) -> Cell:
    """A typed table cell. Raises ProblemError."""
    text, position = expression_text(located)
    if text == "-":
        return Cell((), type=_CONDITION, position=position)
    return typed_cell(parse_cell(text, position), subject, scope)


_CONDITION = Type("boolean")
