"""Values as two flat buffers: one byte for the kind of each value, eight for its bits.

Two values are equal exactly when their buffers are: numbers compare by their IEEE bits, and
unknown, true and 1.0 differ. Texts are numbered in the order in which they turn up.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from engine.book.model import Book

UNKNOWN, NUMBER, BOOLEAN, TEXT, LIST = range(5)


class Flat:
    """Buffers that values are appended to."""

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.values = array("d")
        self.texts: dict[str, int] = {}

    def add(self, value: Any) -> None:
        """A value, or a list of values, of any depth."""
        kind = type(value)
        if kind is float or kind is int:
            self.kinds.append(NUMBER)
            self.values.append(value)
        elif value is None:
            self.kinds.append(UNKNOWN)
            self.values.append(0.0)
        elif kind is bool:
            self.kinds.append(BOOLEAN)
            self.values.append(float(value))
        elif kind is str:
            self.kinds.append(TEXT)
            self.values.append(self.texts.setdefault(value, len(self.texts)))
        else:
            self.kinds.append(LIST)
            self.values.append(len(value))
            for item in value:
                self.add(item)


def differences(
    book: Book, expected: dict[str, Any], found: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Where two outcomes differ: the part and name, and both values."""
    for part, values in expected.items():
        for name, value in values.items():
            other = found[part].get(name, "absent")
            if bits(value) != bits(other):
                yield f"{part} {name}", value, other
        for name in found[part].keys() - values.keys():
            yield f"{part} {name}", "absent", found[part][name]


def bits(value: Any) -> tuple[bytes, bytes, tuple[str, ...]]:
    """Equal for values that are the same bit for bit."""
    flat = Flat()
    flat.add(list(value.values()) if isinstance(value, dict) else value)
    return bytes(flat.kinds), flat.values.tobytes(), tuple(flat.texts)
