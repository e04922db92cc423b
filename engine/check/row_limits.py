"""Proof that relations stay within their `max_rows` on a given catalog (W214 when unproven).

Conditions are not looked at: every bound is what sources and joins alone allow. Intervals of
sums rest on `max_rows`; where the bound is not proven the evaluators refuse a larger relation.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from engine.book.model import Book, Catalog, Formula, Relation, Source
from engine.language.problems import Problem
from engine.language.tree import Column


def check_row_limits(book: Book, catalog: Catalog) -> tuple[list[Problem], int]:
    """A warning for each relation whose bound is above its limit, and how many are proven."""
    limits = _Limits(book, catalog)
    found = []
    for relation in book.relations.values():
        most = limits.of_relation(relation, frozenset())
        if most > relation.max_rows:
            found.append(Problem(
                "W214", f"{relation.id} is only proven to have at most {most:,} rows",
                relation.position, f"at most its max_rows, {relation.max_rows:,}",
                "join on a key, or raise max_rows", severity="warning",
            ))  # fmt: skip
    return found, len(book.relations) - len(found)


@dataclass(frozen=True, slots=True)
class _Limits:
    """Most rows that can share the values of some columns."""

    book: Book
    catalog: Catalog

    def of_table(self, name: str, fixed: frozenset[str]) -> int:
        rows = self.catalog.tables[name].rows
        if not fixed:
            return len(rows)
        schema = self.book.tables[name]
        places = [i for i, column in enumerate(schema.columns) if column.name in fixed]
        counts = Counter(tuple(row[i] for i in places) for row in rows)
        return max(counts.values(), default=0)

    def of_relation(self, relation: Relation, fixed: frozenset[str]) -> int:
        """`fixed`: own columns held equal; those that pass a source's column on hold it too."""
        held: dict[str, set[str]] = {}
        for column in relation.columns:
            body = column.decision.body
            if column.decision.id in fixed and isinstance(body, Formula):
                read = body.expression
                if isinstance(read, Column) and read.alias:
                    held.setdefault(read.alias, set()).add(read.name)
        return self._product(relation.sources, held)

    def _product(self, sources: tuple[Source, ...], held: dict[str, set[str]]) -> int:
        if not sources:
            return 1
        *before, last = sources
        own = held.get(last.alias, set()) | {column for column, _ in last.on}
        most = self._product(tuple(before), held) * self._of_source(last, frozenset(own))
        if last.on and not last.optional:
            # The other way round: every row of the last source, with the rows that join it.
            joined = {alias: set(names) for alias, names in held.items()}
            for _, read in last.on:
                if isinstance(read, Column) and read.alias:
                    joined.setdefault(read.alias, set()).add(read.name)
            kept = frozenset(held.get(last.alias, set()))
            most = min(most, self._of_source(last, kept) * self._product(tuple(before), joined))
        return most

    def _of_source(self, source: Source, fixed: frozenset[str]) -> int:
        match source.kind:
            case "table":
                most = self.of_table(source.name, fixed)
            case "relation":
                relation = self.book.relations[source.name]
                most = min(relation.max_rows, self.of_relation(relation, fixed))
            case "group":
                relation = self.book.relations[source.name]
                held = fixed >= set(source.by)
                most = 1 if held else self.of_relation(relation, frozenset())
            case "fact":
                most = self.book.facts[source.name].max_rows
            case "steps":
                most = 1 if fixed else _steps(source)
        return max(most, 1) if source.optional else most


def _steps(source: Source) -> int:
    kinds = [node.type for node in (source.start, source.stop, source.step) if node is not None]
    start, stop, step = (kind for kind in kinds if kind is not None)
    if step.low <= 0:
        return 10**9  # a step that can be 0 never ends: refused elsewhere, never proven here
    return max(0, math.floor((stop.high - start.low) / step.low) + 1)
