"""From text to untyped trees: one LALR(1) grammar for formulas and for table cells.

Errors are ProblemError: `B101` not the language's grammar, `B102` too long or too deep, `B103`
a function that does not exist or is called wrongly.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from engine.language.problems import NOWHERE, Position, Problem, ProblemError
from engine.language.suggest import did_you_mean
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
from engine.language.walk import children

LONGEST_TEXT = 20_000  # characters
DEEPEST_TREE = 120  # levels: every later stage may recurse over a tree this deep

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

_HINTS = {
    "==": "write a single = to compare",
    "<>": "write != for not equal",
    "&&": "write and",
    "||": "write or",
    "!": "write not",
    "**": "write power(x, n) with a whole n",
    "^": "write power(x, n) with a whole n",
    "'": 'texts stand in double quotes, "…"',
    "%": "write the ratio, such as 0.35",
    "?": "write if … then … else …",
    ";": "one formula is one expression",
    "{": "braces belong to messages, not to formulas",
    ":": "ranges are written [1..8]",
    "“": 'texts stand in straight double quotes, "…"',
    "，": "use an ASCII comma",
    "（": "use ASCII parentheses",
}
_WORDS = {
    "NUMBER": "a number",
    "TEXT": "a text",
    "NAME": "a name",
    "ORDER": "a comparison",
    "PLUS": "an operator",
    "THEN": "`then`",
    "ELSE": "`else`",
    "ROUND_CLOSE": "`)`",
    "COMMA": "`,`",
    "ROUND_OPEN": "`(`",
    "AND": "`and`",
    "IN": "`in`",
    "FOR": "`for`",
    "SQUARE_CLOSE": "`]`",
    "$END": "the end",
}
_RESERVED = ("and", "or", "not", "in", "between", "if", "then", "else", "for", "where", "return")


class _RefusalError(Exception):
    """A finding inside a reduction; line and column count within the text."""

    def __init__(self, token: Token, code: str, message: str, expected: str, hint: str) -> None:
        super().__init__(message)
        self.token, self.code, self.message = token, code, message
        self.expected, self.hint = expected, hint


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Builds nodes while the parser reduces; `start` and `margin` place them in the file."""

    start: Position = NOWHERE
    margin: int = 1

    def place(self, token: Token) -> Position:
        line, column = token.line or 1, token.column or 1
        return _placed(self.start, self.margin, line, column)

    # ---- leaves

    def number(self, token: Token) -> Node:
        value = float(token)
        if not math.isfinite(value):
            raise _RefusalError(token, "B101", f"{token} is beyond binary64", "a finite number", "")
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
                raise _RefusalError(
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
            raise _RefusalError(column, "B103", f'"{column}" is not a column name', "one name", "")
        if name == "lookup":
            table = self._path(name, arguments[0], "a catalog table")
            return Lookup(table, arguments[1], str(column), position=self.place(name))
        if name == "best":
            ranking = self._path(name, arguments[0], "a ranking")
            return Best(ranking, str(column), position=self.place(name))
        raise _RefusalError(
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
            raise _RefusalError(
                name,
                "B103",
                f'"{name}" does not run over rows',
                ", ".join(AGGREGATES),
                did_you_mean(name, AGGREGATES),
            )
        if "." in alias:
            raise _RefusalError(
                alias, "B103", f'"{alias}" cannot name a row', "a name without dots", ""
            )
        if name == "count" and result is not None:
            raise _RefusalError(
                name,
                "B103",
                "count counts rows and takes no return",
                "count(for … where …)",
                "use sum(for … return …) to add values",
            )
        if name != "count" and result is None:
            raise _RefusalError(
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
            raise _RefusalError(
                name, "B103", f'there is no function "{name}"', ", ".join(known), hint
            )
        fewest, most = limits
        if len(arguments) < fewest or (most is not None and len(arguments) > most):
            wanted = str(fewest) if fewest == most else f"{fewest} to {most or 'any number'}"
            raise _RefusalError(
                name, "B103", f"{name} was given {len(arguments)} arguments", wanted, ""
            )

    def _path(self, name: Token, argument: Node, what: str) -> str:
        if isinstance(argument, Name):
            return argument.path
        raise _RefusalError(
            name, "B103", f"{name} starts with the name of {what}", "a plain name", ""
        )

    def _places(self, name: Token, argument: Node) -> int:
        value = argument.value if isinstance(argument, Literal) else None
        if type(value) is float and value.is_integer() and 0 <= value <= MOST_PLACES:
            return int(value)
        raise _RefusalError(
            name,
            "B103",
            "round_half_up needs a literal number of places",
            f"a whole number from 0 to {MOST_PLACES}",
            "",
        )


_BUILDER = _Builder()
_LOCK = Lock()  # the builder holds the position of the text being read


@lru_cache(maxsize=1)
def _lark() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=["expression", "cell"],
        maybe_placeholders=True,
        transformer=_BUILDER,
    )


def parse_expression(text: str, position: Position = NOWHERE, *, margin: int | None = None) -> Node:
    """The tree of a formula.

    `position` is the place of the text's first character in its file, `margin` the file column
    of the first character of its further lines: None when they start under the first (a YAML
    block), 1 when `text` is the raw source. Give the raw source of folded scalars, so that `#`
    comments end where the reader sees them end. Raises ProblemError.
    """
    node = _parse(text, position, margin, "expression")
    assert isinstance(node, Node)
    return node


def parse_cell(text: str, position: Position = NOWHERE, *, margin: int | None = None) -> Cell:
    """The tests of a table cell; positions as for `parse_expression`. Raises ProblemError."""
    cell = _parse(text, position, margin, "cell")
    assert isinstance(cell, Cell)
    return cell


def _parse(text: str, position: Position, margin: int | None, start: str) -> Node | Cell:
    if len(text) > LONGEST_TEXT:
        raise ProblemError(
            Problem(
                "B102",
                f"the text has {len(text)} characters",
                position,
                f"at most {LONGEST_TEXT}",
                "split it into several decisions",
            )
        )
    column = position.column or 1
    place = Position(position.file, position.line or 1, column)
    further = column if margin is None else margin
    with _LOCK:
        _BUILDER.start, _BUILDER.margin = place, further
        try:
            tree: Any = _lark().parse(text, start=start)
        except _RefusalError as found:
            where = _BUILDER.place(found.token)
            raise ProblemError(
                Problem(found.code, found.message, where, found.expected, found.hint)
            ) from None
        except UnexpectedInput as found:
            raise ProblemError(_syntax(found, text, start, place, further)) from None
    if _deeper_than(tree, DEEPEST_TREE):
        raise ProblemError(
            Problem(
                "B102",
                "the expression is nested too deeply",
                place,
                f"at most {DEEPEST_TREE} levels",
                "split it into several decisions",
            )
        )
    node: Node | Cell = tree
    return node


def _placed(start: Position, margin: int, line: int, column: int) -> Position:
    if line == 1:
        return Position(start.file, start.line, start.column + column - 1)
    return Position(start.file, start.line + line - 1, margin + column - 1)


def _unquoted(token: str) -> str:
    body = token[1:-1]
    if "\\" not in body:
        return body
    return body.replace('\\"', '"').replace("\\\\", "\\")


def _syntax(found: UnexpectedInput, text: str, start: str, place: Position, margin: int) -> Problem:
    line, column = found.line, found.column
    if isinstance(found, UnexpectedToken) and found.token.type == "$END":
        line, column = _end(text)
        shown = "the text ends too early" if text.strip() else "the text is empty"
    elif isinstance(found, UnexpectedToken):
        shown = f'unexpected "{found.token}"'
    else:
        shown = f'unexpected character "{_character(found, text)}"'
    where = _placed(place, margin, line, column)
    hint = _hint(found, text, start)
    return Problem("B101", shown, where, _expected(found, start), hint)


def _character(found: UnexpectedInput, text: str) -> str:
    at = found.pos_in_stream or 0
    return text[at : at + 1]


def _end(text: str) -> tuple[int, int]:
    lines = text.rstrip().split("\n")
    return len(lines), len(lines[-1]) + 1


def _hint(found: UnexpectedInput, text: str, start: str) -> str:
    at = found.pos_in_stream or 0
    equality = isinstance(found, UnexpectedToken) and found.token == "!="
    if found.pos_in_stream is not None and not equality:
        for mark in sorted(_HINTS, key=len, reverse=True):
            behind = text[max(0, at - len(mark) + 1) : at + 1]
            if text.startswith(mark, at) or (len(mark) > 1 and behind == mark):
                return _HINTS[mark]
    if isinstance(found, UnexpectedToken):
        if "ELSE" in _accepted(found) and found.token.type in ("$END", "ROUND_CLOSE", "COMMA"):
            return "every if needs an else"
        if found.token in _RESERVED and "NAME" in _accepted(found):
            return f'"{found.token}" is a word of the language; put it in double quotes'
        if start == "cell" and found.token.type == "EQUALITY":
            return "a cell holds the value itself, or not(value)"
        if found.token.type in ("ORDER", "EQUALITY"):
            return "comparisons do not chain: write `b between a and c`, or join two with and"
        if found.token.type == "MINUS" and start == "cell":
            return "`-` stands alone and accepts any value"
    return ""


def _accepted(found: UnexpectedInput) -> set[str]:
    names = getattr(found, "accepts", None) or getattr(found, "expected", None)
    return set(names or getattr(found, "allowed", None) or ())


def _expected(found: UnexpectedInput, start: str) -> str:
    accepted = _accepted(found)
    if isinstance(found, UnexpectedCharacters):
        return "an operator, a name, a number or a text in double quotes"
    if "NUMBER" in accepted:
        return "a test such as < 5, [1..8), a value or -" if start == "cell" else "a value"
    words = dict.fromkeys(_WORDS[name] for name in _WORDS if name in accepted)
    return " or ".join(words) if words else "a well-formed expression"


def _deeper_than(tree: Node | Cell, limit: int) -> bool:
    level: list[Node | Cell] = [tree]
    for _ in range(limit):
        level = [child for node in level for child in children(node)]
        if not level:
            return False
    return True
