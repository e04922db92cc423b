"""An emitted expression together with what must be known for it to be valid."""

from __future__ import annotations

from dataclasses import dataclass

from engine.language.tree import Value as Constant

# How tightly an expression binds; both targets agree on this order.
CHOICE, OR, AND, NOT, COMPARE, ADD, MULTIPLY, UNARY, ATOM = range(9)


@dataclass(frozen=True, slots=True)
class Value:
    """Text of an expression of the target.

    `nulls`: variables that must all be known for `code` to be valid; otherwise the value is
    unknown. A variable that is itself unknown at such times (`stored`) may be read unguarded.
    `unknown`: never known. `constant`: the literal, when it is one.
    """

    code: str
    nulls: tuple[str, ...] = ()
    rank: int = ATOM
    stored: bool = False
    unknown: bool = False
    constant: Constant | None = None

    @property
    def atom(self) -> bool:
        """Whether it can be repeated at no cost."""
        return self.stored or self.unknown or self.constant is not None

    def within(self, rank: int) -> str:
        """The text as operand of an operator that needs at least `rank`."""
        return self.code if self.rank >= rank else f"({self.code})"
