"""What typing needs to know about the book: a protocol, implemented by whoever loads books."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from engine.language.problems import Position
from engine.language.tree import Column, Node
from engine.language.types import Type

NameKind = Literal["name", "rows", "ranking", "curve", "ladder", "table"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows an aggregate can run over.

    `name` is what `Aggregate.relation` will hold (full relation id, `catalog.<table>`, list
    fact path, `members`). `catalog`: the columns are catalog columns, so `known` may read
    them. `nullable`: the list itself may be missing.
    """

    name: str
    columns: Mapping[str, Type]
    max_rows: int
    catalog: bool = False
    nullable: bool = False


class CurveLike(Protocol):
    """What `engine.book.model.Curve` offers."""

    @property
    def segments(self) -> tuple[tuple[str, tuple[tuple[float, float], ...]], ...]: ...
    @property
    def below(self) -> Literal["hold", "refuse"]: ...
    @property
    def above(self) -> Literal["hold", "refuse"]: ...
    @property
    def x_type(self) -> Type: ...
    @property
    def y_type(self) -> Type: ...


class LadderLike(Protocol):
    """A parameter with steps."""

    @property
    def steps(self) -> tuple[float, ...]: ...
    @property
    def type(self) -> Type: ...


class ColumnLike(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> Type: ...


class TableLike(Protocol):
    """What `engine.book.model.TableSchema` offers."""

    @property
    def name(self) -> str: ...
    @property
    def columns(self) -> tuple[ColumnLike, ...]: ...


class Scope(Protocol):
    """Resolution of names at one place of the book.

    Each method returns None for a name it does not know and raises ProblemError when a name
    has two meanings or is of the wrong sort (a curve read as a value).
    """

    def resolve(self, path: str, position: Position) -> Node | None:
        """The typed Fact, Parameter, DecisionValue or Column a name stands for."""

    def rows(self, name: str, position: Position) -> Rows | None:
        """A relation, `catalog.<table>`, list fact or `members`."""

    def ranking(self, name: str, position: Position) -> tuple[str, Rows] | None:
        """Full id of a ranking and the rows it orders."""

    def curve(self, name: str, position: Position) -> tuple[str, CurveLike] | None: ...

    def ladder(self, name: str, position: Position) -> tuple[str, LadderLike] | None: ...

    def table(self, name: str, position: Position) -> TableLike | None:
        """A catalog table, by its bare name."""

    def taken(self, alias: str) -> bool:
        """Is this an alias in scope or the first part of fact paths?"""

    def is_catalog_column(self, column: Column) -> bool:
        """May `known` read it: does its alias name a catalog table?"""

    def is_optional_fact(self, path: str) -> bool:
        """May `known` read the fact: does its absence mean "not stated"?"""

    def candidates(self, kind: NameKind) -> Iterable[str]:
        """Every name of a kind that could be written here, for suggestions."""


@dataclass(frozen=True, slots=True)
class AliasScope:
    """A scope with one more alias: the variable of an aggregate."""

    parent: Scope
    alias: str
    own: Rows

    def resolve(self, path: str, position: Position) -> Node | None:
        head, dot, column = path.partition(".")
        if head != self.alias or not dot:
            return self.parent.resolve(path, position)
        found = self.own.columns.get(column)
        return None if found is None else Column(self.alias, column, type=found, position=position)

    def rows(self, name: str, position: Position) -> Rows | None:
        return self.parent.rows(name, position)

    def ranking(self, name: str, position: Position) -> tuple[str, Rows] | None:
        return self.parent.ranking(name, position)

    def curve(self, name: str, position: Position) -> tuple[str, CurveLike] | None:
        return self.parent.curve(name, position)

    def ladder(self, name: str, position: Position) -> tuple[str, LadderLike] | None:
        return self.parent.ladder(name, position)

    def table(self, name: str, position: Position) -> TableLike | None:
        return self.parent.table(name, position)

    def taken(self, alias: str) -> bool:
        return alias == self.alias or self.parent.taken(alias)

    def is_catalog_column(self, column: Column) -> bool:
        if column.alias == self.alias:
            return self.own.catalog
        return self.parent.is_catalog_column(column)

    def is_optional_fact(self, path: str) -> bool:
        return self.parent.is_optional_fact(path)

    def candidates(self, kind: NameKind) -> Iterable[str]:
        if kind == "name":
            yield from (f"{self.alias}.{column}" for column in self.own.columns)
        yield from self.parent.candidates(kind)
