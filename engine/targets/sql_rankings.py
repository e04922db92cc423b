"""SQL of rankings: the order of a relation's kept rows, undecided rows, the Pareto front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.book.model import Ranking
from engine.targets.sql_expressions import Emitter, Rows
from engine.targets.sql_frames import chain
from engine.targets.sql_rows import AT, RowContext
from engine.targets.sql_text import Sql, literal, quoted

if TYPE_CHECKING:
    from engine.targets.sql_program import Program


class RankedRows(RowContext):
    """One ranking under compilation; the context of its trees is a row of its relation."""

    def __init__(self, program: Program, ranking: Ranking) -> None:
        super().__init__(program, ranking.id)
        self.ranking = ranking
        self.relation = program.relation(ranking.relation)
        self.base = self.relation.base
        # Columns `best` reads of the first row.
        self.wanted: dict[str, None] = {}
        self._read: dict[str, None] = {}
        self.frame.add_level(self._join)
        emitter = Emitter(program, self)
        keep = literal(True) if ranking.keep is None else emitter.emit(ranking.keep)
        self._define("rank:keep", keep)
        for number, (node, _) in enumerate(ranking.by):
            self._define(f"rank:by{number}", emitter.emit(node))
        for number, node in enumerate(self.relation.relation.key):
            self._define(f"rank:key{number}", emitter.emit(node))
        for number, node in enumerate(ranking.pareto or ()):
            self._define(f"rank:axis{number}", emitter.emit(node))

    def _define(self, name: str, value: Sql) -> None:
        self.frame.define(name, Sql(value.text, max(value.at, (1, 0)), value.nullable))

    @property
    def stage(self) -> str:
        return f"ranked {self.name}"

    @property
    def best_stage(self) -> str:
        return f"best {self.name}"

    def column(self, alias: str, name: str) -> Sql:
        like = self.relation.column(alias, name)
        label = f"source:{alias}.{name}" if alias else f"column:{name}"
        if label not in self.frame.columns:
            self._read[label] = None
            self.relation.expose(label)
            self.frame.base(label, 1, nullable=like.nullable, low=like.low)
        return self.frame.columns[label]

    def rows(self, relation: str) -> Rows:
        if relation == "members":
            self.program.refuse("members in a ranking")
        return super().rows(relation)

    def _join(self, before: str) -> str:
        columns = ["p.*", f"s.{AT}", *(f"s.{quoted(name)}" for name in self._read)]
        return (
            f"SELECT {', '.join(columns)}\nFROM {before} AS p\n"
            f"JOIN {quoted(self.relation.stage)} AS s ON s.profile_id = p.profile_id"
        )

    def text(self) -> str:
        """Kept rows (numbered in order) and undecided rows (`keep` NULL) of every profile."""
        texts, last = chain("g", self.frame.steps(0, 1), "")
        order = [
            f"{quoted(f'rank:by{number}')} {'DESC' if descending else 'ASC'} NULLS LAST"
            for number, (_, descending) in enumerate(self.ranking.by)
        ]
        keys = range(len(self.relation.relation.key))
        order += [f"{quoted(f'rank:key{number}')} ASC NULLS LAST" for number in keys]
        within = 'PARTITION BY profile_id, "rank:keep"'
        sure = " AND ".join(
            f"{quoted(f'rank:by{number}')} IS NOT NULL" for number in range(len(self.ranking.by))
        )
        return (
            f"WITH {', '.join(texts)}\n"
            f'SELECT profile_id, {AT}, "rank:keep" AS keep, {sure or "TRUE"} AS sure,\n'
            f"  row_number() OVER ({within} ORDER BY {', '.join([*order, AT])}) - 1 AS rank,\n"
            f"  {self._front(within)} AS front\n"
            f'FROM {last}\nWHERE "rank:keep" IS NOT FALSE'
        )

    def _front(self, within: str) -> str:
        """Is no other kept row at least as good on both axes and better on one?"""
        if self.ranking.pareto is None:
            return "CAST(NULL AS BOOLEAN)"
        x, y = '"rank:axis0"', '"rank:axis1"'
        before = (
            f"min({y}) OVER ({within} ORDER BY {x} ASC NULLS LAST "
            "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP)"
        )
        beside = f"min({y}) OVER ({within}, {x})"
        return (
            f"CASE WHEN {x} IS NULL OR {y} IS NULL THEN FALSE "
            f"ELSE coalesce({before} > {y}, TRUE) AND {beside} >= {y} END"
        )

    def best_text(self) -> str:
        columns = "".join(
            f",\n  CASE WHEN g.sure THEN r.{quoted('column:' + name)} END AS {quoted(name)}"
            for name in self.wanted
        )
        return (
            f"SELECT g.profile_id{columns}\nFROM {quoted(self.stage)} AS g\n"
            f"JOIN {quoted(self.relation.stage)} AS r ON r.profile_id = g.profile_id "
            f"AND r.{AT} = g.{AT}\nWHERE g.keep AND g.rank = 0"
        )

    def outcome_text(self) -> str:
        """One row per profile: order, undecided, pareto; NULL when the relation is unknown."""
        pareto = "coalesce(list(g.front ORDER BY g.rank) FILTER (WHERE g.keep), [])"
        if self.ranking.pareto is None:
            pareto = "CAST([] AS BOOLEAN[])"
        known, join = "TRUE", ""
        if self.relation.may_be_unknown:
            known = "min(u.profile_id) IS NULL"
            join = (
                f"\nLEFT JOIN {quoted(self.relation.unknown_stage)} AS u "
                "ON u.profile_id = p.profile_id"
            )
        undecided = f"g.{AT} IS NOT NULL AND g.keep IS NULL"
        return (
            "SELECT p.profile_id,\n"
            f"  CASE WHEN {known} THEN coalesce(list(g.{AT} ORDER BY g.rank) "
            'FILTER (WHERE g.keep), []) END AS "order",\n'
            f"  CASE WHEN {known} THEN coalesce(list(g.{AT} ORDER BY g.{AT}) "
            f"FILTER (WHERE {undecided}), []) END AS undecided,\n"
            f"  CASE WHEN {known} THEN {pareto} END AS pareto\n"
            "FROM profiles AS p\n"
            f"LEFT JOIN {quoted(self.stage)} AS g ON g.profile_id = p.profile_id{join}\n"
            "GROUP BY p.profile_id ORDER BY p.profile_id"
        )
