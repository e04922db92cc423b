"""Books and catalogs as plain JSON, generic over their frozen dataclasses.

A dataclass is an array: its number in `CLASSES`, then its fields with trailing defaults left
out. 0 leads a tuple, -1 a list; a mapping is an object; -2 stands for infinities. Types are kept
once in a pool and referred to by number; a position is one whole number. What most runs never
read stands on a line of its own, its number in its place: examples, and of records inside others
all but the fields of `AT_HAND` (-3, the line, then those).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, overload

from engine.book import model
from engine.language import tree, types
from engine.language.frozen import REQUIRED, begin, described, frozen
from engine.language.problems import Position

# The order is the format: change `FORMAT` in `compiled` when a class or its fields change.
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
TUPLE, LIST, INFINITE, IN_PARTS = 0, -1, -2, -3
# Of a column and of a row of advice, what is asked of all of them to find the few that matter.
AT_HAND: dict[type, tuple[str, ...]] = {
    model.Decision: ("id", "type"),
    model.AdviceRow: ("id",),
}
_EXAMPLES = "tuple[Example, ...]"
_new = object.__new__
_FIRST = 1
_NUMBERS = {one: index + _FIRST for index, one in enumerate(CLASSES)}
_LINE_BITS, _COLUMN_BITS = 24, 16
_LINES, _COLUMNS = (1 << _LINE_BITS) - 1, (1 << _COLUMN_BITS) - 1


@frozen
class _Shape:
    """How a class is written: its fields in order, which hold a type or position, defaults."""

    made: type
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    defaults: tuple[Any, ...]
    slots: tuple[tuple[Any, str, Any], ...]  # how to fill a slot, its kind, its default


def _shape(made: type, at_hand: bool | None = None) -> _Shape:
    """`at_hand`: only the fields of `AT_HAND`, or only the others."""
    fields = described(made)
    if at_hand is not None:
        fields = [one for one in fields if (one[0] in AT_HAND[made]) is at_hand]
    ordered = [one for one in fields if not one[3]] + [one for one in fields if one[3]]
    names = tuple(name for name, _, _, _ in ordered)
    written = [annotation.removesuffix(" | None") for _, annotation, _, _ in ordered]
    kinds = tuple(kind if kind in ("Type", "Position", _EXAMPLES) else "" for kind in written)
    defaults = tuple(default for _, _, default, _ in ordered)
    fills = [getattr(made, name).__set__ for name in names]
    return _Shape(made, names, kinds, defaults, tuple(zip(fills, kinds, defaults, strict=True)))


class Later(Sequence[Any]):
    """Examples of an entry, decoded when somebody reads them: a run never does."""

    __slots__ = ("_done", "_line", "_pool")

    def __init__(self, line: int, pool: Pool) -> None:
        self._line, self._pool = line, pool
        self._done: tuple[Any, ...] | None = None

    def _values(self) -> tuple[Any, ...]:
        if self._done is None:
            self._done = tuple(map(self._pool.decode, self._pool.part(self._line)))
        return self._done

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...

    def __getitem__(self, index: int | slice) -> Any:
        return self._values()[index]

    def __len__(self) -> int:
        return len(self._values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, Later)) and self._values() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return repr(self._values())


_SHAPES: dict[int, _Shape] = {}
_DIVIDED: dict[int, tuple[_Shape, _Shape]] = {}  # what is at hand, and the rest


def _divided(number: int) -> tuple[_Shape, _Shape]:
    found = _DIVIDED.get(number)
    if found is None:
        made = CLASSES[number - _FIRST]
        found = _DIVIDED[number] = (_shape(made, True), _shape(made, False))
    return found


def _shape_of(number: int) -> _Shape:
    found = _SHAPES.get(number)
    if found is None:
        found = _SHAPES[number] = _shape(CLASSES[number - _FIRST])
    return found


class Pool:
    """Types and files that many values share, and the lines of what is read later."""

    def __init__(
        self,
        types_: list[Any] | None = None,
        files: list[str] | None = None,
        parts: list[bytes] | None = None,
    ) -> None:
        self.types: list[Any] = types_ if types_ is not None else []
        self.files: list[str] = files if files is not None else []
        self.parts: list[bytes] = parts if parts is not None else []
        self._type_numbers: dict[types.Type, int] = {}
        self._file_numbers: dict[str, int] = {}
        self._made: dict[int, types.Type] = {}
        self._positions: dict[int, Position] = {}

    # ---------------------------------------------------------------- writing

    def entry(self, value: Any) -> Any:
        """An entry as JSON data, all of it at hand."""
        if type(value) not in AT_HAND:
            return self.encode(value)
        number = _NUMBERS[type(value)]
        return [number, *self._fields(value, _shape_of(number))]

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
        if type(value) not in AT_HAND:
            return [number, *self._fields(value, _shape_of(number))]
        first, rest = _divided(number)
        line = self._later([number, *self._fields(value, rest)])
        return [IN_PARTS, line, number, *self._fields(value, first)]

    def _later(self, data: list[Any]) -> int:
        self.parts.append(compact(data))
        return len(self.parts) - 1

    def _fields(self, value: Any, shape: _Shape) -> list[Any]:
        values = [getattr(value, name) for name in shape.names]
        while values and values[-1] == shape.defaults[len(values) - 1]:
            values.pop()
        encoded: list[Any] = []
        for one, kind in zip(values, shape.kinds, strict=False):
            if one is None:
                encoded.append(None)
            elif kind == "Type":
                encoded.append(self._type(one))
            elif kind == "Position":
                encoded.append(self._position(one))
            elif kind == _EXAMPLES:
                encoded.append(self._later([self.encode(example) for example in one]))
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
        column = min(one.column, _COLUMNS)
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
            if number == IN_PARTS:
                return self._begun(data)
            return math.inf * data[1]
        if kind is dict:
            return {key: self.decode(one) for key, one in data.items()}
        return data

    def part(self, line: int) -> Any:
        """What stands on a line of its own. Raises LookupError or ValueError."""
        return json.loads(self.parts[line])

    def _begun(self, data: list[Any]) -> Any:
        line, number = data[1], data[2]
        first, rest = _divided(number)
        made: Any = begin(first.made, lambda record: self._fill(record, rest, self.part(line)))
        self._fill(made, first, data[2:])
        return made

    def _made_of(self, shape: _Shape, data: list[Any]) -> Any:
        made: Any = _new(shape.made)
        self._fill(made, shape, data)
        return made

    def _fill(self, made: Any, shape: _Shape, data: list[Any]) -> None:
        # Slots are filled directly and what is known already is taken from here: thousands of
        # nodes are made in every run.
        values = iter(data)
        next(values)  # the number of the class
        for (fill, kind, _), one in zip(shape.slots, values, strict=False):
            if kind == "":
                if type(one) is list or type(one) is dict:
                    one = self.decode(one)
            elif kind == _EXAMPLES:
                one = Later(one, self)
            elif one is None:
                pass
            elif kind == "Type":
                one = self._made.get(one) or self._type_at(one)
            else:
                one = self._positions.get(one) or self._position_at(one)
            fill(made, one)
        for fill, _, default in shape.slots[len(data) - 1 :]:
            if default is REQUIRED:
                raise ValueError(f"{shape.made.__name__}: a field is missing")
            fill(made, default)

    def _type_at(self, number: int) -> types.Type:
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
        rest = number >> _COLUMN_BITS
        place = (self.files[rest >> _LINE_BITS], rest & _LINES, number & _COLUMNS)
        found = self._positions[number] = tuple.__new__(Position, place)
        return found


def compact(data: Any) -> bytes:
    """JSON data as one line."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")
