"""Reads books out of plain data; see `codec` for the form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, overload

from engine.book.codec import (
    ASKED_FOR,
    CLASSES,
    COLUMN_BITS,
    EXAMPLES,
    FIRST,
    IN_PARTS,
    LINE_BITS,
    LIST,
    TUPLE,
    Shape,
    divided,
    shape,
)
from engine.book.compiled import Lines, value_of
from engine.language import types
from engine.language.frozen import REQUIRED, begin
from engine.language.problems import Position
from engine.language.tree import Node

_ABOUT = ("type", "position")  # of a node: what a run hardly ever asks for
_LINES, _COLUMNS = (1 << LINE_BITS) - 1, (1 << COLUMN_BITS) - 1
_new = object.__new__


class Later(Sequence[Any]):
    """Examples of an entry, decoded when somebody reads them: a run never does."""

    __slots__ = ("_decoder", "_done", "_line")

    def __init__(self, line: int, decoder: Decoder) -> None:
        self._line, self._decoder = line, decoder
        self._done: tuple[Any, ...] | None = None

    def _values(self) -> tuple[Any, ...]:
        if self._done is None:
            self._done = tuple(map(self._decoder.decode, self._decoder.part(self._line)))
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


# How to read a class by its number: its shape; how many fields are decoded at first, each of the
# others when it is read; what leaves them for later (None: nothing is); and what fills the first
# when none of them holds a type or position.
_Reading = tuple[Shape, int, Any, list[Any] | None]
_READINGS: dict[int, _Reading] = {}
_DIVIDED: dict[int, tuple[Shape, _Reading]] = {}


def _reading(number: int) -> _Reading:
    found = _READINGS.get(number)
    if found is None:
        found = _READINGS[number] = _reading_of(shape(CLASSES[number - FIRST]))
    return found


def _reading_of(whole: Shape) -> _Reading:
    made = whole.made
    end = ASKED_FOR.get(made, len(whole.names))
    if issubclass(made, Node):
        end = sum(name not in _ABOUT for name in whole.names)
    later = made._rest.__set__ if end < len(whole.names) else None  # type: ignore[attr-defined]
    plain = [slot[0] for slot in whole.slots[:end] if not slot[1]]
    return whole, end, later, plain if len(plain) == end else None


class Decoder:
    """Makes the records of one book: types and parts are read from their lines when needed, which
    start at `types_` and `parts`."""

    def __init__(self, files: list[str], lines: Lines, types_: int, parts: int) -> None:
        self.files, self.lines, self.types, self.parts = files, lines, types_, parts
        self._made: dict[int, types.Type] = {}
        self._positions: dict[int, Position] = {}

    def decode(self, data: Any) -> Any:
        """The value that was encoded. Raises LookupError, TypeError or ValueError on others."""
        kind = type(data)
        if kind is list:
            number = data[0]
            if number > TUPLE:
                return self._record(number, data)
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
        return value_of(self.lines[self.parts + line])

    def _begun(self, data: list[Any]) -> Any:
        line, number = data[1], data[2]
        found = _DIVIDED.get(number)
        if found is None:
            first, rest = divided(CLASSES[number - FIRST])
            found = _DIVIDED[number] = first, _reading_of(rest)
        first, reading = found
        others: list[Any] = []  # what has to be looked up, once it has been

        def fill(record: Any, name: str) -> None:
            if name in first.places:
                self._field(first, data[2:], record, name)
                return
            if not others:
                others.extend(self.part(line))
            self._field(reading[0], others, record, name)

        made: Any = begin(first.made, fill)
        self._fill(made, first, data[2:], 0, 1)
        return made

    def _record(self, number: int, data: list[Any]) -> Any:
        reading = _READINGS.get(number) or _reading(number)
        made: Any = _new(reading[0].made)
        self._start(made, reading, data)
        return made

    def _start(self, made: Any, reading: _Reading, data: list[Any]) -> None:
        """Fills the slots of what is asked for; the others when one of them is first read."""
        whole, end, later, fills = reading
        if later is None or len(data) <= end:
            self._fill(made, whole, data)
            return
        if fills is None:
            self._fill(made, whole, data, 0, end)
        else:  # thousands of nodes are made in every run
            values = iter(data)
            next(values)  # the number of the class
            for fill, one in zip(fills, values, strict=False):
                fill(made, self.decode(one) if type(one) is list else one)
        later(made, partial(self._field, whole, data))

    def _field(self, form: Shape, data: list[Any], made: Any, name: str) -> None:
        """Fills the slot of one field: whoever asks for a reason needs no conditions."""
        place = form.places[name]
        self._fill(made, form, data, place, place + 1)

    def _fill(
        self, made: Any, form: Shape, data: list[Any], start: int = 0, stop: int | None = None
    ) -> None:
        """Fills the slots from `start` to `stop`; what is not written has its default."""
        for (fill, kind, _), one in zip(form.slots[start:stop], data[start + 1 :], strict=False):
            if kind == "":
                if type(one) is list or type(one) is dict:
                    one = self.decode(one)
            elif kind == EXAMPLES:
                one = Later(one, self)
            elif one is None:
                pass
            elif kind == "Type":
                one = self._made.get(one) or self._type_at(one)
            else:
                one = self._positions.get(one) or self._position_at(one)
            fill(made, one)
        for fill, _, default in form.slots[max(len(data) - 1, start) : stop]:
            if default is REQUIRED:
                raise ValueError(f"{form.made.__name__}: a field is missing")
            fill(made, default)

    def _type_at(self, number: int) -> types.Type:
        kind, unit, low, high, integer, values, nullable, zero = value_of(
            self.lines[self.types + number]
        )
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
        rest = number >> COLUMN_BITS
        place = (self.files[rest >> LINE_BITS], rest & _LINES, number & _COLUMNS)
        found = self._positions[number] = tuple.__new__(Position, place)
        return found
