"""`catalog check`: shape, references and provenance of every row, and how old the prices are."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from engine.book.dates import date_text
from engine.book.model import Catalog, TableSchema
from engine.cli.console import Console
from engine.language.problems import Problem

_AGES = (30, 90, 180)
_SHOWN = 5  # warnings of one code; the JSON has them all


def check(arguments: argparse.Namespace, console: Console) -> int:
    """Prints every problem; 1 when there is an error or no row at all."""
    from engine.book.catalog import check_catalog
    from engine.book.files import default_root
    from engine.book.load import load_tables

    root = Path(arguments.book) if arguments.book else default_root()
    catalog, problems = check_catalog(root)
    schemas = load_tables(root)
    rows = sum(len(table.rows) for table in catalog.tables.values())
    errors = [problem for problem in problems if problem.severity == "error"]
    if arguments.format == "json":
        console.print_json(_data(catalog, schemas, problems))
    else:
        _print(catalog, schemas, problems, console)
    if rows == 0:
        console.note("nothing_checked")
    return 1 if errors or rows == 0 else 0


def ages(catalog: Catalog, schema: TableSchema) -> dict[str, dict[str, int]]:
    """Per observed date column: rows by age in days before the newest date, and without a date."""
    found: dict[str, dict[str, int]] = {}
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


def _print(
    catalog: Catalog,
    schemas: dict[str, TableSchema],
    problems: Sequence[Problem],
    console: Console,
) -> None:
    from engine.report.problems import render_problems

    shown, hidden = _first_of_each(problems)
    if shown:
        console.err.write(render_problems(shown, {}, console.language, console.error_style()))
    for code, count in hidden.items():
        console.note("more_findings", code=code, count=count)
    console.print(f"{date_text(catalog.oldest)} – {date_text(catalog.newest)}")
    for name, schema in schemas.items():
        title = schema.title.in_language(console.language)
        console.print(f"{name:<16} {len(catalog.tables[name].rows):>6}  {title}")
        for column, counts in ages(catalog, schema).items():
            listed = ", ".join(f"{age}: {count}" for age, count in counts.items() if count)
            console.print(f"  {column}: {listed}")
    errors = sum(problem.severity == "error" for problem in problems)
    name = "check_failed" if problems else "check_passed"
    rows = sum(len(table.rows) for table in catalog.tables.values())
    console.print(console.say(name, errors=errors, warnings=len(problems) - errors, count=rows))


def _first_of_each(problems: Sequence[Problem]) -> tuple[list[Problem], dict[str, int]]:
    """Every error, the first warnings of each code, and how many more of each there are."""
    shown: list[Problem] = []
    seen: Counter[str] = Counter()
    for problem in problems:
        seen[problem.code] += 1
        if problem.severity == "error" or seen[problem.code] <= _SHOWN:
            shown.append(problem)
    told = Counter(problem.code for problem in shown)
    return shown, {code: seen[code] - told[code] for code in seen if seen[code] > told[code]}


def _data(
    catalog: Catalog, schemas: dict[str, TableSchema], problems: Sequence[Problem]
) -> dict[str, object]:
    from engine.report.problems import findings_data

    return {
        "newest": date_text(catalog.newest),
        "oldest": date_text(catalog.oldest),
        "digest": catalog.digest,
        "tables": {
            name: {"rows": len(catalog.tables[name].rows), "ages": ages(catalog, schema)}
            for name, schema in schemas.items()
        },
        "problems": findings_data(problems),
    }
