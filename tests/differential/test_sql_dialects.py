"""Scalar decisions in real databases: Spark and PostgreSQL give the reference's bits.

Spark runs when `pyspark` is installed; PostgreSQL when GPUWISE_POSTGRES holds a connection
string for `psql`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.book.catalog import load_catalog
from engine.book.load import load_book
from engine.book.model import Book, Catalog, Curve, Table
from engine.language.problems import ProblemError
from engine.reference import Reference
from engine.reference.values import plain
from engine.targets.sql import compile_sql
from engine.targets.sql_columns import LIST_KINDS, output_names
from tests.differential.test_sql import drawn
from tests.generators.books import Sizes, random_book
from tests.unit.sql_compare import bits

SAMPLE = Path(__file__).resolve().parents[1] / "books" / "sample"
# Loads a table (name, columns with their kind, rows), and runs a query.
Load = Callable[[str, Sequence[tuple[str, str]], Sequence[Sequence[Any]]], None]
Run = Callable[[str, Sequence[str]], list[list[Any]]]


@pytest.fixture(scope="module")
def spark() -> Iterator[tuple[str, Load, Run]]:
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession
    from pyspark.sql import types as spark_types

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    kinds = {
        "key": spark_types.LongType(),
        "number": spark_types.DoubleType(),
        "boolean": spark_types.BooleanType(),
        "text": spark_types.StringType(),
    }

    def load(name: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
        fields = [spark_types.StructField(column, kinds[kind]) for column, kind in columns]
        frame = session.createDataFrame(list(rows), spark_types.StructType(fields))
        frame.createOrReplaceTempView(name)

    def run(query: str, kinds: Sequence[str]) -> list[list[Any]]:
        return [list(row) for row in session.sql(query).collect()]

    yield "spark", load, run
    session.stop()


@pytest.fixture(scope="module")
def postgres() -> tuple[str, Load, Run]:
    address = os.environ.get("GPUWISE_POSTGRES")
    if not address or not shutil.which("psql"):
        pytest.skip("GPUWISE_POSTGRES names no database, or psql is not installed")
    kinds = {"key": "BIGINT", "number": "FLOAT8", "boolean": "BOOLEAN", "text": "TEXT"}

    def psql(text: str) -> str:
        command = [
            "psql",
            address,
            "-v",
            "ON_ERROR_STOP=1",
            "-qAt",
            "-F",
            "\x1f",
            "-P",
            "null=\x02",
        ]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def load(name: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
        defined = ", ".join(f'"{column}" {kinds[kind]}' for column, kind in columns)
        lines = [f'DROP TABLE IF EXISTS "{name}"; CREATE TABLE "{name}" ({defined});']
        lines += [f'INSERT INTO "{name}" VALUES ({", ".join(map(_written, row))});' for row in rows]
        psql("\n".join(lines))

    def run(query: str, kinds: Sequence[str]) -> list[list[Any]]:
        rows = [line.split("\x1f") for line in psql(query).rstrip("\n").split("\n")]
        return [[_read(cell, kind) for cell, kind in zip(row, kinds, strict=True)] for row in rows]

    return "postgres", load, run


def _written(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value) if isinstance(value, (bool, int)) else f"'{value!r}'"


def _read(cell: str, kind: str) -> Any:
    if cell == "\x02":
        return None
    read: dict[str, Callable[[str], Any]] = {"key": int, "number": float, "text": str}
    return cell == "t" if kind == "boolean" else read[kind](cell)


@pytest.mark.parametrize("database", ["spark", "postgres"])
@pytest.mark.parametrize("name", ["sample", "random 1", "random 2"])
def test_a_database_answers_as_the_reference(
    name: str, database: str, request: pytest.FixtureRequest
) -> None:
    dialect, load, run = request.getfixturevalue(database)
    if name == "sample":
        book = load_book(SAMPLE)
        catalog = load_catalog(SAMPLE)
    else:
        book, catalog = random_book(int(name[-1]), Sizes(decisions=20, tables=12, relations=0))
    profiles = drawn(book, catalog, 60, seed=4)
    load_everything(book, catalog, profiles, load)
    references = [Reference(book, catalog, given) for given in profiles]
    compared = 0
    for decision in book.decisions.values():
        body = decision.body
        if isinstance(body, Curve):
            continue
        outputs = output_names(body)
        types = [part.type for part in body.outputs] if isinstance(body, Table) else [decision.type]
        try:
            query = compile_sql(book, dialect=dialect, select=[decision.id]).text
        except ProblemError:
            continue
        for number, *values in run(query, ["key", *(kind.kind for kind in types)]):
            expected = [plain(references[number].decision(decision.id, o)) for o in outputs]
            assert bits(values) == bits(expected), (decision.id, profiles[number])
            compared += 1
    assert compared >= 5 * len(profiles)


def load_everything(
    book: Book, catalog: Catalog, profiles: Sequence[dict[str, Any]], load: Load
) -> None:
    facts = {path: fact for path, fact in book.facts.items() if fact.kind not in LIST_KINDS}
    load(
        "profiles",
        [("profile_id", "key"), *((path, fact.type.kind) for path, fact in facts.items())],
        [[n, *(given.get(path) for path in facts)] for n, given in enumerate(profiles)],
    )
    single = {name: one for name, one in book.parameters.items() if not one.steps}
    values = [v if isinstance(v := one.value, (bool, str)) else float(v) for one in single.values()]
    load("parameters", [(name, one.type.kind) for name, one in single.items()], [values])
    for name, schema in book.tables.items():
        columns = [(column.name, column.type.kind) for column in schema.columns]
        rows = [[n, *row] for n, row in enumerate(catalog.tables[name].rows)]
        load(f"catalog_{name}", [("row_number", "key"), *columns], rows)
