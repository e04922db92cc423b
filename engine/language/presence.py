"""What `known(x)` promises: after it holds, `x` is there.

`known(budget) and cost > budget` cannot be unknown although `budget` can be missing: the first
part is then false and decides. Types of the parts stay nullable; only the whole is not.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.language.tree import (
    Aggregate,
    And,
    Best,
    Call,
    Cell,
    Column,
    DecisionValue,
    Fact,
    FirstAtLeast,
    Interpolate,
    Lookup,
    Node,
    Not,
    Parameter,
    Test,
)
from engine.language.walk import children

KeyOf = Callable[[Node], int]

# What can be unknown by itself, not only through what it reads.
_OWN = (Fact, Parameter, Column, DecisionValue, Lookup, Best, FirstAtLeast, Interpolate, Aggregate)


def present(condition: Node, truth: bool, key_of: KeyOf) -> frozenset[int]:
    """Keys of the terms that are known when `condition` is `truth`."""
    match condition:
        case Not(operand=operand):
            return present(operand, not truth, key_of)
        case And(parts=parts) if truth:
            return frozenset().union(*(present(part, True, key_of) for part in parts))
        case Call(function="known", arguments=(read,)) if truth:
            return frozenset((key_of(read),))
        case _:
            return frozenset()


def can_be_unknown(node: Node, there: frozenset[int], key_of: KeyOf) -> bool:
    """Whether a typed tree can be unknown while the terms `there` are known."""
    # A cell's own type says nothing of the values its tests compare with.
    inside = isinstance(node, (Cell, Test))
    if not inside and (node.type is None or not node.type.nullable):
        return False
    if not there:
        return True
    if isinstance(node, _OWN):
        return key_of(node) not in there
    return any(can_be_unknown(child, there, key_of) for child in children(node))
