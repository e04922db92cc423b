"""Compiling a book to SQL: the scalar frame, what names mean, and the stages in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from engine.book.model import Book, Curve, Formula, Table
from engine.language.types import Type
from engine.targets.sql_columns import (
    LIST_KINDS,
    advice_column,
    decision_column,
    fact_rows,
    item_field,
    missing_rows,
    output_names,
)
from engine.targets.sql_dialects import Dialect, refusal
from engine.targets.sql_expressions import Emitter, Rows
from engine.targets.sql_frames import Frame
from engine.targets.sql_rankings import RankedRows
from engine.targets.sql_relations import RelationRows
from engine.targets.sql_scalars import ScalarStages
from engine.targets.sql_tables import advice_conditions, table_outputs
from engine.targets.sql_text import Sql, quoted, unsigned


@dataclass(slots=True)
class Joined:
    """What a round of the scalar query takes from relations and rankings."""

    lists: list[RelationRows] = field(default_factory=list)
    bests: list[RankedRows] = field(default_factory=list)
    unknowns: list[RelationRows] = field(default_factory=list)


class Program:
    """The whole book under compilation; the scalar context of the trees."""

    def __init__(self, book: Book, dialect: Dialect) -> None:
        self.book, self.dialect = book, dialect
        self.frame = Frame("scalars", self._start)
        self.relations: dict[str, RelationRows] = {}
        self.rankings: dict[str, RankedRows] = {}
        # In the order their stages can be computed.
        self.compiled: list[RelationRows | RankedRows] = []
        self.catalog_lists: dict[str, dict[str, None]] = {}
        self._given: dict[str, str] = {}
        self._parameters: dict[str, None] = {}
        self._joined: dict[int, Joined] = {}
        self._emitter = Emitter(self, self)
        self._subject = ""
        self._scalars: ScalarStages | None = None

    # ------------------------------------------------------------ refusing

    def refuse(self, what: str) -> NoReturn:
        subject = f" ({self._subject})" if self._subject else ""
        raise refusal(f"{what} cannot be compiled{subject}", self.dialect.name)

    def need_lists(self, what: str) -> None:
        if not self.dialect.lists:
            self.refuse(what)

    # ------------------------------------------------------------ entries of the book

    def compile_entry(self, kind: str, name: str) -> None:
        """Adds one entry of the book's order and whatever it needs."""
        self._subject = f"{kind} {name}"
        if kind == "fact":
            self.fact(name)
        elif kind == "decision":
            self._decision(name)
        elif kind == "advice":
            self._advice(name)
        elif kind == "relation":
            self.relation(name)
        elif kind == "ranking":
            self.ranking(name)

    def relation(self, name: str) -> RelationRows:
        if name not in self.relations:
            self.need_lists(f"relation {name}")
            rows = RelationRows(self, self.book.relations[name])
            self.relations[name] = rows
            self.compiled.append(rows)
        return self.relations[name]

    def ranking(self, name: str) -> RankedRows:
        if name not in self.rankings:
            self.need_lists(f"ranking {name}")
            ranked = RankedRows(self, self.book.rankings[name])
            self.rankings[name] = ranked
            self.compiled.append(ranked)
        return self.rankings[name]

    def _decision(self, name: str) -> None:
        decision = self.book.decisions[name]
        outputs = output_names(decision.body)
        if not outputs or decision_column(name, outputs[0]) in self.frame.columns:
            return
        values = self.body(self._emitter, decision.body, decision.type)
        for output, value in zip(outputs, values, strict=True):
            self.frame.define(decision_column(name, output), value)

    def body(self, emitter: Emitter, body: Formula | Table | Curve, kind: Type) -> list[Sql]:
        """The outputs of a formula or table, zero unsigned."""
        if isinstance(body, Formula):
            return [unsigned(emitter.emit(body.expression), kind)]
        assert isinstance(body, Table)
        return table_outputs(emitter, body)

    def _advice(self, name: str) -> None:
        advice = self.book.advice[name]
        conditions = advice_conditions(self._emitter, advice)
        for row, condition in zip(advice.rows, conditions, strict=True):
            column = advice_column(name, row.id)
            if column not in self.frame.columns:
                self.frame.define(column, condition)

    # ------------------------------------------------------------ names in scalar trees

    def fact(self, path: str) -> Sql:
        column = f"fact:{path}"
        if column not in self.frame.columns:
            self._fact(path, column)
        return self.frame.columns[column]

    def _fact(self, path: str, column: str) -> None:
        fact = self.book.facts[path]
        given = f"p.{quoted(path)}"
        if fact.kind in LIST_KINDS:
            self.need_lists(f"list fact {path}")
            default = missing_rows(self.book, path)
            self._given[column] = given if default is None else f"coalesce({given}, {default})"
            self.frame.base(column, 0, nullable=default is None)
            return
        if fact.type.kind == "number":
            given = f"({given} + 0e0)"
        low = fact.type.low
        trees = [node for node in (fact.derive, fact.default) if node is not None]
        if not trees:
            self._given[column] = given
            self.frame.base(column, 0, nullable=True, low=low)
            return
        start = f"given:{path}"
        self._given[start] = given
        base = self.frame.base(start, 0, nullable=True, low=low)
        values = [base, *(unsigned(self._emitter.emit(node), fact.type) for node in trees)]
        text = f"coalesce({', '.join(value.text for value in values)})"
        at = max(value.at for value in values)
        nullable = all(value.nullable for value in values)
        low = min(value.low for value in values)
        self.frame.define(column, Sql(text, at, nullable, low, size=2))

    def parameter(self, name: str) -> Sql:
        column = f"parameter:{name}"
        if column not in self.frame.columns:
            self._parameters[name] = None
            low = self.book.parameters[name].type.low
            self.frame.base(column, 0, nullable=False, low=low)
        return self.frame.columns[column]

    def decision(self, name: str, output: str) -> Sql:
        column = decision_column(name, output)
        if column not in self.frame.columns:
            self._decision(name)
        return self.frame.columns[column]

    def column(self, alias: str, name: str) -> Sql:
        raise LookupError(f"no row in scope for {alias or 'column'}.{name}")

    def best(self, ranking: str, column: str) -> Sql:
        ranked = self.ranking(ranking)
        label = f"best:{ranking}.{column}"
        if label not in self.frame.columns:
            level = self._level(ranked.base + 1)
            ranked.wanted[column] = None
            ranked.relation.expose(f"column:{column}")
            if ranked not in self._joined[level].bests:
                self._joined[level].bests.append(ranked)
            self.frame.base(label, level, nullable=True)
        return self.frame.columns[label]

    def rows(self, relation: str) -> Rows:
        if relation in self.book.facts:
            return fact_rows(self.book, relation, self.fact(relation))
        if relation in self.book.relations:
            return self._relation_rows(self.relation(relation))
        # A column, because a lambda cannot hold a subquery.
        rows = self.catalog_rows(relation.removeprefix("catalog."))
        return Rows(self.frame.let(rows.items), rows.column)

    def _relation_rows(self, rows: RelationRows) -> Rows:
        label = f"rows:{rows.name}"
        if label not in self.frame.columns:
            level = self._level(rows.base + 1)
            self._joined[level].lists.append(rows)
            self.frame.base(label, level, nullable=rows.may_be_unknown)

        def column(name: str, item: str) -> Sql:
            rows.listed[name] = None
            return item_field(item, name, rows.own_column(name))

        return Rows(self.frame.columns[label], column)

    def catalog_rows(self, table: str) -> Rows:
        schema = self.book.tables[table]
        wanted = self.catalog_lists.setdefault(table, {})

        def column(name: str, item: str) -> Sql:
            wanted[name] = None
            found = schema.column(name)
            assert found is not None
            return item_field(item, name, Sql("", (0, 0), found.type.nullable, found.type.low))

        items = Sql(f"(SELECT rows FROM {quoted('list:' + table)})", size=4)
        return Rows(items, column)

    def catalog_column(self, table: str, column: str) -> Sql:
        """All cells of a column, as a list."""
        wanted = self.catalog_lists.setdefault(table, {})
        wanted[column] = None
        text = (
            f"(SELECT list_transform(rows, lambda x: x.{quoted(column)}) "
            f"FROM {quoted('list:' + table)})"
        )
        return Sql(text, size=4)

    def relation_unknown(self, rows: RelationRows) -> Sql:
        """Whether the rows of a relation cannot be known for a profile."""
        label = f"unknown:{rows.name}"
        if label not in self.frame.columns:
            level = self._level(rows.base + 1)
            self._joined[level].unknowns.append(rows)
            self.frame.base(label, level, nullable=False)
        return self.frame.columns[label]

    # ------------------------------------------------------------ rounds of the scalar query

    def _level(self, level: int) -> int:
        while len(self.frame.starts) <= level:
            number = len(self.frame.starts)
            self._joined[number] = Joined()
            self.frame.add_level(partial(self._round, number))
        return level

    def _start(self, before: str) -> str:
        columns = [f"{text} AS {quoted(name)}" for name, text in self._given.items()]
        columns += [
            f"q.{quoted(name)} AS {quoted('parameter:' + name)}" for name in self._parameters
        ]
        source = "profiles AS p" + (" CROSS JOIN parameters AS q" if self._parameters else "")
        return f"SELECT {', '.join(['p.profile_id', *columns])}\nFROM {source}"

    def _round(self, number: int, before: str) -> str:
        columns, joins = [], []
        joined = self._joined[number]
        unknown = {rows.name: rows for rows in joined.unknowns}
        unknown.update({rows.name: rows for rows in joined.lists if rows.may_be_unknown})
        for index, rows in enumerate(unknown.values()):
            joins.append(_left_join(rows.unknown_stage, f"u{index}"))
            if rows in joined.unknowns:
                label = quoted("unknown:" + rows.name)
                columns.append(f"u{index}.profile_id IS NOT NULL AS {label}")
        for index, rows in enumerate(joined.lists):
            joins.append(_left_join(rows.list_stage, f"l{index}"))
            text = f"coalesce(l{index}.rows, [])"
            if rows.may_be_unknown:
                flag = list(unknown).index(rows.name)
                text = f"CASE WHEN u{flag}.profile_id IS NULL THEN {text} END"
            columns.append(f"{text} AS {quoted('rows:' + rows.name)}")
        for index, ranked in enumerate(joined.bests):
            joins.append(_left_join(ranked.best_stage, f"b{index}"))
            columns += [
                f"b{index}.{quoted(name)} AS {quoted(f'best:{ranked.name}.{name}')}"
                for name in ranked.wanted
            ]
        added = "".join(f",\n  {column}" for column in columns)
        return f"SELECT p.*{added}\nFROM {before} AS p" + "".join(f"\n{join}" for join in joins)

    def scalars(self) -> ScalarStages:
        """How the scalar frame is cut into stages; asked for when everything is compiled."""
        if self._scalars is None:
            self._scalars = ScalarStages(self.frame)
        return self._scalars


def _left_join(stage: str, alias: str) -> str:
    return f"LEFT JOIN {quoted(stage)} AS {alias} ON {alias}.profile_id = p.profile_id"
