"""Wishes for values that are known, or missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.book.model import Decision, Formula, Table, Unknown
from engine.language import tree
from engine.language.tree import Node
from tests.generators import joining

if TYPE_CHECKING:
    from tests.generators.pursuit import Pursuit


def know(pursuit: Pursuit, node: Node, scope: str, depth: int = 0) -> None:
    """The value is not to be unknown."""
    kind = node.type
    certain = kind is None or not kind.nullable
    if pursuit.too_deep(depth) or (certain and not isinstance(node, tree.Column | tree.Best)):
        return
    if (id(node), scope) in pursuit.seen or pursuit.estimate(node, scope) is not None:
        return
    pursuit.seen[id(node), scope] = None
    deeper = depth + 1
    match node:
        case tree.Fact(path=path):
            pursuit.anything(path)
        case tree.Column(alias="", name=name):
            of_decision(pursuit, pursuit.own(scope, name), pursuit.home(scope), deeper)
        case tree.Column(alias=alias, name=name):
            joining.known_column(pursuit, alias, name, scope, deeper)
        case tree.DecisionValue(id=entry):
            of_decision(pursuit, pursuit.book.decisions[entry], "", deeper)
        case tree.Lookup(column=column):
            key = pursuit.looked_up(node, scope, lambda cell: cell is not None, column)
            if key is not None:
                pursuit.one_of(node.key, frozenset([key]), scope, deeper)
        case tree.Best(ranking=ranking, column=column):
            joining.best(pursuit, ranking, scope, deeper)
            relation = pursuit.book.rankings[ranking].relation
            of_decision(pursuit, pursuit.own(relation, column), relation, deeper)
        case tree.If():
            condition = pursuit.estimate(node.condition, scope)
            way = condition if isinstance(condition, bool) else pursuit.choices.chance(0.5)
            pursuit.hold(node.condition, way, scope, deeper)
            pursuit.know(node.then if way else node.otherwise, scope, deeper)
        case tree.Aggregate():
            row = pursuit.enter(node.alias, node.relation, scope)
            for part in (node.where, node.result):
                if part is not None:
                    pursuit.know(part, row, deeper)
        case _:
            for part in pursuit.inner(node):
                pursuit.know(part, scope, deeper)


def of_decision(pursuit: Pursuit, decision: Decision, scope: str, depth: int) -> None:
    body = decision.body
    if isinstance(body, Formula):
        pursuit.know(body.expression, scope, depth)
    elif isinstance(body, Table):
        rows = [row for row in body.every_row if not isinstance(row.then, Unknown)]
        chosen = pursuit.likely(body, rows, scope)
        if chosen is not None:
            pursuit.reach(body, chosen, scope, depth)
            assert not isinstance(chosen.then, Unknown)
            for part in chosen.then:
                pursuit.know(part, scope, depth)


def miss(pursuit: Pursuit, node: Node, scope: str, depth: int = 0) -> None:
    """The fact or cell is to be missing."""
    match node:
        case tree.Fact(path=path):
            pursuit.leave_out(path)
        case tree.Column(alias=alias, name=name) if alias:
            kind, what, binding = pursuit.alias(scope, alias)
            if kind == "table":
                pursuit.narrow(binding, what, name, lambda cell: cell is None)
            elif kind == "relation":
                pursuit.visit(what, depth)
                body = pursuit.own(what, name).body
                if isinstance(body, Formula):
                    pursuit.miss(body.expression, what, depth + 1)
            elif kind == "fact":
                pursuit.record(binding, what).setdefault(name, None)
