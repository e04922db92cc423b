"""The names that can be read at one place of the book (the `Scope` of the rule language)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from engine.book.model import LIST_KINDS, Curve, Table, TableSchema
from engine.book.names import ambiguous
from engine.book.problems import refuse
from engine.language.problems import NOWHERE, Position
from engine.language.scope import CurveLike, LadderLike, NameKind, Rows, TableLike
from engine.language.suggest import did_you_mean
from engine.language.tree import Column, DecisionValue, Fact, Node, Parameter
from engine.language.types import Type

if TYPE_CHECKING:
    from engine.book.resolve import Resolver


@dataclass(frozen=True)
class BookScope:
    """Names seen from one file: facts, aliases, columns, decisions, parameters.

    `aliases` maps the sources of the enclosing relation to the types of their columns;
    `catalog_aliases` are those of catalog tables; `column_names`, `column_type` give the enclosing
    relation's own columns; `members` are the rows of a group; `repeats` says whether a column of a
    relation is nothing but something that `known` may read.
    """

    resolver: Resolver
    file: str
    aliases: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    catalog_aliases: frozenset[str] = frozenset()
    column_names: tuple[str, ...] = ()
    column_type: Callable[[str, Position], Type] | None = None
    members: Rows | None = None
    repeats: Callable[[Column, BookScope], bool] | None = None

    # ---------------------------------------------------------------- values

    def resolve(self, path: str, position: Position) -> Node | None:
        """The typed node a name stands for; None: unknown. See `engine.language.scope`."""
        resolver = self.resolver
        if path in resolver.sections.facts:
            return self._fact(path, position)
        head, dot, rest = path.partition(".")
        if not dot:
            return self._bare(path, position)
        columns = self.aliases.get(head)
        if columns is not None:
            found = columns.get(rest)
            if found is None:
                raise refuse(
                    "B112", f'"{head}" has no column "{rest}"', position,
                    "one of " + ", ".join(columns), did_you_mean(rest, columns),
                )  # fmt: skip
            return Column(head, rest, type=found, position=position)
        return self._dotted(path, position)

    def _fact(self, path: str, position: Position) -> Node:
        fact = self.resolver.fact(path, position)
        if fact.is_list:
            raise refuse(
                "B091", f'"{path}" is a list', position, "a single value",
                f"read it with an aggregate: sum(for row in {path} return …)",
            )  # fmt: skip
        return Fact(path, type=fact.type, position=position)

    def _bare(self, name: str, position: Position) -> Node | None:
        if name in self.column_names and self.column_type is not None:
            return Column("", name, type=self.column_type(name, position), position=position)
        resolver = self.resolver
        local = resolver.names.local("decision", name, self.file)
        if local is not None:
            return self._decision(local, "", position)
        parameter = resolver.parameters.get(name)
        if parameter is not None:
            if parameter.steps:
                raise refuse(
                    "B091", f'"{name}" is a ladder', position, "a single value",
                    f"read it with first_at_least({name}, x)",
                )  # fmt: skip
            return Parameter(name, type=parameter.type, position=position)
        if name in resolver.sections.parameters:
            raise resolver.blocked()  # its own problem is reported already
        entry_id = resolver.names.ending("decision", name, position)
        return None if entry_id is None else self._decision(entry_id, "", position)

    def _dotted(self, path: str, position: Position) -> Node | None:
        names = self.resolver.names
        found = {}
        entry_id = names.ending("decision", path, position)
        if entry_id is not None:
            found[entry_id] = (entry_id, "")
        head, _, output = path.rpartition(".")
        owner = names.find("decision", head, self.file, position)
        if owner is not None and output in self.resolver.output_names(owner):
            found[f"{owner}.{output}"] = (owner, output)
        if len(found) > 1:
            raise ambiguous(path, found, position)
        for owner, output in found.values():
            return self._decision(owner, output, position)
        return None

    def _decision(self, entry_id: str, output: str, position: Position) -> Node:
        decision = self.resolver.decision(entry_id, position)
        body = decision.body
        if isinstance(body, Curve):
            raise refuse(
                "B091", f'"{entry_id}" is a curve', position, "a single value",
                "read it with interpolate(curve, x)",
            )  # fmt: skip
        if isinstance(body, Table) and body.hit == "collect" and not body.aggregate:
            raise refuse("B091", f'"{entry_id}" gives a list', position, "a single value")
        outputs = decision.outputs
        if output not in outputs:
            raise refuse(
                "B091", f'"{entry_id}" has several outputs', position,
                "one of " + ", ".join(f"{entry_id}.{name}" for name in outputs),
            )  # fmt: skip
        return DecisionValue(entry_id, output, type=outputs[output], position=position)

    # ---------------------------------------------------------------- rows and tables

    def rows(self, name: str, position: Position) -> Rows | None:
        resolver = self.resolver
        if name == "members" and self.members is not None:
            return self.members
        if name.startswith("catalog."):
            table = resolver.tables.get(name.removeprefix("catalog."))
            return None if table is None else table_rows(table)
        if name in resolver.sections.facts:
            return resolver.fact_rows(name, position)
        relation = resolver.names.find("relation", name, self.file, position)
        return None if relation is None else resolver.relation_rows(relation, position)

    def ranking(self, name: str, position: Position) -> tuple[str, Rows] | None:
        resolver = self.resolver
        found = resolver.names.find("ranking", name, self.file, position)
        if found is None:
            return None
        ranking = resolver.ranking(found, position)
        return found, resolver.relation_rows(ranking.relation, position)

    def curve(self, name: str, position: Position) -> tuple[str, CurveLike] | None:
        resolver = self.resolver
        found = resolver.names.find("decision", name, self.file, position)
        if found is None:
            return None
        body = resolver.decision(found, position).body
        if not isinstance(body, Curve):
            raise refuse("B091", f'"{found}" is not a curve', position, "a curve")
        return found, body

    def ladder(self, name: str, position: Position) -> tuple[str, LadderLike] | None:
        parameter = self.resolver.parameters.get(name)
        if parameter is None:
            return None
        if not parameter.steps:
            raise refuse("B091", f'"{name}" has no steps', position, "a ladder: steps: [1, 2, 4]")
        return name, parameter

    def table(self, name: str, position: Position) -> TableLike | None:
        return cast("TableLike | None", self.resolver.tables.get(name))

    def taken(self, alias: str) -> bool:
        return alias in self.aliases or alias in self.resolver.fact_roots

    def is_catalog_column(self, column: Column) -> bool:
        if column.alias in self.catalog_aliases:
            return True
        return self.repeats is not None and self.repeats(column, self)

    def is_optional_fact(self, path: str) -> bool:
        return self.resolver.fact(path, NOWHERE).optional

    def candidates(self, kind: NameKind) -> Iterable[str]:
        resolver, names = self.resolver, self.resolver.names
        if kind == "table":
            return list(resolver.tables)
        if kind == "ladder":
            return [one.id for one in resolver.parameters.values() if one.steps]
        if kind == "ranking":
            return list(names.candidates("ranking", self.file))
        if kind == "rows":
            lists = [path for path, fact in resolver.sections.facts.items() if _is_list(fact)]
            tables = [f"catalog.{name}" for name in resolver.tables]
            return [*names.candidates("relation", self.file), *tables, *lists]
        decisions = list(names.candidates("decision", self.file))
        if kind == "curve":
            return decisions
        columns = [f"{alias}.{name}" for alias, own in self.aliases.items() for name in own]
        facts = resolver.sections.facts
        return [*self.column_names, *columns, *facts, *resolver.parameters, *decisions]


def _is_list(located: object) -> bool:
    kind = getattr(located, "value", {}).get("type")
    return kind is not None and kind.value in LIST_KINDS


def table_rows(table: TableSchema) -> Rows:
    """The rows of a catalog table, as an aggregate sees them."""
    columns = {column.name: column.type for column in table.columns}
    return Rows(f"catalog.{table.name}", columns, table.max_rows, catalog=True)


def all_nullable(columns: Mapping[str, Type]) -> dict[str, Type]:
    """The columns of a source that may not match."""
    return {name: replace(kind, nullable=True) for name, kind in columns.items()}
