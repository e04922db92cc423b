"""Books and catalogs as plain JSON, generic over their frozen dataclasses.

A dataclass is an array: its number in `CLASSES`, then its fields with trailing defaults left
out. 0 leads a tuple, -1 a list; a mapping is an object; -2 stands for infinities. Types are kept
once in a pool and referred to by number; a position is one whole number.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from engine.book import model
from engine.language import tree, types
from engine.language.problems import Position

# The order is the format: change `FORMAT` in `store` when a class or its fields change.
CLASSES: tuple[type, ...] = (
    tree.Literal, tree.Name, tree.Fact, tree.Parameter, tree.DecisionValue, tree.Column,
    tree.Negate, tree.Not, tree.Arithmetic, tree.Comparison, tree.And, tree.Or, tree.If, tree.Call,
    tree.Power, tree.RoundHalfUp, tree.Interpolate, tree.FirstAtLeast, tree.Lookup, tree.Aggregate,
    tree.Best, tree.Test, tree.Cell, tree.In,
    model.Text, model.Unknown, model.Field, model.Fact, model.Parameter, model.Formula, model.Row,
    model.Output, model.Table, model.Curve, model.Example, model.Decision, model.Source,
    model.RelationColumn, model.Relation, model.Ranking, model.AdviceRow, model.Advice,
    model.TableColumn, model.TableSchema, model.TableData,
    types.Unit,
)  # fmt: skip
TUPLE, LIST, INFINITE = 0, -1, -2
_FIRST = 1
_NUMBERS = {one: index + _FIRST for index, one in enumerate(CLASSES)}
_LINE_BITS, _COLUMN_BITS = 24, 16


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    """How a class is written: its fields in order, which hold a type or position, defaults."""

    made: type
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    defaults: tuple[Any, ...]
    keywords: int  # how many of the last fields are given by keyword


def _shape(made: type) -> _Shape:
    fields = dataclasses.fields(made)
    ordered = [one for one in fields if not one.kw_only] + [one for one in fields if one.kw_only]
    kinds = []
    defaults: list[Any] = []
    for one in ordered:
        text = str(one.type).removesuffix(" | None")
        kinds.append(text if text in ("Type", "Position") else "")
        if one.default_factory is not dataclasses.MISSING:
            defaults.append(one.default_factory())
        else:
            defaults.append(one.default)
    keywords = len([one for one in fields if one.kw_only])
    return _Shape(made, tuple(one.name for one in ordered), tuple(kinds), tuple(defaults), keywords)


_SHAPES: dict[int, _Shape] = {}


def _shape_of(number: int) -> _Shape:
    found = _SHAPES.get(number)
    if found is None:
        found = _SHAPES[number] = _shape(CLASSES[number - _FIRST])
    return found


class Pool:
    """Types and files that many values share."""

    def __init__(self, types_: list[Any] | None = None, files: list[str] | None = None) -> None:
        self.types: list[Any] = types_ if types_ is not None else []
        self.files: list[str] = files if files is not None else []
        self._type_numbers: dict[types.Type, int] = {}
        self._file_numbers: dict[str, int] = {}
        self._made: dict[int, types.Type] = {}
        self._positions: dict[int, Position] = {}

    # ---------------------------------------------------------------- writing

    def encode(self, value: Any) -> Any:
        """A value as JSON data."""
        if value is None or isinstance(value, (bool, str, int)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else [INFINITE, 1 if value > 0 else -1]
        if isinstance(value, tuple):
            return [TUPLE, *map(self.encode, value)]
        if isinstance(value, list):
            return [LIST, *map(self.encode, value)]
        if isinstance(value, Mapping):
            return {str(key): self.encode(one) for key, one in value.items()}
        number = _NUMBERS[type(value)]
        shape = _shape_of(number)
        values = [getattr(value, name) for name in shape.names]
        while values and values[-1] == shape.defaults[len(values) - 1]:
            values.pop()
        encoded: list[Any] = [number]
        for one, kind in zip(values, shape.kinds, strict=False):
            if one is None:
                encoded.append(None)
            elif kind == "Type":
                encoded.append(self._type(one))
            elif kind == "Position":
                encoded.append(self._position(one))
            else:
                encoded.append(self.encode(one))
        return encoded

    def _type(self, one: types.Type) -> int:
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
        return number

    def _position(self, one: Position) -> int:
        number = self._file_numbers.get(one.file)
        if number is None:
            number = self._file_numbers[one.file] = len(self.files)
            self.files.append(one.file)
        column = min(one.column, (1 << _COLUMN_BITS) - 1)
        return ((number << _LINE_BITS) + one.line << _COLUMN_BITS) + column

    # ---------------------------------------------------------------- reading

    def decode(self, data: Any) -> Any:
        """The value that `encode` wrote. Raises LookupError, TypeError or ValueError on others."""
        kind = type(data)
        if kind is list:
            number = data[0]
            if number > TUPLE:
                return self._made_of(_SHAPES.get(number) or _shape_of(number), data)
            if number == TUPLE:
                return tuple([self.decode(one) for one in data[1:]])
            if number == LIST:
                return [self.decode(one) for one in data[1:]]
            return math.inf * data[1]
        if kind is dict:
            return {key: self.decode(one) for key, one in data.items()}
        return data

    def _made_of(self, shape: _Shape, data: list[Any]) -> Any:
        values: list[Any] = data[1:]
        kinds = shape.kinds
        for place, one in enumerate(values):
            kind = kinds[place]
            if kind == "":
                if type(one) is list or type(one) is dict:
                    values[place] = self.decode(one)
            elif one is not None:
                values[place] = self._type_at(one) if kind == "Type" else self._position_at(one)
        if not shape.keywords:
            return shape.made(*values)
        plain = len(shape.names) - shape.keywords
        named = dict(zip(shape.names[plain:], values[plain:], strict=False))
        return shape.made(*values[:plain], **named)

    def _type_at(self, number: int) -> types.Type:
        found = self._made.get(number)
        if found is None:
            kind, unit, low, high, integer, values, nullable, zero = self.types[number]
            found = self._made[number] = types.Type(
                kind,
                self.decode(unit),
                self.decode(low),
                self.decode(high),
                integer,
                None if values is None else tuple(values),
                nullable,
                zero,
            )
        return found

    def _position_at(self, number: int) -> Position:
        found = self._positions.get(number)
        if found is None:
            column = number & ((1 << _COLUMN_BITS) - 1)
            rest = number >> _COLUMN_BITS
            line = rest & ((1 << _LINE_BITS) - 1)
            found = self._positions[number] = Position(self.files[rest >> _LINE_BITS], line, column)
        return found
