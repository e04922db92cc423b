"""Running the SQL target in DuckDB: loading its tables and reading the outcomes back.

DuckDB is an optional dependency (the extra `batch`), imported here only when something runs.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from engine.book.model import Book, Catalog, Fact, Table
from engine.language.problems import Problem, ProblemError
from engine.language.types import Type
from engine.targets.sql import SqlProgram, compile_sql
from engine.targets.sql_columns import (
    LIST_KINDS,
    advice_column,
    decision_column,
    fact_fields,
    output_names,
    struct_type,
)
from engine.targets.sql_text import quoted, type_name

if TYPE_CHECKING:
    import duckdb

Rows = Sequence[Sequence[Any]]
Given = Mapping[str, Any]

OLDEST = (1, 4)


def connect(threads: int = 0) -> duckdb.DuckDBPyConnection:
    """A database in memory; `threads` 0 leaves the choice to DuckDB.

    Raises ProblemError (B802) when DuckDB is not installed or too old.
    """
    try:
        import duckdb
    except ImportError:
        raise _unusable("DuckDB is not installed") from None
    version = tuple(int(part) for part in duckdb.__version__.split(".")[:2])
    if version < OLDEST:
        raise _unusable(f"DuckDB {duckdb.__version__} is too old")
    connection = duckdb.connect()
    if threads:
        connection.execute(f"SET threads = {int(threads)}")
    return connection


def _unusable(message: str) -> ProblemError:
    problem = Problem(
        "B802",
        message,
        expected="duckdb 1.4 or newer",
        suggestion="install the extra: pip install 'gpuwise[batch]'",
    )
    return ProblemError(problem)


# ---------------------------------------------------------------- loading


def load_profiles(
    connection: duckdb.DuckDBPyConnection, book: Book, profiles: Sequence[Given]
) -> None:
    """Makes `profiles`, one row per flat profile (as the door leaves it), `profile_id` from 0."""
    columns: dict[str, tuple[str, list[Any]]] = {
        "profile_id": ("BIGINT", list(range(len(profiles))))
    }
    for path, fact in book.facts.items():
        kind = struct_type(book, path) if fact.kind in LIST_KINDS else type_name(fact.type)
        columns[path] = (kind, _cells(book, fact, [given.get(path) for given in profiles]))
    _create(connection, "profiles", columns)


def load_parameters(
    connection: duckdb.DuckDBPyConnection, book: Book, overrides: Given | None = None
) -> None:
    """Makes `parameters`: the book's values, or those of a policy. Ladders are no inputs."""
    values = {
        name: (overrides or {}).get(name, parameter.value)
        for name, parameter in book.parameters.items()
        if not parameter.steps
    }
    columns = {
        name: (type_name(book.parameters[name].type), [_value(value, book.parameters[name].type)])
        for name, value in values.items()
    }
    _create(connection, "parameters", columns or {"none": ("BOOLEAN", [None])})


def load_tables(
    connection: duckdb.DuckDBPyConnection, book: Book, tables: Mapping[str, Any]
) -> None:
    """Makes `catalog_<name>`; `tables` maps names to objects with `rows` in schema order."""
    for name, schema in book.tables.items():
        rows = tables[name].rows
        columns: dict[str, tuple[str, list[Any]]] = {
            "row_number": ("BIGINT", list(range(len(rows))))
        }
        for index, column in enumerate(schema.columns):
            cells = [_value(row[index], column.type) for row in rows]
            columns[column.name] = (type_name(column.type), cells)
        _create(connection, f"catalog_{name}", columns)


def _create(
    connection: duckdb.DuckDBPyConnection, name: str, columns: Mapping[str, tuple[str, list[Any]]]
) -> None:
    """A table from columns, each sent as one list."""
    defined = ", ".join(f"{quoted(column)} {kind}" for column, (kind, _) in columns.items())
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(name)} ({defined})")
    listed = ", ".join(f"unnest(CAST(? AS {kind}[]))" for kind, _ in columns.values())
    values = [cells for _, cells in columns.values()]
    if values[0]:
        connection.execute(f"INSERT INTO {quoted(name)} SELECT {listed}", values)


def _cells(book: Book, fact: Fact, values: list[Any]) -> list[Any]:
    """A column of a fact's values."""
    if fact.kind in LIST_KINDS:
        fields = fact_fields(book, fact.path).items()
        return [None if rows is None else _structs(fields, rows) for rows in values]
    if fact.type.kind == "number":
        return [None if value is None else float(value) for value in values]
    return values


def _structs(fields: ItemsView[str, Type], rows: Rows) -> list[dict[str, Any]]:
    return [
        {name: _value(cell, kind) for (name, kind), cell in zip(fields, row, strict=True)}
        for row in rows
    ]


def _value(value: Any, kind: Type) -> Any:
    """Numbers as floats: DuckDB must not see an integer or a Decimal."""
    return float(value) if kind.kind == "number" and value is not None else value


# ---------------------------------------------------------------- running


def run_stages(connection: duckdb.DuckDBPyConnection, program: SqlProgram) -> None:
    """Computes everything shared, each stage once, as temporary tables."""
    for stage in program.stages:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(stage.name)} AS {stage.text}")


def outcomes(
    connection: duckdb.DuckDBPyConnection,
    book: Book,
    program: SqlProgram,
    profiles: Sequence[Given],
    parameters: Given | None = None,
    tables: Mapping[str, Any] | None = None,
    *,
    staged: bool = True,
) -> list[dict[str, Any]]:
    """One outcome per profile, in the form of all targets.

    `staged` False runs each single query instead of the stages; the answers are the same.
    """
    load_profiles(connection, book, profiles)
    load_parameters(connection, book, parameters)
    load_tables(connection, book, tables or {})
    if staged:
        run_stages(connection, program)
        queries = dict(program.final)
    else:
        queries = {f"relation {name}": text for name, text in program.relations.items()}
        queries |= {f"ranking {name}": text for name, text in program.rankings.items()}
        queries["scalars"] = program.text
    found: list[dict[str, Any]] = [
        {"facts": {}, "decisions": {}, "advice": {}, "relations": {}, "rankings": {}}
        for _ in profiles
    ]
    _read_scalars(connection, queries.pop("scalars"), book, found)
    for name in queries:
        kind, _, entry = name.partition(" ")
        cursor = connection.execute(queries[name])
        if kind == "relation":
            _read_relation(cursor, entry, found)
        else:
            _read_ranking(cursor, entry, found)
    _blank_unknown(connection, book, program, found, staged)
    return found


def run_duckdb(
    connection: duckdb.DuckDBPyConnection,
    book: Book,
    catalog: Catalog,
    profiles: Sequence[Given],
    parameters: Given | None = None,
) -> list[dict[str, Any]]:
    """Compiles a book and runs it on profiles: one outcome each, in the form of all targets."""
    program = compile_sql(book)
    return outcomes(connection, book, program, profiles, parameters, catalog.tables)


def _read_scalars(
    connection: duckdb.DuckDBPyConnection, query: str, book: Book, found: list[dict[str, Any]]
) -> None:
    cursor = connection.execute(query)
    names = {part[0]: index for index, part in enumerate(cursor.description or ())}
    facts = [(path, names[f"fact:{path}"]) for path in book.facts if f"fact:{path}" in names]
    decisions = []
    for name, decision in book.decisions.items():
        for output in output_names(decision.body):
            column = decision_column(name, output)
            if column in names:
                decisions.append((column.removeprefix("decision:"), names[column]))
    advice = []
    for name, entry in book.advice.items():
        columns = [advice_column(name, row.id) for row in entry.rows]
        if all(column in names for column in columns):
            advice.append((name, [names[column] for column in columns]))
    # Rows are wide and many: columns are picked in one go, and only lists looked at again.
    pick_facts, pick_decisions = _picker(facts), _picker(decisions)
    pick_advice = [(name, _picker(enumerate(indexes))) for name, indexes in advice]
    fact_names, decision_names = [name for name, _ in facts], [name for name, _ in decisions]
    lists = [name for name in decision_names if _collects(book, name)]
    for row in cursor.fetchall():
        outcome = found[row[0]]
        outcome["facts"] = dict(zip(fact_names, pick_facts(row), strict=True))
        values = dict(zip(decision_names, pick_decisions(row), strict=True))
        for name in lists:
            values[name] = _plain(values[name])
        outcome["decisions"] = values
        outcome["advice"] = {name: pick(row) for name, pick in pick_advice}


def _picker(columns: Iterable[tuple[Any, int]]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """The cells of some columns of a row, given as (anything, number of the column)."""
    numbers = [number for _, number in columns]
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda row: tuple(row[number] for number in numbers)


def _read_relation(
    cursor: duckdb.DuckDBPyConnection, name: str, found: list[dict[str, Any]]
) -> None:
    for outcome in found:
        outcome["relations"][name] = []
    while rows := cursor.fetchmany(100_000):
        for row in rows:
            found[row[0]]["relations"][name].append(row[2:])


def _read_ranking(
    cursor: duckdb.DuckDBPyConnection, name: str, found: list[dict[str, Any]]
) -> None:
    for number, order, undecided, pareto in cursor.fetchall():
        ranking = {"order": order, "undecided": undecided, "pareto": pareto}
        found[number]["rankings"][name] = None if order is None else ranking


def _blank_unknown(
    connection: duckdb.DuckDBPyConnection,
    book: Book,
    program: SqlProgram,
    found: list[dict[str, Any]],
    staged: bool,
) -> None:
    """A relation whose rows cannot be known is None, not empty."""
    for name, query in program.unknown.items():
        text = query if not staged else f"SELECT profile_id FROM {quoted(f'unknown {name}')}"
        for (number,) in connection.execute(text).fetchall():
            found[number]["relations"][name] = None


def _collects(book: Book, name: str) -> bool:
    """Whether a decision, named with its output where it has several, may answer with lists."""
    decision = book.decisions.get(name) or book.decisions[name.rpartition(".")[0]]
    return isinstance(decision.body, Table) and decision.body.hit == "collect"


def _plain(value: Any) -> Any:
    """A collected list is a tuple in an outcome."""
    return tuple(value) if isinstance(value, list) else value
