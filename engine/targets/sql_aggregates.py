"""Aggregates: lists of structs, transformed and reduced in order.

DuckDB's own aggregates skip NULL and add in any order, so a list first becomes the list of
values, then one ordered reduction; a list with a NULL in it is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.language import tree
from engine.targets.sql_expressions import Emitter
from engine.targets.sql_text import TRUE, Sql, conjunction, disjunction, literal, made_of

# A value of one row -> the list of it over the rows.
Mapped = Callable[[Sql], Sql]

INFINITY = "CAST('infinity' AS DOUBLE)"


def aggregate(emitter: Emitter, node: tree.Aggregate) -> Sql:
    """`sum(for o in relation where condition return result)` and its kin."""
    emitter.program.need_lists(f"{node.function}(for …)")
    rows = emitter.context.rows(node.relation)
    item = emitter.fresh()
    inner = emitter.with_variable(node.alias, lambda name: rows.column(name, item))
    where = literal(True) if node.where is None else inner.emit(node.where)
    result = None if node.result is None else inner.emit(node.result)
    items = replace(rows.items, size=1)

    def mapped(value: Sql) -> Sql:
        """The list of `value` over the rows; nullable when an element or the list may be."""
        text = f"list_transform({items.text}, lambda {item}: {value.text})"
        bound = (value.bound - {item}) | items.bound
        # At least as large as what must not be repeated.
        size = items.size + value.size + 4
        whole = made_of(text, [items, value])
        return replace(whole, bound=bound, size=size)

    match node.function:
        case "count":
            return _count(emitter, items, where, mapped)
        case "sum":
            assert result is not None
            value = _taken(emitter, where, result, literal(0.0))
            text = f"list_reduce({mapped(value).text}, lambda r, f: r + f, 0e0)"
            low = 0.0 if result.low >= 0 else -float("inf")
            return replace(mapped(value), text=text, low=low)
        case "min" | "max":
            assert result is not None
            return _extreme(emitter, node.function, where, result, mapped)
        case "any":
            parts = [where] if result is None else [where, result]
            return _kleene(emitter, mapped(conjunction(parts)), "TRUE", "FALSE")
        case "every":
            negated = made_of(f"(NOT {where.text})", [where])
            if node.where is None:
                negated = literal(False)
            value = literal(True) if result is None else disjunction([negated, result])
            return _kleene(emitter, mapped(value), "FALSE", "TRUE")
    raise LookupError(f"no aggregate {node.function}")


def _taken(emitter: Emitter, where: Sql, result: Sql, skipped: Sql) -> Sql:
    """The result of a row that counts, `skipped` for one that does not, NULL when that is open."""
    if where.text == TRUE:
        return result
    if not where.nullable:
        text = f"CASE WHEN {where.text} THEN {result.text} ELSE {skipped.text} END"
        return made_of(text, [where, result])

    def build(parts: list[Sql]) -> Sql:
        w = parts[0].text
        text = f"CASE WHEN {w} THEN {result.text} WHEN NOT {w} THEN {skipped.text} END"
        return made_of(text, [parts[0], result])

    return emitter.share([where], build)


def _count(emitter: Emitter, items: Sql, where: Sql, mapped: Mapped) -> Sql:
    if where.text == TRUE:
        return made_of(f"CAST(len({items.text}) AS DOUBLE)", [items], low=0.0)

    def build(parts: list[Sql]) -> Sql:
        held = parts[0].text
        text = f"CAST(len(list_filter({held}, lambda h: h)) AS DOUBLE)"
        if where.nullable:
            text = f"CASE WHEN {_whole(held)} THEN {text} END"
        return made_of(text, parts, low=0.0)

    return emitter.share([mapped(where)], build)


def _extreme(emitter: Emitter, function: str, where: Sql, result: Sql, mapped: Mapped) -> Sql:
    # Results are finite, so an infinity can stand for "not taken".
    far = INFINITY if function == "min" else f"(-{INFINITY})"
    values = mapped(_taken(emitter, where, result, Sql(far)))

    def build(parts: list[Sql]) -> Sql:
        text = f"list_{function}({parts[0].text})"
        if where.text != TRUE:
            text = f"NULLIF({text}, {far})"
        if where.nullable or result.nullable:
            text = f"CASE WHEN {_whole(parts[0].text)} THEN {text} END"
        return made_of(text, parts, nullable=True, low=result.low)

    return emitter.share([values], build)


def _kleene(emitter: Emitter, values: Sql, decisive: str, other: str) -> Sql:
    """`any` (decided by a true) or `every` (decided by a false) of a list of conditions."""

    def build(parts: list[Sql]) -> Sql:
        held = parts[0].text
        return made_of(
            f"CASE WHEN list_contains({held}, {decisive}) THEN {decisive} "
            f"WHEN {_whole(held)} THEN {other} END",
            parts,
        )

    return emitter.share([values], build)


def _whole(text: str) -> str:
    """Has the list no NULL in it? (`list_count` counts the others.)"""
    return f"list_count({text}) = len({text})"
