"""Typing of what reads other entries: names, curves, ladders, tables, rankings, rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from engine.language import guards, intervals
from engine.language.checker import Checker, Place, of
from engine.language.problems import Position, ProblemError
from engine.language.scope import AliasScope, NameKind, Rows
from engine.language.suggest import did_you_mean
from engine.language.tree import (
    Aggregate,
    Best,
    FirstAtLeast,
    Interpolate,
    Literal,
    Lookup,
    Name,
    Node,
)
from engine.language.types import BOOLEAN, DIMENSIONLESS, Type, enumeration
from engine.language.walk import content_fields

Found = TypeVar("Found")


def literal(checker: Checker, node: Literal, place: Place) -> Node:
    value = node.value
    if isinstance(value, bool):
        kind = BOOLEAN
    elif isinstance(value, str):
        kind = enumeration((value,))
    else:
        whole = float(value).is_integer()
        kind = Type("number", DIMENSIONLESS, value, value, whole, zero_literal=value == 0)
    found = Literal(value, type=kind, position=node.position)
    return checker.done(found, place, type(value).__name__, value)


def entry(
    checker: Checker,
    find: Callable[[str, Position], Found | None],
    name: str,
    what: str,
    kind: NameKind,
    node: Node,
    place: Place,
) -> Found | None:
    """What `find` (a method of the scope) gives for a name; reports when that is nothing."""
    try:
        found = find(name, node.position)
    except ProblemError as error:
        checker.problems.extend(error.problems)
        return None
    if found is None:
        checker.missing(what, name, kind, node, place.scope)
    return found


def name(checker: Checker, node: Name, place: Place) -> Node:
    try:
        found = place.scope.resolve(node.path, node.position)
    except ProblemError as error:
        checker.problems.extend(error.problems)
        return node
    if found is None or found.type is None:
        checker.unknown_name(node, place.scope)
        return node
    return leaf(checker, found, place)


def leaf(checker: Checker, node: Node, place: Place) -> Node:
    return checker.done(node, place, *(getattr(node, one) for one in content_fields(type(node))))


def interpolate(checker: Checker, node: Interpolate, place: Place) -> Node:
    x = checker.node(node.x, place)
    key = None if node.key is None else checker.node(node.key, place)
    found = entry(checker, place.scope.curve, node.curve, "curve", "curve", node, place)
    if found is None:
        return node
    curve_id, curve = found
    curves = dict(curve.segments)
    if not checker.numbers((x,), "the x of a curve"):
        return node
    kind = of(x)
    if not kind.zero_literal and not curve.x_type.unit.same_as(kind.unit):
        checker.units_differ(curve.x_type.unit, kind.unit, x.position, "curve and x")
        return node
    nullable = kind.nullable
    if key is None:
        if set(curves) != {""}:
            checker.report(
                "B134",
                f'the curve "{curve_id}" needs a key',
                node.position,
                "interpolate(curve, key, x) with one of " + ", ".join(curves),
            )
            return node
        used = [curves[""]]
    else:
        values = curve_keys(checker, key, curves, curve_id)
        if values is None:
            return node
        nullable = nullable or of(key).nullable
        used = [curves[value] for value in values]
    if any(
        (curve.below == "refuse" and kind.low < points[0][0])
        or (curve.above == "refuse" and kind.high > points[-1][0])
        for points in used
    ):
        nullable = True
    heights = [y for points in used for y in _reached(points, kind)]
    result_type = Type(
        "number", curve.y_type.unit, min(heights), max(heights), False, None, nullable
    )
    result = Interpolate(curve_id, key, x, type=result_type, position=node.position)
    key_form = -1 if key is None else checker.key_of(key)
    return checker.done(result, place, curve_id, key_form, checker.key_of(x))


def curve_keys(
    checker: Checker, key: Node, curves: Mapping[str, object], curve_id: str
) -> tuple[str, ...] | None:
    if not checker.is_kind(key, "text", "the key of a curve"):
        return None
    values = of(key).values
    if values is None:
        checker.report(
            "B134",
            "the key of a curve must be a closed list",
            key.position,
            "one of " + ", ".join(curves),
        )
        return None
    lacking = [value for value in values if value not in curves]
    if lacking:
        checker.report(
            "B134",
            f'the curve "{curve_id}" has no points for {", ".join(lacking)}',
            key.position,
            "a curve for every value",
            did_you_mean(lacking[0], curves),
        )
        return None
    return values


def first_at_least(checker: Checker, node: FirstAtLeast, place: Place) -> Node:
    x = checker.node(node.x, place)
    found = entry(checker, place.scope.ladder, node.ladder, "ladder", "ladder", node, place)
    if found is None:
        return node
    ladder_id, ladder = found
    if not checker.numbers((x,), "the x of a ladder"):
        return node
    kind, steps = of(x), ladder.steps
    if not kind.zero_literal and not ladder.type.unit.same_as(kind.unit):
        checker.units_differ(ladder.type.unit, kind.unit, x.position, "ladder and x")
        return node
    reached = [step for step in steps if step >= kind.low] or [steps[-1]]
    last = next((step for step in steps if step >= kind.high), steps[-1])
    result_type = Type(
        "number",
        ladder.type.unit,
        reached[0],
        max(last, reached[0]),
        all(float(step).is_integer() for step in steps),
        None,
        kind.nullable or kind.high > steps[-1],
    )
    result = FirstAtLeast(ladder_id, x, type=result_type, position=node.position)
    return checker.done(result, place, ladder_id, checker.key_of(x))


def lookup(checker: Checker, node: Lookup, place: Place) -> Node:
    key = checker.node(node.key, place)
    table = entry(checker, place.scope.table, node.table, "catalog table", "table", node, place)
    if table is None:
        return node
    columns = {column.name: column.type for column in table.columns}
    found = checker.column_of(columns, node.column, f'table "{table.name}"', node.position)
    if not checker.is_kind(key, "text", "the key of a lookup") or found is None:
        return node
    result = Lookup(
        table.name, key, node.column, type=found.with_nullable(True), position=node.position
    )
    return checker.done(result, place, table.name, checker.key_of(key), node.column)


def best(checker: Checker, node: Best, place: Place) -> Node:
    found = entry(checker, place.scope.ranking, node.ranking, "ranking", "ranking", node, place)
    if found is None:
        return node
    ranking_id, rows = found
    kind = checker.column_of(rows.columns, node.column, f'"{rows.name}"', node.position)
    if kind is None:
        return node
    result = Best(ranking_id, node.column, type=kind.with_nullable(True), position=node.position)
    return checker.done(result, place, ranking_id, node.column)


def aggregate(checker: Checker, node: Aggregate, place: Place) -> Node:
    what = "relation, table or list"
    rows = entry(checker, place.scope.rows, node.relation, what, "rows", node, place)
    if rows is None:
        return node
    if place.scope.taken(node.alias):
        checker.report(
            "B111",
            f'"{node.alias}" already means something here',
            node.position,
            "a name of its own",
            f'rename the row variable "{node.alias}"',
        )
        return node
    inner = Place(AliasScope(place.scope, node.alias, rows), place.bounds)
    where = None if node.where is None else checker.node(node.where, inner)
    if where is not None and checker.is_kind(where, "boolean", "the where of an aggregate"):
        bounds = guards.assume(where, True, inner.bounds, checker.key_of, checker.intern)
        inner = replace(inner, bounds=bounds)
    result = None if node.result is None else checker.node(node.result, inner)
    if any(p is not None and p.type is None for p in (where, result)):
        return node
    if where is not None and of(where).kind != "boolean":
        return node
    kind = aggregated(checker, node, rows, where, result)
    if kind is None:
        return node
    found = Aggregate(
        node.function, node.alias, rows.name, where, result, type=kind, position=node.position
    )
    forms = tuple(-1 if part is None else checker.key_of(part) for part in (where, result))
    return checker.done(found, place, node.function, node.alias, rows.name, *forms)


def aggregated(
    checker: Checker, node: Aggregate, rows: Rows, where: Node | None, result: Node | None
) -> Type | None:
    open_where = where is not None and of(where).nullable
    nullable = rows.nullable or open_where or (result is not None and of(result).nullable)
    if result is None:
        return Type("number", DIMENSIONLESS, 0.0, float(rows.max_rows), True, None, nullable)
    if node.function in ("any", "every"):
        if not checker.is_kind(result, "boolean", f"what {node.function} returns"):
            return None
        return BOOLEAN.with_nullable(nullable)
    if not checker.numbers((result,), f"what {node.function} returns"):
        return None
    kind = of(result)
    if node.function != "sum":  # of no row at all: unknown
        return replace(kind, nullable=True, zero_literal=False)
    interval = intervals.repeated_sum((kind.low, kind.high), rows.max_rows, integer=kind.integer)
    return checker.number(
        node.position, kind.unit, interval, integer=kind.integer, nullable=nullable
    )


def _reached(points: tuple[tuple[float, float], ...], x: Type) -> list[float]:
    """Heights that bound the curve over the interval of x: its inner points and segment ends."""
    inside = [
        index
        for index in range(len(points) - 1)
        if points[index + 1][0] >= x.low and points[index][0] <= x.high
    ]
    if not inside:
        return [points[0][1]] if x.high < points[0][0] else [points[-1][1]]
    return [points[index][1] for index in range(inside[0], inside[-1] + 2)]
