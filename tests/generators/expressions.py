"""Random typed expressions over what is in scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.book.model import Curve
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type, enumeration, number
from tests.generators import trees
from tests.generators.choices import Choices

# Few and round, so that equal values and hits on a threshold are common.
NUMBERS = (0.0, 1.0, 2.0, 3.0, 0.1, 0.5, 1.5, 7.0, 10.0, 64.0, 0.3, 1e-3, 100.0, 1e4)


@dataclass(slots=True)
class Rows:
    """Something an aggregate can run over; `unknown`: it may be missing as a whole."""

    id: str
    columns: dict[str, Type]
    unknown: bool = False


@dataclass(slots=True)
class Scope:
    """What an expression may read. `rows` of relations, tables and list facts by id."""

    leaves: list[Node] = field(default_factory=list)
    rows: list[Rows] = field(default_factory=list)
    lookups: list[tuple[str, Node, dict[str, Type]]] = field(default_factory=list)
    curves: list[tuple[str, Curve]] = field(default_factory=list)
    ladders: list[tuple[str, float]] = field(default_factory=list)
    rankings: list[tuple[str, dict[str, Type]]] = field(default_factory=list)

    def extended(self, leaves: Sequence[Node]) -> Scope:
        return replace(self, leaves=[*self.leaves, *leaves])

    def known_only(self) -> Scope:
        """The same without whatever may be unknown."""
        return Scope([leaf for leaf in self.leaves if not trees.nullable(leaf)])

    def of_kind(self, kind: str, *, closed: bool = False) -> list[Node]:
        return [
            leaf
            for leaf in self.leaves
            if trees.kind_of(leaf).kind == kind
            and (kind != "text" or (trees.kind_of(leaf).values is not None) == closed)
        ]


class Expressions:
    """Draws expressions; aliases of aggregates are numbered so that none shadows another."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.aliases = 0

    # ------------------------------------------------------------ numbers

    def number(self, scope: Scope, depth: int) -> Node:
        leaves = scope.of_kind("number")
        if depth <= 0 or self.choices.chance(0.15):
            if not leaves or self.choices.chance(0.2):
                return trees.literal(self.choices.one_of(NUMBERS))
            return self.choices.one_of(leaves)
        makers: list[Callable[[Scope, int], Node]] = [
            self._arithmetic,
            self._arithmetic,
            self._quotient,
            self._extreme,
            self._whole,
            self._choice,
            self._choice,
            self._power,
            self._rounded,
        ]
        if scope.curves:
            makers.append(self._interpolation)
        if scope.ladders:
            makers.append(self._ladder)
        if scope.lookups:
            makers.append(self._lookup)
        if scope.rows:
            makers.append(self._aggregate)
        if scope.rankings:
            makers.append(self._best)
        return self.choices.one_of(makers)(scope, depth - 1)

    def _arithmetic(self, scope: Scope, depth: int) -> Node:
        operator = self.choices.one_of("+-*")
        return trees.arithmetic(operator, self.number(scope, depth), self.number(scope, depth))

    def _quotient(self, scope: Scope, depth: int) -> Node:
        left, right = self.number(scope, depth), self.number(scope, depth)
        if trees.may_divide(right):
            return trees.arithmetic("/", left, right)
        smallest = trees.literal(0.001)
        low, high = trees.interval(right)
        if high <= 0.001:
            return trees.arithmetic("/", left, trees.literal(3.0))
        narrowed = replace(right, type=replace(trees.kind_of(right), low=max(low, 0.001)))
        return trees.choose(
            trees.compare(">", right, smallest),
            trees.arithmetic("/", left, narrowed),
            self.number(scope, 0),
        )

    def _extreme(self, scope: Scope, depth: int) -> Node:
        count = self.choices.integer(1, 3)
        return trees.call(
            self.choices.one_of(["min", "max"]),
            *(self.number(scope, depth) for _ in range(count)),
        )

    def _whole(self, scope: Scope, depth: int) -> Node:
        function = self.choices.one_of(["abs", "floor", "ceiling", "sqrt", "negate"])
        operand = self.number(scope, depth)
        if function == "negate":
            return trees.negate(operand)
        if function == "sqrt":
            operand = trees.call("max", operand, trees.literal(0.0))
        return trees.call(function, operand)

    def _choice(self, scope: Scope, depth: int) -> Node:
        return trees.choose(
            self.boolean(scope, depth), self.number(scope, depth), self.number(scope, depth)
        )

    def _power(self, scope: Scope, depth: int) -> Node:
        base = trees.call("min", self.number(scope, depth), trees.literal(3.0))
        base = trees.call("max", base, trees.literal(-2.0))
        exponent: Node = trees.literal(float(self.choices.one_of([0, 1, 2, 3, 4, 5, 8, 13, 31])))
        if self.choices.chance(0.4):
            raw = trees.call("floor", trees.call("abs", self.number(scope, 0)))
            exponent = trees.call("min", raw, trees.literal(40.0))
            kind = replace(trees.kind_of(exponent), low=0.0, high=40.0, integer=True)
            exponent = replace(exponent, type=kind)
        kind = number(low=-(3.0**40), high=3.0**40, nullable=trees.nullable(base, exponent))
        return tree.Power(base, exponent, type=kind)

    def _rounded(self, scope: Scope, depth: int) -> Node:
        operand = trees.call("min", self.number(scope, depth), trees.literal(1e9))
        operand = trees.call("max", operand, trees.literal(-1e9))
        kind = number(low=-1e9, high=1e9, nullable=trees.nullable(operand))
        return tree.RoundHalfUp(operand, self.choices.integer(0, 3), type=kind)

    def _interpolation(self, scope: Scope, depth: int) -> Node:
        name, curve = self.choices.one_of(scope.curves)
        x = self.number(scope, depth)
        keys = tuple(key for key, _ in curve.segments)
        key = None if keys == ("",) else self.closed(scope, 0, keys)
        refuses = "refuse" in (curve.below, curve.above)
        missing = key is not None and not set(trees.kind_of(key).values or ()) <= set(keys)
        ys = [y for _, points in curve.segments for _, y in points]
        parts = [x] if key is None else [x, key]
        kind = number(
            low=min(ys), high=max(ys), nullable=refuses or missing or trees.nullable(*parts)
        )
        return tree.Interpolate(name, key, x, type=kind)

    def _ladder(self, scope: Scope, depth: int) -> Node:
        name, highest = self.choices.one_of(scope.ladders)
        x = self.number(scope, depth)
        return tree.FirstAtLeast(name, x, type=number(low=0.0, high=highest, nullable=True))

    def _lookup(self, scope: Scope, depth: int) -> Node:
        table, key, columns = self.choices.one_of(scope.lookups)
        names = [name for name, kind in columns.items() if kind.kind == "number"]
        name = self.choices.one_of(names)
        return tree.Lookup(table, key, name, type=columns[name].with_nullable(True))

    def _best(self, scope: Scope, depth: int) -> Node:
        ranking, columns = self.choices.one_of(scope.rankings)
        names = [name for name, kind in columns.items() if kind.kind == "number"]
        if not names:
            return self.number(scope, depth)
        name = self.choices.one_of(names)
        return tree.Best(ranking, name, type=columns[name].with_nullable(True))

    # ------------------------------------------------------------ aggregates

    def _loop(self, scope: Scope) -> tuple[Rows, str, Scope]:
        rows = self.choices.one_of(scope.rows)
        self.aliases += 1
        alias = f"x{self.aliases}"
        columns = [tree.Column(alias, name, type=kind) for name, kind in rows.columns.items()]
        # No loops inside loops but one: random books must stay fast.
        inner = replace(scope.extended(columns), rows=[], rankings=[])
        return rows, alias, inner

    def _where(self, inner: Scope, depth: int) -> Node | None:
        return None if self.choices.chance(0.4) else self.boolean(inner, depth)

    def _aggregate(self, scope: Scope, depth: int) -> Node:
        rows, alias, inner = self._loop(scope)
        function = self.choices.one_of(["count", "sum", "min", "max"])
        where = self._where(inner, min(depth, 1))
        if function == "count":
            unknown = rows.unknown or (where is not None and trees.nullable(where))
            kind = number(low=0.0, high=1e5, integer=True, nullable=unknown)
            return tree.Aggregate("count", alias, rows.id, where, None, type=kind)
        result = self.number(inner, min(depth, 2))
        low, high = trees.interval(result)
        if function == "sum":
            low, high = min(low, 0.0) * 1e5, max(high, 0.0) * 1e5
        parts = [result] if where is None else [where, result]
        unknown = function != "sum" or rows.unknown or trees.nullable(*parts)
        kind = number(low=low, high=high, nullable=unknown)
        found = tree.Aggregate(function, alias, rows.id, where, result, type=kind)  # type: ignore[arg-type]
        return trees.bounded(found)

    def _quantifier(self, scope: Scope, depth: int) -> Node:
        rows, alias, inner = self._loop(scope)
        where, result = self._where(inner, min(depth, 1)), self.boolean(inner, min(depth, 1))
        parts = [result] if where is None else [where, result]
        function = self.choices.one_of(["any", "every"])
        return tree.Aggregate(  # type: ignore[arg-type]
            function,
            alias,
            rows.id,
            where,
            result,
            type=trees.boolean(*parts, unknown=rows.unknown),
        )

    # ------------------------------------------------------------ booleans and texts

    def boolean(self, scope: Scope, depth: int) -> Node:
        leaves = scope.of_kind("boolean")
        if depth <= 0 or self.choices.chance(0.1):
            if not leaves or self.choices.chance(0.15):
                return trees.literal(self.choices.chance(0.5))
            return self.choices.one_of(leaves)
        makers: list[Callable[[Scope, int], Node]] = [
            self._comparison,
            self._comparison,
            self._connective,
            self._not,
            self._membership,
            self._text_test,
            self._known,
            self._boolean_choice,
        ]
        if scope.rows:
            makers.append(self._quantifier)
        return self.choices.one_of(makers)(scope, depth - 1)

    def _comparison(self, scope: Scope, depth: int) -> Node:
        if self.choices.chance(0.25):
            enums = scope.of_kind("text", closed=True)
            if enums:
                subject = self.choices.one_of(enums)
                values = trees.kind_of(subject).values or ()
                value = trees.choice_literal(self.choices.one_of(values), values)
                return trees.compare(self.choices.one_of(["=", "!="]), subject, value)
        if self.choices.chance(0.1):
            pair = [self.boolean(scope, 0), self.boolean(scope, depth)]
            return trees.compare(self.choices.one_of(["=", "!="]), *pair)
        operator = self.choices.one_of(["=", "!=", "<", "<=", ">", ">="])
        return trees.compare(operator, self.number(scope, depth), self.number(scope, depth))

    def _connective(self, scope: Scope, depth: int) -> Node:
        parts = tuple(self.boolean(scope, depth) for _ in range(self.choices.integer(2, 3)))
        kind = tree.And if self.choices.chance(0.5) else tree.Or
        return kind(parts, type=trees.boolean(*parts))

    def _not(self, scope: Scope, depth: int) -> Node:
        operand = self.boolean(scope, depth)
        return tree.Not(operand, type=trees.boolean(operand))

    def _membership(self, scope: Scope, depth: int) -> Node:
        subject = self.number(scope, depth)
        cell = self.number_cell(scope)
        while not cell.tests:
            cell = self.number_cell(scope)
        return tree.In(subject, cell, type=trees.boolean(subject, *operands(cell)))

    def _text_test(self, scope: Scope, depth: int) -> Node:
        texts = scope.of_kind("text")
        if not texts:
            return self._comparison(scope, depth)
        needle = trees.literal(self.choices.one_of(["a", "b", "card", "", "<x>"]))
        function = self.choices.one_of(["contains", "starts_with"])
        subject = self.choices.one_of(texts)
        return tree.Call(function, (subject, needle), type=trees.boolean(subject))

    def _known(self, scope: Scope, depth: int) -> Node:
        columns = [leaf for leaf in scope.leaves if isinstance(leaf, tree.Column) and leaf.alias]
        if not columns:
            return self._comparison(scope, depth)
        column = self.choices.one_of(columns)
        known = tree.Call("known", (column,), type=trees.boolean())
        if trees.kind_of(column).kind != "number" or self.choices.chance(0.3):
            return known
        sure = replace(column, type=trees.kind_of(column).with_nullable(False))
        test = trees.compare(">", sure, self.number(scope, 0))
        return tree.And((known, test), type=trees.boolean(test))

    def _boolean_choice(self, scope: Scope, depth: int) -> Node:
        return trees.choose(
            self.boolean(scope, depth), self.boolean(scope, depth), self.boolean(scope, depth)
        )

    def closed(self, scope: Scope, depth: int, values: tuple[str, ...]) -> Node:
        """A text with just these values."""
        if depth > 0:
            return trees.choose(
                self.boolean(scope, depth - 1),
                self.closed(scope, depth - 1, values),
                self.closed(scope, 0, values),
            )
        fitting = [
            leaf
            for leaf in scope.of_kind("text", closed=True)
            if set(trees.kind_of(leaf).values or ()) <= set(values)
        ]
        if fitting and self.choices.chance(0.7):
            return self.choices.one_of(fitting)
        return tree.Literal(self.choices.one_of(values), type=enumeration(values))

    # ------------------------------------------------------------ cells

    def number_cell(self, scope: Scope) -> tree.Cell:
        if self.choices.chance(0.3):
            return tree.Cell()
        tests = tuple(self._number_test(scope) for _ in range(self.choices.integer(1, 2)))
        return tree.Cell(tests, self.choices.chance(0.15))

    def _bound(self, scope: Scope) -> Node:
        if self.choices.chance(0.25):
            return self.number(scope, 1)
        return trees.literal(self.choices.one_of(NUMBERS))

    def _number_test(self, scope: Scope) -> tree.Test:
        way = self.choices.integer(0, 3)
        low = self._bound(scope)
        if way == 0:
            return tree.Test("equals", low)
        if way < 3:
            return tree.Test("compare", low, self.choices.one_of(["<", "<=", ">", ">="]))
        opens = (self.choices.chance(0.5), self.choices.chance(0.5))
        return tree.Test("range", low, "", self._bound(scope), *opens)

    def cell_for(self, subject: Node, scope: Scope) -> tree.Cell:
        kind = trees.kind_of(subject)
        if kind.kind == "number":
            return self.number_cell(scope)
        if self.choices.chance(0.35):
            return tree.Cell()
        if kind.kind == "boolean":
            return tree.Cell((tree.Test("equals", trees.literal(self.choices.chance(0.5))),))
        values = kind.values or ("a", "b", "card")
        tests = tuple(
            tree.Test("equals", trees.choice_literal(self.choices.one_of(values), values))
            for _ in range(self.choices.integer(1, 2))
        )
        return tree.Cell(tests, self.choices.chance(0.2))


def operands(cell: tree.Cell) -> list[Node]:
    return [part for test in cell.tests for part in (test.low, test.high) if part is not None]
