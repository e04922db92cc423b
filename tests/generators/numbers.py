"""Wishes for numbers: what a tree must be made of to lie in an interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.book.model import Decision
from engine.language import tree
from engine.language.tree import Node
from tests.generators import joining
from tests.generators.inverse import inverse, pushed
from tests.generators.wishes import inside

if TYPE_CHECKING:
    from tests.generators.pursuit import Pursuit


def within(
    pursuit: Pursuit, node: Node, low: float, high: float, scope: str, depth: int = 0
) -> None:
    """The number is to lie in a closed interval."""
    if pursuit.too_deep(depth) or low > high or inside(pursuit.estimate(node, scope), low, high):
        return
    deeper = depth + 1
    match node:
        case tree.Fact(path=path):
            pursuit.number(path, low, high)
        case tree.If():
            condition = pursuit.estimate(node.condition, scope)
            way = pursuit.choices.chance(0.5)
            if isinstance(condition, bool) and pursuit.choices.chance(0.8):
                way = condition
            pursuit.hold(node.condition, way, scope, deeper)
            pursuit.within(node.then if way else node.otherwise, low, high, scope, deeper)
        case tree.Column(alias="", name=name):
            of_decision(
                pursuit, pursuit.own(scope, name), "", low, high, pursuit.home(scope), deeper
            )
        case tree.Column(alias=alias, name=name):
            joining.number_column(pursuit, alias, name, low, high, scope, deeper)
        case tree.DecisionValue(id=entry, output=output):
            of_decision(pursuit, pursuit.book.decisions[entry], output, low, high, "", deeper)
        case tree.Lookup(column=column):
            key = pursuit.looked_up(node, scope, lambda cell: inside(cell, low, high), column)
            if key is not None:
                pursuit.one_of(node.key, frozenset([key]), scope, deeper)
        case tree.Best(ranking=ranking, column=column):
            joining.best(pursuit, ranking, scope, deeper)
            relation = pursuit.book.rankings[ranking].relation
            of_decision(pursuit, pursuit.own(relation, column), "", low, high, relation, deeper)
        case tree.Aggregate(function="count", relation=relation) if relation in pursuit.lists or (
            relation in pursuit.book.facts
        ):
            count = 0 if low <= 0 else int(min(math.ceil(low), 5))
            rows = pursuit.lists.setdefault(relation, [])
            while len(rows) < count:
                rows.append({})
        case tree.Aggregate():
            row = pursuit.enter(node.alias, node.relation, scope)
            for part in (node.where, node.result):
                if part is node.where and part is not None:
                    pursuit.hold(part, True, row, deeper)
                elif part is not None:
                    pursuit.within(part, low, high, row, deeper)
        case tree.Interpolate(x=x):
            pursuit.know(x, scope, deeper)
        case _:
            for part, bottom, top in inverse(pursuit, node, low, high, scope):
                pursuit.within(part, bottom, top, scope, deeper)


def push(pursuit: Pursuit, node: Node, up: bool, scope: str, depth: int) -> None:
    pursuit.within(node, *pushed(node, up, pursuit.choices), scope, depth)


def of_decision(
    pursuit: Pursuit,
    decision: Decision,
    output: str,
    low: float,
    high: float,
    scope: str,
    depth: int,
) -> None:
    def suits(then: Node) -> bool:
        kind = then.type
        return kind is None or (kind.low <= high and kind.high >= low)

    def wish(then: Node) -> None:
        pursuit.within(then, low, high, scope, depth)

    pursuit.answer_with(decision, output, suits, wish, scope, depth)
