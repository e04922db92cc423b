"""Everything the reference can answer, in the form of the targets' results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.reference.values import UnknownValue, plain

if TYPE_CHECKING:
    from engine.reference.evaluator import Reference


def outcome(reader: Reference) -> dict[str, Any]:
    """Facts, decisions, advice, relations and rankings; unknown is None.

    A relation whose sources are unknown is None, and so are its rankings.
    """
    book = reader.book
    decisions = {}
    for name in book.decisions:
        for part in reader.outputs(name):
            decisions[f"{name}.{part}" if part else name] = plain(reader.collected(name, part))
    return {
        "facts": {
            path: plain(reader.fact(path)) for path, fact in book.facts.items() if not fact.is_list
        },
        "decisions": decisions,
        "advice": {name: tuple(map(plain, reader.advice(name))) for name in book.advice},
        "relations": {name: _rows(reader, name) for name in book.relations},
        "rankings": {name: _ranking(reader, name) for name in book.rankings},
    }


def _rows(reader: Reference, name: str) -> list[tuple[object, ...]] | None:
    rows = reader.relation(name)
    if isinstance(rows, UnknownValue):
        return None
    columns = [column.decision.id for column in reader.book.relations[name].columns]
    return [(*row.at, *(plain(row.column(column)) for column in columns)) for row in rows]


def _ranking(reader: Reference, name: str) -> dict[str, list[Any]] | None:
    ranked = reader.ranking(name)
    if isinstance(ranked, UnknownValue):
        return None
    parts = {"order": ranked.order, "undecided": ranked.undecided, "pareto": ranked.pareto}
    return {part: list(values) for part, values in parts.items()}
