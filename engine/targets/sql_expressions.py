"""SQL of typed expressions: unknown is NULL, every other value equals the reference's bit for bit.

NULL falls through to ELSE in SQL, so a condition that may be unknown is asked both ways; what a
text would repeat becomes a column (`Frame.let`) or, inside a lambda, a one-element list. That
never needs a guard: every operation has a value everywhere (a quotient by zero is NULL).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from engine.language import tree
from engine.targets.sql_frames import Frame
from engine.targets.sql_text import (
    TRUE,
    Sql,
    conjunction,
    disjunction,
    literal,
    made_of,
    number_text,
)

if TYPE_CHECKING:
    from engine.targets.sql_program import Program


@dataclass(frozen=True, slots=True)
class Rows:
    """What an aggregate runs over: a list of structs, and how to read a field of one of them.

    `column(name, item)` is the field of the struct in the lambda variable `item`.
    """

    items: Sql
    column: Callable[[str, str], Sql]


class Context(Protocol):
    """What the names of a tree mean where it is evaluated."""

    frame: Frame

    def fact(self, path: str) -> Sql: ...

    def parameter(self, name: str) -> Sql: ...

    def decision(self, name: str, output: str) -> Sql: ...

    def column(self, alias: str, name: str) -> Sql: ...

    def best(self, ranking: str, column: str) -> Sql: ...

    def rows(self, relation: str) -> Rows: ...


class Emitter:
    """Writes trees of one context."""

    def __init__(
        self,
        program: Program,
        context: Context,
        variables: Mapping[str, Callable[[str], Sql]] | None = None,
        numbers: itertools.count[int] | None = None,
    ) -> None:
        self.program, self.context = program, context
        self.variables = dict(variables or {})
        self._numbers = numbers or itertools.count()

    def with_variable(self, alias: str, column: Callable[[str], Sql]) -> Emitter:
        variables = {**self.variables, alias: column}
        return Emitter(self.program, self.context, variables, self._numbers)

    def fresh(self) -> str:
        """A lambda variable; columns of the query all hold a colon, so they never meet."""
        return f"v{next(self._numbers)}"

    def share(self, parts: Sequence[Sql], build: Callable[[list[Sql]], Sql]) -> Sql:
        """`build` on the parts, which it may repeat."""
        atoms: list[Sql] = []
        wrapped: list[tuple[str, Sql]] = []
        for part in parts:
            if part.size <= 3:
                atoms.append(part)
            elif not part.bound:
                atoms.append(self.context.frame.let(part))
            else:
                name = self.fresh()
                wrapped.append((name, part))
                atoms.append(replace(part, text=name, bound=frozenset({name}), size=1))
        result = build(atoms)
        for name, part in reversed(wrapped):
            self.program.need_lists("a repeated value inside an aggregate")
            result = replace(
                result,
                text=f"list_extract(list_transform([{part.text}], "
                f"lambda {name}: {result.text}), 1)",
                at=max(result.at, part.at),
                bound=(result.bound - {name}) | part.bound,
                size=result.size + part.size,
            )
        return result

    # ------------------------------------------------------------ nodes

    def emit(self, node: tree.Node) -> Sql:
        """SQL of a typed tree; raises LookupError for what no typed tree can hold."""
        match node:
            case tree.Literal(value=value):
                return literal(value)
            case tree.Fact(path=path):
                return self.context.fact(path)
            case tree.Parameter(id=name):
                return self.context.parameter(name)
            case tree.DecisionValue(id=name, output=output):
                return self.context.decision(name, output)
            case tree.Column(alias=alias, name=name):
                if alias in self.variables:
                    return self.variables[alias](name)
                return self.context.column(alias, name)
            case tree.Negate(operand=operand):
                inner = self.emit(operand)
                return made_of(f"(-{inner.text})", [inner])
            case tree.Not(operand=operand):
                return self._not(self.emit(operand))
            case tree.Arithmetic():
                return self._arithmetic(node)
            case tree.Comparison(operator=operator, left=left, right=right):
                return _compare(operator, self.emit(left), self.emit(right))
            case tree.And(parts=parts):
                return conjunction([self.emit(part) for part in parts])
            case tree.Or(parts=parts):
                return disjunction([self.emit(part) for part in parts])
            case tree.If():
                return self._if(node)
            case tree.In(subject=subject, cell=cell):
                return self.cell(cell, self.emit(subject))
            case tree.Call(function="floor" | "ceiling" as function, arguments=arguments):
                inner = self.emit(arguments[0])
                name = "floor" if function == "floor" else "ceil"
                return made_of(self._whole(name, inner.text, arguments[0]), [inner])
            case tree.Call(function=function, arguments=arguments):
                return self._call(function, [self.emit(argument) for argument in arguments])
            case tree.RoundHalfUp(operand=operand, places=places):
                inner, scale = self.emit(operand), number_text(float(10**places))
                floor = self._whole("floor", f"({inner.text} * {scale}) + 5e-1", operand)
                return made_of(f"({floor} / {scale})", [inner])
            case tree.Best(ranking=ranking, column=column):
                return self.context.best(ranking, column)
        return self._function(node)

    def _function(self, node: tree.Node) -> Sql:
        from engine.targets import sql_functions
        from engine.targets.sql_aggregates import aggregate

        match node:
            case tree.Power():
                return sql_functions.power(self, node)
            case tree.Interpolate():
                return sql_functions.interpolate(self, node)
            case tree.FirstAtLeast():
                return sql_functions.first_at_least(self, node)
            case tree.Lookup():
                return sql_functions.lookup(self, node)
            case tree.Aggregate():
                return aggregate(self, node)
        raise LookupError(f"not a typed expression: {type(node).__name__} at {node.position}")

    def cell(self, cell: tree.Cell, subject: Sql) -> Sql:
        """A table cell on its subject."""
        if not cell.tests:
            return Sql(TRUE, literal=True)

        def build(parts: list[Sql]) -> Sql:
            held = disjunction([self._test(test, parts[0]) for test in cell.tests])
            return self._not(held) if cell.negated else held

        return self.share([subject], build)

    def _test(self, test: tree.Test, subject: Sql) -> Sql:
        low = self.emit(test.low)
        if test.kind == "equals":
            return _compare("=", subject, low)
        if test.kind == "compare":
            return _compare(test.operator, subject, low)
        assert test.high is not None
        above = _compare(">" if test.low_open else ">=", subject, low)
        below = _compare("<" if test.high_open else "<=", subject, self.emit(test.high))
        return conjunction([above, below])

    def _not(self, value: Sql) -> Sql:
        return made_of(f"(NOT {value.text})", [value])

    # ------------------------------------------------------------ conditionals

    def _if(self, node: tree.If) -> Sql:
        then, otherwise = self.emit(node.then), self.emit(node.otherwise)
        return self.choose(self.emit(node.condition), then, otherwise)

    def choose(self, condition: Sql, then: Sql, otherwise: Sql) -> Sql:
        """`if`; an unknown condition gives what both branches agree on."""
        low = min(then.low, otherwise.low)
        if not condition.nullable:
            text = f"CASE WHEN {condition.text} THEN {then.text} ELSE {otherwise.text} END"
            nullable = then.nullable or otherwise.nullable
            return made_of(text, [condition, then, otherwise], nullable=nullable, low=low)
        if then.literal and otherwise.literal and not then.nullable and not otherwise.nullable:
            if then.text == otherwise.text:
                return then
            return self.share([condition], lambda parts: _two_ways(parts[0], then, otherwise, low))

        def build(parts: list[Sql]) -> Sql:
            c, a, b = (part.text for part in parts)
            text = f"CASE WHEN {c} THEN {a} WHEN NOT {c} THEN {b} WHEN {a} = {b} THEN {a} END"
            return made_of(text, parts, nullable=True, low=low)

        return self.share([condition, then, otherwise], build)

    # ------------------------------------------------------------ numbers

    def _arithmetic(self, node: tree.Arithmetic) -> Sql:
        left, right = self.emit(node.left), self.emit(node.right)
        both = [left, right]
        if node.operator == "/":
            if right.low > 0:
                return made_of(
                    f"({left.text} / {right.text})",
                    both,
                    low=min(left.low, 0.0) if left.low >= 0 else -float("inf"),
                )
            return made_of(f"({left.text} / NULLIF({right.text}, 0e0))", both, nullable=True)
        low = -float("inf")
        if node.operator == "+":
            low = left.low + right.low
        elif node.operator == "*" and left.low >= 0 and right.low >= 0:
            low = left.low * right.low if max(left.low, right.low) < float("inf") else 0.0
        return made_of(f"({left.text} {node.operator} {right.text})", both, low=low)

    def _call(self, function: str, values: list[Sql]) -> Sql:
        x = values[0]
        match function:
            case "known":
                return made_of(f"({x.text} IS NOT NULL)", values, nullable=False)
            case "min" | "max":
                return self._extreme(function, values)
            case "abs":
                return made_of(f"abs({x.text})", values, low=0.0)
            case "sqrt" if x.low >= 0:
                return made_of(f"sqrt({x.text})", values, low=0.0)
            case "sqrt":
                return self.share(
                    values,
                    lambda parts: made_of(
                        f"CASE WHEN {parts[0].text} >= 0e0 THEN sqrt({parts[0].text}) END",
                        parts, nullable=True, low=0.0,
                    ),
                )  # fmt: skip
            case "contains" | "starts_with":
                self.program.need_lists(f"{function}(…)")
                return made_of(f"{function}({x.text}, {values[1].text})", values)
        raise LookupError(f"no function {function}")

    def _whole(self, function: str, text: str, operand: tree.Node) -> str:
        """`floor` or `ceil` of a text made of the operand."""
        if not self.program.dialect.rounds(operand.type):
            self.program.refuse(f"{function} of a number without small bounds")
        return self.program.dialect.whole(function, text)

    def _extreme(self, function: str, values: list[Sql]) -> Sql:
        """`least` and `greatest` skip NULL, so every operand is asked first."""
        if len(values) == 1:
            return values[0]
        lows = [value.low for value in values]
        low = min(lows) if function == "min" else max(lows)
        name = "least" if function == "min" else "greatest"

        def build(parts: list[Sql]) -> Sql:
            text = f"{name}({', '.join(part.text for part in parts)})"
            tests = " AND ".join(f"{part.text} IS NOT NULL" for part in parts if part.nullable)
            text = f"CASE WHEN {tests} THEN {text} END" if tests else text
            return made_of(text, parts, low=low)

        nullable = [value for value in values if value.nullable]
        if not nullable:
            return build(values)
        return self.share(nullable, lambda parts: build(_put_back(values, parts)))


def _put_back(values: list[Sql], parts: list[Sql]) -> list[Sql]:
    """`values` with its nullable members replaced, in order."""
    waiting = iter(parts)
    return [next(waiting) if value.nullable else value for value in values]


def _compare(operator: str, left: Sql, right: Sql) -> Sql:
    symbol = "<>" if operator == "!=" else operator
    return made_of(f"({left.text} {symbol} {right.text})", [left, right])


def _two_ways(condition: Sql, then: Sql, otherwise: Sql, low: float) -> Sql:
    text = (
        f"CASE WHEN {condition.text} THEN {then.text} "
        f"WHEN NOT {condition.text} THEN {otherwise.text} END"
    )
    return made_of(text, [condition], nullable=True, low=low)
