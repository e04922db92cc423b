"""The table of `data/bench40.json` as a rule book and as the rules of other engines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.book.model import Book, Decision, Fact, Output, Row, Table
from engine.language import tree
from engine.language.types import BOOLEAN, Type, enumeration, number

DATA = Path(__file__).parent / "data" / "bench40.json"
Case = Mapping[str, Any]


def load() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return data


def cases(data: Mapping[str, Any]) -> list[tuple[dict[str, Any], int]]:
    """(inputs by name, number of the row that answers) of every checked case."""
    names = data["inputs"]
    return [
        (dict(zip(names, inputs, strict=True)) if isinstance(inputs, list) else dict(inputs), row)
        for inputs, row in data["cases"]
    ]


# ---------------------------------------------------------------- as a rule book


def types(data: Mapping[str, Any]) -> dict[str, Type]:
    kinds: dict[str, Type] = {}
    for name in data["inputs"]:
        if name in data["values"]:
            kinds[name] = enumeration(tuple(data["values"][name]), nullable=True)
        elif name in data["ranges"]:
            low, high = data["ranges"][name]
            kinds[name] = number(low=float(low), high=float(high), nullable=True)
        else:
            kinds[name] = BOOLEAN.with_nullable(True)
    return kinds


def book(data: Mapping[str, Any]) -> Book:
    """One decision `table`, hit policy first, over six facts that may all be missing."""
    kinds = types(data)
    facts = {name: Fact(name, kind.kind, kind, asked=True) for name, kind in kinds.items()}
    inputs = tuple(tree.Fact(name, type=kind) for name, kind in kinds.items())
    rows = tuple(
        Row(
            f"r{place}",
            tuple(_cell(rule["when"][name], kinds[name]) for name in data["inputs"]),
            tuple(_literal(rule["then"][name]) for name in data["outputs"]),
        )
        for place, rule in enumerate(data["rules"])
    )
    outputs = []
    for name in data["outputs"]:
        values = [rule["then"][name] for rule in data["rules"]]
        kind = number(low=0.0, high=100.0)
        if isinstance(values[0], str):
            kind = enumeration(tuple(dict.fromkeys(values)))
        outputs.append(Output(name, kind.with_nullable(True)))
    table = Table("first", inputs, tuple(outputs), rows)
    decision = Decision("table", table, outputs[0].type)
    return Book(
        version="0",
        digest="",
        facts=facts,
        parameters={},
        decisions={"table": decision},
        relations={},
        rankings={},
        advice={},
        tables={},
        order=(("decision", "table"),),
        sources={},
        report={},
        titles={},
    )


def _literal(value: Any) -> tree.Literal:
    if isinstance(value, bool):
        return tree.Literal(value, type=BOOLEAN)
    if isinstance(value, str):
        return tree.Literal(value, type=enumeration((value,)))
    return tree.Literal(float(value), type=number(low=float(value), high=float(value)))


def _cell(when: Any, kind: Type) -> tree.Cell:
    if when is None:
        return tree.Cell()
    if isinstance(when, bool):
        return tree.Cell((tree.Test("equals", _literal(when)),))
    if isinstance(when, list):
        literals = (tree.Literal(value, type=kind) for value in when)
        return tree.Cell(tuple(tree.Test("equals", literal) for literal in literals))
    low, high = when["min"], when["max"]
    if low is not None and high is not None:
        return tree.Cell((tree.Test("range", _literal(low), "", _literal(high)),))
    operator, bound = (">=", low) if low is not None else ("<=", high)
    return tree.Cell((tree.Test("compare", _literal(bound), operator),))  # type: ignore[arg-type]


# ---------------------------------------------------------------- for other engines


def conditions(
    when: Mapping[str, Any],
    one_of: Callable[[str, list[Any]], Any],
    compare: Callable[[str, str, Any], Any],
) -> list[Any]:
    """The cells of a row as conditions of another language."""
    found = []
    for name, cell in when.items():
        if isinstance(cell, bool):
            found.append(compare("==", name, cell))
        elif isinstance(cell, list):
            found.append(one_of(name, cell))
        elif cell is not None:
            if cell["min"] is not None:
                found.append(compare(">=", name, cell["min"]))
            if cell["max"] is not None:
                found.append(compare("<=", name, cell["max"]))
    return found
