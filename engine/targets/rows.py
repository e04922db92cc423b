"""Row variables of loops: how a column is read from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.language.types import Type
from engine.targets.statements import Assign
from engine.targets.values import ATOM, Value

if TYPE_CHECKING:
    from engine.targets.emit import Emitter


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a column stands in a row, and what it may be."""

    position: int
    type: Type | None
    nullable: bool


@dataclass(frozen=True, slots=True)
class TupleRow:
    """A row held as a list of values; `optional`: it may be a row of unknowns."""

    item: str
    cells: dict[str, Cell]
    optional: bool = False
    clean: bool = False

    def column(self, emitter: Emitter, name: str) -> Value:
        cell = self.cells[name]
        emitter.use(self.item)
        return read_cell(emitter, self.item, cell.position, cell.nullable or self.optional)

    def declared(self, name: str) -> Type | None:
        return self.cells[name].type


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A row of one value that is always known (`steps`)."""

    item: str
    clean: bool = False

    def column(self, emitter: Emitter, name: str) -> Value:
        emitter.use(self.item)
        return Value(self.item, (), ATOM, stored=True)

    def declared(self, name: str) -> Type | None:
        return None


def read_cell(emitter: Emitter, item: str, position: int, nullable: bool) -> Value:
    code = f"{item}[{position}]"
    if not nullable:
        return Value(code, (), ATOM)
    name = emitter.fresh("v")
    emitter.out.append(Assign(name, code))
    return Value(name, (name,), ATOM, stored=True)
