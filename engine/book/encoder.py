"""Writes books as plain data; see `codec` for the form."""

from __future__ import annotations

import marshal
import math
from collections.abc import Mapping
from typing import Any

from engine.book.codec import (
    AT_HAND,
    CLASSES,
    COLUMN_BITS,
    EXAMPLES,
    FIRST,
    IN_PARTS,
    INFINITE,
    LINE_BITS,
    LIST,
    TUPLE,
    Shape,
    divided,
    shape,
)
from engine.language import types
from engine.language.problems import Position

_NUMBERS = {one: index + FIRST for index, one in enumerate(CLASSES)}
_COLUMNS = (1 << COLUMN_BITS) - 1
_SHAPES = {one: shape(one) for one in CLASSES}
_PLAIN = frozenset((type(None), bool, str, int))
_DIVIDED = {one: divided(one) for one in AT_HAND}


class Encoder:
    """Collects what many values share: types and files, and the lines of what is read later."""

    def __init__(self) -> None:
        self.types: list[Any] = []
        self.files: list[str] = []
        self.parts: list[bytes] = []
        self._type_numbers: dict[types.Type, int] = {}
        self._seen_types: dict[int, tuple[int, types.Type]] = {}  # hashing one takes its time
        self._file_numbers: dict[str, int] = {}

    def entry(self, value: Any) -> Any:
        """An entry as plain data, all of it at hand."""
        if type(value) not in AT_HAND:
            return self.encode(value)
        number = _NUMBERS[type(value)]
        return [number, *self._fields(value, _SHAPES[type(value)])]

    def encode(self, value: Any) -> Any:
        """A value as plain data."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is float:
            return value if math.isfinite(value) else [INFINITE, 1 if value > 0 else -1]
        if isinstance(value, tuple):
            return [TUPLE, *map(self.encode, value)]
        if isinstance(value, list):
            return [LIST, *map(self.encode, value)]
        if isinstance(value, Mapping):
            return {str(key): self.encode(one) for key, one in value.items()}
        number = _NUMBERS[type(value)]
        if type(value) not in AT_HAND:
            return [number, *self._fields(value, _SHAPES[type(value)])]
        first, rest = _DIVIDED[type(value)]
        line = self._later([number, *self._fields(value, rest)])
        return [IN_PARTS, line, number, *self._fields(value, first)]

    def _later(self, data: list[Any]) -> int:
        self.parts.append(compact(data))
        return len(self.parts) - 1

    def _fields(self, value: Any, shape: Shape) -> list[Any]:
        values = [getattr(value, name) for name in shape.names]
        while values and values[-1] == shape.defaults[len(values) - 1]:
            values.pop()
        encoded: list[Any] = []
        for one, kind in zip(values, shape.kinds, strict=False):
            if type(one) in _PLAIN:
                encoded.append(one)
            elif kind == "":
                encoded.append(self.encode(one))
            elif kind == "Type":
                encoded.append(self._type(one))
            elif kind == "Position":
                encoded.append(self._position(one))
            else:
                assert kind == EXAMPLES
                encoded.append(self._later([self.encode(example) for example in one]))
        return encoded

    def _type(self, one: types.Type) -> int:
        found = self._seen_types.get(id(one))
        if found is not None:
            return found[0]
        number = self._type_numbers.get(one)
        if number is None:
            number = self._type_numbers[one] = len(self.types)
            self.types.append(
                [
                    one.kind,
                    self.encode(one.unit),
                    self.encode(one.low),
                    self.encode(one.high),
                    one.integer,
                    None if one.values is None else list(one.values),
                    one.nullable,
                    one.zero_literal,
                ]
            )
        self._seen_types[id(one)] = number, one
        return number

    def _position(self, one: Position) -> int:
        number = self._file_numbers.get(one.file)
        if number is None:
            number = self._file_numbers[one.file] = len(self.files)
            self.files.append(one.file)
        column = min(one.column, _COLUMNS)
        return ((number << LINE_BITS) + one.line << COLUMN_BITS) + column


def compact(data: Any) -> bytes:
    """Data as one part of a compiled file: always the same bytes."""
    return marshal.dumps(data, 2)
