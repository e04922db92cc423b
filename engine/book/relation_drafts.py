"""A relation while it is being typed: its sources, and its columns as they are needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.book.contents import body_trees
from engine.book.decisions import build_decision, outputs_of
from engine.book.expressions import expression, typed_tree
from engine.book.model import (
    Curve,
    Decision,
    Formula,
    Relation,
    RelationColumn,
    Source,
    Table,
)
from engine.book.problems import no_such, refuse
from engine.book.scopes import BookScope, all_nullable, table_rows
from engine.book.sections import Entry, texts
from engine.book.yaml_reader import Located, expression_text
from engine.language.parse import parse_expression
from engine.language.problems import Position
from engine.language.scope import Rows
from engine.language.suggest import did_you_mean
from engine.language.tree import Aggregate, Column, Comparison, Fact, Name, Node
from engine.language.types import Type, number
from engine.language.walk import walk

if TYPE_CHECKING:
    from engine.book.resolve import Resolver

Columns = dict[str, Type]


@dataclass
class Draft:
    """A relation while its sources and columns are being typed."""

    entry: Entry
    resolver: Resolver
    sources: list[Source] = field(default_factory=list)
    aliases: dict[str, Columns] = field(default_factory=dict)
    catalog_aliases: set[str] = field(default_factory=set)
    members: Rows | None = None
    group_level: int = 0
    columns: dict[str, RelationColumn] = field(default_factory=dict)
    open: dict[str, None] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)

    @property
    def bodies(self) -> dict[str, Located]:
        bodies: dict[str, Located] = self.entry.body.value["columns"].value
        return bodies

    def scope(self, *, columns: bool = True) -> BookScope:
        return BookScope(
            self.resolver,
            self.entry.file,
            dict(self.aliases),
            frozenset(self.catalog_aliases),
            tuple(self.bodies) if columns else (),
            self.column_type,
            self.members if columns else None,
            self.repeats,
        )

    def repeats(self, column: Column, scope: BookScope) -> bool:
        """Is the column nothing but a catalog column or an optional fact?"""
        if not column.alias:
            found = self.columns.get(column.name)
            return found is not None and _repeats(found.decision, scope)
        for source in self.sources:
            if source.alias == column.alias and source.kind == "relation":
                relation = self.resolver.relations[source.name]
                own = next(one for one in relation.columns if one.decision.id == column.name)
                inner = relation_scope(
                    relation, self.resolver.sections.entries[source.name], self.resolver
                )
                return _repeats(own.decision, inner)
        return False

    def column_type(self, name: str, position: Position) -> Type:
        return self.column(name, position).decision.type

    def column(self, name: str, position: Position) -> RelationColumn:
        """The column, typed when first needed."""
        if name in self.columns:
            return self.columns[name]
        if name in self.open:
            names = [*list(self.open)[list(self.open).index(name) :], name]
            raise refuse(
                "B092", "these columns need each other: " + " → ".join(names), position,
                "no column that needs itself", "compute one of them without the others",
            )  # fmt: skip
        if name in self.failed:
            raise self.resolver.blocked()
        self.open[name] = None
        self.failed.add(name)
        try:
            decision = self._build(name)
            level = self.level(body_trees(decision.body))
        finally:
            del self.open[name]
        self.failed.discard(name)
        self.columns[name] = RelationColumn(decision, level)
        return self.columns[name]

    def _build(self, name: str) -> Decision:
        located = self.bodies[name]
        if outputs_of(located):
            raise refuse("B050", "a column has one output", located.where, "one output")
        decision = build_decision(name, located, self.scope())
        body = decision.body
        if isinstance(body, Curve):
            raise refuse("B050", "a curve cannot be a column", located.where, "a decision")
        if isinstance(body, Table) and body.hit == "collect" and not body.aggregate:
            raise refuse("B050", "a column is a single value", located.where, "aggregate: …")
        return decision

    def level(self, trees: Iterable[Node]) -> int:
        """The number of leading sources that the trees need."""
        numbers = {source.alias: index + 1 for index, source in enumerate(self.sources)}
        level = 0
        for tree in trees:
            for node in walk(tree):
                if isinstance(node, Column):
                    if node.alias:
                        level = max(level, numbers.get(node.alias, 0))
                    else:
                        level = max(level, self.columns[node.name].level)
                elif isinstance(node, Aggregate) and node.relation == "members":
                    level = max(level, self.group_level)
        return level


def relation_scope(relation: Relation, entry: Entry, resolver: Resolver) -> BookScope:
    """The names inside a finished relation, for its texts and examples."""
    draft = Draft(entry, resolver)
    for located in entry.body.value["from"].value:
        add_source(draft, located)
    draft.columns = {one.decision.id: one for one in relation.columns}
    return draft.scope()


def _repeats(decision: Decision, scope: BookScope) -> bool:
    if not isinstance(decision.body, Formula):
        return False
    match decision.body.expression:
        case Fact(path=path):
            return scope.is_optional_fact(path)
        case Column() as column:
            return scope.is_catalog_column(column)
        case _:
            return False


# -------------------------------------------------------------------- sources


def add_source(draft: Draft, located: Located) -> None:
    body: dict[str, Located] = located.value
    alias: str = body["as"].value
    kinds = [kind for kind in ("table", "relation", "fact", "steps", "group") if kind in body]
    if len(kinds) != 1:
        raise refuse(
            "B054", "a source needs one of table, relation, fact, steps, group", located.where
        )
    kind = kinds[0]
    if draft.scope().taken(alias) or alias in draft.bodies or alias == "members":
        raise refuse(
            "B111", f'"{alias}" already means something here', body["as"].position,
            "an alias of its own", "choose another name for this source",
        )  # fmt: skip
    if ("by" in body) != (kind == "group"):
        raise refuse("B054", "`by` goes with `group`", located.where, "group: …, by: [column]")
    optional = "optional" in body and body["optional"].value is True
    if optional and "on" not in body:
        raise refuse("B054", "an optional source needs `on`", located.where, "on: {column: …}")
    fields: dict[str, Any]
    fields, columns = _SOURCES[kind](draft, body)
    if optional:
        columns = all_nullable(columns)
    draft.aliases[alias] = columns
    if kind == "table":
        draft.catalog_aliases.add(alias)
    on = _joins(draft, alias, columns, body["on"]) if "on" in body else ()
    draft.sources.append(Source(alias=alias, kind=kind, on=on, optional=optional, **fields))
    if kind == "group":
        draft.group_level = len(draft.sources)


def _joins(
    draft: Draft, alias: str, columns: Columns, located: Located
) -> tuple[tuple[str, Node], ...]:
    """`on` is typed as the comparison it stands for, over earlier sources only."""
    scope = draft.scope(columns=False)
    earlier = [source.alias for source in draft.sources]
    joins = []
    for column, value in located.value.items():
        if column not in columns:
            raise refuse(
                "B112", f'"{alias}" has no column "{column}"', value.where,
                "one of " + ", ".join(columns), did_you_mean(column, columns),
            )  # fmt: skip
        text, position = expression_text(value)
        left = Name(f"{alias}.{column}", position=value.where)
        pair = Comparison("=", left, parse_expression(text, position), position=position)
        tree = typed_tree(pair, scope)
        assert isinstance(tree, Comparison)
        for node in walk(tree.right):
            if isinstance(node, Column) and node.alias == alias and alias not in earlier:
                raise refuse(
                    "B054", f'"{alias}" cannot be joined with itself', node.position,
                    "columns of earlier sources",
                )  # fmt: skip
        joins.append((column, tree.right))
    return tuple(joins)


Made = tuple[dict[str, Any], Columns]


def _table_source(draft: Draft, body: dict[str, Located]) -> Made:
    name: str = body["table"].value
    table = draft.resolver.tables.get(name)
    if table is None:
        raise no_such("catalog table", name, body["table"].position, draft.resolver.tables)
    return {"name": name}, dict(table_rows(table).columns)


def _relation_rows(draft: Draft, located: Located) -> Rows:
    found = draft.resolver.relation_named(located, draft.entry.file)
    return draft.resolver.relation_rows(found, located.position)


def _relation_source(draft: Draft, body: dict[str, Located]) -> Made:
    rows = _relation_rows(draft, body["relation"])
    return {"name": rows.name}, dict(rows.columns)


def _fact_source(draft: Draft, body: dict[str, Located]) -> Made:
    path: str = body["fact"].value
    facts = draft.resolver.sections.facts
    if path not in facts:
        raise no_such("fact", path, body["fact"].position, facts)
    rows = draft.resolver.fact_rows(path, body["fact"].position)
    if rows.nullable:
        raise refuse(
            "B054", f'the list "{path}" can be missing', body["fact"].position,
            "a list with a default", "give the fact `default: []`",
        )  # fmt: skip
    return {"name": path}, dict(rows.columns)


def _group_source(draft: Draft, body: dict[str, Located]) -> Made:
    if draft.members is not None:
        raise refuse("B054", "a relation has at most one group", body["group"].where)
    rows = _relation_rows(draft, body["group"])
    columns: Columns = {}
    for item in body["by"].value:
        if item.value not in rows.columns:
            raise refuse(
                "B112", f'"{rows.name}" has no column "{item.value}"', item.position, "",
                did_you_mean(item.value, rows.columns),
            )  # fmt: skip
        columns[item.value] = rows.columns[item.value]
    draft.members = Rows("members", rows.columns, rows.max_rows)
    return {"name": rows.name, "by": texts(body["by"])}, columns


def _steps_source(draft: Draft, body: dict[str, Located]) -> Made:
    """`from`, `to`, `by` are fixed for all rows: they read no other source."""
    steps = body["steps"]
    scope = BookScope(draft.resolver, draft.entry.file)
    trees = [expression(steps.value[key], scope) for key in ("from", "to", "by")]
    types = [tree.type for tree in trees]
    for tree, kind in zip(trees, types, strict=True):
        if kind is None or kind.kind != "number" or kind.nullable:
            raise refuse("B054", "steps need known numbers", tree.position, "a number")
    start, stop, by = (kind for kind in types if kind is not None)
    unit = by.unit
    for tree, kind in zip(trees, (start, stop, by), strict=True):
        if not kind.zero_literal and not kind.unit.same_as(unit):
            raise refuse("B121", "steps in different units", tree.position, unit.symbol)
    if by.low <= 0:
        raise refuse("B054", "the step can be 0 or less", trees[2].position, "above 0")
    whole = start.integer and by.integer
    value = number(unit, start.low, max(start.low, stop.high), integer=whole)
    fields = {"start": trees[0], "stop": trees[1], "step": trees[2]}
    return fields, {"value": value}


_SOURCES = {
    "table": _table_source,
    "relation": _relation_source,
    "fact": _fact_source,
    "group": _group_source,
    "steps": _steps_source,
}
