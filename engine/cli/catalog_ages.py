"""How old prices are, by the parameters that the rules themselves judge them by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.book.files import TABLES
from engine.book.model import Catalog, Parameter, TableSchema
from engine.book.problems import Findings
from engine.book.tables import Ages, read_declaration
from engine.language.problems import Position, Problem

BANDS = ("fresh", "aging", "stale", "undated")
_AGES = (30, 90, 180)

Counts = dict[str, dict[str, int]]


def declared(root: Path) -> dict[str, dict[str, Ages]]:
    """By table and date column: which prices the date dates and which parameters limit its age."""
    text = (root / TABLES).read_bytes()
    declaration = read_declaration(text, TABLES, Findings())
    return {
        name: {column.name: column.ages for column in files.columns if column.ages}
        for name, files in declaration.files.items()
    }


def limits(
    ages: Mapping[str, Mapping[str, Ages]], parameters: Mapping[str, Parameter]
) -> tuple[dict[str, float], list[Problem]]:
    """The values of the parameters that limit ages, and a problem for each that is missing."""
    wanted = {
        name
        for columns in ages.values()
        for age in columns.values()
        for name in (age.stale, *(days for _, _, days in age.fresh))
    }
    found: dict[str, float] = {}
    problems: list[Problem] = []
    for name in sorted(wanted):
        values = [
            parameter.value
            for id, parameter in parameters.items()
            if id == name or id.endswith("." + name)
        ]
        if len(values) == 1 and isinstance(values[0], (int, float)):
            found[name] = float(values[0])
        else:
            problems.append(
                Problem(
                    "B110", f'no parameter "{name}" limits the age of a price', Position(TABLES)
                )
            )
    return found, problems


def by_days(catalog: Catalog, schema: TableSchema) -> Counts:
    """Per date column: rows by age in days before the catalog's date, and without a date."""
    found: Counts = {}
    for number, column in enumerate(schema.columns):
        if not column.date:
            continue
        counts = {f"<= {age}": 0 for age in _AGES} | {f"> {_AGES[-1]}": 0, "missing": 0}
        for row in catalog.tables[schema.name].rows:
            observed = row[number]
            if not isinstance(observed, (int, float)):
                counts["missing"] += 1
                continue
            days = catalog.newest - observed
            limit = next((age for age in _AGES if days <= age), None)
            counts[f"> {_AGES[-1]}" if limit is None else f"<= {limit}"] += 1
        found[column.name] = counts
    return found


def by_band(
    catalog: Catalog,
    schema: TableSchema,
    ages: Mapping[str, Ages],
    values: Mapping[str, float],
) -> Counts:
    """Per dated price: rows that hold one, by what the rules would call its age."""
    place = {column.name: number for number, column in enumerate(schema.columns)}
    found: Counts = {}
    for name, age in ages.items():
        counts = dict.fromkeys(BANDS, 0)
        for row in catalog.tables[schema.name].rows:
            if all(row[place[price]] is None for price in age.of):
                continue
            observed = row[place[name]]
            if not isinstance(observed, (int, float)):
                counts["undated"] += 1
                continue
            days = next(
                values[days]
                for column, value, days in age.fresh
                if not column or row[place[column]] == value
            )
            old = max(0.0, catalog.newest - observed)
            band = "fresh" if old <= days else "aging" if old <= days * values[age.stale] else ""
            counts[band or "stale"] += 1
        found[name] = counts
    return found


def without_source(catalog: Catalog, schema: TableSchema) -> int | None:
    """Rows that name no source; None where the table itself or long files hold them elsewhere."""
    number = next((n for n, column in enumerate(schema.columns) if column.name == "source"), None)
    if number is None:
        return None
    return sum(row[number] is None for row in catalog.tables[schema.name].rows)
