"""What differs between the two script targets, piece by piece.

Operators with equal spelling and meaning (`+ - * / < <= > >=`, `[…]`) are written directly by
the emitter and are not part of a syntax.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from engine.language.tree import Value as Constant
from engine.targets.statements import Statement
from engine.targets.values import Value


class Syntax(ABC):
    null: str
    true: str
    false: str
    word_bits: int  # rows per bit set word; 0: any number
    empty_list: str
    empty_map: str
    no_rows: str  # an empty immutable list
    infinity: str
    unrolled_lines: bool  # whether short curves become functions of their own

    @abstractmethod
    def literal(self, value: Constant) -> str: ...

    @abstractmethod
    def equal(self, left: str, right: str) -> str: ...

    @abstractmethod
    def differ(self, left: str, right: str) -> str: ...

    @abstractmethod
    def is_null(self, name: str) -> str: ...

    @abstractmethod
    def not_null(self, name: str) -> str: ...

    @abstractmethod
    def is_true(self, name: str) -> str:
        """Whether a value that may be unknown is true."""

    @abstractmethod
    def is_false(self, name: str) -> str: ...

    @abstractmethod
    def not_true(self, name: str) -> str: ...

    @abstractmethod
    def not_false(self, name: str) -> str: ...

    @abstractmethod
    def negate(self, value: Value) -> Value: ...

    @abstractmethod
    def both(self, parts: Sequence[str]) -> str:
        """Conjunction; the parts bind at least as tightly as a comparison or `not`."""

    @abstractmethod
    def either(self, parts: Sequence[str]) -> str: ...

    @abstractmethod
    def choose(self, condition: str, then: str, otherwise: str) -> str: ...

    @abstractmethod
    def set_inline(self, name: str, code: str) -> str:
        """An assignment that is an expression, in parentheses."""

    @abstractmethod
    def call(self, function: str, arguments: Sequence[Value], fresh: Sequence[str]) -> Value:
        """min, max (two arguments), abs, floor, ceiling, sqrt, contains, starts_with.

        `fresh`: two names for intermediate values.
        """

    @abstractmethod
    def listed(self, items: Sequence[str]) -> str:
        """An immutable list (a tuple)."""

    @abstractmethod
    def mutable(self, items: Sequence[str]) -> str:
        """A list that may be extended."""

    @abstractmethod
    def joined(self, first: str, second: str) -> str:
        """Two lists one after the other."""

    @abstractmethod
    def not_empty(self, items: str) -> str: ...

    @abstractmethod
    def only_one(self, items: str) -> str: ...

    @abstractmethod
    def word_list(self, words: Sequence[str]) -> str:
        """The words of a bit set as run-time functions take them."""

    @abstractmethod
    def mapping(self, items: Sequence[tuple[str, str]]) -> str:
        """A result object with text keys."""

    @abstractmethod
    def masks_by_value(self, items: Sequence[tuple[Constant, str]]) -> str:
        """A constant map from values of a column to something."""

    @abstractmethod
    def masked(self, name: str, key: str, default: str) -> str:
        """What such a map holds for a key."""

    @abstractmethod
    def append(self, items: str, item: str) -> str: ...

    @abstractmethod
    def fact(self, path: str) -> str:
        """A fact as given to `evaluate`, unknown when absent."""

    @abstractmethod
    def parameter(self, id: str) -> str: ...

    @abstractmethod
    def table_rows(self, name: str) -> str: ...

    @abstractmethod
    def table_index(self, name: str, columns: Sequence[tuple[str, int]]) -> str:
        """Row numbers by the values of some columns (name, position)."""

    @abstractmethod
    def found(self, index: str, keys: Sequence[str]) -> str:
        """The row numbers under a key, an empty list when there are none."""

    @abstractmethod
    def or_one_blank(self, rows: str) -> str:
        """Row numbers, or one unknown row number when there are none."""

    @abstractmethod
    def function(
        self, name: str, parameters: Sequence[str], names: Sequence[str], body: list[Statement]
    ) -> str:
        """A function; `names` are its local variables."""

    @abstractmethod
    def constant(self, name: str, code: str) -> str: ...

    @abstractmethod
    def unpack(self, names: Sequence[str], code: str) -> list[Statement]:
        """Assign the items of a list to several variables."""
