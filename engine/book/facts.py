"""Facts and parameters: from what a file declares to their typed form."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.book.expressions import expression
from engine.book.model import LIST_KINDS, Fact, Field, Parameter
from engine.book.problems import no_such, refuse
from engine.book.scopes import BookScope
from engine.book.sections import Entry, plain_text, texts
from engine.book.value_types import NUMERIC, bounds, declared_kind, value_type
from engine.book.values import scalar
from engine.book.yaml_reader import Located
from engine.language.problems import Position
from engine.language.suggest import did_you_mean
from engine.language.tree import Literal, Node
from engine.language.types import TEXT, Type, enumeration, number
from engine.language.units import parse_unit

if TYPE_CHECKING:
    from engine.book.resolve import Resolver


def build_fact(path: str, located: Located, resolver: Resolver) -> Fact:
    """A fact with its default and derivation typed; texts with placeholders come later."""
    body: dict[str, Located] = located.value
    kind = declared_kind(body)
    asked = "asked" in body and body["asked"].value is True
    optional = "optional" in body and body["optional"].value is True
    if asked + optional + ("default" in body) != 1:
        raise refuse(
            "B022", f'the fact "{path}" must say what its absence means', located.where,
            "one of `asked: true`, `optional: true`, or `default: …` with `because`",
        )  # fmt: skip
    if "default" in body and "because" not in body:
        raise refuse("B022", f'the default of "{path}" has no reason', located.where, "because: …")
    fields: tuple[Field, ...] = ()
    max_rows = 0
    default: Node | None = None
    derive: Node | None = None
    key_of = _table(body, resolver) if kind in ("key", "list") else ""
    scope = BookScope(resolver, "")
    if kind in LIST_KINDS:
        fields = _fields(kind, body, located.where, resolver)
        max_rows = _list_limits(path, body, located.where)
        type_ = TEXT.with_nullable(asked or optional)
    else:
        type_ = value_type(body, located.where)
        if "derive" in body:
            derive = expression(body["derive"], scope, type_)
            _within(derive, type_, body["derive"].where, "derived")
        if "default" in body:
            default = _default(body["default"], kind, type_, scope)
            _within(default, type_, body["default"].where, "default")
        type_ = type_.with_nullable(_nullable(default) and _nullable(derive))
    return Fact(
        path=path,
        kind=kind,
        type=type_,
        asked=asked,
        optional=optional,
        default=default,
        derive=derive,
        because=plain_text(body.get("because")),
        label=plain_text(body["label"]),
        help=plain_text(body.get("help")),
        key_of=key_of,
        fields=fields,
        max_rows=max_rows,
        source=texts(body.get("source")),
        position=located.where,
        found_in=_found_in(body, kind, resolver),
        pattern=body["pattern"].value if "pattern" in body else "",
    )


def fact_columns(fact: Fact) -> dict[str, Type]:
    """The fields of a list fact as columns."""
    return {field.name: field.type for field in fact.fields}


def _nullable(tree: Node | None) -> bool:
    return tree is None or tree.type is None or tree.type.nullable


def _table(body: dict[str, Located], resolver: Resolver) -> str:
    if "table" not in body:
        return ""
    name: str = body["table"].value
    if name not in resolver.tables:
        raise no_such("catalog table", name, body["table"].position, resolver.tables)
    return name


def _found_in(
    body: dict[str, Located], kind: str, resolver: Resolver
) -> tuple[tuple[str, int], ...]:
    """The catalog columns whose texts a text fact may state."""
    if "found_in" not in body:
        return ()
    if kind not in ("text", "list") or "values" in body or "table" in body:
        raise refuse("B020", "only an open text can be found in a column", body["found_in"].where)
    found = []
    for item in body["found_in"].value:
        table, _, name = item.value.partition(".")
        columns = resolver.tables[table].columns if table in resolver.tables else ()
        names = [column.name for column in columns if column.type.kind == "text"]
        if name not in names:
            raise refuse(
                "B110", f'the catalog has no text column "{item.value}"', item.position,
                "table.column", did_you_mean(name, names),
            )  # fmt: skip
        numbers = [number for number, column in enumerate(columns) if column.name == name]
        found.append((table, numbers[0]))
    return tuple(found)


def _fields(
    kind: str, body: dict[str, Located], where: Position, resolver: Resolver
) -> tuple[Field, ...]:
    if kind == "list":
        values = tuple(item.value for item in body["values"].value) if "values" in body else None
        item = TEXT if values is None else enumeration(values)
        return (Field("value", item, plain_text(body["label"]), _table(body, resolver)),)
    if "fields" not in body:
        raise refuse("B020", "the fields of a row are missing", where, "fields: {name: …}")
    return tuple(_field(name, located, resolver) for name, located in body["fields"].value.items())


def _field(name: str, located: Located, resolver: Resolver) -> Field:
    body: dict[str, Located] = located.value
    nullable = "nullable" in body and body["nullable"].value is True
    kind = value_type(body, located.where).with_nullable(nullable)
    return Field(
        name,
        kind,
        plain_text(body.get("label")),
        _table(body, resolver),
        date=declared_kind(body) == "date",
    )


def _list_limits(path: str, body: dict[str, Located], where: Position) -> int:
    if "max_rows" not in body:
        raise refuse("B020", f'"{path}" needs max_rows', where, "max_rows: 50")
    if "derive" in body:
        raise refuse("B020", "a list cannot be derived", body["derive"].where)
    if "default" in body and not body["default"].is_sequence:
        raise refuse("B020", "the default of a list", body["default"].where, "default: []")
    limit: int = body["max_rows"].value
    return limit


def _default(located: Located, kind: str, type_: Type, scope: BookScope) -> Node:
    """A default: enumerations, texts, keys, dates and booleans bare, else an expression."""
    if located.is_mapping:
        return expression(located.value["formula"], scope, type_)
    value = located.value
    if kind in NUMERIC and isinstance(value, str):
        return expression(located, scope, type_)
    if kind == "boolean" and isinstance(value, str):
        return expression(located, scope, type_)
    found = scalar(located, type_, date=kind == "date")
    if type_.kind == "number":
        value = float(found)
        literal = replace(type_, low=value, high=value, integer=value.is_integer())
        return Literal(value, type=literal, position=located.position)
    return Literal(found, type=type_, position=located.position)


def _within(tree: Node, type_: Type, position: Position, what: str) -> None:
    """A computed value must stay in the declared range: the proofs rely on it."""
    found = tree.type
    if found is None or found.kind != "number":
        return
    if found.low < type_.low or found.high > type_.high:
        raise refuse(
            "B023",
            f"the {what} value may lie in [{found.low:.12g}, {found.high:.12g}]",
            position,
            f"within the declared range [{type_.low:.12g}, {type_.high:.12g}]",
            "widen the range, or limit the value with min and max",
        )


def build_parameter(entry: Entry) -> Parameter:
    """A parameter or ladder. Raises ProblemError (B020 to B025)."""
    body: dict[str, Located] = entry.body.value
    where = entry.body.where
    if ("value" in body) == ("steps" in body):
        raise refuse("B024", f'"{entry.id}" needs a value or steps', where, "one of them")
    steps: tuple[float, ...] = ()
    if "steps" in body:
        steps, type_ = _ladder(body, where)
        value: float | bool | str = steps[0]
    else:
        type_ = _parameter_type(body, where)
        value = scalar(body["value"], type_)
    return Parameter(
        id=entry.id,
        value=value,
        type=type_,
        title=plain_text(body["title"]),
        steps=steps,
        at_most=texts(body.get("at_most")),
        source=texts(body.get("source")),
        as_of=body["as_of"].value if "as_of" in body else "",
        review_by=body["review_by"].value if "review_by" in body else "",
        rationale=plain_text(body.get("rationale")),
        position=where,
    )


def _ladder(body: dict[str, Located], where: Position) -> tuple[tuple[float, ...], Type]:
    if "unit" not in body:
        raise refuse("B020", "a ladder needs a unit", where, "unit: …")
    items = body["steps"].value
    steps = tuple(float(item.value) for item in items)
    for item, low, high in zip(items[1:], steps, steps[1:], strict=False):
        if low >= high:
            raise refuse("B024", "the steps do not ascend", item.position, f"above {low:g}")
    unit = parse_unit(body["unit"].value, body["unit"].position)
    whole = all(step.is_integer() for step in steps)
    return steps, number(unit, steps[0], steps[-1], integer=whole)


def _parameter_type(body: dict[str, Located], where: Position) -> Type:
    """Without a range a number is fixed: no policy may change it."""
    kind = declared_kind(body)
    if kind in NUMERIC and "range" not in body:
        type_ = value_type(body, where, ranged=False)
        value = body["value"].value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise refuse("B030", f"found {body['value'].raw}", body["value"].position, "a number")
        fixed = float(value)
        return replace(type_, low=fixed, high=fixed, integer=fixed.is_integer())
    type_ = value_type(body, where)
    if type_.kind == "number" and not type_.integer and "range" in body:
        low, high = bounds(body["range"])
        if low == high and low.is_integer():
            return replace(type_, integer=True)
    return type_
