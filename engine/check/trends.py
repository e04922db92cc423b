"""Does a value only rise, only fall, or neither, when one number rises?

Sign analysis, sound for binary64 because correctly rounded operations are monotone. It follows
decisions, columns and derived facts down to the number a claim names; everything else is held
still. Where values may be unknown, the claim is about the known ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from engine.book.model import (
    Book,
    Curve,
    Decision,
    Formula,
    Relation,
    Source,
    Table,
    Unknown,
)
from engine.check.axes import NotAbove
from engine.check.stairs import staircase, step
from engine.check.trend import (
    DOWN,
    HELD,
    MIXED,
    STILL,
    UP,
    Trend,
    joined,
    mattering,
    open_beside,
    scaled,
)
from engine.language import tree
from engine.language.tree import Node
from engine.language.walk import children


@dataclass(frozen=True, slots=True)
class _Rows:
    """What names mean: the enclosing relation, and rows of aggregates by variable."""

    relation: Relation | None = None
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """A number by its canonical name; columns belong to `relation`."""

    name: str
    relation: str = ""


class Trends:
    """Trends of everything in a book against one claimed number."""

    def __init__(self, book: Book, claim: Claim, not_above: NotAbove) -> None:
        self.book, self.claim, self.not_above = book, claim, not_above
        self._known: dict[tuple[str, str, str], Trend] = {}

    # ------------------------------------------------------------ entries

    def of_decision(self, decision: Decision, output: str = "", relation: str = "") -> Trend:
        """The trend of a decision's value, or of one of its outputs."""
        key = (relation, decision.id, output)
        if key not in self._known:
            self._known[key] = HELD  # books have no cycles; this only guards against one
            rows = _Rows(self.book.relations[relation] if relation else None)
            self._known[key] = self._body(decision, output, rows)
        return self._known[key]

    def _body(self, decision: Decision, output: str, rows: _Rows) -> Trend:
        body = decision.body
        if isinstance(body, Formula):
            return self.of(body.expression, rows)
        if isinstance(body, Table):
            names = [one.name for one in body.outputs]
            return self._table(body, names.index(output) if output in names else 0, rows)
        return HELD

    def of(self, node: Node, rows: _Rows) -> Trend:
        match node:
            case tree.Literal():
                return HELD
            case tree.Fact(path=path):
                return self._fact(path, node)
            case tree.Parameter(id=name):
                return Trend(UP) if name == self.claim.name else HELD
            case tree.DecisionValue(id=name, output=output):
                return self._decision_value(name, output)
            case tree.Column():
                return self._column(node, rows)
            case tree.Negate(operand=operand) | tree.Not(operand=operand):
                return self.of(operand, rows).flipped()
            case tree.Arithmetic():
                return self._arithmetic(node, rows)
            case tree.Comparison(operator=operator, left=left, right=right):
                return self._comparison(node, operator, self.of(left, rows), self.of(right, rows))
            case tree.And(parts=parts) | tree.Or(parts=parts):
                trends = [self.of(part, rows) for part in parts]
                return self._with_gaps(joined(node, trends), trends, parts)
            case tree.If():
                return self._conditional(node, rows)
            case tree.In():
                return self._membership(node, rows)
            case tree.Call():
                return self._call(node, rows)
            case tree.Power(base=base, exponent=exponent):
                return self._power(node, self.of(base, rows), self.of(exponent, rows))
            case tree.RoundHalfUp(operand=operand):
                return self.of(operand, rows)
            case tree.Interpolate():
                return self._interpolate(node, rows)
            case tree.FirstAtLeast(ladder=ladder, x=x):
                found = self.of(x, rows)
                last = self.book.parameters[ladder].steps[-1]
                ends = found.way != STILL and x.type is not None and x.type.high > last
                return replace(found, gaps=found.gaps or ends)
            case tree.Aggregate():
                return self._aggregate(node, rows)
            case tree.Best(ranking=ranking):
                return self._best(node, ranking, rows)
            case tree.Lookup(key=key):
                found = self.of(key, rows)
                return Trend(MIXED, True, node) if found.way != STILL else found
            case _:
                return self._only_if_still(node, rows)

    def _only_if_still(self, node: Node, rows: _Rows) -> Trend:
        trends = [self.of(part, rows) for part in children(node)]
        if all(one.way == STILL for one in trends):
            return Trend(STILL, any(one.gaps for one in trends))
        return Trend(MIXED, True, node)

    # ------------------------------------------------------------ names

    def _with_gaps(self, found: Trend, trends: Sequence[Trend], parts: Iterable[Node]) -> Trend:
        """Where one part decides whether another is looked at: what moves may then bare one that
        is unknown, or hide it."""
        moves = any(one.way != STILL for one in trends)
        if found.gaps or not (moves and any(open_beside(part, self.claim.name) for part in parts)):
            return found
        return replace(found, gaps=True)

    def _fact(self, path: str, node: Node) -> Trend:
        if path == self.claim.name and not self.claim.relation:
            return Trend(UP)
        fact = self.book.facts[path]
        derived = HELD if fact.derive is None else self.of(fact.derive, _Rows())
        assumed = HELD if fact.default is None else self.of(fact.default, _Rows())
        if fact.derive is not None and fact.default is not None and derived.gaps:
            return Trend(MIXED, True, node)  # the default may step in on the way
        return joined(node, (derived, assumed))

    def _decision_value(self, name: str, output: str) -> Trend:
        if self.claim.name == (f"{name}.{output}" if output else name):
            return Trend(UP)
        return self.of_decision(self.book.decisions[name], output)

    def _column(self, node: tree.Column, rows: _Rows) -> Trend:
        relation = rows.relation
        name = f"{node.alias}.{node.name}" if node.alias else node.name
        if (
            relation is not None
            and self.claim == Claim(name, relation.id)
            and node.alias not in rows.variables
        ):
            return Trend(UP)
        if node.alias in rows.variables:
            return self._column_of(rows.variables[node.alias], node, rows)
        if relation is None:
            return HELD
        if not node.alias:
            return self._column_of(relation.id, node, rows)
        source = next(one for one in relation.sources if one.alias == node.alias)
        return self._source_column(source, node, rows)

    def _column_of(self, name: str, node: tree.Column, rows: _Rows) -> Trend:
        relation = self.book.relations.get(name)
        if name == "members":
            group = next(one for one in _sources(rows.relation) if one.kind == "group")
            relation = self.book.relations[group.name]
        if relation is None:
            return HELD  # a catalog table or a list of the input
        for column in relation.columns:
            if column.decision.id == node.name:
                return self.of_decision(column.decision, "", relation.id)
        return HELD

    def _source_column(self, source: Source, node: tree.Column, rows: _Rows) -> Trend:
        match = joined(node, (self.of(one, rows) for _, one in source.on))
        if match.way != STILL or match.gaps:
            return Trend(MIXED, True, node)
        if source.kind == "steps":
            ends = (source.start, source.stop, source.step)
            moves = any(self.of(one, rows).way for one in ends if one is not None)
            return Trend(MIXED, True, node) if moves else HELD
        if source.kind == "relation":
            return self._column_of(source.name, node, rows)
        if source.kind == "group" and not self._rows_are_still(source.name):
            return Trend(MIXED, True, node)
        return HELD

    # ------------------------------------------------------------ numbers

    def _arithmetic(self, node: tree.Arithmetic, rows: _Rows) -> Trend:
        left, right = self.of(node.left, rows), self.of(node.right, rows)
        if node.operator == "+":
            return joined(node, (left, right))
        if node.operator == "-":
            return joined(node, (left, right.flipped()))
        if node.operator == "*":
            return joined(node, (scaled(left, node.right, node), scaled(right, node.left, node)))
        return joined(
            node, (scaled(left, node.right, node), scaled(right.flipped(), node.left, node))
        )

    def _comparison(self, node: Node, operator: str, left: Trend, right: Trend) -> Trend:
        if left.way == STILL and right.way == STILL:
            return Trend(STILL, left.gaps or right.gaps)
        if operator in (">", ">="):
            return joined(node, (left, right.flipped()))
        if operator in ("<", "<="):
            return joined(node, (left.flipped(), right))
        return Trend(MIXED, left.gaps or right.gaps, node)

    def _membership(self, node: tree.In, rows: _Rows) -> Trend:
        subject = self.of(node.subject, rows)
        if len(node.cell.tests) == 1 and node.cell.tests[0].kind == "compare":
            test = node.cell.tests[0]
            found = self._comparison(node, test.operator, subject, self.of(test.low, rows))
            return found.flipped() if node.cell.negated else found
        return self._only_if_still(node, rows)

    def _power(self, node: tree.Power, base: Trend, exponent: Trend) -> Trend:
        if base.way == STILL and exponent.way == STILL:
            return Trend(STILL, base.gaps or exponent.gaps)
        low = node.base.type.low if node.base.type is not None else -1.0
        if exponent.way != STILL or low < 0:
            return Trend(MIXED, base.gaps or exponent.gaps, node)
        return base

    def _call(self, node: tree.Call, rows: _Rows) -> Trend:
        if node.function in ("min", "max"):
            found = joined(node, [self.of(part, rows) for part in mattering(node)])
            return replace(found, gaps=any(self.of(part, rows).gaps for part in node.arguments))
        if node.function in ("floor", "ceiling", "sqrt"):
            return self.of(node.arguments[0], rows)
        if node.function == "abs":
            inner, kind = self.of(node.arguments[0], rows), node.arguments[0].type
            if inner.way == STILL or (kind is not None and kind.low >= 0):
                return inner
            if kind is not None and kind.high <= 0:
                return inner.flipped()
            return Trend(MIXED, inner.gaps, node)
        if node.function == "known":  # a number that moves is there before and after
            return Trend(MIXED, True, node) if self.of(node.arguments[0], rows).gaps else HELD
        return self._only_if_still(node, rows)

    def _interpolate(self, node: tree.Interpolate, rows: _Rows) -> Trend:
        x = self.of(node.x, rows)
        if node.key is not None:
            choice = self.of(node.key, rows)
            if choice.way != STILL:
                return Trend(MIXED, True, node)
            x = replace(x, gaps=x.gaps or choice.gaps)
        if x.way == STILL:
            return x
        curve = self.book.decisions[node.curve].body
        assert isinstance(curve, Curve)
        keys = None
        if node.key is not None and node.key.type is not None:
            keys = node.key.type.values
        way, ends = STILL, False
        kind = node.x.type
        for key, points in curve.segments:
            if keys is not None and key not in keys:
                continue
            heights = [y for _, y in points]
            for first, second in pairwise(heights):
                way |= UP if second > first else DOWN if second < first else STILL
            ends = ends or (curve.below == "refuse" and (not kind or kind.low < points[0][0]))
            ends = ends or (curve.above == "refuse" and (not kind or kind.high > points[-1][0]))
        if way == MIXED:
            return Trend(MIXED, x.gaps or ends, node)
        moved = Trend(STILL, x.gaps, x.blame) if way == STILL else x
        return replace(moved.flipped() if way == DOWN else moved, gaps=x.gaps or ends)

    # ------------------------------------------------------------ choices

    def _conditional(self, node: tree.If, rows: _Rows) -> Trend:
        condition = self.of(node.condition, rows)
        branches = [self.of(node.then, rows), self.of(node.otherwise, rows)]
        trends = [*branches, self._switch(condition, node.otherwise, node.then, node)]
        parts = (node.condition, node.then, node.otherwise)
        return self._with_gaps(joined(node, trends), [condition, *branches], parts)

    def _switch(self, condition: Trend, off: Node, on: Node, node: Node) -> Trend:
        """The step made where a condition changes, from its false branch to its true one."""
        if condition.way == STILL:
            return Trend(STILL, condition.gaps)
        change = step(off, on, self.not_above)
        if change == STILL:
            return Trend(STILL, condition.gaps)
        if condition.way == MIXED or change == MIXED:
            return Trend(MIXED, condition.gaps, condition.blame or node)
        found = Trend(change, condition.gaps)
        return found.flipped() if condition.way == DOWN else found

    def _table(self, table: Table, output: int, rows: _Rows) -> Trend:
        trends = [
            HELD if isinstance(row.then, Unknown) else self.of(row.then[output], rows)
            for row in table.every_row
        ]
        inputs = [self.of(subject, rows) for subject in table.inputs]
        tests = [cell for row in table.rows for cell in row.when]
        cells = [self._only_if_still(cell, rows) for cell in tests]
        blame = table.inputs[0] if table.inputs else tree.Literal(True)
        found = joined(blame, trends)
        gaps = found.gaps or any(one.gaps for one in (*inputs, *cells))
        if any(one.way != STILL for one in cells):
            return Trend(MIXED, gaps, next(one.blame for one in cells if one.way != STILL))
        moving = [column for column, one in enumerate(inputs) if one.way != STILL]
        if not moving:
            return self._with_gaps(replace(found, gaps=gaps), trends, (*table.inputs, *tests))
        steps = [
            staircase(table, output, column, inputs[column], self.not_above) for column in moving
        ]
        return replace(joined(blame, (found, *steps)), gaps=True)

    # ------------------------------------------------------------ rows

    def _aggregate(self, node: tree.Aggregate, rows: _Rows) -> Trend:
        name = node.relation
        if name == "members":
            group = next(one for one in _sources(rows.relation) if one.kind == "group")
            still = self._rows_are_still(group.name)
        else:
            still = self._rows_are_still(name)
        inner = replace(rows, variables={**rows.variables, node.alias: name})
        joins = HELD if node.where is None else self.of(node.where, inner)
        value = HELD if node.result is None else self.of(node.result, inner)
        if not still:
            return Trend(MIXED, True, node)
        kind = None if node.result is None else node.result.type
        more = Trend(MIXED, joins.gaps, node)  # what it does that rows join
        if joins.way == STILL or node.function in ("count", "max", "any"):
            more = joins
        elif node.function in ("min", "every"):
            more = joins.flipped()
        elif kind is not None and kind.low >= 0:
            more = joins
        elif kind is not None and kind.high <= 0:
            more = joins.flipped()
        gaps = node.function in ("min", "max") and joins.way != STILL
        found = joined(node, (value, more))
        parts = [part for part in (node.where, node.result) if part is not None]
        return self._with_gaps(replace(found, gaps=found.gaps or gaps), (value, joins), parts)

    def _rows_are_still(self, name: str) -> bool:
        """Do the rows of a relation stay the same (their values may move)?"""
        relation = self.book.relations.get(name)
        if relation is None:
            return True
        rows = _Rows(relation)
        for source in relation.sources:
            ends = (source.start, source.stop, source.step)
            trees = [*(one for _, one in source.on), *(one for one in ends if one is not None)]
            if not all(self._is_still(one, rows) for one in trees):
                return False
            if source.kind in ("relation", "group") and not self._rows_are_still(source.name):
                return False
            if source.kind == "group":
                by = (self._column_of(source.name, tree.Column("", one), rows) for one in source.by)
                if not all(map(_stays, by)):
                    return False
        return all(self._is_still(one, rows) for one, _ in relation.where)

    def _is_still(self, node: Node, rows: _Rows) -> bool:
        return _stays(self.of(node, rows))

    def _best(self, node: tree.Best, name: str, rows: _Rows) -> Trend:
        if not self._ranking_is_still(name):
            return Trend(MIXED, True, node)
        relation = self.book.rankings[name].relation
        return self._column_of(relation, tree.Column("", node.column), rows)

    def _ranking_is_still(self, name: str) -> bool:
        ranking = self.book.rankings[name]
        if not self._rows_are_still(ranking.relation):
            return False
        relation = self.book.relations[ranking.relation]
        trees = [*(one for one, _ in ranking.by), *relation.key]
        if ranking.keep is not None:
            trees.append(ranking.keep)
        return all(self._is_still(one, _Rows(relation)) for one in trees)


def _stays(trend: Trend) -> bool:
    """Neither the value moves, nor whether there is one."""
    return trend.way == STILL and not trend.gaps


def _sources(relation: Relation | None) -> tuple[Source, ...]:
    return () if relation is None else relation.sources
