"""Relations: rows from sources, and the values a row can give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

from engine.book.model import Book, Relation, RelationColumn, Source
from engine.language.frozen import frozen
from engine.reference.expressions import Reader, RowLike, Scope, evaluate
from engine.reference.reads import At, Read
from engine.reference.values import Answer, UnknownValue, plain, union, unknown

GroupKey = tuple[object, ...]


class RelationReader(Reader, Protocol):
    """What building relations needs of the evaluator."""

    book: Book
    assume: dict[str, Any]
    takes_values: bool  # of rows taken over, those that a fast target knew are not computed again

    def layout(self, relation: Relation) -> Layout: ...

    def assumed(self, name: str) -> Answer | None: ...

    def relation(self, relation: str) -> Sequence[RelationRow] | UnknownValue: ...

    def table_size(self, table: str) -> int: ...

    def fact_size(self, path: str) -> int | UnknownValue: ...

    def groups(self, relation: str, by: tuple[str, ...]) -> Sequence[Group] | UnknownValue: ...

    def matching(self, source: Source, column: str) -> dict[object, list[int]]: ...

    def unknown_column(self, row: TakenRow, name: str) -> Answer: ...


class Layout:
    """Where a relation's sources and columns are, by name."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.sources = {source.alias: place for place, source in enumerate(relation.sources)}
        self.columns = {column.decision.id: column for column in relation.columns}
        self.places = {name: place for place, name in enumerate(self.columns)}

    def source(self, alias: str) -> int:
        if alias not in self.sources:
            raise LookupError(f"{self.relation.id} has no source {alias}")
        return self.sources[alias]

    def column(self, name: str) -> RelationColumn:
        if name not in self.columns:
            raise LookupError(f"{self.relation.id} has no column {name}")
        return self.columns[name]


class UnknownRowsError(Exception):
    """The rows themselves depend on something unknown."""

    def __init__(self, value: UnknownValue) -> None:
        super().__init__(str(value))
        self.value = value


@frozen
class LeafRow:
    """A row of a catalog table or of a list fact."""

    reader: Reader
    kind: str
    id: str
    number: int

    def column(self, name: str) -> Answer:
        kind = "cell" if self.kind == "table" else "field"
        return self.reader.read(Read(kind, self.id, name, (self.number,)))  # type: ignore[arg-type]


class LeafRows(Sequence[LeafRow]):
    """The rows of a catalog table, each made when it is asked for."""

    def __init__(
        self, reader: Reader, table: str, rows: Sequence[Sequence[Any]], places: Mapping[str, int]
    ) -> None:
        self.reader, self.table, self.rows, self.places = reader, table, rows, places

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, number: int) -> LeafRow: ...

    @overload
    def __getitem__(self, number: slice) -> list[LeafRow]: ...

    def __getitem__(self, number: int | slice) -> LeafRow | list[LeafRow]:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        return LeafRow(self.reader, "table", self.table, range(len(self.rows))[number])

    def maybe_equal(self, wanted: Iterable[tuple[str, object]]) -> Iterable[LeafRow]:
        """The rows each of whose named columns has the value beside it, or is empty."""
        rows: Iterable[tuple[int, Sequence[Any]]] = enumerate(self.rows)
        for column, value in wanted:
            rows = _having(rows, self.places[column], (value, None))
        return (self[number] for number, _ in rows)


@frozen
class Group:
    """Rows of a relation that agree in the `by` columns."""

    rows: tuple[RelationRow, ...]

    def column(self, name: str) -> Answer:
        first = self.rows[0]
        return first.reader.read(Read("group", first.relation.id, name, first.at))


class RelationRow:
    """One row: row numbers of its sources (None: an optional source matched nothing).

    A row with fewer numbers than sources is one being built; its columns of higher levels
    cannot be read yet.
    """

    def __init__(self, reader: RelationReader, relation: Relation, at: At) -> None:
        self.reader, self.relation, self.at = reader, relation, at
        self.layout = reader.layout(relation)

    def column(self, name: str) -> Answer:
        """The row's own column."""
        level = self.layout.column(name).level
        return self.reader.read(Read("column", self.relation.id, name, self.at[:level]))

    def source(self, alias: str, name: str) -> Answer:
        """A column of one of its sources."""
        index = self.layout.source(alias)
        source = self.relation.sources[index]
        if self.reader.assume:
            assumed = self.reader.assumed(f"{self.relation.id}.{alias}.{name}")
            if assumed is not None:
                return assumed
        if index >= len(self.at):
            return unknown("blank", f"{self.relation.id}.{alias}.{name}")
        number = self.at[index]
        if number is None:
            return self._unmatched(source, index)
        if source.kind == "steps":
            return self.reader.read(Read("step", self.relation.id, alias, self.at[: index + 1]))
        return source_row(self.reader, source, number).column(name)

    def step(self, alias: str) -> Answer:
        """The value of a `steps` source: start + number * step."""
        index = self.layout.source(alias)
        source, number = self.relation.sources[index], self.at[index]
        start, _, step = step_bounds(source, Scope(self.reader, self.before(index)))
        return start + float(number or 0) * step

    def members(self, columns: str) -> Sequence[RowLike] | UnknownValue:
        """The rows of the group this row stands on."""
        for index, source in enumerate(self.relation.sources):
            if source.kind != "group":
                continue
            if index >= len(self.at):
                return unknown("blank", f"{self.relation.id}.members")
            self.reader.read(Read("relation", source.name, columns))
            groups = self.reader.groups(source.name, source.by)
            number = self.at[index]
            if isinstance(groups, UnknownValue):
                return groups
            return () if number is None else groups[number].rows
        raise LookupError(f"{self.relation.id} has no group")

    def before(self, index: int) -> RelationRow:
        """The row as its source `index` sees it."""
        return RelationRow(self.reader, self.relation, self.at[:index])

    def scope(self) -> Scope:
        return Scope(self.reader, self)

    def _unmatched(self, source: Source, index: int) -> UnknownValue:
        wanted = [evaluate(node, self.before(index).scope()) for _, node in source.on]
        because = union(wanted)
        if because.causes:
            return because
        return unknown("no_match", f"{self.relation.id}.{source.alias}")


class TakenRow(RelationRow):
    """A row of a fast target's result: its column values are at hand."""

    def __init__(self, reader: RelationReader, relation: Relation, values: Sequence[Any]) -> None:
        size = len(relation.sources)
        super().__init__(reader, relation, tuple(values[:size]))
        self.values, self.first = values, size
        self._sources: dict[str, RowLike] = {}

    def column(self, name: str) -> Answer:
        if self.reader.takes_values:
            value: Answer | None = self.taken(name)
            return self.reader.unknown_column(self, name) if value is None else value
        return super().column(name)

    def source(self, alias: str, name: str) -> Answer:
        if not self.reader.takes_values:
            return super().source(alias, name)
        row = self._sources.get(alias)
        if row is None:
            index = self.layout.source(alias)
            source, number = self.relation.sources[index], self.at[index]
            if number is None or source.kind == "steps":
                return super().source(alias, name)
            row = self._sources[alias] = source_row(self.reader, source, number)
        return row.column(name)

    def taken(self, name: str) -> Any:
        """The value of a column; None when it is unknown (why is for the reference to say)."""
        return self.values[self.first + self.layout.places[name]]


class TakenRows(Sequence[RelationRow]):
    """The rows of a relation in a fast target's result, each made when it is asked for."""

    def __init__(
        self, reader: RelationReader, relation: Relation, rows: Sequence[Sequence[Any]]
    ) -> None:
        self.reader, self.relation, self.rows = reader, relation, rows
        self._made: dict[int, TakenRow] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, number: int) -> RelationRow: ...

    @overload
    def __getitem__(self, number: slice) -> list[RelationRow]: ...

    def __getitem__(self, number: int | slice) -> RelationRow | list[RelationRow]:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        row = self._made.get(number)
        if row is None:
            row = self._made[number] = TakenRow(self.reader, self.relation, self.rows[number])
        return row

    def maybe_equal(self, wanted: Iterable[tuple[str, object]]) -> Iterable[RelationRow]:
        """The rows each of whose named columns has the value beside it, or is unknown."""
        places = self.reader.layout(self.relation).places
        rows: Iterable[tuple[int, Sequence[Any]]] = enumerate(self.rows)
        for column, value in wanted:
            rows = _having(rows, len(self.relation.sources) + places[column], (value, None))
        return (self[number] for number, _ in rows)


def _having(
    rows: Iterable[tuple[int, Sequence[Any]]], place: int, values: tuple[object, ...]
) -> Iterable[tuple[int, Sequence[Any]]]:
    return (pair for pair in rows if pair[1][place] in values)  # the first may be enough


def find_column(relation: Relation, name: str) -> RelationColumn:
    return Layout(relation).column(name)


def source_index(relation: Relation, alias: str) -> int:
    return Layout(relation).source(alias)


def source_row(reader: RelationReader, source: Source, number: int) -> RowLike:
    """Row `number` of a source (not of `steps`)."""
    if source.kind in ("table", "fact"):
        return LeafRow(reader, source.kind, source.name, number)
    if source.kind == "relation":
        rows = reader.relation(source.name)
        if isinstance(rows, UnknownValue):
            raise UnknownRowsError(rows)
        return rows[number]
    groups = reader.groups(source.name, source.by)
    if isinstance(groups, UnknownValue):
        raise UnknownRowsError(groups)
    return groups[number]


def build(reader: RelationReader, relation: Relation) -> list[RelationRow]:
    """All rows in order; raises UnknownRowsError when the sources themselves are unknown.

    Raises ValueError when a `where` is unknown or there are more rows than `max_rows`.
    """
    rows = list(_extend(RelationRow(reader, relation, ())))
    if len(rows) > relation.max_rows:
        raise ValueError(f"{relation.id}: {len(rows)} rows, more than {relation.max_rows}")
    return rows


def _extend(row: RelationRow) -> Iterator[RelationRow]:
    relation, level = row.relation, len(row.at)
    if not all(_passes(node, row) for node, needs in relation.where if needs == level):
        return
    if level == len(relation.sources):
        yield row
        return
    for number in _numbers(row, relation.sources[level]):
        yield from _extend(RelationRow(row.reader, relation, (*row.at, number)))


def _passes(node: object, row: RelationRow) -> bool:
    held = evaluate(node, row.scope())  # type: ignore[arg-type]
    if isinstance(held, UnknownValue):
        raise ValueError(f"{row.relation.id}: a where is unknown: {held}")
    return bool(held)


def _numbers(row: RelationRow, source: Source) -> Sequence[int | None]:
    if source.kind == "steps":
        return range(_step_count(row, source))
    if not source.on:
        return range(_size(row.reader, source))
    found: list[int] | None = None
    for column, node in source.on:
        wanted = evaluate(node, row.scope())
        index = row.reader.matching(source, column)
        matches = [] if isinstance(wanted, UnknownValue) else index.get(wanted, [])
        found = matches if found is None else [number for number in found if number in matches]
    if not found and source.optional:
        return [None]
    return found or []


def _size(reader: RelationReader, source: Source) -> int:
    if source.kind == "table":
        return reader.table_size(source.name)
    size: int | Sequence[object] | UnknownValue
    if source.kind == "fact":
        size = reader.fact_size(source.name)
    elif source.kind == "relation":
        size = reader.relation(source.name)
    else:
        size = reader.groups(source.name, source.by)
    if isinstance(size, UnknownValue):
        raise UnknownRowsError(size)
    return size if isinstance(size, int) else len(size)


def step_bounds(source: Source, scope: Scope) -> tuple[float, float, float]:
    """start, stop, step of a `steps` source."""
    assert source.start is not None and source.stop is not None and source.step is not None
    values = [evaluate(node, scope) for node in (source.start, source.stop, source.step)]
    blocked = union(values)
    if blocked.causes:
        raise UnknownRowsError(blocked)
    start, stop, step = (float(value) for value in values)  # type: ignore[arg-type]
    if step <= 0:
        raise ValueError(f"{source.alias}: a step of {step}")
    return start, stop, step


def _step_count(row: RelationRow, source: Source) -> int:
    start, stop, step = step_bounds(source, row.scope())
    count = 0
    while start + float(count) * step <= stop:
        count += 1
        if count > row.relation.max_rows:
            raise ValueError(f"{row.relation.id}: more than {row.relation.max_rows} steps")
    return count


def grouped(rows: Sequence[RelationRow], by: tuple[str, ...]) -> list[Group]:
    """Rows with equal `by` values together, in order of first appearance."""
    groups: dict[GroupKey, list[RelationRow]] = {}
    for row in rows:
        key = tuple(plain(row.reader.unrecorded(row, name)) for name in by)
        groups.setdefault(key, []).append(row)
    return [Group(tuple(members)) for members in groups.values()]
