"""The value of an expression tree in a scope."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from engine.book.display import Names
from engine.language import tree
from engine.reference.reads import Read
from engine.reference.values import Answer, UnknownValue, same, union, unknown


class RowLike(Protocol):
    """A row an aggregate or a scope can read by column name."""

    def column(self, name: str) -> Answer: ...


class EnclosingRow(RowLike, Protocol):
    """A row of the relation whose column is being evaluated."""

    def source(self, alias: str, name: str) -> Answer: ...

    def members(self, columns: str) -> Sequence[RowLike] | UnknownValue: ...


class Reader(Protocol):
    """Where values come from; every read goes through `read`, which records it."""

    @property
    def names(self) -> Names: ...

    def read(self, what: Read) -> Answer: ...

    def rows(self, relation: str, columns: str) -> Sequence[RowLike] | UnknownValue: ...

    def interpolate(self, curve: str, key: str, x: float) -> Answer: ...

    def first_at_least(self, ladder: str, x: float) -> Answer: ...

    def branch(self, node: tree.If, taken: str) -> None: ...

    def used_columns(self, node: tree.Aggregate) -> str: ...

    def unrecorded(self, row: RowLike, name: str) -> Answer: ...


class Scope:
    """What names mean: the reader, the enclosing row and the variables of aggregates."""

    def __init__(
        self,
        reader: Reader,
        row: EnclosingRow | None = None,
        variables: Mapping[str, RowLike] | None = None,
    ) -> None:
        self.reader = reader
        self.row = row
        self.variables = variables or {}

    def column(self, alias: str, name: str) -> Answer:
        if alias in self.variables:
            # Of an aggregate the whole relation is recorded, not each of its rows.
            return self.reader.unrecorded(self.variables[alias], name)
        if self.row is None:
            raise LookupError(f"no row in scope for {alias or 'column'}.{name}")
        return self.row.source(alias, name) if alias else self.row.column(name)

    def rows(self, relation: str, columns: str) -> Sequence[RowLike] | UnknownValue:
        """What an aggregate runs over; `columns` are those it reads, for the record."""
        if relation != "members":
            return self.reader.rows(relation, columns)
        if self.row is None:
            raise LookupError("members outside a group")
        return self.row.members(columns)

    def with_variable(self, alias: str, row: RowLike) -> Scope:
        return Scope(self.reader, self.row, {**self.variables, alias: row})


def evaluate(node: tree.Node, scope: Scope) -> Answer:
    """The value of a typed tree; raises LookupError for what no typed tree can hold."""
    match node:  # the commonest first
        case tree.Column(alias=alias, name=name):
            return scope.column(alias, name)
        case tree.Literal(value=value):
            return value if isinstance(value, (bool, str)) else float(value)
        case tree.DecisionValue(id=name, output=output):
            return scope.reader.read(Read("decision", name, output))
        case tree.Parameter(id=name):
            return scope.reader.read(Read("parameter", name))
        case tree.Arithmetic(operator=operator, left=left, right=right):
            return arithmetic(operator, evaluate(left, scope), evaluate(right, scope))
        case tree.Comparison(operator=operator, left=left, right=right):
            return compare(operator, evaluate(left, scope), evaluate(right, scope))
        case tree.And(parts=parts):
            return conjunction(evaluate(part, scope) for part in parts)
        case tree.Or(parts=parts):
            return disjunction(evaluate(part, scope) for part in parts)
        case tree.If():
            return _if(node, scope)
        case tree.Fact(path=path):
            return scope.reader.read(Read("fact", path))
        case tree.Call(function="known", arguments=arguments):
            return not isinstance(evaluate(arguments[0], scope), UnknownValue)
        case tree.Call(function=function, arguments=arguments):
            return call(function, [evaluate(argument, scope) for argument in arguments])
        case tree.In(subject=subject, cell=cell):
            return cell_holds(cell, evaluate(subject, scope), scope)
        case tree.Not(operand=operand):
            return negation(evaluate(operand, scope))
        case tree.Negate(operand=operand):
            number = evaluate(operand, scope)
            return number if isinstance(number, UnknownValue) else -float(number)
        case tree.Power(base=base, exponent=exponent):
            return power(evaluate(base, scope), evaluate(exponent, scope))
        case tree.RoundHalfUp(operand=operand, places=places):
            return round_half_up(evaluate(operand, scope), places)
        case tree.Interpolate():
            return _interpolate(node, scope)
        case tree.FirstAtLeast(ladder=ladder, x=x):
            wanted = evaluate(x, scope)
            if isinstance(wanted, UnknownValue):
                return wanted
            return scope.reader.first_at_least(ladder, float(wanted))
        case tree.Lookup(table=table, key=key, column=column):
            entry = evaluate(key, scope)
            if isinstance(entry, UnknownValue):
                return entry
            return scope.reader.read(Read("lookup", table, column, key=str(entry)))
        case tree.Aggregate():
            return _aggregate(node, scope)
        case tree.Best(ranking=ranking, column=column):
            return scope.reader.read(Read("best", ranking, column))
    raise LookupError(f"not a typed expression: {type(node).__name__} at {node.position}")


# ---------------------------------------------------------------- logic


def negation(value: Answer) -> Answer:
    return value if isinstance(value, UnknownValue) else not value


def conjunction(values: Iterable[Answer]) -> Answer:
    """Kleene `and`; reads no further than the first false."""
    unknowns = []
    for value in values:
        if isinstance(value, UnknownValue):
            unknowns.append(value)
        elif not value:
            return False
    return union(unknowns) if unknowns else True


def disjunction(values: Iterable[Answer]) -> Answer:
    """Kleene `or`; reads no further than the first true."""
    unknowns = []
    for value in values:
        if isinstance(value, UnknownValue):
            unknowns.append(value)
        elif value:
            return True
    return union(unknowns) if unknowns else False


def _if(node: tree.If, scope: Scope) -> Answer:
    condition = evaluate(node.condition, scope)
    if isinstance(condition, UnknownValue):
        then, otherwise = evaluate(node.then, scope), evaluate(node.otherwise, scope)
        return then if same(then, otherwise) else union([condition, then, otherwise])
    scope.reader.branch(node, "then" if condition else "else")
    return evaluate(node.then if condition else node.otherwise, scope)


def compare(operator: str, left: Answer, right: Answer) -> Answer:
    if isinstance(left, UnknownValue) or isinstance(right, UnknownValue):
        return union([left, right])
    if operator == "=":
        return left == right
    if operator == "!=":
        return left != right
    if operator == "<":
        return left < right  # type: ignore[operator]
    if operator == "<=":
        return left <= right  # type: ignore[operator]
    if operator == ">":
        return left > right  # type: ignore[operator]
    return left >= right  # type: ignore[operator]


def test_holds(test: tree.Test, subject: Answer, scope: Scope) -> Answer:
    """One test of a cell on its subject."""
    low = evaluate(test.low, scope)
    if test.kind == "equals":
        return compare("=", subject, low)
    if test.kind == "compare":
        return compare(test.operator, subject, low)
    assert test.high is not None
    high = evaluate(test.high, scope)
    return conjunction(
        [
            compare(">" if test.low_open else ">=", subject, low),
            compare("<" if test.high_open else "<=", subject, high),
        ]
    )


def cell_holds(cell: tree.Cell, subject: Answer, scope: Scope) -> Answer:
    """A table cell on its subject; `-` holds whatever the subject."""
    if not cell.tests:
        return True
    held = disjunction(test_holds(test, subject, scope) for test in cell.tests)
    return negation(held) if cell.negated else held


# ---------------------------------------------------------------- numbers


def arithmetic(operator: str, left: Answer, right: Answer) -> Answer:
    if isinstance(left, UnknownValue) or isinstance(right, UnknownValue):
        return union([left, right])
    a, b = float(left), float(right)
    if operator == "+":
        return a + b
    if operator == "-":
        return a - b
    if operator == "*":
        return a * b
    # Checked books never divide by zero; an unchecked one gets no infinity.
    return unknown("stated", "division") if b == 0 else a / b


def call(function: str, values: Sequence[Answer]) -> Answer:
    """A function of plain values; unknown when any of them is."""
    if any(isinstance(value, UnknownValue) for value in values):
        return union(values)
    if function == "contains":
        return str(values[1]) in str(values[0])
    if function == "starts_with":
        return str(values[0]).startswith(str(values[1]))
    numbers = [float(value) for value in values]  # type: ignore[arg-type]
    if function in ("min", "max"):
        return extreme(function, numbers)
    (x,) = numbers
    if function == "abs":
        return abs(x)
    if function == "floor":
        return float(math.floor(x))
    if function == "ceiling":
        return float(math.ceil(x))
    if function == "sqrt":
        return unknown("stated", "sqrt") if x < 0 else math.sqrt(x)
    raise LookupError(f"no function {function}")


def extreme(function: str, numbers: Sequence[float]) -> float:
    """The least or greatest of one or more numbers, folded from the left."""
    result = numbers[0]
    for number in numbers[1:]:
        if number < result if function == "min" else number > result:
            result = number
    return result


def power(base: Answer, exponent: Answer) -> Answer:
    """By squaring from the top bit, 13 steps, so that every target rounds alike."""
    if isinstance(base, UnknownValue) or isinstance(exponent, UnknownValue):
        return union([base, exponent])
    x, n = float(base), float(exponent)
    if not 0 <= n <= 4096 or n != math.floor(n):
        return unknown("stated", "power")
    result = 1.0
    for bit in range(12, -1, -1):
        result = result * result
        if int(n) >> bit & 1:
            result = result * x
    return result


def round_half_up(value: Answer, places: int) -> Answer:
    if isinstance(value, UnknownValue):
        return value
    scale = float(10**places)
    return float(math.floor(float(value) * scale + 0.5)) / scale


def _interpolate(node: tree.Interpolate, scope: Scope) -> Answer:
    key = "" if node.key is None else evaluate(node.key, scope)
    x = evaluate(node.x, scope)
    if isinstance(key, UnknownValue) or isinstance(x, UnknownValue):
        return union([key, x])
    return scope.reader.interpolate(node.curve, str(key), float(x))


# ---------------------------------------------------------------- aggregates


def _aggregate(node: tree.Aggregate, scope: Scope) -> Answer:
    rows = scope.rows(node.relation, scope.reader.used_columns(node))
    if isinstance(rows, UnknownValue):
        return rows
    judged = (
        _row_values(node, scope.with_variable(node.alias, row))
        for row in _worth_judging(node, rows, scope)
    )
    if node.function == "any":
        return disjunction(conjunction(pair) for pair in judged)
    if node.function == "every":
        return conjunction(disjunction([negation(held), value]) for held, value in judged)
    return aggregate(node.function, judged, node.relation)


def _worth_judging(
    node: tree.Aggregate, rows: Sequence[RowLike], scope: Scope
) -> Iterable[RowLike]:
    """Without the rows, of those with values at hand, that a column in the condition rules out."""
    maybe_equal = getattr(rows, "maybe_equal", None)
    if maybe_equal is None or not rows:
        return rows
    pairs = [(name, evaluate(value, scope)) for name, value in ruling_out(node)]
    wanted = [(name, value) for name, value in pairs if not isinstance(value, UnknownValue)]
    found: Iterable[RowLike] = maybe_equal(wanted) if wanted else rows
    return found


_ALONE = (tree.Fact, tree.Parameter, tree.DecisionValue)  # the same for every row
_TRUE, _FALSE = tree.Literal(True), tree.Literal(False)


def ruling_out(node: tree.Aggregate) -> list[tuple[str, tree.Node]]:
    """Columns of a row that must have a certain value, or be unknown, for the row to matter.

    Only the first part of a condition is read whatever the row is, and its right side with it; of
    the others those count that read nothing else.
    """
    condition = node.result if node.function == "any" and node.where is None else node.where
    if node.function == "every" or condition is None:
        return []
    found: list[tuple[str, tree.Node]] = []
    parts = condition.parts if isinstance(condition, tree.And) else (condition,)
    for number, part in enumerate(parts):
        match part:
            case tree.Comparison(
                operator="=", left=tree.Column(alias=node.alias, name=name), right=right
            ):
                if isinstance(right, tree.Literal) or (number == 0 and isinstance(right, _ALONE)):
                    found.append((name, right))
            case tree.Column(alias=node.alias, name=name):
                found.append((name, _TRUE))
            case tree.Not(operand=tree.Column(alias=node.alias, name=name)):
                found.append((name, _FALSE))
    return found


def _row_values(node: tree.Aggregate, scope: Scope) -> tuple[Answer, Answer]:
    held = True if node.where is None else evaluate(node.where, scope)
    if held is False or node.result is None:
        return held, True
    return held, evaluate(node.result, scope)


def aggregate(function: str, judged: Iterable[tuple[Answer, Answer]], name: str) -> Answer:
    """count, sum, min or max over (where, result) pairs; `name` is the cause of an empty one."""
    taken = []
    unknowns: list[Answer] = []
    for held, value in judged:
        if isinstance(held, UnknownValue):
            unknowns.append(held)
        elif held:
            taken.append(value)
            if function != "count":
                unknowns.append(value)
    blocked = union(unknowns)
    if blocked.causes:
        return blocked
    if function == "count":
        return float(len(taken))
    numbers = [float(value) for value in taken]  # type: ignore[arg-type]
    if function == "sum":
        total = 0.0
        for number in numbers:
            total = total + number
        return total
    return extreme(function, numbers) if numbers else unknown("empty", name)
