"""Formula text from trees, as the book writes it or with values put in.

Needs neither lark nor pint; explanations use it at run time.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.language.tree import (
    Aggregate,
    And,
    Arithmetic,
    Best,
    Call,
    Cell,
    Column,
    Comparison,
    DecisionValue,
    Fact,
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
    Parameter,
    Power,
    RoundHalfUp,
    Test,
)

ValueOf = Callable[[Node], str | None]
"""The text to print in place of a node, or None to print the node itself."""

# Binding strength: a part that binds less than its place asks for stands in parentheses.
_IF, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(9)


def render(node: Node, value_of: ValueOf | None = None, *, short: bool = False) -> str:
    """The formula of a tree.

    `value_of` may replace any node by a text: explanations print the values of names with it.
    `short` prints the last part of the ids of parameters, decisions and curves.
    """
    return _Writer(value_of, short).at(node, _IF)


def render_cell(cell: Cell, value_of: ValueOf | None = None, *, short: bool = False) -> str:
    """The cell as a table shows it: `-`, `< 5`, `[1..8)`, `"a", "b"`, `not("a")`."""
    return _Writer(value_of, short).cell(cell)


def number_text(value: float) -> str:
    """A number that reads back unchanged, whole ones below 10^15 without point or exponent."""
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Writer:
    def __init__(self, value_of: ValueOf | None, short: bool) -> None:
        self.value_of, self.short = value_of, short

    def at(self, node: Node, needed: int) -> str:
        """The text of a node where something of the needed strength must stand."""
        if self.value_of is not None:
            value = self.value_of(node)
            if value is not None:
                negative = value.startswith("-") and needed > _SIGN
                return f"({value})" if negative else value
        text, strength = self.text(node)
        return f"({text})" if strength < needed else text

    def named(self, full: str) -> str:
        return full.rpartition(".")[2] if self.short else full

    def text(self, node: Node) -> tuple[str, int]:
        match node:
            case Literal(value=value):
                return _literal(value)
            case Name(path=path) | Fact(path=path):
                return path, _ATOM
            case Parameter(id=name):
                return self.named(name), _ATOM
            case DecisionValue(id=name, output=output):
                return self.named(name) + (f".{output}" if output else ""), _ATOM
            case Column(alias=alias, name=name):
                return (f"{alias}.{name}" if alias else name), _ATOM
            case Negate(operand=operand):
                return "-" + self.at(operand, _SIGN), _SIGN
            case Not(operand=operand):
                return "not " + self.at(operand, _NOT), _NOT
            case Arithmetic(operator=operator, left=left, right=right):
                strength = _SUM if operator in "+-" else _PRODUCT
                one, other = self.at(left, strength), self.at(right, strength + 1)
                return f"{one} {operator} {other}", strength
            case Comparison(operator=operator, left=left, right=right):
                return f"{self.at(left, _SUM)} {operator} {self.at(right, _SUM)}", _COMPARE
            case And(parts=parts):
                return " and ".join(self.at(part, _NOT) for part in parts), _AND
            case Or(parts=parts):
                return " or ".join(self.at(part, _AND) for part in parts), _OR
            case If(condition=condition, then=then, otherwise=otherwise):
                parts3 = (self.at(part, _IF) for part in (condition, then, otherwise))
                return "if {} then {} else {}".format(*parts3), _IF
            case In(subject=subject, cell=cell):
                return self.membership(subject, cell)
            case _:
                return self.call(node), _ATOM

    def membership(self, subject: Node, cell: Cell) -> tuple[str, int]:
        text = f"{self.at(subject, _SUM)} in ({self.tests(cell)})"
        return (f"not {text}", _NOT) if cell.negated else (text, _COMPARE)

    def call(self, node: Node) -> str:
        match node:
            case Call(function=function, arguments=arguments):
                return f"{function}({self.listed(arguments)})"
            case Power(base=base, exponent=exponent):
                return f"power({self.listed((base, exponent))})"
            case RoundHalfUp(operand=operand, places=places):
                return f"round_half_up({self.at(operand, _IF)}, {places})"
            case Interpolate(curve=curve, key=key, x=x):
                inner = (x,) if key is None else (key, x)
                return f"interpolate({self.named(curve)}, {self.listed(inner)})"
            case FirstAtLeast(ladder=ladder, x=x):
                return f"first_at_least({self.named(ladder)}, {self.at(x, _IF)})"
            case Lookup(table=table, key=key, column=column):
                return f"lookup({table}, {self.at(key, _IF)}).{column}"
            case Best(ranking=ranking, column=column):
                return f"best({self.named(ranking)}).{column}"
            case Aggregate():
                return self.aggregate(node)
            case Cell():
                return self.cell(node)
            case Test():
                return self.test(node)
            case _:
                raise TypeError(f"no text for {type(node).__name__}")

    def aggregate(self, node: Aggregate) -> str:
        where = "" if node.where is None else f" where {self.at(node.where, _IF)}"
        result = "" if node.result is None else f" return {self.at(node.result, _IF)}"
        relation = node.relation
        if self.short and not relation.startswith("catalog."):
            relation = self.named(relation)
        return f"{node.function}(for {node.alias} in {relation}{where}{result})"

    def listed(self, nodes: tuple[Node, ...]) -> str:
        return ", ".join(self.at(node, _IF) for node in nodes)

    def cell(self, cell: Cell) -> str:
        if not cell.tests:
            return "-"
        return f"not({self.tests(cell)})" if cell.negated else self.tests(cell)

    def tests(self, cell: Cell) -> str:
        return ", ".join(self.test(test) for test in cell.tests)

    def test(self, test: Test) -> str:
        low = self.at(test.low, _SUM)
        if test.kind == "range" and test.high is not None:
            opening, closing = "[("[test.low_open], "])"[test.high_open]
            return f"{opening}{low}..{self.at(test.high, _SUM)}{closing}"
        return f"{test.operator} {low}" if test.kind == "compare" else low


def _literal(value: float | bool | str) -> tuple[str, int]:
    if isinstance(value, bool):
        return ("true" if value else "false"), _ATOM
    if isinstance(value, str):
        return _quoted(value), _ATOM
    return number_text(value), _SIGN if value < 0 else _ATOM
