"""Small books and the sample book, loaded, for tests of the reference evaluator."""

# Rules in this file keep one entry to a line.
# ruff: noqa: E501

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from textwrap import dedent
from typing import Any

from hypothesis import strategies as st

from engine.book.catalog import load_catalog, load_catalog_from
from engine.book.load import load_book, load_book_from
from engine.book.model import Book, Catalog, Fact

SAMPLE = Path(__file__).resolve().parents[1] / "books" / "sample"

FACTS = """
id: profile.work
title: {en: The work, zh: 工作}
facts:
  work.cards: {type: integer, unit: count, range: [0, 64], asked: true, label: {en: Cards, zh: 卡数}}
  work.hours: {type: number, unit: hour, range: [0, 1000], asked: true, label: {en: Hours, zh: 小时}}
  work.urgent: {type: boolean, asked: true, label: {en: Urgent, zh: 紧急}}
  work.model: {type: key, table: models, asked: true, label: {en: Model, zh: 模型}}
  work.layers:
    type: integer
    unit: count
    range: [1, 500]
    asked: true
    derive: lookup(models, work.model).layers
    label: {en: Layers, zh: 层数}
  work.batch:
    type: integer
    unit: count
    range: [1, 64]
    default: 4
    because: {en: A usual batch., zh: 常见批量。}
    label: {en: Batch, zh: 批量}
  work.levels:
    type: records
    max_rows: 9
    fields:
      kind: {type: enumeration, values: [day, night], label: {en: Kind, zh: 时段}}
      cards: {type: number, unit: count, range: [0, 100], label: {en: Cards, zh: 卡数}}
      price: {type: number, unit: USD, range: [0, 100], nullable: true, label: {en: Price, zh: 价格}}
    default: []
    because: {en: No levels., zh: 没有。}
    label: {en: Levels, zh: 级别}
  work.wanted:
    type: list
    max_rows: 5
    asked: true
    label: {en: Wanted, zh: 需求}
"""
TABLES = """
tables:
  models:
    title: {en: Models, zh: 模型}
    files: [models.csv]
    key: id
    max_rows: 9
    columns:
      id: {type: key, label: {en: Id, zh: 编号}}
      family: {type: text, label: {en: Family, zh: 系列}}
      layers: {type: integer, unit: count, range: [1, 500], nullable: true, label: {en: Layers, zh: 层数}}
  machines:
    title: {en: Machines, zh: 机器}
    files: [machines.csv]
    key: id
    max_rows: 9
    columns:
      id: {type: key, label: {en: Id, zh: 编号}}
      family: {type: text, label: {en: Family, zh: 系列}}
      cards: {type: integer, unit: count, range: [1, 64], label: {en: Cards, zh: 卡数}}
      price: {type: number, unit: USD, range: [0, 100], nullable: true, label: {en: Price, zh: 价格}}
"""
SOURCES = """
sources:
  a-paper: {title: A paper, url: "https://example.org/paper/1", date: "2026-11-01", kind: paper}
"""
MODELS = "id,family,layers\nsmall,a,32\nlarge,b,80\nodd,c,\n"
MACHINES = "id,family,cards,price\nm1,a,1,2\nm2,a,8,\nm3,b,8,9\nm4,b,2,1\n"


@lru_cache(maxsize=8)
def book_of(rules: str) -> tuple[Book, Catalog]:
    """A book of one file `rules/needs/case.yaml` over the facts and tables above.

    `rules` holds the sections of that file (`decisions`, `relations`, …), indented or not.
    """
    files: dict[str, str] = {
        "rules/profile/work.yaml": FACTS,
        "rules/needs/case.yaml": "id: needs.case\ntitle: {en: Case, zh: 例}\n" + dedent(rules),
        "catalog/tables.yaml": TABLES,
        "catalog/sources.yaml": SOURCES,
        "catalog/models.csv": MODELS,
        "catalog/machines.csv": MACHINES,
    }
    return load_book_from(files), load_catalog_from(files)


@lru_cache(maxsize=1)
def sample() -> tuple[Book, Catalog]:
    """The sample book: every kind of entry and of cell."""
    book = load_book(SAMPLE)
    return book, load_catalog(SAMPLE)


def values_of(book: Book, catalog: Catalog, fact: Fact) -> st.SearchStrategy[Any]:
    """Values the door lets through, the interesting ones often."""
    if fact.kind in ("list", "records", "distribution"):
        fields = [
            st.one_of(st.none(), _of_type(one.type, _keys(catalog, one.key_of)))
            if one.type.nullable
            else _of_type(one.type, _keys(catalog, one.key_of))
            for one in fact.fields
        ]
        return st.lists(st.tuples(*fields), max_size=3)
    return _of_type(fact.type, _keys(catalog, fact.key_of))


def _keys(catalog: Catalog, table: str) -> list[str]:
    return [str(row[0]) for row in catalog.tables[table].rows] if table else []


def _of_type(kind: Any, keys: list[str]) -> st.SearchStrategy[Any]:
    if keys:
        return st.sampled_from(keys)
    if kind.kind == "boolean":
        return st.booleans()
    if kind.kind == "text":
        return st.sampled_from(kind.values or ("", "a", "GPU hour"))
    if kind.integer:
        low, high = int(max(kind.low, -1e6)), int(min(kind.high, 1e6))
        near = st.integers(low, min(high, low + 12))
        return st.one_of(near, st.integers(low, high)).map(float)
    low, high = max(kind.low, -1e6), min(kind.high, 1e6)
    return st.floats(low, high, allow_nan=False).map(lambda x: x + 0.0)


def profiles(book: Book, catalog: Catalog) -> st.SearchStrategy[dict[str, Any]]:
    """Given facts with some left out."""
    optional = {
        path: st.one_of(st.none(), values_of(book, catalog, fact))
        for path, fact in book.facts.items()
    }
    return st.fixed_dictionaries(optional).map(
        lambda given: {path: value for path, value in given.items() if value is not None}
    )
