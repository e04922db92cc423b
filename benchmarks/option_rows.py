"""Whole evaluations of a book whose options number in the thousands.

A made-up book has the shape of a sizing question: machines × layouts with 40 decisions each,
joined to offers with 15 decisions each, then a ranking. With `--book` the rule book of this
repository is timed on its example profiles too. Times are processor time of one core.
Run: python -m benchmarks.option_rows
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.book.model import (
    Book,
    Catalog,
    Decision,
    Fact,
    Formula,
    Output,
    Ranking,
    Relation,
    RelationColumn,
    Row,
    Source,
    Table,
    TableColumn,
    TableData,
    TableSchema,
)
from engine.book.rows import run_tables
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import BOOLEAN, TEXT, Type, enumeration, number
from engine.targets.javascript import compile_javascript
from engine.targets.python import compile_python

AMOUNT = number(low=0.0, high=1e12)
POSITIVE = number(low=0.5, high=1e6)
FIT = enumeration(("fits", "tight", "no"))
MACHINES, LAYOUTS, OFFERS = 50, 6, 260


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--book", action="store_true", help="the rule book of this repository too")
    arguments = parser.parse_args()
    book, catalog, given = made_up()
    measure("made-up book", book, catalog, {}, {"one profile": given}, arguments.repeat)
    if arguments.book:
        root = Path(__file__).resolve().parents[1]
        measure("rule book", *_rule_book(root), arguments.repeat)
    return 0


def measure(
    title: str,
    book: Book,
    catalog: Catalog,
    parameters: Mapping[str, Any],
    profiles: Mapping[str, Mapping[str, Any]],
    repeat: int,
) -> None:
    """Prints milliseconds per evaluation, evaluations a second and microseconds a row."""
    namespace: dict[str, Any] = {}
    exec(compile(compile_python(book), "<book>", "exec"), namespace)
    evaluate, tables = namespace["evaluate"], run_tables(book, catalog)
    javascript = _javascript(book, catalog, parameters)
    print(f"{title}: {len(book.decisions)} decisions, {len(book.relations)} relations")
    for name, given in profiles.items():
        outcome = evaluate(given, parameters, tables)
        sizes = {id: len(rows or ()) for id, rows in outcome["relations"].items()}
        times = []
        for _ in range(repeat):
            started = time.process_time()
            evaluate(given, parameters, tables)
            times.append(time.process_time() - started)
        python = statistics.median(times)
        rows = sum(sizes.values())
        print(
            f"  {name}: {rows:,} rows ({', '.join(f'{n:,} {id}' for id, n in sizes.items())})\n"
            f"    Python {python * 1e3:.1f} ms, {1 / python:.0f} a second, "
            f"{python / max(rows, 1) * 1e6:.2f} µs a row; {javascript(given)}"
        )


def _javascript(book: Book, catalog: Catalog, parameters: Mapping[str, Any]) -> Any:
    try:
        from py_mini_racer import MiniRacer
    except ImportError as error:
        missing = str(error)
        return lambda given: f"JavaScript left out: {missing}"
    context = MiniRacer()
    tables = {name: {"rows": data.rows} for name, data in catalog.tables.items()}
    context.eval(compile_javascript(book))
    context.eval(f"var P={json.dumps(parameters)},T={json.dumps(tables)};")
    code = (
        "(function(given,n){var t=Date.now();for(var i=0;i<n;i++)"
        "gpuwise.evaluate(given,P,T);return (Date.now()-t)/n;})"
    )

    def run(given: Mapping[str, Any]) -> str:
        text = json.dumps(given)
        context.eval(f"{code}({text},30)")
        spent = float(str(context.eval(f"{code}({text},20)")))
        return f"JavaScript {spent:.1f} ms"

    return run


def _rule_book(root: Path) -> tuple[Book, Catalog, dict[str, Any], dict[str, dict[str, Any]]]:
    from engine.book.catalog import load_catalog
    from engine.book.load import load_book
    from engine.readers.document import read_document
    from engine.readers.profile import admit

    book = load_book(root)
    catalog = load_catalog(root)
    parameters = {name: item.value for name, item in book.parameters.items() if not item.steps}
    profiles = {
        file.stem: dict(admit(read_document(str(file)), book.facts, catalog.tables).given)
        for file in sorted((root / "docs" / "examples").glob("*.yaml"))
    }
    return book, catalog, parameters, profiles


# ---------------------------------------------------------------- a made-up book


def made_up() -> tuple[Book, Catalog, dict[str, Any]]:
    """A book, its catalog and one profile: 300 layouts and 1,560 options."""
    facts = {
        name: Fact(name, "number", POSITIVE.with_nullable(True), asked=True)
        for name in ("size", "batch", "context", "rate", "hours")
    }
    machines = _schema("machines", {"memory": POSITIVE, "speed": POSITIVE, "link": POSITIVE},
                       nullable=("link",))  # fmt: skip
    layouts = _schema("layouts", {"cards": POSITIVE, "split": POSITIVE})
    offers = _schema("offers", {"machine": TEXT, "price": AMOUNT}, nullable=("price",))
    catalog = Catalog(
        {
            "machines": TableData(
                tuple(
                    (f"m{n}", 16.0 + n % 9 * 8, 100.0 + n * 7, None if n % 5 == 0 else 50.0 + n)
                    for n in range(MACHINES)
                )
            ),
            "layouts": TableData(
                tuple((f"l{n}", float(2**n), 1.0 + n % 3) for n in range(LAYOUTS))
            ),
            "offers": TableData(
                tuple(
                    (f"o{n}", f"m{n % MACHINES}", None if n % 7 == 0 else 1.0 + n % 50)
                    for n in range(OFFERS)
                )
            ),
        },
        "",
        0,
        0,
    )
    relations = {"layouts": _layouts(facts), "options": _options()}
    price = tree.Column("", "c0", type=AMOUNT.with_nullable(True))
    fits = tree.Column("", "fit", type=FIT.with_nullable(True))
    keep = tree.Comparison("=", fits, tree.Literal("fits", type=FIT), type=BOOLEAN)
    ranking = Ranking("best", "options", keep, ((price, False),), (price, price))
    book = Book(
        version="0",
        digest="",
        facts=facts,
        parameters={},
        decisions={},
        relations=relations,
        rankings={"best": ranking},
        advice={},
        tables={"machines": machines, "layouts": layouts, "offers": offers},
        order=(("relation", "layouts"), ("relation", "options"), ("ranking", "best")),
        sources={},
        report={},
        titles={},
    )
    given = {"size": 7.0, "batch": 8.0, "context": 4.0, "rate": 100.0, "hours": 720.0}
    return book, catalog, given


def _schema(name: str, columns: Mapping[str, Type], nullable: tuple[str, ...] = ()) -> TableSchema:
    made = tuple(
        TableColumn(column, kind.with_nullable(column in nullable))
        for column, kind in columns.items()
    )
    return TableSchema(name, "id", (TableColumn("id", TEXT), *made), 1000)


def _binary(operator: str, left: Node, right: Node) -> Node:
    unknown = any(part.type is not None and part.type.nullable for part in (left, right))
    return tree.Arithmetic(operator, left, right, type=AMOUNT.with_nullable(unknown))  # type: ignore[arg-type]


def _column(name: str, node: Node, level: int) -> RelationColumn:
    assert node.type is not None
    return RelationColumn(Decision(name, Formula(node), node.type), level)


def _formulas(row: list[Node], scalars: list[Node], count: int, level: int) -> list[RelationColumn]:
    """`count` formulas of two or three operations, each over a column of the row and others."""
    columns: list[RelationColumn] = []
    before = row[-1]
    for place in range(count):
        a, b = row[place % len(row)], scalars[place % len(scalars)]
        node = _binary("+", _binary("*", a, b), before)
        if place % 4 == 1:
            node = tree.Call("max", (node, b), type=node.type)
        if place % 4 == 3:
            condition = tree.Comparison(">", before, b, type=BOOLEAN.with_nullable(True))
            node = tree.If(condition, node, a, type=AMOUNT.with_nullable(True))
        columns.append(_column(f"c{place}", node, level))
        before = tree.Column("", f"c{place}", type=node.type)
    return columns


def _fit(subject: Node, limit: Node, level: int) -> RelationColumn:
    use = _binary("-", subject, limit)
    zero = tree.Literal(0.0, type=number(low=0.0, high=0.0))
    tight = tree.Literal(1e6, type=number(low=1e6, high=1e6))
    rows = (
        Row("fits", (tree.Cell((tree.Test("compare", zero, "<="),)),), (_text("fits"),)),
        Row("tight", (tree.Cell((tree.Test("compare", tight, "<="),)),), (_text("tight"),)),
    )
    otherwise = Row("otherwise", (), (_text("no"),))
    kind = FIT.with_nullable(True)
    table = Table("first", (use,), (Output("", kind),), rows, otherwise)
    return RelationColumn(Decision("fit", table, kind), level)


def _text(value: str) -> Node:
    return tree.Literal(value, type=FIT)


def _layouts(facts: Mapping[str, Fact]) -> Relation:
    scalars: list[Node] = [tree.Fact(name, type=fact.type) for name, fact in facts.items()]
    read: list[Node] = []
    for alias, name in (("m", "speed"), ("l", "cards"), ("m", "link"), ("l", "split")):
        read.append(tree.Column(alias, name, type=POSITIVE.with_nullable(name == "link")))
    columns = _formulas(read, scalars, 36, 2)
    memory = tree.Column("m", "memory", type=POSITIVE)
    columns.append(_fit(tree.Column("", "c2", type=AMOUNT.with_nullable(True)), memory, 2))
    columns.append(_column("machine", tree.Column("m", "id", type=TEXT), 1))
    columns.append(_column("layout", tree.Column("l", "id", type=TEXT), 2))
    columns.append(_column("cards", tree.Column("l", "cards", type=POSITIVE), 2))
    sources = (Source("m", "table", "machines"), Source("l", "table", "layouts"))
    return Relation("layouts", sources, (), tuple(columns), (), 100_000)


def _options() -> Relation:
    maybe = AMOUNT.with_nullable(True)
    price: Node = tree.Column("o", "price", type=maybe)
    read: list[Node] = [tree.Column("r", f"c{place}", type=maybe) for place in (3, 9, 17, 30)]
    columns = _formulas([price, *read], [tree.Column("r", "cards", type=POSITIVE)], 12, 2)
    fit = tree.Column("r", "fit", type=FIT.with_nullable(True))
    columns.append(_column("fit", fit, 1))
    columns.append(_column("machine", tree.Column("r", "machine", type=TEXT), 1))
    columns.append(_column("offer", tree.Column("o", "id", type=TEXT), 2))
    on = (("machine", tree.Column("r", "machine", type=TEXT)),)
    sources = (Source("r", "relation", "layouts"), Source("o", "table", "offers", on))
    key = (tree.Column("", "offer", type=TEXT),)
    return Relation("options", sources, (), tuple(columns), key, 100_000)


if __name__ == "__main__":
    sys.exit(main())
