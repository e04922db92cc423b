"""Decisions: formulas, tables and curves, typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.book.expressions import cell, expression
from engine.book.model import Curve, Decision, Formula, Output, Row, Table, Unknown
from engine.book.problems import Findings, no_such, refuse
from engine.book.scopes import BookScope
from engine.book.sections import plain_text, texts
from engine.book.value_types import bounds, value_type
from engine.book.yaml_reader import Located
from engine.language.problems import Position
from engine.language.suggest import did_you_mean
from engine.language.tree import Cell, Literal, Node
from engine.language.types import Type, enumeration, number
from engine.language.units import parse_unit

Body = dict[str, Located]
_TABLE_KEYS = ("hit", "aggregate", "inputs", "rows", "otherwise", "outputs")


def outputs_of(located: Located) -> tuple[str, ...]:
    """The names of the outputs of a table with several; () for everything else."""
    outputs = located.value.get("outputs")
    return tuple(outputs.value) if outputs is not None else ()


def build_decision(entry_id: str, located: Located, scope: BookScope) -> Decision:
    """A typed decision. Texts with placeholders, claims and examples are added later, because
    they may read anything, even the decision itself. Raises ProblemError."""
    body: Body = located.value
    where = located.where
    kinds = [key for key in ("formula", "rows", "curve") if key in body]
    if len(kinds) != 1:
        raise refuse(
            "B040", f'"{entry_id}" needs one of formula, rows, curve', where, "exactly one of them"
        )
    if kinds[0] != "rows":
        for key in _TABLE_KEYS:
            if key in body:
                raise refuse("B040", f"`{key}` belongs to a table", body[key].where, "rows: …")
    made: Formula | Table | Curve
    if kinds[0] == "formula":
        declared = value_type(body, where, ranged=False) if "range" not in body else _ranged(body)
        tree = expression(body["formula"], scope, declared)
        made, type_ = Formula(tree), _result(declared, [tree])
    elif kinds[0] == "curve":
        made = _curve(body, where)
        type_ = made.y_type
    else:
        made = _table(body, where, scope)
        type_ = made.outputs[0].type
    return Decision(
        id=entry_id,
        body=made,
        type=type_,
        title=plain_text(body["title"]),
        because=plain_text(body.get("because")),
        bounds=bounds(body["range"]) if "range" in body else None,
        source=texts(body.get("source")),
        basis=body["basis"].value if "basis" in body else "",
        as_of=body["as_of"].value if "as_of" in body else "",
        review_by=body["review_by"].value if "review_by" in body else "",
        position=where,
    )


def _ranged(body: Body) -> Type:
    """The declared type; the declared range is a claim and does not narrow it."""
    return value_type({key: body[key] for key in body if key != "range"}, body["range"].where,
                      ranged=False)  # fmt: skip


def _result(declared: Type, trees: Iterable[Node], *, nullable: bool = False) -> Type:
    """The declared type with the interval and nullability of what is computed."""
    types = [tree.type for tree in trees if tree.type is not None]
    nullable = nullable or any(one.nullable for one in types)
    if declared.kind != "number" or not types:
        return declared.with_nullable(nullable)
    return Type(
        "number",
        declared.unit,
        min(one.low for one in types),
        max(one.high for one in types),
        all(one.integer for one in types),
        None,
        nullable,
    )


# -------------------------------------------------------------------- tables


def _table(body: Body, where: Position, scope: BookScope) -> Table:
    findings = Findings()
    hit: Any = body["hit"].value if "hit" in body else "unique"
    aggregate: Any = body["aggregate"].value if "aggregate" in body else ""
    if "inputs" not in body:
        raise refuse("B041", "a table needs inputs", where, "inputs: [expression, …]")
    if aggregate and hit != "collect":
        raise refuse("B041", "aggregate goes with hit: collect", body["aggregate"].where)
    names, declared = _declared_outputs(body, where)
    if hit == "priority" and declared[0].values is None:
        raise refuse("B041", "priority needs an output with listed values", where, "values: […]")
    if hit == "collect" and len(names) > 1:
        raise refuse("B041", "collect gives one output", body["outputs"].where, "one output")
    if aggregate and declared[0].kind != "number":
        raise refuse("B041", f"{aggregate} needs numbers", body["aggregate"].where, "unit: …")
    inputs = build_inputs(body["inputs"], scope, findings)
    rows: list[Row] = []
    seen: set[str] = set()
    for located in body["rows"].value:
        with findings.collecting():
            row = _row(located, inputs, declared, scope)
            if row.id in seen:
                raise refuse("B042", f'the row "{row.id}" exists already', row.position)
            seen.add(row.id)
            rows.append(row)
    otherwise: Row | None = None
    if "otherwise" in body:
        with findings.collecting():
            otherwise = _otherwise(body["otherwise"], declared, scope)
    findings.raise_if_any()
    ready = [tree for tree in inputs if tree is not None]
    if len(ready) < len(inputs) or len(rows) < len(body["rows"].value):
        raise scope.resolver.blocked()
    types = _output_types(declared, ready, rows, otherwise, aggregate)
    outputs = tuple(Output(name, one) for name, one in zip(names, types, strict=True))
    return Table(hit, tuple(ready), outputs, tuple(rows), otherwise, aggregate)


def build_inputs(located: Located, scope: BookScope, findings: Findings) -> list[Node | None]:
    """The typed inputs of a table; None where one has a problem (collected)."""
    inputs: list[Node | None] = []
    for item in located.value:
        inputs.append(None)
        with findings.collecting():
            inputs[-1] = expression(item, scope)
    return inputs


def build_cells(located: Located, inputs: list[Node | None], scope: BookScope) -> tuple[Cell, ...]:
    """The typed cells of one row. Raises ProblemError with every problem of the row."""
    items = located.value
    if len(items) != len(inputs):
        raise refuse(
            "B042", f"the row has {len(items)} cells", located.where,
            f"{len(inputs)}, one for each input",
        )  # fmt: skip
    findings = Findings()
    cells: list[Cell] = []
    for item, subject in zip(items, inputs, strict=True):
        if subject is None or subject.type is None:
            continue
        with findings.collecting():
            cells.append(cell(item, subject.type, scope))
    findings.raise_if_any()
    if len(cells) < len(items):
        raise scope.resolver.blocked()
    return tuple(cells)


def _declared_outputs(body: Body, where: Position) -> tuple[list[str], list[Type]]:
    if "outputs" not in body:
        declared = {key: body[key] for key in body if key != "range"}
        return [""], [value_type(declared, where, ranged=False)]
    for key in ("unit", "values", "type"):
        if key in body:
            raise refuse("B041", f"`{key}` belongs to each output", body[key].where)
    outputs = body["outputs"].value
    types = [value_type(one.value, one.where, ranged=False) for one in outputs.values()]
    return list(outputs), types


def _row(
    located: Located, inputs: list[Node | None], declared: list[Type], scope: BookScope
) -> Row:
    body: Body = located.value
    when = build_cells(body["when"], inputs, scope)
    then = _then(body["then"], body.get("asks"), declared, scope)
    return Row(
        body["id"].value,
        when,
        then,
        plain_text(body.get("because")),
        texts(body.get("source")),
        located.position,
    )


def _otherwise(located: Located, declared: list[Type], scope: BookScope) -> Row:
    if not located.is_mapping or "then" not in located.value:
        return Row("otherwise", (), _then(located, None, declared, scope), position=located.where)
    body: Body = located.value
    return Row(
        "otherwise",
        (),
        _then(body["then"], body.get("asks"), declared, scope),
        plain_text(body.get("because")),
        texts(body.get("source")),
        located.where,
    )


def _then(
    located: Located, asks: Located | None, declared: list[Type], scope: BookScope
) -> tuple[Node, ...] | Unknown:
    if _says_unknown(located, declared):
        return Unknown(_asked(asks, scope))
    if asks is not None:
        raise refuse("B043", "asks goes with `then: unknown`", asks.where)
    if len(declared) == 1 and not located.is_sequence:
        return (_outcome(located, declared[0], scope),)
    items = located.value if located.is_sequence else (located,)
    if len(items) != len(declared):
        raise refuse(
            "B043", f"the row gives {len(items)} values", located.where,
            f"{len(declared)}, one for each output",
        )  # fmt: skip
    return tuple(_outcome(item, one, scope) for item, one in zip(items, declared, strict=True))


def _says_unknown(located: Located, declared: list[Type]) -> bool:
    if located.value != "unknown" or located.style:
        return False
    return len(declared) > 1 or "unknown" not in (declared[0].values or ())


def _asked(asks: Located | None, scope: BookScope) -> tuple[str, ...]:
    if asks is None:
        return ()
    facts = scope.resolver.sections.facts
    for item in asks.value:
        if item.value not in facts:
            raise no_such("fact", item.value, item.position, facts, "the path of a fact")
    return texts(asks)


def _outcome(located: Located, declared: Type, scope: BookScope) -> Node:
    """What a row answers: bare values of lists and texts, else an expression."""
    value = located.value
    if located.is_mapping:
        return expression(located.value["formula"], scope, declared)
    if declared.kind == "text":
        if not isinstance(value, str):
            raise refuse(
                "B043", f"{located.raw} is not a text", located.position, "a text",
                f'put it in quotes: "{located.raw}"',
            )  # fmt: skip
        if declared.values is not None and value not in declared.values:
            raise refuse(
                "B122", f'"{value}" is not in the list', located.position,
                "one of " + ", ".join(declared.values), did_you_mean(value, declared.values),
            )  # fmt: skip
        return Literal(value, type=enumeration((value,)), position=located.position)
    if isinstance(value, (bool, str)):
        return expression(located, scope, declared)
    if declared.kind != "number":
        raise refuse("B043", f"{located.raw} is not true or false", located.position)
    number_value = float(value)
    if declared.integer and not number_value.is_integer():
        raise refuse("B043", f"{located.raw} is not whole", located.position, "a whole number")
    kind = number(declared.unit, number_value, number_value, integer=number_value.is_integer())
    return Literal(number_value, type=kind, position=located.position)


def _output_types(
    declared: list[Type],
    inputs: list[Node],
    rows: list[Row],
    otherwise: Row | None,
    aggregate: str,
) -> list[Type]:
    every = [*rows, *([otherwise] if otherwise is not None else [])]
    nullable = any(isinstance(row.then, Unknown) for row in every) or any(
        _may_be_unknown(one, subject)
        for row in rows
        for one, subject in zip(row.when, inputs, strict=True)
    )
    types = []
    for index, one in enumerate(declared):
        trees = [row.then[index] for row in every if not isinstance(row.then, Unknown)]
        types.append(_result(one, trees, nullable=nullable))
    if aggregate:
        types[0] = _aggregated(types[0], rows, otherwise, aggregate)
    return types


def _may_be_unknown(one: Cell, subject: Node) -> bool:
    if not one.tests:
        return False
    if subject.type is None or subject.type.nullable:
        return True
    bounds_ = [part for test in one.tests for part in (test.low, test.high) if part is not None]
    return any(part.type is not None and part.type.nullable for part in bounds_)


def _aggregated(kind: Type, rows: list[Row], otherwise: Row | None, aggregate: str) -> Type:
    """The type of a collected sum, count, min or max; `otherwise` stands in for it as it is.

    Sums add in row order; rounding is monotone, so adding the ends bounds every sum.
    """
    types = _types_of(rows)
    if aggregate == "count":
        found = _types_of([otherwise] if otherwise is not None else [])
        return replace(
            kind,
            low=min([0.0, *(one.low for one in found)]),
            high=max([float(len(rows)), *(one.high for one in found)]),
            integer=all(one.integer for one in found),
        )
    if aggregate == "sum":
        low = high = 0.0
        for one in types:
            low += min(0.0, one.low)
            high += max(0.0, one.high)
        return replace(kind, low=min(low, kind.low), high=max(high, kind.high))
    return kind if otherwise is not None else kind.with_nullable(True)


def _types_of(rows: list[Row]) -> list[Type]:
    parts = [row.then[0].type for row in rows if not isinstance(row.then, Unknown)]
    return [one for one in parts if one is not None]


# -------------------------------------------------------------------- curves


def _curve(body: Body, where: Position) -> Curve:
    curve: Body = body["curve"].value
    if "unit" not in body:
        raise refuse("B020", "a curve needs a unit", where, "unit: …")
    x_body: Body = curve["x"].value
    x_type = value_type(x_body, curve["x"].where)
    points = curve["points"]
    keyed = points.value.items() if points.is_mapping else [("", points)]
    segments = tuple((key, _points(one, x_type)) for key, one in keyed)
    heights = [y for _, line in segments for _, y in line]
    below, above = curve["below"].value, curve["above"].value
    y_type = number(
        parse_unit(body["unit"].value, body["unit"].position), min(heights), max(heights)
    )
    keys = tuple(key for key, _ in segments) if points.is_mapping else ()
    return Curve(segments, below, above, x_type, y_type, keys)


def _points(located: Located, x_type: Type) -> tuple[tuple[float, float], ...]:
    points = [tuple(float(one.value) for one in item.value) for item in located.value]
    for item, (x, _) in zip(located.value, points, strict=True):
        if not x_type.low <= x <= x_type.high:
            raise refuse(
                "B044", f"x = {x:g} is outside its range", item.position,
                f"{x_type.low:g} to {x_type.high:g}",
            )  # fmt: skip
    for item, low, high in zip(located.value[1:], points, points[1:], strict=False):
        if low[0] >= high[0]:
            raise refuse("B044", "the points do not ascend in x", item.position, f"> {low[0]:g}")
    return tuple((x, y) for x, y in points)
