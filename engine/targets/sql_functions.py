"""SQL of the functions that take more than an operator: powers, curves, ladders, lookups."""

from __future__ import annotations

from itertools import pairwise

from engine.book.model import Curve
from engine.language import tree
from engine.targets.sql_expressions import Emitter
from engine.targets.sql_text import Sql, by_cuts, made_of, number_text, text_literal


def power(emitter: Emitter, node: tree.Power) -> Sql:
    """Squaring from the top bit as a reduction of the factors, 1 where the bit is not set."""
    emitter.program.need_lists("power(…)")
    base, exponent = emitter.emit(node.base), emitter.emit(node.exponent)
    if isinstance(node.exponent, tree.Literal):
        value = float(node.exponent.value)
        if not (0 <= value <= 4096 and value.is_integer()):
            return Sql("CAST(NULL AS DOUBLE)", nullable=True, literal=True)
        n = int(value)
        bits = [bool(n >> bit & 1) for bit in range(max(n.bit_length() - 1, 0), -1, -1)]

        def fixed(parts: list[Sql]) -> Sql:
            factors = ", ".join(parts[0].text if bit else "1e0" for bit in bits)
            text = f"list_reduce([1e0, {factors}], lambda r, f: (r * r) * f)"
            if base.nullable:
                text = f"CASE WHEN {parts[0].text} IS NOT NULL THEN {text} END"
            return made_of(text, parts)

        return emitter.share([base], fixed)

    def build(parts: list[Sql]) -> Sql:
        x, n = parts[0].text, parts[1].text
        factors = ", ".join(
            f"CASE WHEN (CAST({n} AS BIGINT) & {1 << bit}) <> 0 THEN {x} ELSE 1e0 END"
            for bit in range(12, -1, -1)
        )
        text = f"list_reduce([1e0, {factors}], lambda r, f: (r * r) * f)"
        return made_of(
            f"CASE WHEN {x} IS NOT NULL AND {n} >= 0e0 AND {n} <= 4096e0 "
            f"AND {n} = floor({n}) THEN {text} END",
            parts, nullable=True,
        )  # fmt: skip

    return emitter.share([base, exponent], build)


def interpolate(emitter: Emitter, node: tree.Interpolate) -> Sql:
    curve = emitter.program.book.decisions[node.curve].body
    assert isinstance(curve, Curve)
    key = None if node.key is None else emitter.emit(node.key)

    def build(parts: list[Sql]) -> Sql:
        x = parts[0]
        lines = [(key, _curve_text(curve, points, x)) for key, points in curve.segments]
        if key is None:
            text = next((text for name, text in lines if name == ""), "CAST(NULL AS DOUBLE)")
        else:
            cases = " ".join(f"WHEN {text_literal(name)} THEN {text}" for name, text in lines)
            text = f"CASE {key.text} {cases} END"
        if x.nullable:
            text = f"CASE WHEN {x.text} IS NOT NULL THEN {text} END"
        heights = [y for _, points in curve.segments for _, y in points]
        refuses = "refuse" in (curve.below, curve.above)
        return made_of(
            text,
            parts if key is None else [*parts, key],
            nullable=x.nullable or refuses or key is not None or not lines,
            low=min(heights),
        )

    return emitter.share([emitter.emit(node.x)], build)


def first_at_least(emitter: Emitter, node: tree.FirstAtLeast) -> Sql:
    steps = emitter.program.book.parameters[node.ladder].steps

    def build(parts: list[Sql]) -> Sql:
        cases = " ".join(
            f"WHEN {parts[0].text} <= {number_text(step)} THEN {number_text(step)}"
            for step in steps
        )
        return made_of(f"CASE {cases} END", parts, nullable=True, low=steps[0])

    return emitter.share([emitter.emit(node.x)], build)


def lookup(emitter: Emitter, node: tree.Lookup) -> Sql:
    """A join; inside a lambda over its own variables, a search in the lists of the columns."""
    schema, key = emitter.program.book.tables[node.table], emitter.emit(node.key)
    if not key.bound:
        return emitter.context.frame.lookup(node.table, schema.key, key, node.column)
    emitter.program.need_lists("lookup(…) inside an aggregate")
    lists = emitter.program.catalog_column
    keys = emitter.context.frame.let(lists(node.table, schema.key))
    cells = emitter.context.frame.let(lists(node.table, node.column))
    text = f"list_extract({cells.text}, list_position({keys.text}, {key.text}))"
    return made_of(text, [keys, cells, key], nullable=True)


def _curve_text(curve: Curve, points: tuple[tuple[float, float], ...], x: Sql) -> str:
    """Piecewise linear in a known x; slopes are folded here, as the reference does."""
    refused = "CAST(NULL AS DOUBLE)"
    cuts = [f"< {number_text(points[0][0])}"]
    leaves = [number_text(points[0][1]) if curve.below == "hold" else refused]
    for (x0, y0), (x1, y1) in pairwise(points):
        slope = (y1 - y0) / (x1 - x0)
        line = f"{number_text(y0)} + (({x.text} - {number_text(x0)}) * {number_text(slope)})"
        function = "least" if y1 >= y0 else "greatest"
        cuts.append(f"< {number_text(x1)}")
        leaves.append(f"{function}({line}, {number_text(y1)})")
    cuts.append(f"<= {number_text(points[-1][0])}")
    leaves.append(number_text(points[-1][1]))
    leaves.append(number_text(points[-1][1]) if curve.above == "hold" else refused)
    return by_cuts(x.text, cuts, leaves)
