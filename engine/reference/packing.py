"""Decisions, columns and facts as nested tuples, which `packed` evaluates; made once for a book.

A tree is (place in `OPERATIONS`, what that takes …). A run reads and evaluates hundreds of them: as
tuples in a quarter of the time that records of the tree take to be made and matched.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any

from engine.book.model import Advice, Book, Decision, Fact, Formula, Row, Table, Unknown
from engine.language import tree
from engine.reference.closure import used_columns
from engine.reference.expressions import ruling_out
from engine.reference.packed import OPERATIONS, Packed

_PLACES: dict[str, int] = {operation.__name__: place for place, operation in enumerate(OPERATIONS)}


def packed_book(book: Book) -> bytes:
    """What `packed.Bodies` reads: the bodies of decisions and columns, facts and advice."""
    return marshal.dumps(
        {
            "decisions": {
                id: _dumped(_body(decision))
                for id, decision in book.decisions.items()
                if isinstance(decision.body, Formula | Table)
            },
            "columns": {
                id: {
                    column.decision.id: _dumped(_body(column.decision))
                    for column in relation.columns
                }
                for id, relation in book.relations.items()
            },
            "facts": {
                path: _dumped(_fact(fact))
                for path, fact in book.facts.items()
                if fact.derive is not None or fact.default is not None or fact.relevant is not None
            },
            "lists": [path for path, fact in book.facts.items() if fact.is_list],
            "advice": {id: _dumped(_advice(advice)) for id, advice in book.advice.items()},
        },
        2,
    )


def _dumped(packed: Packed) -> bytes:
    return marshal.dumps(packed, 2)


def _body(decision: Decision) -> Packed:
    """(tree,) of a formula; of a table (hit, inputs, rows, otherwise, outputs, aggregate), of the
    outputs names and values in their order."""
    body = decision.body
    if isinstance(body, Formula):
        return (pack(body.expression),)
    assert isinstance(body, Table)
    return (
        body.hit,
        tuple(map(pack, body.inputs)),
        tuple(map(_row, body.rows)),
        None if body.otherwise is None else _row(body.otherwise),
        tuple((output.name, output.type.values) for output in body.outputs),
        body.aggregate,
    )


def _row(row: Row) -> Packed:
    """(id, cells, outputs or None, what an unknown one asks for)."""
    cells = tuple(map(_cell, row.when))
    if isinstance(row.then, Unknown):
        return row.id, cells, None, row.then.asks
    return row.id, cells, tuple(map(pack, row.then)), ()


def _cell(cell: tree.Cell) -> Packed:
    """() without tests; else (whether negated, tests)."""
    return (cell.negated, tuple(map(_test, cell.tests))) if cell.tests else ()


def _test(test: tree.Test) -> Packed:
    """(operator, bound), or of a range (operator, bound, operator, bound)."""
    low = pack(test.low)
    if test.kind == "equals":
        return "=", low
    if test.kind == "compare":
        return test.operator, low
    assert test.high is not None
    high = pack(test.high)
    return (">" if test.low_open else ">=", low, "<" if test.high_open else "<=", high)


def _fact(fact: Fact) -> Packed:
    trees = (fact.derive, fact.default, fact.relevant)
    return tuple(None if tree is None else pack(tree) for tree in trees)


def _advice(advice: Advice) -> Packed:
    """(inputs, cells of each row)."""
    inputs = tuple(map(pack, advice.inputs))
    return inputs, {row.id: tuple(map(_cell, row.when)) for row in advice.rows}


def pack(node: tree.Node) -> Packed:
    """A typed tree as tuples. Raises LookupError for what no typed tree can hold."""
    for kind, made in _WRITERS.items():
        if isinstance(node, kind):
            return made(node)
    raise LookupError(f"not a typed expression: {type(node).__name__} at {node.position}")


def _of(name: str, *parts: Any) -> Packed:
    return (_PLACES[name], *parts)


def _read(kind: str, id: str, name: str = "") -> Packed:
    return _of("read", (kind, id, name, (), ""))


def _literal(node: tree.Literal) -> Packed:
    value = node.value
    return _of("literal", value if isinstance(value, (bool, str)) else float(value))


def _aggregate(node: tree.Aggregate) -> Packed:
    return _of(
        "aggregated",
        node.function,
        node.alias,
        node.relation,
        used_columns(node),
        None if node.where is None else pack(node.where),
        None if node.result is None else pack(node.result),
        tuple((name, pack(value)) for name, value in ruling_out(node)),
    )


def _call(node: tree.Call) -> Packed:
    arguments = tuple(map(pack, node.arguments))
    if node.function == "known":
        return _of("known", arguments[0])
    return _of("called", node.function, arguments)


def _binary(name: str) -> Callable[[Any], Packed]:
    return lambda node: _of(name, node.operator, pack(node.left), pack(node.right))


_WRITERS: dict[type[tree.Node], Callable[[Any], Packed]] = {
    tree.Literal: _literal,
    tree.Column: lambda node: _of("column", node.alias, node.name),
    tree.DecisionValue: lambda node: _read("decision", node.id, node.output),
    tree.Parameter: lambda node: _read("parameter", node.id),
    tree.Fact: lambda node: _read("fact", node.path),
    tree.Best: lambda node: _read("best", node.ranking, node.column),
    tree.Arithmetic: _binary("computed"),
    tree.Comparison: _binary("compared"),
    tree.And: lambda node: _of("every", tuple(map(pack, node.parts))),
    tree.Or: lambda node: _of("either", tuple(map(pack, node.parts))),
    tree.If: lambda node: _of(
        "chosen", pack(node.condition), pack(node.then), pack(node.otherwise)
    ),
    tree.Call: _call,
    tree.In: lambda node: _of("contained", pack(node.subject), _cell(node.cell)),
    tree.Not: lambda node: _of("negated", pack(node.operand)),
    tree.Negate: lambda node: _of("opposite", pack(node.operand)),
    tree.Power: lambda node: _of("raised", pack(node.base), pack(node.exponent)),
    tree.RoundHalfUp: lambda node: _of("rounded", pack(node.operand), node.places),
    tree.Interpolate: lambda node: _of(
        "interpolated", node.curve, None if node.key is None else pack(node.key), pack(node.x)
    ),
    tree.FirstAtLeast: lambda node: _of("stepped", node.ladder, pack(node.x)),
    tree.Lookup: lambda node: _of("looked_up", node.table, node.column, pack(node.key)),
    tree.Aggregate: _aggregate,
}
