"""Examples of entries: facts flattened and checked, names of `assume` resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.book.expressions import value_named
from engine.book.model import Decision, Example, Table
from engine.book.names import canonical
from engine.book.problems import no_such, refuse
from engine.book.scopes import BookScope
from engine.book.sections import texts
from engine.book.values import fact_value, is_unknown, scalar
from engine.book.yaml_reader import Located
from engine.language.suggest import did_you_mean
from engine.language.types import BOOLEAN, Type


@dataclass(frozen=True, slots=True)
class Answer:
    """What an example may expect: the outputs, whether a list, and the ids of the rows."""

    outputs: dict[str, Type]
    listed: bool = False
    rows: tuple[str, ...] = ()


def answer_of(decision: Decision) -> Answer:
    """What examples of a decision may expect."""
    body = decision.body
    if not isinstance(body, Table):
        return Answer({"": decision.type})
    rows = [row.id for row in body.rows] + (["otherwise"] if body.otherwise is not None else [])
    listed = body.hit == "collect" and not body.aggregate
    return Answer({one.name: one.type for one in body.outputs}, listed, tuple(rows))


YES_OR_NO = Answer({"": BOOLEAN})


def read_example(located: Located, answer: Answer, scope: BookScope) -> Example:
    """An example in the form the reference takes. Raises ProblemError (B070, B110, B030)."""
    body: dict[str, Located] = located.value
    facts = scope.resolver.sections.facts
    given: dict[str, Any] = {}
    if "given" in body:
        _flatten(body["given"], "", given, scope)
    assume: dict[str, Any] = {}
    for name, value in body["assume"].value.items() if "assume" in body else ():
        key, kind = _assumed(name, value, scope)
        assume[key] = _one(value, kind)
    if "row" in body and body["row"].value not in answer.rows:
        raise refuse(
            "B070", f'there is no row "{body["row"].value}"', body["row"].position,
            "one of " + ", ".join(answer.rows), did_you_mean(body["row"].value, answer.rows),
        )  # fmt: skip
    for item in body["asks"].value if "asks" in body else ():
        if item.value not in facts:
            raise no_such("fact", item.value, item.position, facts, "the path of a fact")
    return Example(
        name=body["name"].value,
        given=given,
        assume=assume,
        expect=_expected(body["expect"], answer),
        within=float(body["within"].value) if "within" in body else 0.0,
        row=body["row"].value if "row" in body else "",
        asks=texts(body["asks"]) if "asks" in body else None,
        position=located.where,
    )


def _flatten(located: Located, path: str, given: dict[str, Any], scope: BookScope) -> None:
    facts = scope.resolver.sections.facts
    for key, child in located.value.items():
        full = f"{path}.{key}" if path else key
        if full in facts:
            fact = scope.resolver.fact(full, child.where)
            given[full] = fact_value(fact, child)
        elif child.is_mapping and full in scope.resolver.fact_groups:
            _flatten(child, full, given, scope)
        else:
            raise no_such("fact", full, child.where, facts, "the path of a fact")


def _assumed(name: str, value: Located, scope: BookScope) -> tuple[str, Type]:
    found, kind = value_named(name, value.where, scope, "a decision, column or parameter")
    return canonical(found), kind


def _expected(located: Located, answer: Answer) -> Any:
    if answer.listed:
        if is_unknown(located, None):
            return None
        if not located.is_sequence:
            raise refuse("B070", "this table gives a list", located.position, "a list of values")
        return [scalar(item, _unbounded(answer.outputs[""])) for item in located.value]
    if "" in answer.outputs:
        return _one(located, answer.outputs[""])
    if is_unknown(located, None):
        return None
    if not located.is_mapping or set(located.value) - set(answer.outputs):
        raise refuse(
            "B070", "this table has several outputs", located.position,
            "a mapping of " + ", ".join(answer.outputs),
        )  # fmt: skip
    return {name: _one(item, answer.outputs[name]) for name, item in located.value.items()}


def _one(located: Located, kind: Type) -> Any:
    if is_unknown(located, kind):
        return None
    date = isinstance(located.value, str) and kind.kind == "number"
    return scalar(located, _unbounded(kind), date=date)


def _unbounded(kind: Type) -> Type:
    """Examples may assume or expect any number; the intervals are proven elsewhere."""
    if kind.kind != "number":
        return kind
    return Type("number", kind.unit)
