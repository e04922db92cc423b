"""Where randomness comes from: a seed, or Hypothesis, which shrinks what it drew."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")


class Choices(Protocol):
    def integer(self, low: int, high: int) -> int: ...

    def real(self, low: float, high: float) -> float: ...

    def one_of(self, items: Sequence[Item]) -> Item: ...

    def chance(self, share: float) -> bool: ...


class Seeded:
    """Choices of a plain pseudo-random generator."""

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def real(self, low: float, high: float) -> float:
        return self.random.uniform(low, high)

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[int(self.random.random() * len(items))]

    def chance(self, share: float) -> bool:
        return self.random.random() < share


class Drawn:
    """Choices drawn by Hypothesis; small numbers and early items are the simple ones."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw

    def integer(self, low: int, high: int) -> int:
        from hypothesis import strategies as st

        return int(self.draw(st.integers(low, high)))

    def real(self, low: float, high: float) -> float:
        from hypothesis import strategies as st

        return float(self.draw(st.floats(low, high, allow_nan=False, allow_infinity=False)))

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[self.integer(0, len(items) - 1)]

    def chance(self, share: float) -> bool:
        # The simple outcome is False.
        return self.integer(0, 99) >= 100 - round(share * 100)
