"""A 40-row decision table in DuckDB: the compiled query beside a hand-written CASE.

    python -m benchmarks.sql_table [rows]

Prints the seconds of each (best of five, one thread, results kept in a table so that nothing is
optimised away) with all facts given and with every fifth one missing, and their ratio. The
hand-written CASE knows nothing of missing facts: a NULL falls through to its next row.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks import table40
from engine.targets.sql import compile_sql
from engine.targets.sql_run import connect, load_parameters
from engine.targets.sql_text import literal, quoted


def handwritten(data: dict[str, Any], output: str) -> str:
    """The CASE a person would write for one output."""
    cases = []
    for rule in data["rules"]:
        tests = [
            test
            for name, when in rule["when"].items()
            if when is not None
            for test in _handwritten_tests(quoted(name), when)
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
        columns.append(f"{text} AS {quoted(name)}")
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE profiles AS SELECT {', '.join(columns)} FROM range({rows})"
    )


def best_of(connection: Any, queries: Sequence[str], times: int = 5) -> list[float]:
    """Seconds of the fastest run of each, taken by turns; the results are stored."""
    found: list[list[float]] = [[] for _ in queries]
    for _ in range(times):
        for seconds, query in zip(found, queries, strict=True):
            start = time.perf_counter()
            connection.execute(f"CREATE OR REPLACE TEMP TABLE result AS {query}")
            seconds.append(time.perf_counter() - start)
    return [min(seconds) for seconds in found]


def measure(rows: int = 1_000_000) -> dict[str, dict[str, float]]:
    """Seconds of both queries and their ratio, per case."""
    data = table40.load()
    book = table40.book(data)
    compiled = compile_sql(book, select=["table"]).text
    columns = ", ".join(
        f"{handwritten(data, output)} AS {quoted(output)}" for output in data["outputs"]
    )
    by_hand = f"SELECT profile_id, {columns} FROM profiles"
    connection = connect(threads=1)
    load_parameters(connection, book)
    results = {}
    for case, missing in (("all facts", False), ("missing facts", True)):
        make_profiles(connection, data, rows, missing)
        ours, theirs = best_of(connection, [compiled, by_hand])
        results[case] = {"compiled": ours, "by_hand": theirs, "ratio": ours / theirs}
    return results


if __name__ == "__main__":
    for name, figures in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000).items():
        print(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in figures.items()))
