"""A 40-row decision table in DuckDB: the compiled query beside a hand-written CASE.

    python benchmarks/sql_table.py [rows]

Prints the seconds of each (best of five, one thread, results kept in a table so that nothing is
optimised away) with all facts given and with every fifth one missing, and their ratio. The
hand-written CASE knows nothing of missing facts: a NULL falls through to its next row.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from engine.book.model import Book, Decision, Fact, Output, Row, Table
from engine.language.tree import Cell, Literal, Node, Test
from engine.language.tree import Fact as FactNode
from engine.language.types import BOOLEAN, Type, enumeration, number
from engine.targets.sql import compile_sql
from engine.targets.sql_run import connect, load_parameters
from engine.targets.sql_text import literal, quoted

DATA = Path(__file__).parent / "data" / "bench40.json"


def table_book(data: dict[str, Any]) -> Book:
    """The table as a book: one decision `bench.choice` with four outputs."""
    types = {name: _input_type(data, name).with_nullable(True) for name in data["inputs"]}
    facts = {
        f"in.{name}": Fact(f"in.{name}", "number", kind, asked=True) for name, kind in types.items()
    }
    inputs = tuple(FactNode(f"in.{name}", type=kind) for name, kind in types.items())
    outputs = tuple(Output(name, _output_type(data, name)) for name in data["outputs"])
    rows = tuple(
        Row(
            f"r{index}",
            tuple(_cell(rule["when"][name]) for name in data["inputs"]),
            tuple(_literal(rule["then"][name]) for name in data["outputs"]),
        )
        for index, rule in enumerate(data["rules"])
    )
    table = Table("first", inputs, outputs, rows)
    decision = Decision("bench.choice", table, outputs[0].type)
    return Book(
        "0", "0", facts, {}, {decision.id: decision}, {}, {}, {}, {},
        (("decision", decision.id),), {}, {}, {},
    )  # fmt: skip


def _input_type(data: dict[str, Any], name: str) -> Type:
    if name in data["values"]:
        return enumeration(tuple(data["values"][name]))
    if name in data["ranges"]:
        low, high = data["ranges"][name]
        return number(low=low, high=high)
    return BOOLEAN


def _output_type(data: dict[str, Any], name: str) -> Type:
    values = list(dict.fromkeys(rule["then"][name] for rule in data["rules"]))
    return enumeration(tuple(values)) if isinstance(values[0], str) else number()


def _literal(value: Any) -> Node:
    return Literal(value if isinstance(value, (bool, str)) else float(value))


def _cell(when: Any) -> Cell:
    if when is None:
        return Cell()
    if isinstance(when, list):
        return Cell(tuple(Test("equals", _literal(value)) for value in when))
    if not isinstance(when, dict):
        return Cell((Test("equals", _literal(when)),))
    low, high = when["min"], when["max"]
    if low is None or high is None:
        bound = low if high is None else high
        return Cell((Test("compare", _literal(bound), ">=" if high is None else "<="),))
    return Cell((Test("range", _literal(low), high=_literal(high)),))


def handwritten(data: dict[str, Any], output: str) -> str:
    """The CASE a person would write for one output."""
    cases = []
    for rule in data["rules"]:
        tests = [
            test
            for name, when in rule["when"].items()
            if when is not None
            for test in _handwritten_tests(quoted(f"in.{name}"), when)
        ]
        cases.append(
            f"WHEN {' AND '.join(tests) or 'TRUE'} THEN {literal(rule['then'][output]).text}"
        )
    return f"CASE {' '.join(cases)} END"


def _handwritten_tests(column: str, when: Any) -> list[str]:
    if isinstance(when, list):
        values = [literal(value).text for value in when]
        if len(values) == 1:
            return [f"{column} = {values[0]}"]
        return [f"{column} IN ({', '.join(values)})"]
    if isinstance(when, bool):
        return [column if when else f"NOT {column}"]
    tests = []
    if when["min"] is not None:
        tests.append(f"{column} >= {literal(when['min']).text}")
    if when["max"] is not None:
        tests.append(f"{column} <= {literal(when['max']).text}")
    return tests


def make_profiles(connection: Any, data: dict[str, Any], rows: int, missing: bool) -> None:
    """`rows` pseudo-random profiles from a hash of their number."""
    columns = ["range AS profile_id"]
    for index, name in enumerate(data["inputs"]):
        draw = f"(hash(range * 8 + {index}) % 1000003)"
        if name in data["values"]:
            values = ", ".join(f"'{value}'" for value in data["values"][name])
            text = (
                f"list_extract([{values}], CAST({draw} % {len(data['values'][name])} AS INT) + 1)"
            )
        elif name in data["ranges"]:
            low, high = data["ranges"][name]
            text = f"CAST({low} + {draw} % {high - low + 1} AS DOUBLE)"
        else:
            text = f"{draw} % 2 = 0"
        if missing:
            text = f"CASE WHEN hash(range * 8 + {index} + 5) % 5 <> 0 THEN {text} END"
        columns.append(f"{text} AS {quoted(f'in.{name}')}")
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE profiles AS SELECT {', '.join(columns)} FROM range({rows})"
    )


def best_of(connection: Any, query: str, times: int = 5) -> float:
    """Seconds of the fastest run; the result is stored."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        connection.execute(f"CREATE OR REPLACE TEMP TABLE result AS {query}")
        found.append(time.perf_counter() - start)
    return min(found)


def measure(rows: int = 1_000_000) -> dict[str, dict[str, float]]:
    """Seconds of both queries and their ratio, per case."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    book = table_book(data)
    compiled = compile_sql(book, select=["bench.choice"]).text
    columns = ", ".join(
        f"{handwritten(data, output)} AS {quoted(output)}" for output in data["outputs"]
    )
    by_hand = f"SELECT profile_id, {columns} FROM profiles"
    connection = connect(threads=1)
    load_parameters(connection, book)
    results = {}
    for case, missing in (("all facts", False), ("missing facts", True)):
        make_profiles(connection, data, rows, missing)
        ours, theirs = best_of(connection, compiled), best_of(connection, by_hand)
        results[case] = {"compiled": ours, "by_hand": theirs, "ratio": ours / theirs}
    return results


if __name__ == "__main__":
    for name, figures in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000).items():
        print(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in figures.items()))
