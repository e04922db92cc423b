"""Builds nodes while the parser reduces, and refuses calls that do not exist."""

from __future__ import annotations

import math
from typing import Any

from lark import Token, Transformer, v_args

from engine.language.problems import NOWHERE, Position
from engine.language.suggest import did_you_mean
from engine.language.syntax import placed
from engine.language.tree import (
    Aggregate,
    And,
    Arithmetic,
    Best,
    Call,
    Cell,
    Comparison,
    FirstAtLeast,
    If,
    In,
    Interpolate,
    Literal,
    Lookup,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Power,
    RoundHalfUp,
    Test,
)

# Functions of plain values: fewest and most arguments (None: any number).
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "min": (1, None),
    "max": (1, None),
    "abs": (1, 1),
    "floor": (1, 1),
    "ceiling": (1, 1),
    "sqrt": (1, 1),
    "contains": (2, 2),
    "starts_with": (2, 2),
    "known": (1, 1),
    "power": (2, 2),
    "round_half_up": (2, 2),
    "interpolate": (2, 3),
    "first_at_least": (2, 2),
    "lookup": (2, 2),
    "best": (1, 1),
}
AGGREGATES = ("count", "min", "max", "sum", "any", "every")
MOST_PLACES = 9  # of round_half_up


class RefusalError(Exception):
    """A finding inside a reduction; line and column count within the text."""

    def __init__(self, token: Token, code: str, message: str, expected: str, hint: str) -> None:
        super().__init__(message)
        self.token, self.code, self.message = token, code, message
        self.expected, self.hint = expected, hint


@v_args(inline=True)
class Builder(Transformer[Token, Any]):
    """`start` and `margin` place the nodes in the file."""

    start: Position = NOWHERE
    margin: int = 1

    def place(self, token: Token) -> Position:
        line, column = token.line or 1, token.column or 1
        return placed(self.start, self.margin, line, column)

    # ---- leaves

    def number(self, token: Token) -> Node:
        value = float(token)
        if not math.isfinite(value):
            raise RefusalError(token, "B101", f"{token} is beyond binary64", "a finite number", "")
        return Literal(value, position=self.place(token))

    def text(self, token: Token) -> Node:
        return Literal(_unquoted(token), position=self.place(token))

    def true(self, token: Token) -> Node:
        return Literal(True, position=self.place(token))

    def false(self, token: Token) -> Node:
        return Literal(False, position=self.place(token))

    def name(self, token: Token) -> Node:
        return Name(str(token), position=self.place(token))

    # ---- operators

    def conditional(self, condition: Node, then: Node, otherwise: Node) -> Node:
        return If(condition, then, otherwise, position=condition.position)

    def any_of(self, *parts: Node) -> Node:
        return Or(parts, position=parts[0].position)

    def all_of(self, *parts: Node) -> Node:
        return And(parts, position=parts[0].position)

    def negation(self, operand: Node) -> Node:
        return Not(operand, position=operand.position)

    def compare(self, left: Node, operator: Token, right: Node) -> Node:
        return Comparison(str(operator), left, right, position=left.position)  # type: ignore[arg-type]

    def arithmetic(self, left: Node, operator: Token, right: Node) -> Node:
        return Arithmetic(str(operator), left, right, position=left.position)  # type: ignore[arg-type]

    def negative(self, sign: Token, operand: Node) -> Node:
        if isinstance(operand, Literal) and type(operand.value) is float:
            return Literal(0.0 - operand.value, position=self.place(sign))  # never -0.0
        return Negate(operand, position=self.place(sign))

    def between(self, subject: Node, low: Node, high: Node) -> Node:
        test = Test("range", low, high=high, position=low.position)
        return In(subject, Cell((test,), position=low.position), position=subject.position)

    def in_range(self, subject: Node, test: Test) -> Node:
        return In(subject, Cell((test,), position=test.position), position=subject.position)

    def in_tests(self, subject: Node, tests: tuple[Test, ...]) -> Node:
        return In(subject, Cell(tests, position=tests[0].position), position=subject.position)

    # ---- cells

    def any_value(self, dash: Token) -> Cell:
        return Cell((), position=self.place(dash))

    def none_of(self, tests: tuple[Test, ...]) -> Cell:
        return Cell(tests, True, position=tests[0].position)

    def one_of(self, tests: tuple[Test, ...]) -> Cell:
        return Cell(tests, position=tests[0].position)

    def tests(self, *tests: Test) -> tuple[Test, ...]:
        return tests

    def test_equals(self, value: Node) -> Test:
        return Test("equals", value, position=value.position)

    def test_compare(self, operator: Token, value: Node) -> Test:
        return Test("compare", value, str(operator), position=self.place(operator))  # type: ignore[arg-type]

    def range(self, opening: Token, low: Node, high: Node, closing: Token) -> Test:
        return Test(
            "range",
            low,
            high=high,
            low_open=opening == "(",
            high_open=closing == ")",
            position=self.place(opening),
        )

    # ---- calls

    def arguments(self, *arguments: Node | None) -> tuple[Node, ...]:
        return tuple(argument for argument in arguments if argument is not None)

    def filter(self, condition: Node | None) -> Node | None:
        return condition

    def result(self, value: Node | None) -> Node | None:
        return value

    def call(self, name: Token, arguments: tuple[Node, ...]) -> Node:
        self._arity(name, arguments)
        position = self.place(name)
        match str(name):
            case "lookup" | "best":
                raise RefusalError(
                    name,
                    "B103",
                    f"{name}(…) gives a row, not a value",
                    f"{name}(…).column",
                    "name the column to read after a dot",
                )
            case "power":
                return Power(arguments[0], arguments[1], position=position)
            case "round_half_up":
                return RoundHalfUp(
                    arguments[0], self._places(name, arguments[1]), position=position
                )
            case "interpolate":
                key = arguments[1] if len(arguments) == 3 else None
                curve = self._path(name, arguments[0], "a curve")
                return Interpolate(curve, key, arguments[-1], position=position)
            case "first_at_least":
                ladder = self._path(name, arguments[0], "a ladder")
                return FirstAtLeast(ladder, arguments[1], position=position)
            case function:
                return Call(function, arguments, position=position)

    def call_column(self, name: Token, arguments: tuple[Node, ...], column: Token) -> Node:
        self._arity(name, arguments)
        if "." in column:
            raise RefusalError(column, "B103", f'"{column}" is not a column name', "one name", "")
        if name == "lookup":
            table = self._path(name, arguments[0], "a catalog table")
            return Lookup(table, arguments[1], str(column), position=self.place(name))
        if name == "best":
            ranking = self._path(name, arguments[0], "a ranking")
            return Best(ranking, str(column), position=self.place(name))
        raise RefusalError(
            column,
            "B103",
            f"{name}(…) is a value and has no columns",
            "lookup(table, key).column or best(ranking).column",
            "",
        )

    def aggregate(
        self, name: Token, alias: Token, relation: Token, where: Node | None, result: Node | None
    ) -> Node:
        if name not in AGGREGATES:
            raise RefusalError(
                name,
                "B103",
                f'"{name}" does not run over rows',
                ", ".join(AGGREGATES),
                did_you_mean(name, AGGREGATES),
            )
        if "." in alias:
            raise RefusalError(
                alias, "B103", f'"{alias}" cannot name a row', "a name without dots", ""
            )
        if name == "count" and result is not None:
            raise RefusalError(
                name,
                "B103",
                "count counts rows and takes no return",
                "count(for … where …)",
                "use sum(for … return …) to add values",
            )
        if name != "count" and result is None:
            raise RefusalError(
                name,
                "B103",
                f"{name} needs a value for each row",
                f"{name}(for … return …)",
                "say after return what each row contributes",
            )
        function: Any = str(name)
        return Aggregate(
            function, str(alias), str(relation), where, result, position=self.place(name)
        )

    def _arity(self, name: Token, arguments: tuple[Node, ...]) -> None:
        limits = FUNCTIONS.get(name)
        if limits is None:
            known = tuple(dict.fromkeys((*FUNCTIONS, *AGGREGATES)))
            hint = did_you_mean(name, known) or "describe other functions with a curve"
            if name in AGGREGATES:
                hint = f"write {name}(for row in relation return …)"
            raise RefusalError(
                name, "B103", f'there is no function "{name}"', ", ".join(known), hint
            )
        fewest, most = limits
        if len(arguments) < fewest or (most is not None and len(arguments) > most):
            wanted = str(fewest) if fewest == most else f"{fewest} to {most or 'any number'}"
            raise RefusalError(
                name, "B103", f"{name} was given {len(arguments)} arguments", wanted, ""
            )

    def _path(self, name: Token, argument: Node, what: str) -> str:
        if isinstance(argument, Name):
            return argument.path
        raise RefusalError(
            name, "B103", f"{name} starts with the name of {what}", "a plain name", ""
        )

    def _places(self, name: Token, argument: Node) -> int:
        value = argument.value if isinstance(argument, Literal) else None
        if type(value) is float and value.is_integer() and 0 <= value <= MOST_PLACES:
            return int(value)
        raise RefusalError(
            name,
            "B103",
            "round_half_up needs a literal number of places",
            f"a whole number from 0 to {MOST_PLACES}",
            "",
        )


def _unquoted(token: str) -> str:
    body = token[1:-1]
    if "\\" not in body:
        return body
    return body.replace('\\"', '"').replace("\\\\", "\\")
