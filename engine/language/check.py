"""Typing: names resolved, kinds, units and closed lists checked, intervals computed.

Codes of the problems found (all are build errors):

B110 unknown name            B121 units differ            B131 result not finite
B111 alias already in use    B122 value not in its list   B132 root of a negative number
B112 unknown column          B123 `known` of a non-catalog value
B120 wrong kind of value     B130 divisor can be 0        B133 exponent not within 0 to 4096
B124 empty range             B134 a key without a curve
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.language import tree, type_conditions, type_entries, type_numbers
from engine.language.checker import Checker, Place, Rule
from engine.language.problems import ProblemError
from engine.language.scope import AliasScope, Rows, Scope
from engine.language.tree import Cell, Node
from engine.language.types import Type

__all__ = ["AliasScope", "Rows", "Scope", "typed", "typed_cell"]

_RULES: Mapping[type[Node], Rule] = {
    tree.Literal: type_entries.literal,
    tree.Name: type_entries.name,
    tree.Fact: type_entries.leaf,
    tree.Parameter: type_entries.leaf,
    tree.DecisionValue: type_entries.leaf,
    tree.Column: type_entries.leaf,
    tree.Negate: type_numbers.negate,
    tree.Arithmetic: type_numbers.arithmetic,
    tree.Call: type_numbers.call,
    tree.Power: type_numbers.power,
    tree.RoundHalfUp: type_numbers.round_half_up,
    tree.Not: type_conditions.negation,
    tree.Comparison: type_conditions.comparison,
    tree.And: type_conditions.conjunction,
    tree.Or: type_conditions.disjunction,
    tree.If: type_conditions.conditional,
    tree.In: type_conditions.membership,
    tree.Interpolate: type_entries.interpolate,
    tree.FirstAtLeast: type_entries.first_at_least,
    tree.Lookup: type_entries.lookup,
    tree.Aggregate: type_entries.aggregate,
    tree.Best: type_entries.best,
}


def typed(node: Node, scope: Scope, expected: Type | None = None) -> Node:
    """The tree with every name resolved and every type filled in.

    `expected` states what the place needs: its kind, unit, closed list and, when `integer`,
    wholeness must fit (its interval and `nullable` are not looked at). Raises ProblemError
    with every problem found.
    """
    checker = Checker(_RULES)
    found = checker.node(node, Place(scope, {}))
    if expected is not None and found.type is not None:
        found = checker.fitted(found, expected)
    if checker.problems:
        raise ProblemError(checker.problems)
    return found


def typed_cell(cell: Cell, subject: Type, scope: Scope) -> Cell:
    """The cell with its tests typed against the column they test. Raises ProblemError."""
    checker = Checker(_RULES)
    found = type_conditions.typed_cell(checker, cell, subject, Place(scope, {}))
    if checker.problems:
        raise ProblemError(checker.problems)
    return found
