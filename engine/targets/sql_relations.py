"""SQL of relations: one join per source, columns as early as they can be, rows numbered last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.book.model import Relation, RelationColumn, Source
from engine.targets.sql_columns import fact_fields, item_field
from engine.targets.sql_expressions import Emitter, Rows
from engine.targets.sql_frames import chain
from engine.targets.sql_rows import AT, POSITION, GroupRows, RowContext, struct
from engine.targets.sql_text import Sql, made_of, quoted, text_literal

if TYPE_CHECKING:
    from engine.targets.sql_program import Program


class RelationRows(RowContext):
    """One relation under compilation; the context of its trees."""

    def __init__(self, program: Program, relation: Relation) -> None:
        super().__init__(program, relation.id)
        self.relation = relation
        # Columns (labels) that other stages read of the rows; columns read of them as a list.
        self.exposed: dict[str, None] = {}
        self.listed: dict[str, None] = {}
        self.groups: dict[tuple[str, ...], GroupRows] = {}
        self.may_be_unknown = False
        self.blocked: list[tuple[int, Sql]] = []
        self._columns: dict[str, Sql] = {}
        self._first_steps: dict[str, float] = {}
        self._source_columns: list[dict[str, None]] = [{} for _ in relation.sources]
        self._emitter = Emitter(program, self)
        self._pending = {column.decision.id: column for column in relation.columns}
        for index, source in enumerate(relation.sources):
            self._add_source(index, source)
        for column in relation.columns:
            self.own_column(column.decision.id)
        for node, level in relation.where:
            self.frame.filter(self._emitter.emit(node), level)

    # ------------------------------------------------------------ stages

    @property
    def stage(self) -> str:
        return f"rows {self.name}"

    @property
    def list_stage(self) -> str:
        return f"list {self.name}"

    @property
    def unknown_stage(self) -> str:
        return f"unknown {self.name}"

    def expose(self, label: str) -> None:
        self.exposed[label] = None

    def read_columns(self) -> list[str]:
        """The columns that other stages read."""
        listed = [*self.listed, *(name for group in self.groups.values() for name in group.listed)]
        return list(dict.fromkeys([*self.exposed, *(f"column:{name}" for name in listed)]))

    def output_columns(self) -> list[str]:
        """The columns of the rows stage, in the order of the outcome."""
        numbers = [f"at:{source.alias}" for source in self.relation.sources]
        return [*numbers, *(f"column:{item.decision.id}" for item in self.relation.columns)]

    def rows_text(self, columns: Iterable[str]) -> str:
        """The rows with their positions."""
        texts, last = chain("r", self.frame.steps(0, len(self.relation.sources)), "")
        order = ", ".join(quoted(f"at:{source.alias}") for source in self.relation.sources)
        position = f"row_number() OVER (PARTITION BY profile_id ORDER BY {order}) - 1 AS {AT}"
        listed = ", ".join(["profile_id", position, *map(quoted, columns)])
        without = ""
        if self.may_be_unknown:
            stage = quoted(self.unknown_stage)
            without = f"\nWHERE profile_id NOT IN (SELECT profile_id FROM {stage})"
        return f"WITH {', '.join(texts)}\nSELECT {listed}\nFROM {last}{without}"

    def unknown_text(self) -> str:
        """The profiles that reach a source which cannot be known."""
        parts = []
        for number, (level, blocked) in enumerate(self.blocked):
            texts, last = chain(f"b{number}_", self.frame.steps(0, level), "")
            parts.append(
                f"(WITH {', '.join(texts)}\nSELECT profile_id FROM {last} WHERE {blocked.text})"
            )
        return f"SELECT DISTINCT profile_id FROM ({' UNION ALL '.join(parts)})"

    def list_text(self) -> str:
        fields = struct(self.listed, "column:")
        return (
            f"SELECT profile_id, list({fields} ORDER BY {AT}) AS rows\n"
            f"FROM {quoted(self.stage)}\nGROUP BY profile_id"
        )

    def group(self, by: tuple[str, ...]) -> GroupRows:
        if by not in self.groups:
            self.groups[by] = GroupRows(self, by)
        return self.groups[by]

    # ------------------------------------------------------------ names in its trees

    def own_column(self, name: str) -> Sql:
        """A column of its own, by name; compiled when first read."""
        if name in self._pending:
            column: RelationColumn = self._pending.pop(name)
            decision = column.decision
            (value,) = self.program.body(self._emitter, decision.body, decision.type)
            self._columns[name] = self.frame.define(f"column:{name}", value)
        return self._columns[name]

    def column(self, alias: str, name: str) -> Sql:
        if not alias:
            return self.own_column(name)
        index = next(i for i, source in enumerate(self.relation.sources) if source.alias == alias)
        label = f"source:{alias}.{name}"
        if label not in self.frame.columns:
            self._source_columns[index][name] = None
            like = self._source_like(self.relation.sources[index], name)
            self.frame.base(label, index + 1, nullable=like.nullable, low=like.low)
        return self.frame.columns[label]

    def rows(self, relation: str) -> Rows:
        if relation != "members":
            return super().rows(relation)
        index, source = next(
            (i, source) for i, source in enumerate(self.relation.sources) if source.kind == "group"
        )
        group = self.program.relation(source.name).group(source.by)
        label = f"source:{source.alias}.{POSITION}members"
        if label not in self.frame.columns:
            self._source_columns[index][f"{POSITION}members"] = None
            self.frame.base(label, index + 1, nullable=False)

        def column(name: str, item: str) -> Sql:
            group.listed[name] = None
            return item_field(item, name, group.rows.own_column(name))

        return Rows(self.frame.columns[label], column)

    def _source_like(self, source: Source, name: str) -> Sql:
        """Nullability and lower bound of a source's column."""
        optional = source.optional
        if source.kind == "table":
            column = self.program.book.tables[source.name].column(name)
            assert column is not None
            return Sql("", nullable=column.type.nullable or optional, low=column.type.low)
        if source.kind == "fact":
            low = fact_fields(self.program.book, source.name)[name].low
            return Sql("", nullable=True, low=low)
        if source.kind == "steps":
            return Sql("", low=self._first_steps[source.alias])
        rows = self.program.relation(source.name)
        rows.expose(f"column:{name}")
        value = rows.own_column(name)
        return Sql("", nullable=value.nullable or optional, low=value.low)

    # ------------------------------------------------------------ sources

    def _add_source(self, index: int, source: Source) -> None:
        if source.kind == "steps":
            self._add_items(index, source, self._steps(index, source))
        elif source.kind == "fact":
            self._add_items(index, source, self._fact_items(index, source))
        else:
            self._add_join(index, source)

    def _block(self, level: int, blocked: Sql) -> None:
        self.may_be_unknown = True
        # Compared once every earlier source is joined and every earlier `where` has passed.
        self.blocked.append((level, self.frame.let(blocked)))

    def _add_join(self, index: int, source: Source) -> None:
        prefix, number = "column:", "at"
        if source.kind == "table":
            prefix, number, stage = "", "row_number", f"catalog_{source.name}"
        else:
            rows = self.program.relation(source.name)
            self.base = max(self.base, rows.base)
            if rows.may_be_unknown:
                self._block(index, self.outer(self.program.relation_unknown(rows)))
            stage = rows.stage if source.kind == "relation" else rows.group(source.by).stage
            for name, _ in source.on:
                rows.expose(f"column:{name}")
        tests = [
            f"s.{quoted(prefix + name)} = {_of_the_row_before(self._emitter.emit(node).text)}"
            for name, node in source.on
        ]
        if source.kind != "table":
            tests.insert(0, "s.profile_id = p.profile_id")
        kind = "LEFT JOIN" if source.optional and source.on else "JOIN"
        condition = " AND ".join(tests) or "TRUE"

        def start(before: str) -> str:
            columns = [f"s.{quoted(number)} AS {quoted('at:' + source.alias)}"]
            inner_names = dict.fromkeys((number, *(prefix + name for name, _ in source.on)))
            for name in self._source_columns[index]:
                inner = name if name.startswith(POSITION) else prefix + name
                label = quoted(f"source:{source.alias}.{name}")
                columns.append(f"s.{quoted(inner)} AS {label}")
                inner_names[inner] = None
            listed = ",\n  ".join(["p.*", *columns])
            joined = quoted(stage)
            if source.kind != "table":
                # Only what is read: a stage keeps its own sources, whose aliases may be ours too.
                read = ", ".join(quoted(name) for name in inner_names)
                joined = f"(SELECT profile_id, {read} FROM {joined})"
            return f"SELECT {listed}\nFROM {before} AS p\n{kind} {joined} AS s ON {condition}"

        self.frame.add_level(start)

    def _add_items(self, index: int, source: Source, items: Sql) -> None:
        """A source that is a list in the row before it: unnested."""
        label = f"items:{source.alias}"
        self.frame.define(label, items)

        def start(before: str) -> str:
            item = quoted(f"item:{source.alias}")
            columns = [f"struct_extract({item}, '{POSITION}') AS {quoted('at:' + source.alias)}"]
            for name in self._source_columns[index]:
                cell = f"struct_extract({item}, {text_literal(name)})"
                columns.append(f"{cell} AS {quoted(f'source:{source.alias}.{name}')}")
            return (
                f"SELECT *, {', '.join(columns)}\n"
                f"FROM (SELECT *, unnest({quoted(label)}) AS {item} FROM {before})"
            )

        self.frame.add_level(start)

    def _steps(self, index: int, source: Source) -> Sql:
        """start + i * step while not above stop; the count is tried one beyond the quotient."""
        assert source.start is not None and source.stop is not None and source.step is not None
        nodes = (source.start, source.stop, source.step)
        start, stop, step = (self.frame.let(self._emitter.emit(node)) for node in nodes)
        parts = [start, stop, step]
        self._first_steps[source.alias] = start.low
        if any(part.nullable for part in parts):
            tests = " OR ".join(f"{part.text} IS NULL" for part in parts)
            blocked = made_of(f"({tests})", parts, nullable=False)
            self._block(index, blocked)
        value = f"({start.text} + (CAST(i AS DOUBLE) * {step.text}))"
        count = f"floor(({stop.text} - {start.text}) / NULLIF({step.text}, 0e0))"
        text = (
            f"list_transform(list_filter(range(0, CAST(greatest({count}, -1e0) AS BIGINT) + 2), "
            f"lambda i: {value} <= {stop.text}), "
            f"lambda i: {{'{POSITION}': i, 'value': {value}}})"
        )
        return self._at_level(made_of(text, parts), index)

    def _fact_items(self, index: int, source: Source) -> Sql:
        items = self.fact(source.name)
        if items.nullable:
            self._block(index, made_of(f"({items.text} IS NULL)", [items], nullable=False))
        fields = fact_fields(self.program.book, source.name)
        cells = "".join(f", {text_literal(name)}: x.{quoted(name)}" for name in fields)
        text = f"list_transform({items.text}, lambda x, i: {{'{POSITION}': i - 1{cells}}})"
        parts = [items]
        if source.on:
            wanted = [(name, self.frame.let(self._emitter.emit(node))) for name, node in source.on]
            tests = " AND ".join(f"x.{quoted(name)} = {value.text}" for name, value in wanted)
            text = f"list_filter({text}, lambda x: {tests})"
            parts += [value for _, value in wanted]
            if source.optional:
                whole = self.frame.let(made_of(text, parts))
                text = f"CASE WHEN len({whole.text}) = 0 THEN [NULL] ELSE {whole.text} END"
                parts.append(whole)
        return self._at_level(made_of(text, parts), index)

    @staticmethod
    def _at_level(value: Sql, level: int) -> Sql:
        """The value as of the level before its source, even when it could be had earlier."""
        return Sql(value.text, max(value.at, (level, 0)), value.nullable, size=value.size)


def _of_the_row_before(text: str) -> str:
    """A plain column read from `p`: the joined relation may have one of the same name."""
    plain = text.startswith('"') and text.find('"', 1) == len(text) - 1
    return f"p.{text}" if plain else text
