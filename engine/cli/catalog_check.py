"""`catalog check`: shape, references and provenance of every row, and how old the prices are."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.book.dates import date_text
from engine.book.model import Catalog, TableSchema
from engine.book.tables import Ages
from engine.cli.catalog_ages import by_band, by_days, declared, limits, without_source
from engine.cli.console import Console
from engine.language.problems import Problem

_SHOWN = 5  # warnings of one code; the JSON has them all


@dataclass(frozen=True, slots=True)
class _Checked:
    """What there is to report; `values` is empty where the rule book could not be read."""

    catalog: Catalog
    schemas: Mapping[str, TableSchema]
    problems: Sequence[Problem]
    ages: Mapping[str, Mapping[str, Ages]]
    values: Mapping[str, float]


def check(arguments: argparse.Namespace, console: Console) -> int:
    """Prints every problem; 1 when there is an error or no row at all."""
    from engine.book.catalog import check_catalog
    from engine.book.files import default_root
    from engine.book.load import load_tables

    root = Path(arguments.book or default_root())
    catalog, problems = check_catalog(root)
    ages = declared(root)
    values: dict[str, float] = {}
    if not _errors(problems) and any(ages.values()):
        from engine.cli.inputs import open_book

        values, missing = limits(ages, open_book(arguments.book, console).book.parameters)
        problems = [*problems, *missing]
        values = {} if missing else values
    checked = _Checked(catalog, load_tables(root), problems, ages, values)
    rows = sum(len(table.rows) for table in catalog.tables.values())
    if arguments.format == "json":
        console.print_json(_data(checked))
    else:
        _print(checked, console)
    if rows == 0:
        console.note("nothing_checked")
    return 1 if _errors(problems) or rows == 0 else 0


def _errors(problems: Sequence[Problem]) -> int:
    return sum(problem.severity == "error" for problem in problems)


def _print(checked: _Checked, console: Console) -> None:
    from engine.report.problems import render_problems

    catalog, problems = checked.catalog, checked.problems
    shown, hidden = _first_of_each(problems)
    if shown:
        console.err.write(render_problems(shown, {}, console.language, console.error_style()))
    for code, count in hidden.items():
        console.note("more_findings", code=code, count=count)
    console.print(f"{date_text(catalog.oldest)} – {date_text(catalog.newest)}")
    for name, schema in checked.schemas.items():
        title = schema.title.in_language(console.language)
        console.print(f"{name:<22} {len(catalog.tables[name].rows):>6}  {title}")
        bands = _bands(checked, schema)
        for column, counts in bands.items():
            listed = "; ".join(
                f"{console.say(f'band_{band}')}: {count}" for band, count in counts.items() if count
            )
            console.print(f"  {column}: {listed}")
        for column, counts in by_days(catalog, schema).items():
            if column not in bands:
                listed = ", ".join(f"{age}: {count}" for age, count in counts.items() if count)
                console.print(f"  {column}: {listed}")
        unsourced = without_source(catalog, schema)
        if unsourced:
            console.print("  " + console.say("without_source", count=unsourced))
    for parameter, value in checked.values.items():
        console.print(f"{parameter} = {value:g}")
    errors = _errors(problems)
    name = "check_failed" if problems else "check_passed"
    rows = sum(len(table.rows) for table in catalog.tables.values())
    console.print(console.say(name, errors=errors, warnings=len(problems) - errors, count=rows))


def _bands(checked: _Checked, schema: TableSchema) -> dict[str, dict[str, int]]:
    if not checked.values:
        return {}
    return by_band(checked.catalog, schema, checked.ages.get(schema.name, {}), checked.values)


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


def _data(checked: _Checked) -> dict[str, object]:
    from engine.report.problems import findings_data

    catalog = checked.catalog
    return {
        "newest": date_text(catalog.newest),
        "oldest": date_text(catalog.oldest),
        "digest": catalog.digest,
        "limits": dict(checked.values),
        "tables": {
            name: {
                "rows": len(catalog.tables[name].rows),
                "ages": by_days(catalog, schema),
                "bands": _bands(checked, schema),
                "without_source": without_source(catalog, schema),
            }
            for name, schema in checked.schemas.items()
        },
        "problems": findings_data(checked.problems),
    }
