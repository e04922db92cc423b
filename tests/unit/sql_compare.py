"""Comparing the SQL target with the reference, bit for bit."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.book.catalog import load_catalog_from
from engine.book.load import load_book_from
from engine.book.model import Book, Catalog, Fact
from engine.language.types import Type
from engine.reference import Reference
from engine.targets.sql import compile_sql
from engine.targets.sql_run import connect, outcomes
from tests.unit.reference_book import FACTS, MACHINES, MODELS, TABLES

PARAMETERS = """
id: parameters.work
title: {en: Numbers, zh: 数值}
parameters:
  one_hour: {title: {en: Hour, zh: 时}, value: 1, unit: hour, range: [1, 1], source: [paper], as_of: "2026-11-30", review_by: "2027-11-30", rationale: {en: "A unit.", zh: 单位。}}
  least_price: {title: {en: Least, zh: 最低}, value: 5, unit: count, range: [1, 20], source: [paper], as_of: "2026-11-30", review_by: "2027-11-30", rationale: {en: "A guess.", zh: 估计。}}
  steps_of_two: {title: {en: Steps, zh: 级}, steps: [1, 2, 4, 8], unit: count, source: [paper], as_of: "2026-11-30", review_by: "2027-11-30", rationale: {en: "Sizes.", zh: 规格。}}
"""  # noqa: E501
SOURCES = """
sources:
  paper: {title: A paper, url: "https://example.org/paper", date: "2026-11-30", kind: paper}
"""
CONSTRUCTS = Path(__file__).resolve().parents[1] / "data" / "constructs"
LISTS = ("list", "records", "distribution")


def constructs(name: str) -> str:
    """A rule file that uses every construct of one kind."""
    return (CONSTRUCTS / f"{name}.yaml").read_text(encoding="utf-8")


@lru_cache(maxsize=16)
def book_of(rules: str) -> tuple[Book, Catalog]:
    """A book of one file `rules/needs/case.yaml`; every price is a plain count here."""
    files: dict[str, str] = {
        "rules/profile/work.yaml": FACTS.replace("unit: USD", "unit: count"),
        "rules/parameters/work.yaml": PARAMETERS,
        "rules/needs/case.yaml": rules,
        "catalog/sources.yaml": SOURCES,
        "catalog/tables.yaml": TABLES.replace("unit: USD", "unit: count"),
        "catalog/models.csv": MODELS,
        "catalog/machines.csv": MACHINES,
    }
    return load_book_from(files), load_catalog_from(files)


def bits(value: Any) -> Any:
    """The value with every number as its eight bytes; lists and tuples are alike."""
    if isinstance(value, dict):
        return {name: bits(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [bits(part) for part in value]
    return struct.pack("<d", value) if isinstance(value, float) else (type(value), value)


def differences(
    book: Book, catalog: Catalog, profiles: Sequence[Mapping[str, Any]], *, staged: bool = True
) -> list[str]:
    """Where SQL and reference differ; profiles the reference refuses are left out."""
    expected, kept = [], []
    for given in profiles:
        try:
            expected.append(Reference(book, catalog, given).outcome())
        except ValueError:  # a `where` over an unknown cell, too many rows
            continue
        kept.append(given)
    assert len(kept) * 2 > len(profiles), "the reference refused most of the profiles"
    program = compile_sql(book)
    found = outcomes(connect(threads=1), book, program, kept, tables=catalog.tables, staged=staged)
    return [
        f"{given}\n  {part} {name}: sql {theirs[part].get(name)!r}, reference {value!r}"
        for given, ours, theirs in zip(kept, expected, found, strict=True)
        for part in ours
        for name, value in ours[part].items()
        if bits(value) != bits(theirs[part].get(name))
    ]


def random_profiles(
    book: Book, catalog: Catalog, count: int, seed: int
) -> list[dict[str, float | bool | str | list[tuple[Any, ...]]]]:
    """Profiles as the door leaves them, some full, some nearly empty."""
    rng = random.Random(seed)
    return [_profile(rng, book, catalog) for _ in range(count)]


def _profile(rng: random.Random, book: Book, catalog: Catalog) -> dict[str, Any]:
    missing = rng.choice([0.0, 0.1, 0.3, 0.8])
    given: dict[str, Any] = {}
    for path, fact in book.facts.items():
        if rng.random() >= missing and (fact.asked or rng.random() < 0.7):
            given[path] = _fact_value(rng, fact, catalog)
    return given


def _fact_value(rng: random.Random, fact: Fact, catalog: Catalog) -> Any:
    if fact.kind not in LISTS:
        return _value(rng, fact.type, catalog, fact.key_of)
    rows = min(fact.max_rows, rng.choice([0, 1, 2, 5]))
    return [
        tuple(
            None
            if part.type.nullable and rng.random() < 0.2
            else _value(rng, part.type, catalog, part.key_of)
            for part in fact.fields
        )
        for _ in range(rows)
    ]


def _value(rng: random.Random, kind: Type, catalog: Catalog, key_of: str) -> float | bool | str:
    if key_of:
        return str(rng.choice(catalog.tables[key_of].rows)[0])
    if kind.kind == "boolean":
        return rng.random() < 0.5
    if kind.kind == "text":
        return rng.choice(kind.values or ("", "a", "m1", "GPU hour", "it's"))
    low, high = max(kind.low, -1e6), min(kind.high, 1e6)
    near = rng.uniform(low, min(high, low + 20))
    value = rng.choice([low, high, near, near, round(near), rng.uniform(low, high)])
    value = float(min(max(round(value) if kind.integer else value, low), high))
    return value + 0.0
