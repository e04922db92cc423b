"""The queries themselves: how many, how deep, what they read and give, what is refused."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from engine.book.model import Book, Decision, Formula
from engine.language import tree
from engine.language.problems import ProblemError
from engine.language.types import number
from engine.targets.sql import compile_sql
from engine.targets.sql_run import connect, load_parameters, load_profiles, load_tables, outcomes
from engine.targets.sql_text import by_cuts, literal, number_text, quoted
from tests.unit.sql_compare import bits, book_of, constructs, random_profiles
from tests.unit.test_target_sql_meaning import large_table

duckdb = pytest.importorskip("duckdb")

NUMBERS, RELATIONS, TABLES, UNKNOWN_ROWS = map(
    constructs, ("numbers", "relations", "tables", "unknown_rows")
)


@pytest.mark.parametrize("value", [0.1, 1.0, 1e-7, 1e22, 123456789.125, 2.0**53, -3.5, 5e-324])
def test_a_number_is_written_so_that_it_is_a_double_and_the_same_one(value: float) -> None:
    ((kind, back),) = duckdb.sql(
        f"SELECT typeof({number_text(value)}), {number_text(value)}"
    ).fetchall()
    assert kind == "DOUBLE"
    assert bits(back) == bits(value)


@pytest.mark.parametrize("text", ["plain", "it's", 'a "quoted" one', "中文", "a\nb", ""])
def test_texts_and_names_survive_quoting(text: str) -> None:
    name = text or "x"
    relation = duckdb.sql(f"SELECT {literal(text).text} AS {quoted(name)}")
    assert relation.columns == [name]
    assert relation.fetchall() == [(text,)]


def test_a_tree_of_cuts_finds_the_same_leaf_as_a_chain() -> None:
    cuts = [f"{'<' if n % 2 else '<='} {n}" for n in range(9)]
    leaves = [str(n) for n in range(10)]
    text = by_cuts("x", cuts, leaves)
    chain = " ".join(f"WHEN x {cut} THEN {leaf}" for cut, leaf in zip(cuts, leaves, strict=False))
    query = (
        f"SELECT {text} = (CASE {chain} ELSE 9 END) FROM (SELECT unnest(range(-1, 12)) / 2 AS x)"
    )
    assert duckdb.sql(query).fetchall() == [(True,)] * 13


# ---------------------------------------------------------------- one query


def test_there_is_one_query_for_scalars_one_per_relation_and_one_per_ranking() -> None:
    book, _ = book_of(RELATIONS)
    program = compile_sql(book)
    assert set(program.relations) == set(book.relations)
    assert set(program.rankings) == set(book.rankings)
    queries = [program.text, *program.relations.values(), *program.rankings.values()]
    for text in queries:
        assert len(duckdb.extract_statements(text)) == 1


def test_a_selection_computes_nothing_else() -> None:
    book, catalog = book_of(RELATIONS)
    program = compile_sql(book, select=["needs.case.best_cards"])
    assert not program.relations and not program.rankings
    assert "families" not in program.text
    connection = connect(threads=1)
    load_profiles(connection, book, random_profiles(book, catalog, 5, seed=1))
    load_parameters(connection, book)
    load_tables(connection, book, catalog.tables)
    cursor = connection.execute(program.text)
    assert [part[0] for part in cursor.description or ()] == [
        "profile_id",
        "decision:needs.case.best_cards",
    ]


def test_an_id_the_book_does_not_have_is_named() -> None:
    book, _ = book_of(NUMBERS)
    with pytest.raises(LookupError, match="no such"):
        compile_sql(book, select=["no such"])


def test_relation_rows_come_in_order_with_their_source_rows() -> None:
    book, catalog = book_of(RELATIONS)
    program = compile_sql(book)
    connection = connect(threads=1)
    load_profiles(connection, book, random_profiles(book, catalog, 20, seed=2))
    load_parameters(connection, book)
    load_tables(connection, book, catalog.tables)
    cursor = connection.execute(program.relations["needs.case.offers"])
    names = [part[0] for part in cursor.description or ()]
    assert names[:5] == ["profile_id", "at", "at:model", "at:machine", "at:k"]
    assert names[5] == "column:model_id"
    rows = cursor.fetchall()
    assert rows == sorted(rows, key=lambda row: row[:2])
    for profile in range(20):
        assert [row[1] for row in rows if row[0] == profile] == list(
            range(sum(row[0] == profile for row in rows))
        )


def test_an_override_of_a_parameter_reaches_the_query() -> None:
    book, catalog = book_of(RELATIONS)
    name = next(name for name in book.parameters if name.endswith("least_price"))
    given = {"work.cards": 4.0}
    low, high = (
        outcomes(connect(1), book, compile_sql(book), [given], {name: value}, catalog.tables)[0]
        for value in (1.0, 20.0)
    )
    key = "needs.case.best_price"
    assert low["decisions"][key] != high["decisions"][key]


# ---------------------------------------------------------------- depth and size


def deep_book(count: int, back: int) -> Book:
    """Decision n reads decision n - back twice, under a condition that may be unknown."""
    book, _ = book_of(NUMBERS)
    kind = number(low=0, high=1e9, nullable=True)
    fact = tree.Fact("work.cards", type=kind)
    decisions = {}
    for index in range(count):
        before: tree.Node = fact
        if index >= back:
            before = tree.DecisionValue(f"deep.d{index - back}", type=kind)
        condition = tree.Comparison("<", before, tree.Literal(50.0))
        grown = tree.Arithmetic("+", before, tree.Literal(1.0))
        choice = tree.If(condition, grown, tree.Arithmetic("*", before, tree.Literal(0.5)))
        name = f"deep.d{index}"
        decisions[name] = Decision(name, Formula(choice), kind)
    order = tuple(("decision", name) for name in decisions)
    return replace(book, decisions=decisions, order=order)


def test_five_hundred_decisions_are_a_query_as_deep_as_the_longest_chain() -> None:
    book = deep_book(500, back=25)
    text = compile_sql(book).text
    assert text.count(" AS NOT MATERIALIZED (") < 70
    assert len(text) < 300_000


def test_nested_unknown_conditions_do_not_double_the_text() -> None:
    short, long = (len(compile_sql(deep_book(count, back=1)).text) for count in (20, 40))
    assert long < 2.2 * short


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("dialect", ["spark", "trino", "bigquery", "snowflake", "postgres"])
def test_a_dialect_refuses_by_name_what_it_cannot_say(dialect: str) -> None:
    pytest.importorskip("sqlglot")
    book, _ = book_of(RELATIONS)
    with pytest.raises(ProblemError, match=f"B801.*{dialect}.*offers"):
        compile_sql(book, dialect=dialect)
    book, _ = book_of(NUMBERS)
    with pytest.raises(ProblemError, match=r"power\(…\).*needs.case.odds"):
        compile_sql(book, dialect=dialect, select=["needs.case.odds"])


def test_spark_rounds_only_numbers_with_small_bounds() -> None:
    pytest.importorskip("sqlglot")
    book, _ = book_of(NUMBERS)
    whole = book.decisions["needs.case.whole"]
    wide = tree.Fact("work.hours", type=number(low=0, high=1e300, nullable=True))
    body = Formula(tree.Call("floor", (wide,)))
    book = replace(book, decisions={whole.id: replace(whole, body=body)})
    with pytest.raises(ProblemError, match="floor of a number without small bounds"):
        compile_sql(book, dialect="spark", select=[whole.id])
    assert "FLOOR" in compile_sql(book, dialect="trino", select=[whole.id]).text


def test_an_unlisted_construct_is_refused_not_passed_on() -> None:
    pytest.importorskip("sqlglot")
    book, _ = book_of(TABLES)
    with pytest.raises(ProblemError, match="B801"):
        compile_sql(book, dialect="trino", select=["needs.case.counted"])


def test_postgres_refuses_a_name_it_would_cut_off() -> None:
    pytest.importorskip("sqlglot")
    book, _ = book_of(NUMBERS)
    name = "needs." + "long" * 15
    decision = replace(book.decisions["needs.case.sum_of"], id=name)
    book = replace(book, decisions={name: decision})
    with pytest.raises(ProblemError, match="too long"):
        compile_sql(book, dialect="postgres", select=[name])


def test_an_unknown_dialect_is_refused_with_the_known_ones() -> None:
    book, _ = book_of(NUMBERS)
    with pytest.raises(ProblemError, match="duckdb or spark"):
        compile_sql(book, dialect="oracle")


def test_columns_that_differ_only_in_case_are_refused() -> None:
    book, _ = book_of(NUMBERS)
    facts = {**book.facts, "work.Cards": book.facts["work.cards"]}
    with pytest.raises(ProblemError, match="one column name"):
        compile_sql(replace(book, facts=facts))


def test_a_missing_duckdb_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ProblemError, match=r"B802 DuckDB is not installed.*gpuwise\[batch\]"):
        connect()


def test_an_old_duckdb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb, "__version__", "1.3.2")
    with pytest.raises(ProblemError, match="too old"):
        connect()


# ---------------------------------------------------------------- other dialects


@pytest.mark.parametrize("dialect", ["spark", "trino", "snowflake", "postgres"])
@pytest.mark.parametrize(
    "text", [NUMBERS, TABLES, large_table(80)], ids=["numbers", "tables", "large"]
)
def test_a_translated_query_read_back_answers_the_same(text: str, dialect: str) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    book, catalog = book_of(text)
    profiles = random_profiles(book, catalog, 60, seed=3)
    connection = connect(threads=1)
    load_profiles(connection, book, profiles)
    load_parameters(connection, book)
    load_tables(connection, book, catalog.tables)
    translated = 0
    for name in (*book.decisions, *book.advice):
        try:
            theirs = compile_sql(book, dialect=dialect, select=[name]).text
        except ProblemError:
            continue
        back = sqlglot.transpile(theirs, read=dialect, write="duckdb")[0]
        ours = compile_sql(book, select=[name]).text
        assert bits(rows(connection, back)) == bits(rows(connection, ours)), name
        translated += 1
    assert translated >= len(book.decisions) // 3


def rows(connection: Any, query: str) -> list[tuple[Any, ...]]:
    return sorted(connection.execute(query).fetchall())


def test_bigquery_names_hold_neither_dots_nor_colons() -> None:
    sqlglot = pytest.importorskip("sqlglot")
    book, _ = book_of(NUMBERS)
    text = compile_sql(book, dialect="bigquery", select=["needs.case.nested"]).text
    names = {
        node.name
        for node in sqlglot.parse_one(text, read="bigquery").find_all(sqlglot.exp.Identifier)
    }
    assert "work__cards" in names
    assert "decision___needs__case__nested" in names
    assert not any("." in name or ":" in name or " " in name for name in names)


def test_unknown_rows_have_a_query_of_their_own() -> None:
    book, _ = book_of(UNKNOWN_ROWS)
    levels = replace(book.facts["work.levels"], asked=True, default=None)
    book = replace(book, facts={**book.facts, "work.levels": levels})
    program = compile_sql(book)
    assert set(program.unknown) == {
        f"needs.case.{name}" for name in ("wanted", "joined", "grouped", "matching")
    }
