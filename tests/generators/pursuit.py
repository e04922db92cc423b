"""From a place of a book back to the facts and catalog rows that lead there.

`Pursuit` walks trees backwards: it is told what a tree should be (true, known, a text, within
an interval) and wishes for facts and rows that make it so. It is a guess, made with chance at
every fork, not a proof: what it misses once it may meet the next time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from engine.book.model import Decision, Formula, Row, Table, Unknown
from engine.language import tree
from engine.language.tree import MIRRORED, OPPOSITE, Cell, Node
from tests.generators import joining, knowing, numbers
from tests.generators.estimates import Estimates, limits

DEEPEST = 30
MOST = 1500  # steps of one pursuit
Texts = frozenset[Any]


class Pursuit(Estimates):
    """Wishes with the power to ask for trees."""

    def too_deep(self, depth: int) -> bool:
        """Whether the way back is too long, or enough has been tried."""
        self.steps += 1
        return depth > DEEPEST or self.steps > MOST

    # ------------------------------------------------------------ other kinds of wishes

    def within(self, node: Node, low: float, high: float, scope: str, depth: int = 0) -> None:
        """The number is to lie in a closed interval."""
        numbers.within(self, node, low, high, scope, depth)

    def know(self, node: Node, scope: str, depth: int = 0) -> None:
        """The value is not to be unknown."""
        knowing.know(self, node, scope, depth)

    def miss(self, node: Node, scope: str, depth: int = 0) -> None:
        """The fact or cell is to be missing."""
        knowing.miss(self, node, scope, depth)

    def visit(self, id: str, depth: int = 0) -> None:
        """The relation is to have a row."""
        joining.visit(self, id, depth)

    # ------------------------------------------------------------ conditions

    def hold(self, node: Node, truth: bool, scope: str, depth: int = 0) -> None:
        """The condition is to be true, or false."""
        if self.too_deep(depth) or self.estimate(node, scope) is truth:
            return
        deeper = depth + 1
        match node:
            case tree.Not(operand=operand):
                self.hold(operand, not truth, scope, deeper)
            case tree.And(parts=parts) | tree.Or(parts=parts):
                if isinstance(node, tree.And) is truth:
                    for part in parts:
                        self.hold(part, truth, scope, deeper)
                else:
                    self.hold(self.choices.one_of(parts), truth, scope, deeper)
            case tree.Comparison():
                self.compare(node, truth, scope, deeper)
            case tree.In(subject=subject, cell=cell):
                self.meet(subject, cell, truth, scope, deeper)
            case tree.Call(function="known", arguments=(argument,)):
                if truth:
                    self.know(argument, scope, deeper)
                else:
                    self.miss(argument, scope, deeper)
            case tree.Call(function="starts_with" | "contains", arguments=(text, part)):
                self._text(node.function, text, part, truth, scope, deeper)
            case tree.Aggregate():
                self._aggregate(node, truth, scope, deeper)
            case _:
                self.one_of(node, frozenset([truth]), scope, deeper)

    def compare(self, node: tree.Comparison, truth: bool, scope: str, depth: int) -> None:
        operator = node.operator if truth else OPPOSITE[node.operator]
        left, right = node.left, node.right
        if left.type is not None and left.type.kind != "number":
            self.equal(left, right, operator == "=", scope, depth)
            return
        if self.choices.chance(0.5):
            left, right, operator = right, left, MIRRORED[operator]
        value = self.estimate(right, scope)
        if value is None:
            if self.constant(left):
                left, right, operator = right, left, MIRRORED[operator]
                value = self.estimate(right, scope)
            else:
                self.know(right, scope, depth)
                value = self.forced(right, scope)
        elif self.constant(left):
            left, right, operator = right, left, MIRRORED[operator]
            value = self.estimate(right, scope)
        if isinstance(value, float):
            self.within(left, *limits(operator, value, self.choices), scope, depth)
            return
        up = operator in (">", ">=")
        numbers.push(self, left, up, scope, depth)
        numbers.push(self, right, not up, scope, depth)

    def equal(self, left: Node, right: Node, same: bool, scope: str, depth: int) -> None:
        """Two texts or booleans are to be the same, or not."""
        for one, other in ((left, right), (right, left)):
            value = self.estimate(other, scope)
            if value is not None and not self.constant(one):
                wanted = frozenset([value])
                if same:
                    self.one_of(one, wanted, scope, depth)
                else:
                    self.none_of(one, wanted, scope, depth)
                return
        if not same:
            return
        first, second = self.domain(left, scope), self.domain(right, scope)
        both = [value for value in first or second or () if not second or value in second]
        if both:
            wanted = frozenset([self.choices.one_of(both)])
            self.one_of(left, wanted, scope, depth)
            self.one_of(right, wanted, scope, depth)

    def _text(
        self, function: str, text: Node, part: Node, truth: bool, scope: str, depth: int
    ) -> None:
        wanted = self.estimate(part, scope)
        if not isinstance(wanted, str):
            return
        fitting = [
            value
            for value in self.domain(text, scope) or self.words.texts
            if isinstance(value, str)
            and (value.startswith(wanted) if function == "starts_with" else wanted in value)
            is truth
        ]
        if truth and not fitting:
            fitting = [wanted]
        if fitting:
            self.one_of(text, frozenset(fitting), scope, depth)

    def _aggregate(self, node: tree.Aggregate, truth: bool, scope: str, depth: int) -> None:
        if (node.function == "any") is not truth:
            if node.relation in self.book.facts and self.choices.chance(0.7):
                self.lists.setdefault(node.relation, [])
            return
        row = self.enter(node.alias, node.relation, scope)
        for part in (node.where, node.result):
            if part is not None:
                self.hold(part, True if part is node.where else truth, row, depth)

    # ------------------------------------------------------------ texts and booleans

    def one_of(self, node: Node, wanted: Texts, scope: str, depth: int = 0) -> None:
        """The text or boolean is to be one of these."""
        if self.too_deep(depth):
            return
        value = self.estimate(node, scope)
        if value is not None and value in wanted:
            return
        deeper = depth + 1
        match node:
            case tree.Fact(path=path):
                fact = self.book.facts[path]
                allowed = fact.type.values
                fitting = sorted(v for v in wanted if allowed is None or v in allowed)
                if fact.key_of:
                    fitting = [v for v in fitting if v in self.words.keys.get(fact.key_of, ())]
                if fitting:
                    self.state(path, self.choices.one_of(fitting), wanted.__contains__)
            case tree.If():
                self._branch(node, wanted, scope, deeper)
            case tree.Column(alias="", name=name):
                self.of_decision(self.own(scope, name), "", wanted, self.home(scope), deeper)
            case tree.Column(alias=alias, name=name):
                joining.text_column(self, alias, name, wanted, scope, deeper)
            case tree.DecisionValue(id=entry, output=output):
                self.of_decision(self.book.decisions[entry], output, wanted, "", deeper)
            case tree.Lookup(column=column):
                row = self.looked_up(node, scope, lambda cell: cell in wanted, column)
                if row is not None:
                    self.one_of(node.key, frozenset([row]), scope, deeper)
            case tree.Best(ranking=ranking, column=column):
                joining.best(self, ranking, scope, deeper)
                relation = self.book.rankings[ranking].relation
                self.of_decision(self.own(relation, column), "", wanted, relation, deeper)
            case tree.Not() | tree.And() | tree.Or() | tree.Comparison() | tree.In():
                self.hold(node, True in wanted, scope, deeper)
            case tree.Call() | tree.Aggregate() if node.type and node.type.kind == "boolean":
                self.hold(node, True in wanted, scope, deeper)

    def none_of(self, node: Node, wanted: Texts, scope: str, depth: int = 0) -> None:
        kind = node.type
        if kind is not None and kind.kind == "boolean":
            self.one_of(node, frozenset([True, False]) - wanted, scope, depth)
            return
        domain = self.domain(node, scope) or self.words.texts
        left = frozenset(value for value in domain if value not in wanted and value is not None)
        if left:
            self.one_of(node, left, scope, depth)

    def _branch(self, node: tree.If, wanted: Texts, scope: str, depth: int) -> None:
        condition = self.estimate(node.condition, scope)
        ways = [True, False] if condition is None or self.choices.chance(0.3) else [condition]
        possible = []
        for way in ways:
            part = node.then if way else node.otherwise
            domain = self.domain(part, scope)
            if not domain or any(value in wanted for value in domain):
                possible.append(way)
        if not possible:
            possible = [True, False]
        way = self.choices.one_of(possible)
        self.hold(node.condition, bool(way), scope, depth)
        self.one_of(node.then if way else node.otherwise, wanted, scope, depth)

    def of_decision(
        self, decision: Decision, output: str, wanted: Texts, scope: str, depth: int
    ) -> None:
        """A decision, or a column of a relation, is to give one of these."""

        def suits(then: Node) -> bool:
            domain = self.domain(then, scope)
            return not domain or any(value in wanted for value in domain)

        def wish(then: Node) -> None:
            self.one_of(then, wanted, scope, depth)

        self.answer_with(decision, output, suits, wish, scope, depth)

    @staticmethod
    def place(table: Table, output: str) -> int:
        names = [one.name for one in table.outputs]
        return names.index(output) if output in names else 0

    def answer_with(
        self,
        decision: Decision,
        output: str,
        suits: Callable[[Node], bool],
        wish: Callable[[Node], None],
        scope: str,
        depth: int,
    ) -> None:
        """`wish` for the formula of a decision, or for the outcome of one of its rows that suits,
        which is to answer."""
        body = decision.body
        if isinstance(body, Formula):
            wish(body.expression)
        elif isinstance(body, Table):
            place = self.place(body, output)
            rows = [
                row
                for row in body.every_row
                if not isinstance(row.then, Unknown) and suits(row.then[place])
            ]
            chosen = self.likely(body, rows, scope)
            if chosen is not None:
                self.reach(body, chosen, scope, depth)
                assert not isinstance(chosen.then, Unknown)
                wish(chosen.then[place])

    def likely(self, table: Table, rows: Sequence[Row], scope: str) -> Row | None:
        """One of the rows, mostly one that fits what is wished already."""
        if not rows:
            return None
        fitting = [row for row in rows if not self.refuted(table, row, scope)]
        if fitting and self.choices.chance(0.9):
            return self.choices.one_of(fitting)
        return self.choices.one_of(rows)

    # ------------------------------------------------------------ tables

    def reach(self, table: Table, row: Row, scope: str, depth: int = 0) -> None:
        """The row is to answer: no row before it, all of its own cells."""
        deeper = depth + 1
        if self.too_deep(depth):
            return
        for subject in table.inputs:
            self.know(subject, scope, deeper)
        before: Sequence[Row] = ()
        if row is table.otherwise:
            before = table.rows
        elif table.hit in ("first", "priority"):
            before = table.rows[: table.rows.index(row)]
        for other in before:
            self._avoid(table, other, row, scope, deeper)
        for subject, cell in zip(table.inputs, row.when, strict=False):
            self.meet(subject, cell, True, scope, deeper)

    def _avoid(self, table: Table, other: Row, row: Row, scope: str, depth: int) -> None:
        if self.refuted(table, other, scope):
            return
        ways = [
            place
            for place, cell in enumerate(other.when)
            if cell.tests and (not row.when or cell != row.when[place])
        ]
        free = [place for place in ways if not row.when or not row.when[place].tests]
        if ways:
            place = self.choices.one_of(free or ways)
            self.meet(table.inputs[place], other.when[place], False, scope, depth)

    def meet(self, subject: Node, cell: Cell, truth: bool, scope: str, depth: int = 0) -> None:
        """The subject is to pass a cell, or not to."""
        if not cell.tests:
            return
        passed = self.passes(subject, cell, scope)
        if passed is truth:
            return
        wanted = truth is not cell.negated
        kind = subject.type
        if kind is not None and kind.kind != "number":
            values = frozenset(self.estimate(test.low, scope) for test in cell.tests)
            if wanted:
                self.one_of(subject, values, scope, depth)
            else:
                self.none_of(subject, values, scope, depth)
            return
        test = self.choices.one_of(cell.tests)
        low, high = self.interval(test, scope)
        if low is None or high is None:
            self.know(subject, scope, depth)
        elif wanted:
            self.within(subject, low, high, scope, depth)
        elif math.isfinite(low) and (not math.isfinite(high) or self.choices.chance(0.5)):
            self.within(subject, -math.inf, math.nextafter(low, -math.inf), scope, depth)
        else:
            self.within(subject, math.nextafter(high, math.inf), math.inf, scope, depth)
