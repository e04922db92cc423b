"""Small books built by hand, and what both script targets and the reference make of them."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from py_mini_racer import MiniRacer

from engine.book.model import (
    Book,
    Catalog,
    Decision,
    Fact,
    Formula,
    Output,
    Parameter,
    Ranking,
    Relation,
    Row,
    Table,
    TableSchema,
    Unknown,
)
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import BOOLEAN, TEXT, Type, enumeration, number
from tests.differential.flat import differences
from tests.differential.runtimes import JavaScriptRuntime, PythonRuntime, reference_outcome
from tests.generators.parameters import defaults

EMPTY = Catalog({}, "", 0, 0)


def book_of(
    facts: Mapping[str, Type],
    decisions: Mapping[str, Formula | Table],
    *,
    parameters: Mapping[str, Parameter] | None = None,
    relations: Sequence[Relation] = (),
    rankings: Sequence[Ranking] = (),
    tables: Mapping[str, TableSchema] | None = None,
    late: Sequence[str] = (),
) -> Book:
    """Facts that are asked, then decisions, relations, rankings, then the decisions in `late`."""
    made = {name: Decision(name, body, _type(body)) for name, body in decisions.items()}
    order = [("decision", name) for name in decisions if name not in late]
    order += [("relation", item.id) for item in relations]
    order += [("ranking", item.id) for item in rankings]
    order += [("decision", name) for name in late]
    return Book(
        version="0",
        digest="",
        facts={
            path: Fact(path, kind.kind, kind.with_nullable(True), asked=True)
            for path, kind in facts.items()
        },
        parameters=parameters or {},
        decisions=made,
        relations={item.id: item for item in relations},
        rankings={item.id: item for item in rankings},
        advice={},
        tables=tables or {},
        order=tuple(order),
        sources={},
        report={},
        titles={},
    )


def _type(body: Formula | Table) -> Type:
    if isinstance(body, Table):
        return body.outputs[0].type
    assert body.expression.type is not None
    return body.expression.type


def fact(path: str, kind: Type) -> tree.Fact:
    return tree.Fact(path, type=kind.with_nullable(True))


def text(value: str) -> tree.Literal:
    return tree.Literal(value, type=enumeration((value,)))


def num(value: float) -> tree.Literal:
    return tree.Literal(value, type=number(low=value, high=value))


def flag(value: bool) -> tree.Literal:
    return tree.Literal(value, type=BOOLEAN)


def equals(*values: Node, negated: bool = False) -> tree.Cell:
    return tree.Cell(tuple(tree.Test("equals", value) for value in values), negated)


def compares(operator: str, bound: Node) -> tree.Cell:
    return tree.Cell((tree.Test("compare", bound, operator),))  # type: ignore[arg-type]


DASH = tree.Cell()


def table(
    hit: str,
    inputs: Sequence[Node],
    rows: Sequence[tuple[Sequence[tree.Cell], Node | None]],
    *,
    otherwise: Node | None = None,
    aggregate: str = "",
    kind: Type = TEXT,
) -> Table:
    """A table with one output; a row without a value is `then: unknown`."""
    made = tuple(
        Row(f"r{place}", tuple(cells), Unknown() if value is None else (value,))
        for place, (cells, value) in enumerate(rows)
    )
    last = None if otherwise is None else Row("otherwise", (), (otherwise,))
    outputs = (Output("", kind.with_nullable(True)),)
    return Table(hit, tuple(inputs), outputs, made, last, aggregate)  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def _context() -> MiniRacer:
    """One for all, as starting V8 takes longer than most tests."""
    context = MiniRacer()
    atexit.register(context.close)
    return context


def answers(book: Book, given: Mapping[str, Any], catalog: Catalog = EMPTY) -> dict[str, Any]:
    """The Python target's outcome, once JavaScript and the reference agree with it."""
    python = PythonRuntime(book, catalog)
    outcome = python.outcome(given)
    with JavaScriptRuntime(book, catalog, _context()) as javascript:
        assert javascript.packed([given]) == python.packed([given]), (
            outcome,
            javascript.outcome(given),
        )
    expected = reference_outcome(book, catalog, defaults(book), given)
    assert list(differences(book, expected, outcome)) == []
    return outcome
