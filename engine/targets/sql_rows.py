"""Rows of a query, one above another: what relations, groups and rankings have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.targets.sql_expressions import Rows
from engine.targets.sql_frames import Frame, at_start
from engine.targets.sql_text import Sql, quoted, text_literal

if TYPE_CHECKING:
    from engine.targets.sql_program import Program
    from engine.targets.sql_relations import RelationRows

# The position of an item in its list, in the struct of an unnested source.
POSITION = "#"
# The position of a row in its relation (the word is reserved).
AT = quoted("at")


class RowContext:
    """Rows on top of the scalar columns: what a relation and a ranking have in common.

    `base` is the round of the scalar query whose columns the rows start with.
    """

    def __init__(self, program: Program, name: str) -> None:
        self.program, self.name, self.base = program, name, 0
        self.frame = Frame(name, self._start)
        self._outer: dict[str, Sql] = {}

    def outer(self, value: Sql) -> Sql:
        """A column of the scalar query, brought along."""
        self.base = max(self.base, value.at[0])
        self._outer[value.text] = value
        return at_start(value)

    def fact(self, path: str) -> Sql:
        return self.outer(self.program.fact(path))

    def parameter(self, name: str) -> Sql:
        return self.outer(self.program.parameter(name))

    def decision(self, name: str, output: str) -> Sql:
        return self.outer(self.program.decision(name, output))

    def best(self, ranking: str, column: str) -> Sql:
        return self.outer(self.program.best(ranking, column))

    def rows(self, relation: str) -> Rows:
        if relation.startswith("catalog."):
            # Not brought along: the list is the same for every profile.
            rows = self.program.catalog_rows(relation.removeprefix("catalog."))
            return Rows(self.frame.let(rows.items), rows.column)
        rows = self.program.rows(relation)
        return Rows(self.outer(rows.items), rows.column)

    def _start(self, before: str) -> str:
        return self.program.scalars().rows(self._outer)


class GroupRows:
    """Groups of a relation's rows with equal values, in order of first appearance."""

    def __init__(self, rows: RelationRows, by: tuple[str, ...]) -> None:
        self.rows, self.by = rows, by
        self.listed: dict[str, None] = {}
        for name in by:
            rows.expose(f"column:{name}")

    @property
    def stage(self) -> str:
        return f"groups {self.rows.name} by {', '.join(self.by)}"

    def text(self) -> str:
        by = ", ".join(quoted("column:" + name) for name in self.by)
        fields = struct(self.listed, "column:")
        return (
            f"SELECT *, row_number() OVER (PARTITION BY profile_id ORDER BY first) - 1 AS {AT}\n"
            f"FROM (SELECT profile_id, {by}, min({AT}) AS first,\n"
            f"    list({fields} ORDER BY {AT}) AS {quoted(POSITION + 'members')}\n"
            f"  FROM {quoted(self.rows.stage)}\n  GROUP BY profile_id, {by})"
        )


def struct(names: Iterable[str], prefix: str) -> str:
    """A struct of columns by their bare names; with none, of the position alone."""
    fields = [f"{text_literal(name)}: {quoted(prefix + name)}" for name in names]
    return "{" + (", ".join(fields) or f"'{POSITION}': {AT}") + "}"
