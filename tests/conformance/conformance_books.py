"""Small books from language-neutral fixtures: facts, curves, ladders, tables and formulas as text.

A fixture is plain data:

    facts: {a: {type: number, range: [0, 10]}, b: boolean, t: text, e: [x, y],
            l: {type: records, fields: {x: {range: [0, 9]}}, max_rows: 5}}
    parameters: {p: {value: 3, range: [1, 5]}}
    ladders: {steps: [1, 2, 4]}
    curves: {c: {points: [[0, 0], [1, 2]] | {key: [[…]]}, below: hold, above: refuse}}
    catalog: {cards: {key: id, columns: {id: text, memory: {range: [0, 100], nullable: true}},
                      rows: [[a, 24], [b, null]]}}

Numbers are dimensionless. Facts may be missing, unless they have a `default`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.book.model import (
    Book,
    Catalog,
    Curve,
    Decision,
    Fact,
    Field,
    Formula,
    Output,
    Parameter,
    Row,
    Table,
    TableColumn,
    TableData,
    TableSchema,
    Unknown,
)
from engine.language import tree
from engine.language.check import typed, typed_cell
from engine.language.parse import parse_cell, parse_expression
from engine.language.problems import NOWHERE, Position, Problem, ProblemError
from engine.language.scope import CurveLike, LadderLike, NameKind, Rows, TableLike
from engine.language.types import BOOLEAN, TEXT, Type, enumeration, number

LISTS = ("list", "records", "distribution")
Spec = Mapping[str, Any]


def type_of(spec: Any, *, nullable: bool) -> Type:
    """`boolean`, `text`, a list of values, or `{range: […], integer: …, nullable: …}`."""
    if spec == "boolean":
        return BOOLEAN.with_nullable(nullable)
    if spec == "text":
        return TEXT.with_nullable(nullable)
    if isinstance(spec, (list, tuple)):
        return enumeration(tuple(spec), nullable=nullable)
    if spec == "number":
        return number(low=-1e6, high=1e6, nullable=nullable)
    nullable = spec.get("nullable", nullable)
    if spec.get("type", "number") not in ("number", "integer"):
        return type_of(spec["type"], nullable=nullable)
    low, high = spec.get("range", (-1e6, 1e6))
    whole = spec.get("type") == "integer"
    return number(low=float(low), high=float(high), integer=whole, nullable=nullable)


def literal(value: Any, kind: Type) -> tree.Node:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = float(value)
    return tree.Literal(value=value, type=kind)


@dataclass
class Fixture:
    """The named things of a fixture, and the scope formulas are typed in."""

    facts: dict[str, Fact] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    curves: dict[str, Decision] = field(default_factory=dict)
    tables: dict[str, TableSchema] = field(default_factory=dict)
    data: dict[str, TableData] = field(default_factory=dict)

    # ------------------------------------------------ engine.language.scope.Scope

    def resolve(self, path: str, position: Position) -> tree.Node | None:
        if path in self.facts and self.facts[path].kind not in LISTS:
            return tree.Fact(path, type=self.facts[path].type, position=position)
        found = self.parameters.get(path)
        if found is not None and not found.steps:
            return tree.Parameter(path, type=found.type, position=position)
        return None

    def rows(self, name: str, position: Position) -> Rows | None:
        if name in self.facts and self.facts[name].kind in LISTS:
            fact = self.facts[name]
            columns = {item.name: item.type for item in fact.fields}
            return Rows(name, columns, fact.max_rows, nullable=fact.type.nullable)
        schema = self.tables.get(name.removeprefix("catalog."))
        if schema is None:
            return None
        columns = {item.name: item.type for item in schema.columns}
        return Rows(name, columns, schema.max_rows, catalog=True)

    def ranking(self, name: str, position: Position) -> tuple[str, Rows] | None:
        return None

    def curve(self, name: str, position: Position) -> tuple[str, CurveLike] | None:
        body = self.curves[name].body if name in self.curves else None
        return (name, body) if isinstance(body, Curve) else None

    def ladder(self, name: str, position: Position) -> tuple[str, LadderLike] | None:
        found = self.parameters.get(name)
        return (name, found) if found is not None and found.steps else None

    def table(self, name: str, position: Position) -> TableLike | None:
        return self.tables.get(name)

    def taken(self, alias: str) -> bool:
        return alias in {path.partition(".")[0] for path in self.facts}

    def is_optional_fact(self, path: str) -> bool:
        return False

    def is_catalog_column(self, column: tree.Column) -> bool:
        return False

    def candidates(self, kind: NameKind) -> Iterable[str]:
        return [*self.facts, *self.parameters]


def fixture(spec: Spec) -> Fixture:
    made = Fixture()
    for path, item in spec.get("facts", {}).items():
        made.facts[path] = _fact(path, item)
    for name, item in spec.get("parameters", {}).items():
        kind = type_of(item, nullable=False)
        made.parameters[name] = Parameter(name, float(item["value"]), kind)
    for name, steps in spec.get("ladders", {}).items():
        values = tuple(float(step) for step in steps)
        kind = number(low=values[0], high=values[-1])
        made.parameters[name] = Parameter(name, values[0], kind, steps=values)
    for name, item in spec.get("curves", {}).items():
        made.curves[name] = Decision(name, _curve(item), number())
    for name, item in spec.get("catalog", {}).items():
        columns = tuple(
            TableColumn(column, type_of(kind, nullable=False))
            for column, kind in item["columns"].items()
        )
        made.tables[name] = TableSchema(name, item["key"], columns, 100)
        rows = tuple(tuple(map(plain_value, row)) for row in item["rows"])
        made.data[name] = TableData(rows)
    return made


def plain_value(value: Any) -> Any:
    """Numbers as the door leaves them: floats."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return float(value)


def _fact(path: str, spec: Any) -> Fact:
    kind = spec.get("type", "number") if isinstance(spec, dict) else spec
    if kind in LISTS:
        fields = tuple(
            Field(name, type_of(item, nullable=False)) for name, item in spec["fields"].items()
        )
        asked = "default" not in spec
        return Fact(
            path, kind, TEXT.with_nullable(asked), asked=asked, fields=fields,
            max_rows=spec.get("max_rows", 20),
        )  # fmt: skip
    asked = not (isinstance(spec, dict) and "default" in spec)
    found = type_of(spec, nullable=asked)
    default = None if asked else literal(spec["default"], found)
    names = {"text": "text", "boolean": "boolean", "number": "number"}
    name = "enumeration" if found.values else names[found.kind]
    return Fact(path, name, found, asked=asked, default=default)


def _curve(spec: Spec) -> Curve:
    keyed = spec["points"] if isinstance(spec["points"], dict) else {"": spec["points"]}
    segments = tuple(
        (key, tuple((float(x), float(y)) for x, y in points)) for key, points in keyed.items()
    )
    ys = [y for _, points in segments for _, y in points]
    return Curve(
        segments, spec.get("below", "hold"), spec.get("above", "hold"),
        number(low=-1e6, high=1e6), number(low=min(ys), high=max(ys)),
        tuple(key for key, _ in segments if key),
    )  # fmt: skip


def formula(made: Fixture, name: str, text: str) -> Decision:
    """A decision from the text of a formula; raises ProblemError when it is refused."""
    node = typed(parse_expression(text), made)
    assert node.type is not None
    return Decision(name, Formula(node), node.type)


def table(made: Fixture, name: str, spec: Spec) -> Decision:
    """A decision table; `outputs` are types by name (or `output` one type)."""
    inputs = tuple(typed(parse_expression(text), made) for text in spec["inputs"])
    declared = spec["outputs"] if "outputs" in spec else {"": spec["output"]}
    outputs = tuple(
        Output(output, type_of(kind, nullable=False)) for output, kind in declared.items()
    )
    rows = tuple(
        _row(made, str(row.get("id", f"r{place + 1}")), inputs, outputs, row)
        for place, row in enumerate(spec["rows"])
    )
    otherwise = None
    if "otherwise" in spec:
        said = spec["otherwise"]
        shaped = said if isinstance(said, dict) and "then" in said else {"then": said}
        otherwise = _row(made, "otherwise", inputs, outputs, {**shaped, "when": None})
    body = Table(
        spec.get("hit", "unique"), inputs, outputs, rows, otherwise, spec.get("aggregate", "")
    )
    return Decision(name, body, outputs[0].type)


def _row(
    made: Fixture,
    name: str,
    inputs: Sequence[tree.Node],
    outputs: Sequence[Output],
    spec: Spec,
) -> Row:
    if spec["when"] is None:
        cells = tuple(tree.Cell() for _ in inputs)
    else:
        if len(spec["when"]) != len(inputs):
            raise ProblemError(Problem("B210", f"{name}: {len(inputs)} cells expected", NOWHERE))
        cells = tuple(
            typed_cell(parse_cell(text), node.type or TEXT, made)
            for text, node in zip(spec["when"], inputs, strict=True)
        )
    if spec["then"] == "unknown":
        return Row(name, cells, Unknown(tuple(spec.get("asks", ()))))
    values = spec["then"] if isinstance(spec["then"], list) else [spec["then"]]
    then = tuple(
        _output(made, value, output.type) for value, output in zip(values, outputs, strict=True)
    )
    return Row(name, cells, then)


def _output(made: Fixture, value: Any, kind: Type) -> tree.Node:
    """A literal, or for numbers, booleans and `{formula: …}` an expression."""
    if isinstance(value, dict):
        return typed(parse_expression(value["formula"]), made, kind)
    if isinstance(value, str) and kind.kind != "text":
        return typed(parse_expression(value), made, kind)
    if isinstance(value, str) and kind.values is not None and value not in kind.values:
        raise ProblemError(Problem("B122", f'"{value}" is not in the list', NOWHERE))
    return literal(value, kind)


def book(made: Fixture, decisions: Iterable[Decision]) -> Book:
    every = {**made.curves, **{decision.id: decision for decision in decisions}}
    order = [("fact", path) for path, fact in made.facts.items() if fact.default is not None]
    order += [("decision", name) for name in every]
    return Book(
        "1", "", made.facts, made.parameters, every, {}, {}, {}, made.tables, tuple(order), {}, {},
        {},
    )  # fmt: skip


def catalog(made: Fixture) -> Catalog:
    return Catalog(made.data, "", 0, 0)


def given_of(made: Fixture, given: Spec) -> dict[str, Any]:
    """`given` as the door leaves it; missing facts (null) left out."""
    result: dict[str, Any] = {}
    for path, value in given.items():
        if value is None:
            continue
        if made.facts[path].kind in LISTS:
            names = [item.name for item in made.facts[path].fields]
            result[path] = [
                tuple(plain_value(row.get(name)) for name in names)
                if isinstance(row, dict)
                else (plain_value(row),)
                for row in value
            ]
        else:
            result[path] = plain_value(value)
    return result
