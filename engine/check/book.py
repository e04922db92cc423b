"""`check_book`: every proof about a book, before it is used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from engine.book.contents import all_decisions, citations
from engine.book.model import Book, Catalog, Curve, Table
from engine.check.claims import check_claims
from engine.check.order import check_order
from engine.check.ranges import ParameterOrder, check_bounds
from engine.check.row_limits import check_row_limits
from engine.check.tables import check_rows, check_table
from engine.check.usage import (
    all_texts,
    all_trees,
    check_parameters_used,
    check_reasons,
    check_reviews,
    check_texts,
)
from engine.language.problems import Position, Problem
from engine.language.tree import Arithmetic
from engine.language.walk import walk

# Trends recurse through chains of decisions; each link takes a few frames per level of its tree.
_RECURSION = 30_000


@dataclass(frozen=True, slots=True)
class Checked:
    """`problems` in file order; `counts`: how many of each thing were looked at.

    Loading has already proven units, divisors and finite results of every expression, that cited
    sources exist, and that parameters lie in their ranges and keep their order; the counts
    `expressions`, `divisors`, `citations` and `parameters` say how many those are.
    """

    problems: tuple[Problem, ...]
    counts: Mapping[str, int]

    @property
    def passed(self) -> bool:
        """No errors, and something was checked; warnings do not fail."""
        return all(problem.severity != "error" for problem in self.problems)


def check_book(book: Book, as_of_day: int, catalog: Catalog | None = None) -> list[Problem]:
    """Every finding; `as_of_day` (days since 1970-01-01) judges review dates."""
    return list(examine(book, as_of_day, catalog).problems)


def examine(book: Book, as_of_day: int, catalog: Catalog | None = None) -> Checked:
    """Every finding, and what was proven; with a catalog also that `max_rows` are respected."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        return _examine(book, as_of_day, catalog)
    finally:
        sys.setrecursionlimit(before)


def _examine(book: Book, as_of_day: int, catalog: Catalog | None) -> Checked:
    not_above = ParameterOrder(book.parameters).not_above
    order = check_order(book)
    problems = [*order]
    rows = 0
    tables = 0
    for decision in all_decisions(book):
        if isinstance(decision.body, Table):
            tables += 1
            rows += len(decision.body.rows)
            problems += check_table(decision.id, decision.body, decision.position, not_above)
    for advice in book.advice.values():
        tables += 1
        rows += len(advice.rows)
        listed = [(row.when, row.position, row.id) for row in advice.rows]
        problems += check_rows(advice.id, advice.inputs, listed, advice.position, not_above)
    proven = 0
    if not order:  # a cycle has no trend
        unproven, proven = check_claims(book, not_above)
        problems += unproven
    problems += check_bounds(book)
    problems += check_parameters_used(book)
    problems += check_reasons(book)
    problems += check_texts(book)
    problems += check_reviews(book, as_of_day)
    counts = _counts(book, tables, rows, proven)
    if catalog is not None:
        unproven, counts["row_limits"] = check_row_limits(book, catalog)
        problems += unproven
    if counts["entries"] == 0:
        problems.append(Problem(
            "B260", "0 entries checked: the book holds no rules", Position("rules"),
            "at least one decision", "look at the path that was given",
        ))  # fmt: skip
    problems.sort(key=lambda problem: (problem.position, problem.code))
    return Checked(tuple(problems), counts)


def _counts(book: Book, tables: int, rows: int, proven: int) -> dict[str, int]:
    divisors = expressions = 0
    for tree in all_trees(book):
        expressions += 1
        for node in walk(tree):
            divisors += isinstance(node, Arithmetic) and node.operator == "/"
    entries = sum(map(len, (book.decisions, book.relations, book.rankings, book.advice)))
    bounded = sum(decision.bounds is not None for decision in all_decisions(book))
    return {
        "entries": entries,
        "facts": len(book.facts),
        "parameters": len(book.parameters),
        "tables": tables,
        "rows": rows,
        "curves": sum(isinstance(one.body, Curve) for one in all_decisions(book)),
        "expressions": expressions,
        "divisors": divisors,
        "ranges": bounded,
        "claims": proven,
        "citations": sum(len(cited) for _, cited, _ in citations(book)),
        "texts": sum(bool(text.en) for _, text, _ in all_texts(book)),
    }
