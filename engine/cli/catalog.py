"""`catalog TABLE [filters]` and `catalog check`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.book.dates import date_text, day_number
from engine.book.model import TableColumn, TableSchema
from engine.cli.console import Console, Parser, add_common, positive
from engine.cli.messages import usage_problem
from engine.language.problems import ProblemError

# What stands behind a figure of a status other than confirmed.
_MARKS = {"unseen": " ?", "conflict": " !", "confirmed_with_conflict": " !"}
_FILTER = re.compile(r"([A-Za-z_]\w*)\s*(<=|>=|!=|=|<|>)\s*(.*)")
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")

Row = tuple[Any, ...]


def parser(language: str) -> Parser:
    found = Parser("catalog", language)
    found.add_argument("table", metavar="TABLE", nargs="?", help=found.text("help_table"))
    found.add_argument("filters", metavar="FILTER", nargs="*", help=found.text("help_filter"))
    found.add_argument("--columns", metavar="A,B", help=found.text("help_columns"))
    found.add_argument("--sort", metavar="COLUMN", help=found.text("help_sort"))
    found.add_argument("--descending", action="store_true", help=found.text("help_descending"))
    found.add_argument("--limit", type=positive, metavar="N", help=found.text("help_limit"))
    add_common(found, ("text", "json", "csv", "markdown"))
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.table == "check":
        from engine.cli.catalog_check import check

        if arguments.filters:
            name = arguments.filters[0]
            raise ProblemError(
                usage_problem("unknown_option", console.language, name=name, hint="")
            )
        return check(arguments, console)
    from engine.cli.inputs import open_book

    bundle = open_book(arguments.book, console)
    views = bundle.book.report.get("catalog", {})
    if arguments.table is None:
        for name, listed in bundle.book.tables.items():
            title = listed.title.in_language(console.language)
            count = len(bundle.catalog.tables[name].rows)
            short = next((view for view, spec in views.items() if spec["table"] == name), name)
            console.print(f"{short:<22} {count:>6}  {title}")
        return 0
    view = views.get(arguments.table, {"table": arguments.table})
    schema = bundle.book.tables.get(view["table"])
    if schema is None:
        raise _unknown("unknown_table", arguments.table, [*views, *bundle.book.tables], console)
    rows = list(bundle.catalog.tables[schema.name].rows)
    total = len(rows)
    for text in arguments.filters:
        test = _filter(text, schema, console)
        rows = [row for row in rows if test(row)]
    rows = _sorted(rows, arguments, schema, console)
    if arguments.limit:
        rows = rows[: arguments.limit]
    columns = _columns(arguments, view, schema, console)
    flags = bundle.catalog.tables[schema.name].flags
    _print(rows, columns, schema, flags, arguments.format, console)
    console.note("rows", count=len(rows), total=total)
    return 0


def _unknown(
    name: str, text: str, choices: Sequence[str], console: Console, **values: str
) -> ProblemError:
    from engine.readers.hints import did_you_mean

    hint = did_you_mean(text, choices, console.language) or ", ".join(dict.fromkeys(choices))
    return ProblemError(usage_problem(name, console.language, name=text, hint=hint, **values))


def _column(name: str, schema: TableSchema, console: Console) -> tuple[int, TableColumn]:
    for number, column in enumerate(schema.columns):
        if column.name == name:
            return number, column
    names = [column.name for column in schema.columns]
    raise _unknown("unknown_column", name, names, console, table=schema.name)


def _filter(text: str, schema: TableSchema, console: Console) -> Callable[[Row], bool]:
    """`column=value` and the like; texts match without regard to case, `*` stands for anything."""
    parts = _FILTER.fullmatch(text.strip())
    if parts is None:
        raise ProblemError(
            usage_problem(
                "bad_value", console.language, name="FILTER", value=text,
                hint="memory_gib>=80, vendor=nvidia",
            )
        )  # fmt: skip
    number, column = _column(parts[1], schema, console)
    wanted: Any = parts[3].strip()
    compare = _ORDERS[parts[2]]
    if column.date:
        wanted = day_number(wanted)
    elif column.type.kind == "number":
        wanted = float(wanted) if _NUMBER.fullmatch(wanted) else None
    elif column.type.kind == "boolean":
        wanted = {"true": True, "false": False}.get(wanted)
    elif parts[2] in ("=", "!="):
        return _text_filter(number, parts[2], wanted)
    else:  # texts have no order
        raise ProblemError(
            usage_problem(
                "bad_value", console.language, name="FILTER", value=text,
                hint=f"{column.name}=…", expected="=, !=",
            )
        )  # fmt: skip
    if wanted is None:
        raise ProblemError(
            usage_problem("bad_value", console.language, name=column.name, value=parts[3], hint="")
        )
    return lambda row: row[number] is not None and compare(row[number], wanted)


def _text_filter(number: int, operator: str, wanted: str) -> Callable[[Row], bool]:
    from fnmatch import fnmatchcase

    pattern = wanted.lower()

    def test(row: Row) -> bool:
        if row[number] is None:
            return False
        held = fnmatchcase(str(row[number]).lower(), pattern)
        return not held if operator == "!=" else held

    return test


def _sorted(
    rows: list[Row], arguments: argparse.Namespace, schema: TableSchema, console: Console
) -> list[Row]:
    """Missing values last in either direction."""
    if not arguments.sort:
        return rows
    number, _ = _column(arguments.sort, schema, console)
    known = [row for row in rows if row[number] is not None]
    known.sort(key=lambda row: row[number], reverse=arguments.descending)
    return known + [row for row in rows if row[number] is None]


def _columns(
    arguments: argparse.Namespace,
    view: Mapping[str, Any],
    schema: TableSchema,
    console: Console,
) -> list[int]:
    if arguments.columns:
        names = [name.strip() for name in arguments.columns.split(",")]
    elif arguments.format in ("json", "csv") or "columns" not in view:
        return list(range(len(schema.columns)))
    else:
        names = list(view["columns"])
    return [_column(name, schema, console)[0] for name in names]


def _plain(value: Any, column: TableColumn) -> Any:
    if value is not None and column.date:
        return date_text(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _print(
    rows: Sequence[Row],
    numbers: Sequence[int],
    schema: TableSchema,
    flags: Mapping[str, Mapping[str, str]],
    form: str,
    console: Console,
) -> None:
    """The rows; figures that no page confirms or that pages disagree on carry their status."""
    columns = [schema.columns[number] for number in numbers]
    cells = [[_plain(row[number], schema.columns[number]) for number in numbers] for row in rows]
    names = [column.name for column in columns]
    key = next(n for n, column in enumerate(schema.columns) if column.name == schema.key)
    marks = [
        {name: status for name, status in flags.get(str(row[key]), {}).items() if name in names}
        for row in rows
    ]
    if form == "json":
        found = [
            {**dict(zip(names, row, strict=True)), **({"unconfirmed": mark} if mark else {})}
            for row, mark in zip(cells, marks, strict=True)
        ]
        console.print_json(found)
        return
    if form == "csv":
        import csv

        writer = csv.writer(console.out, lineterminator="\n")
        marked = any(marks)
        writer.writerow([*names, "unconfirmed"] if marked else names)
        for row, mark in zip(cells, marks, strict=True):
            told = "|".join(f"{name}:{status}" for name, status in mark.items())
            written = ["" if cell is None else cell for cell in row]
            writer.writerow([*written, told] if marked else written)
        return
    from engine.report.blocks import Section, Table
    from engine.report.markdown import render_markdown
    from engine.report.text import render_text

    table = Table(
        tuple(names),
        tuple(
            tuple(
                _shown(cell) + _MARKS.get(mark.get(name, ""), "")
                for name, cell in zip(names, row, strict=True)
            )
            for row, mark in zip(cells, marks, strict=True)
        ),
        tuple(column.type.kind == "number" and not column.date for column in columns),
    )
    section = Section(schema.name, schema.title.in_language(console.language), (table,))
    if form == "markdown":
        console.print(render_markdown([section], section.title))
    else:
        console.print(render_text([section], console.style()))
    if any(marks):
        console.note("marks")


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
