"""Which columns of the catalog somebody reads: rules, the answer, the views, the pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from engine.book.contents import advice_trees, body_trees, ranking_trees, relation_trees
from engine.book.model import Book, Relation
from engine.check.usage import all_texts
from engine.language.tree import Aggregate, Column, Lookup, Node
from engine.language.walk import children
from engine.run.bundle import open_bundle

ROOT = Path(__file__).resolve().parents[2]
_MACRO = re.compile(r"\b(catalog_table|cell)\(([^)]*)\)")
Read = tuple[str, str]


@cache
def book() -> Book:
    return open_bundle(str(ROOT)).book


def reads_of(node: Node, tables: Mapping[str, str]) -> Iterator[Read]:
    """Columns a tree reads; `tables`: the catalog table that an alias in scope stands for."""
    if isinstance(node, Column) and node.alias in tables:
        yield tables[node.alias], node.name
    if isinstance(node, Lookup):
        yield node.table, node.column
        yield node.table, book().tables[node.table].key
    if isinstance(node, Aggregate) and node.relation.startswith("catalog."):
        tables = {**tables, node.alias: node.relation.removeprefix("catalog.")}
    for child in children(node):
        yield from reads_of(child, tables)


def sources_of(relation: Relation) -> dict[str, str]:
    return {source.alias: source.name for source in relation.sources if source.kind == "table"}


def reads_of_relation(relation: Relation) -> Iterator[Read]:
    tables = sources_of(relation)
    for source in relation.sources:
        if source.kind == "table":
            yield from ((source.name, column) for column, _ in source.on)
    for tree in relation_trees(relation):
        yield from reads_of(tree, tables)


def of_rules() -> Iterator[Read]:
    for fact in book().facts.values():
        for tree in (fact.default, fact.derive, fact.relevant):
            if tree is not None:
                yield from reads_of(tree, {})
        for table in (fact.key_of, *(field.key_of for field in fact.fields)):
            if table:
                yield table, book().tables[table].key
        for table, number in fact.found_in:
            yield table, book().tables[table].columns[number].name
    for decision in book().decisions.values():
        for tree in body_trees(decision.body):
            yield from reads_of(tree, {})
    for relation in book().relations.values():
        yield from reads_of_relation(relation)
    for ranking in book().rankings.values():
        for tree in ranking_trees(ranking):
            yield from reads_of(tree, sources_of(book().relations[ranking.relation]))
    for advice in book().advice.values():
        for tree in advice_trees(advice):
            yield from reads_of(tree, {})
    for _, text, _ in all_texts(book()):
        for _, tree in text.reads:
            yield from reads_of(tree, {})


def of_the_answer() -> Iterator[Read]:
    """Cells of the catalog that the answer shows, `alias.column` of the rows it lists."""

    def within(part: Any, tables: Mapping[str, str]) -> Iterator[Read]:
        if isinstance(part, dict):
            listed = str(part.get("every") or part.get("ranked") or "")
            if listed in book().rankings:
                listed = book().rankings[listed].relation
            if listed in book().relations:
                tables = {**tables, **sources_of(book().relations[listed])}
            for one in part.values():
                yield from within(one, tables)
        elif isinstance(part, str) and part.partition(".")[0] in tables:
            alias, _, column = part.partition(".")
            yield tables[alias], column

    yield from within(book().report["answer"], {})


def of_the_views() -> Iterator[Read]:
    """What `catalog TABLE` prints."""
    for view in book().report["catalog"].values():
        columns = view.get("columns") or [
            column.name for column in book().tables[view["table"]].columns
        ]
        yield from ((view["table"], column) for column in columns)


def of_the_pages() -> Iterator[Read]:
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for macro, inside in _MACRO.findall(page.read_text(encoding="utf-8")):
            call = ast.parse(f"f({inside})", mode="eval").body
            assert isinstance(call, ast.Call)
            names = [one.value for one in call.args if isinstance(one, ast.Constant)]
            columns = names[1:] if macro == "catalog_table" else names[2:]
            yield from ((str(names[0]), str(column)) for column in columns)


@cache
def everything_read() -> frozenset[Read]:
    return frozenset((*of_rules(), *of_the_answer(), *of_the_views(), *of_the_pages()))
