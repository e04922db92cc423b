"""Random relations and rankings over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.book.contents import body_trees
from engine.book.model import (
    Decision,
    Formula,
    Ranking,
    Relation,
    RelationColumn,
    Source,
    TableSchema,
)
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type, number
from tests.generators import trees
from tests.generators.expressions import Rows, Scope

if TYPE_CHECKING:
    from tests.generators.books import BookMaker


class RelationMaker:
    def __init__(self, maker: BookMaker, name: str, tables: dict[str, TableSchema]) -> None:
        self.maker, self.name, self.tables = maker, name, tables
        self.choices, self.expressions = maker.choices, maker.expressions
        self.sources: list[Source] = []
        self.columns: list[RelationColumn] = []
        self.levels: dict[str, int] = {}
        self.leaves: list[Node] = []
        self.members: Rows | None = None
        self.where: list[tuple[Node, int]] = []

    def make(self) -> None:
        earlier = list(self.maker.draft.relations)
        if earlier and self.choices.chance(0.3):
            self._group(self.choices.one_of(earlier))
        else:
            for place in range(self.choices.integer(1, 3)):
                self._source(place, earlier)
        scope = self._scope()
        for place in range(self.choices.integer(1, 5)):
            self._column(f"c{place}", scope)
            scope = self._scope()
        relation = Relation(
            self.name,
            tuple(self.sources),
            tuple(self.where),
            tuple(self.columns),
            tuple(self._keys()),
            200_000,
        )
        self.maker.draft.relations[self.name] = relation
        self.maker.draft.order.append(("relation", self.name))
        columns = self._types()
        self.maker.scope.rows.append(Rows(self.name, columns, self._unknown()))
        if self.choices.chance(0.8):
            self._ranking(relation, columns)

    def _unknown(self) -> bool:
        """Whether some source may be missing as a whole."""
        missing = {rows.id for rows in self.maker.scope.rows if rows.unknown}
        steps = [node for source in self.sources for node in (source.start, source.stop) if node]
        return trees.nullable(*steps) or any(source.name in missing for source in self.sources)

    def _types(self) -> dict[str, Type]:
        return {column.decision.id: column.decision.type for column in self.columns}

    def _scope(self) -> Scope:
        scope = self.maker.scope.extended(self.leaves)
        if self.members is not None:
            scope.rows = [*scope.rows, self.members, self.members]
        return scope

    # ------------------------------------------------------------ sources

    def _add(self, source: Source, columns: dict[str, Type]) -> None:
        self.sources.append(source)
        self.leaves.extend(
            tree.Column(
                source.alias, name, type=kind.with_nullable(kind.nullable or source.optional)
            )
            for name, kind in columns.items()
        )
        if self.choices.chance(0.4):
            known = self._scope().known_only()
            node = self.expressions.boolean(known, 2)
            if not trees.nullable(node):
                self.where.append((node, self._level(node)))

    def _source(self, place: int, earlier: list[str]) -> None:
        alias = f"{self.name[-1]}{self.name[2]}s{place}"
        kinds = ["table", "table", "table", "steps", "fact", *(["relation"] if earlier else [])]
        kind = self.choices.one_of(kinds)
        if kind == "table":
            self._table(alias)
        elif kind == "steps":
            self._steps(alias)
        elif kind == "fact":
            fields = self.maker.list_fields()
            on = self._on(fields_types := {n: f.type for n, f in fields.items()})
            self._add(Source(alias, "fact", "lines", **on), fields_types)  # type: ignore[arg-type]
        else:
            relation = self.choices.one_of(earlier)
            columns = {
                column.decision.id: column.decision.type
                for column in self.maker.draft.relations[relation].columns
            }
            self._add(Source(alias, "relation", relation, **self._on(columns)), columns)  # type: ignore[arg-type]

    def _table(self, alias: str) -> None:
        name = self.choices.one_of(list(self.tables))
        columns = {column.name: column.type for column in self.tables[name].columns}
        self._add(Source(alias, "table", name, **self._on(columns)), columns)  # type: ignore[arg-type]

    def _on(self, columns: dict[str, Type]) -> dict[str, object]:
        """A join on texts, numbers or booleans of equal kind, where earlier sources have some."""
        if not self.choices.chance(0.6):
            return {}
        scope = self._scope()
        pairs = []
        for name, kind in columns.items():
            if kind.kind == "text":
                closed = kind.values is not None
                fitting = [
                    leaf
                    for leaf in scope.of_kind("text", closed=closed)
                    if trees.kind_of(leaf).values == kind.values
                ]
            elif kind.kind == "boolean":
                fitting = scope.of_kind("boolean")
            else:
                continue
            if fitting and self.choices.chance(0.5):
                pairs.append((name, self.choices.one_of(fitting)))
        if not pairs:
            return {}
        return {"on": tuple(pairs[:2]), "optional": self.choices.chance(0.5)}

    def _steps(self, alias: str) -> None:
        scope = self.maker.scope
        bounded = [
            leaf
            for leaf in scope.of_kind("number")
            if trees.interval(leaf)[1] <= 100 and not isinstance(leaf, tree.Column)
        ]
        stop: Node = trees.literal(float(self.choices.integer(0, 3)))
        if bounded and self.choices.chance(0.5):
            stop = trees.call("min", self.choices.one_of(bounded), trees.literal(4.0))
        start = trees.literal(self.choices.one_of([0.0, 0.1, 1.0]))
        step = trees.literal(self.choices.one_of([1.0, 0.7]))
        source = Source(alias, "steps", start=start, stop=stop, step=step)
        self._add(source, {"value": number(low=0.0, high=10.0)})

    def _group(self, relation: str) -> None:
        columns = {
            column.decision.id: column.decision.type
            for column in self.maker.draft.relations[relation].columns
        }
        names = [name for name in columns if self.choices.chance(0.5)] or [next(iter(columns))]
        alias = f"{self.name[-1]}g"
        self.members = Rows("members", columns)
        source = Source(alias, "group", relation, by=tuple(names))
        self._add(source, {name: columns[name] for name in names})

    # ------------------------------------------------------------ columns

    def _level(self, node: Node) -> int:
        from tests.generators.books import levels_of

        return levels_of(node, self.sources, self.levels)

    def _column(self, name: str, scope: Scope) -> None:
        body: object
        if self.choices.chance(0.25):
            table = self.maker._table_body(scope, many=False)
            body, kind = table, table.outputs[0].type
            level = max((self._level(node) for node in body_trees(table)), default=0)
        else:
            way = self.choices.one_of(["number", "number", "boolean", "text"])
            node = self.maker._any(scope, way)
            if self.choices.chance(0.2):
                node = self.choices.one_of(self.leaves)
            body, kind, level = Formula(node), trees.kind_of(node), self._level(node)
        self.levels[name] = level
        self.columns.append(RelationColumn(Decision(name, body, kind), level))  # type: ignore[arg-type]
        self.leaves.append(tree.Column("", name, type=kind))

    def _keys(self) -> list[Node]:
        texts = [leaf for leaf in self.leaves if trees.kind_of(leaf).kind == "text"]
        return [self.choices.one_of(texts) for _ in range(self.choices.integer(0, 2)) if texts]

    def _ranking(self, relation: Relation, columns: dict[str, Type]) -> None:
        own = [tree.Column("", name, type=kind) for name, kind in columns.items()]
        scope = self.maker.scope.extended(own)
        numbers = [leaf for leaf in own if leaf.type is not None and leaf.type.kind == "number"]
        by = tuple(
            (self.choices.one_of(own), self.choices.chance(0.4))
            for _ in range(self.choices.integer(1, 3))
        )
        keep = None if self.choices.chance(0.3) else self.expressions.boolean(scope, 2)
        pareto = None
        if numbers and self.choices.chance(0.6):
            pareto = (self.choices.one_of(numbers), self.choices.one_of(numbers))
        name = f"{self.name}.rank"
        self.maker.draft.rankings[name] = Ranking(name, relation.id, keep, by, pareto)
        self.maker.draft.order.append(("ranking", name))
        self.maker.scope.rankings.append((name, columns))
