"""The shipped catalog for the data tests: rows by name of column, files as they are written."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from engine.book.catalog import check_catalog
from engine.book.model import Catalog
from engine.book.problems import Findings
from engine.book.tables import read_declaration

ROOT = Path(__file__).resolve().parents[2]
CATALOG = ROOT / "catalog"


@cache
def catalog() -> Catalog:
    """The catalog; fails with every problem when it does not load."""
    loaded, problems = check_catalog(ROOT)
    errors = [str(problem) for problem in problems if problem.severity == "error"]
    assert not errors, "\n".join(errors)
    return loaded


@cache
def columns(table: str) -> tuple[str, ...]:
    text = (CATALOG / "tables.yaml").read_bytes()
    declared = read_declaration(text, "catalog/tables.yaml", Findings())
    return tuple(column.name for column in declared.schemas[table].columns)


@cache
def rows(table: str) -> tuple[dict[str, Any], ...]:
    """Rows of a table as the rules see them; missing is None, dates are day numbers."""
    return tuple(
        dict(zip(columns(table), row, strict=True)) for row in catalog().tables[table].rows
    )


def by_id(table: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows(table)}


@cache
def lines(path: str) -> tuple[dict[str, str], ...]:
    """A CSV file of the catalog as written, cells as text."""
    with (CATALOG / path).open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def sources() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((CATALOG / "sources.yaml").read_text("utf-8"))
    return content


def plain(name: str) -> str:
    """A name without case, spaces, hyphens and underscores: how people vary it."""
    return name.lower().replace(" ", "").replace("-", "").replace("_", "")
