"""Expression trees.

One set of nodes serves before and after typing: the parser leaves `type` None and writes every
reference as `Name`; typing replaces each `Name` by what it refers to and fills `type`. All
targets and the reference evaluator read typed trees and nothing else.
"""

from __future__ import annotations

from typing import Literal as Choice

from engine.language.frozen import frozen
from engine.language.problems import NOWHERE, Position
from engine.language.types import Type

Value = float | bool | str


@frozen(kw_only=True, in_parts=True)
class Node:
    type: Type | None = None
    position: Position = NOWHERE


@frozen
class Literal(Node):
    value: Value


@frozen
class Name(Node):
    """A reference as written (`model.layers`); gone after typing."""

    path: str


@frozen
class Fact(Node):
    """A fact of the profile, by its dotted path."""

    path: str


@frozen
class Parameter(Node):
    """A named constant, by its id; a run-time input."""

    id: str


@frozen
class DecisionValue(Node):
    """The value of another decision; `output` is "" unless its table has several outputs."""

    id: str
    output: str = ""


@frozen
class Column(Node):
    """A column of a row in scope.

    `alias` names a source of the enclosing relation (`card.memory_gib`) or the variable of an
    enclosing aggregate; "" means the enclosing relation's own per-row decision. Aliases never
    shadow each other.
    """

    alias: str
    name: str


@frozen
class Negate(Node):
    operand: Node


@frozen
class Not(Node):
    operand: Node


@frozen
class Arithmetic(Node):
    operator: Choice["+", "-", "*", "/"]
    left: Node
    right: Node


@frozen
class Comparison(Node):
    """`=` and `!=` on any one type; the order operators on numbers alone."""

    operator: Choice["=", "!=", "<", "<=", ">", ">="]
    left: Node
    right: Node


# Of a comparison: what holds when it does not, and how it reads from right to left.
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@frozen
class And(Node):
    parts: tuple[Node, ...]


@frozen
class Or(Node):
    parts: tuple[Node, ...]


@frozen
class If(Node):
    condition: Node
    then: Node
    otherwise: Node


@frozen
class Call(Node):
    """A function of plain values.

    `min`, `max` (one or more numbers), `abs`, `floor`, `ceiling`, `sqrt`, `contains(text,
    needle)`, `starts_with(text, prefix)`, `known(column)`.
    """

    function: str
    arguments: tuple[Node, ...]


@frozen
class Power(Node):
    """`power(x, n)`: n whole, within 0 to 4096; by squaring from the top bit, 13 steps."""

    base: Node
    exponent: Node


@frozen
class RoundHalfUp(Node):
    """`round_half_up(x, places)` = floor(x * 10^places + 0.5) / 10^places; places is literal."""

    operand: Node
    places: int


@frozen
class Interpolate(Node):
    """`interpolate(curve[, key], x)`; `curve` is the full id of a curve."""

    curve: str
    key: Node | None
    x: Node


@frozen
class FirstAtLeast(Node):
    """`first_at_least(ladder, x)`: the lowest step at or above x; above the last: unknown."""

    ladder: str
    x: Node


@frozen
class Lookup(Node):
    """`lookup(table, key).column`: by the table's unique key; a miss is unknown."""

    table: str
    key: Node
    column: str


@frozen
class Aggregate(Node):
    """`sum(for o in relation where condition return result)`.

    `relation` is the full id of a relation, `catalog.<table>`, the path of a list fact, or
    `members` inside a group relation. `where` None: every row. `result` None only for count.
    """

    function: Choice["count", "min", "max", "sum", "any", "every"]
    alias: str
    relation: str
    where: Node | None
    result: Node | None


@frozen
class Best(Node):
    """`best(ranking).column`: of the first kept row; no kept row: unknown."""

    ranking: str
    column: str


@frozen
class Test(Node):
    """One test of a table cell or of the right side of `in`; the subject is implied.

    `equals`: subject = low. `compare`: subject <operator> low. `range`: low..high with
    `low_open`, `high_open`.
    """

    kind: Choice["equals", "compare", "range"]
    low: Node
    operator: Choice["<", "<=", ">", ">=", ""] = ""
    high: Node | None = None
    low_open: bool = False
    high_open: bool = False


@frozen
class Cell(Node):
    """A table cell: any of `tests` holds (none of them when `negated`); no tests: `-`, any.

    `-` accepts a missing value; every other cell on an unknown subject is unknown.
    """

    tests: tuple[Test, ...] = ()
    negated: bool = False


@frozen
class In(Node):
    """`x in (tests)`, and `x between a and b` as the closed range."""

    subject: Node
    cell: Cell
