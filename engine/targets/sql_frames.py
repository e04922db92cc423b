"""Rows under construction: a chain of projections, one layer above the other.

A value that several others read, or that one text would have to repeat, becomes a column of its
own in the first layer that can compute it. Layers keep the query shallow: five hundred
decisions of depth twenty are twenty projections.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from engine.targets.sql_text import Place, Sql, quoted

# Writes the rows a level starts with, given the name of the rows before it.
Start = Callable[[str], str]


@dataclass(slots=True)
class Layer:
    """What one projection adds."""

    columns: list[tuple[str, str]] = field(default_factory=list)
    joins: list[str] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Step:
    """One projection: the columns it adds (quoted), and its text on top of the rows before it."""

    columns: tuple[str, ...]
    text: Start


class Frame:
    """The columns of one kind of row, each placed in the earliest layer that can hold it."""

    def __init__(self, name: str, start: Start) -> None:
        self.name = name
        self.starts: list[Start] = [start]
        self.columns: dict[str, Sql] = {}
        self._layers: dict[Place, Layer] = {}
        self._lets: dict[str, Sql] = {}
        self._lookups: dict[tuple[str, str, str], str] = {}

    def add_level(self, start: Start) -> int:
        self.starts.append(start)
        return len(self.starts) - 1

    def base(self, name: str, level: int, *, nullable: bool, low: float = float("-inf")) -> Sql:
        """A column that the start of a level brings."""
        self.columns[name] = Sql(quoted(name), (level, 0), nullable, low)
        return self.columns[name]

    def define(self, name: str, value: Sql) -> Sql:
        """A named column; a value that is a column already is only named once more."""
        if value.bound:
            raise ValueError(f"{name} reads a lambda variable")
        place = (value.at[0], value.at[1] + 1)
        self._layer(place).columns.append((name, value.text))
        self.columns[name] = Sql(quoted(name), place, value.nullable, value.low)
        return self.columns[name]

    def let(self, value: Sql) -> Sql:
        """The value as something that may be repeated: a column, unless it is tiny."""
        if value.size == 1:
            return value
        if value.text not in self._lets:
            self._lets[value.text] = self.define(f"let:{len(self._lets)}", value)
        return self._lets[value.text]

    def filter(self, condition: Sql, level: int) -> None:
        """Keeps the rows where it holds, from `level` on."""
        at = max(condition.at, (level, 0))
        self._layer((at[0], at[1] + 1)).filters.append(condition.text)

    def lookup(self, table: str, key_column: str, key: Sql, column: str) -> Sql:
        """A cell by a unique key: a left join, shared by all columns read with the same key."""
        place = (key.at[0], key.at[1] + 1)
        name = f"lookup:{table}.{column}({key.text})"
        if name in self.columns:
            return self.columns[name]
        layer = self._layer(place)
        alias = self._lookups.get((table, key.text, str(place)))
        if alias is None:
            alias = f"k{len(self._lookups)}"
            self._lookups[table, key.text, str(place)] = alias
            layer.joins.append(
                f"LEFT JOIN {quoted('catalog_' + table)} AS {alias} "
                f"ON {alias}.{quoted(key_column)} = {key.text}"
            )
        label = f"cell:{alias}.{column}"
        layer.columns.append((label, f"{alias}.{quoted(column)}"))
        self.columns[name] = Sql(quoted(label), place, nullable=True)
        return self.columns[name]

    def steps(self, first: int, last: int) -> list[Step]:
        """The projections of levels `first` to `last`, in order."""
        steps: list[Step] = []
        for level in range(first, last + 1):
            begun = [value.text for value in self.columns.values() if value.at == (level, 0)]
            steps.append(Step(tuple(begun), self.starts[level]))
            for place in sorted(place for place in self._layers if place[0] == level):
                layer = self._layers[place]
                names = tuple(quoted(name) for name, _ in layer.columns)
                steps.append(Step(names, partial(_layer_text, layer)))
        return steps

    def _layer(self, place: Place) -> Layer:
        return self._layers.setdefault(place, Layer())


def chain(prefix: str, steps: Sequence[Step], before: str) -> tuple[list[str], str]:
    """The steps as CTEs on top of the rows `before`, and the name of the last."""
    texts: list[str] = []
    for number, step in enumerate(steps):
        texts.append(f"{prefix}{number} AS NOT MATERIALIZED (\n{step.text(before)})")
        before = f"{prefix}{number}"
    return texts, before


def _layer_text(layer: Layer, before: str) -> str:
    columns = "".join(f",\n  {text} AS {quoted(name)}" for name, text in layer.columns)
    joins = "".join(f"\n{join}" for join in layer.joins)
    where = f"\nWHERE {' AND '.join(layer.filters)}" if layer.filters else ""
    return f"SELECT p.*{columns}\nFROM {before} AS p{joins}{where}"


def at_start(value: Sql) -> Sql:
    """The same column where a relation starts with it."""
    return replace(value, at=(0, 0))
