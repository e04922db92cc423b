"""Loads the catalog: CSV files as declared in catalog/tables.yaml, every cell checked.

An empty cell is a missing value (None), never 0. Codes: C001 to C003 files, C004 unknown column,
C005 key, C006 missing value, C007 wrong kind or form, C008 out of range, C009 not in the list,
C010 reference to nothing, C011 aliases, C012 too many rows, C013 pivot; W010 a figure that is
in conflict or was not seen (a warning).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from engine.book.cells import Reader, reader_for
from engine.book.csv_reader import CsvFile, read_csv
from engine.book.files import SOURCES, TABLES, catalog_files, digest_of
from engine.book.model import Catalog, TableData, TableSchema
from engine.book.problems import Findings
from engine.book.sources import read_sources
from engine.book.tables import Declaration, TableFiles, read_declaration
from engine.language.problems import Position, Problem, ProblemError
from engine.language.suggest import did_you_mean
from engine.language.units import parse_unit

PIVOT_COLUMNS = (
    "id", "figure", "value", "unit", "status", "evidence", "source", "date", "other_values",
)  # fmt: skip
STATUSES = (
    "confirmed", "filled", "corrected", "confirmed_with_conflict", "conflict", "unseen",
)  # fmt: skip
REPORTED = frozenset(("confirmed_with_conflict", "conflict", "unseen"))

Value = float | bool | str | None


def load_catalog(root: Path) -> Catalog:
    """The catalog under a root. Raises ProblemError with every problem found."""
    return load_catalog_from(catalog_files(root))


def check_catalog(root: Path) -> tuple[Catalog, list[Problem]]:
    """The catalog and every problem and warning, for `catalog check`."""
    return catalog_from(catalog_files(root))


def load_catalog_from(files: Mapping[str, str | bytes]) -> Catalog:
    """A catalog from texts by path (`catalog/tables.yaml`, `catalog/models.csv`, …)."""
    catalog, problems = catalog_from(files)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise ProblemError(errors)
    return catalog


def catalog_from(files: Mapping[str, str | bytes]) -> tuple[Catalog, list[Problem]]:
    """A catalog from texts by path, and what is wrong with it."""
    findings = Findings()
    declaration = Declaration({}, {})
    if TABLES in files:
        declaration = read_declaration(files[TABLES], TABLES, findings)
    sources = read_sources(files[SOURCES], SOURCES, findings) if SOURCES in files else {}
    tables: dict[str, _Table] = {}
    for name, schema in declaration.schemas.items():
        table = _Table(schema, declaration.files[name])
        tables[name] = table
        with findings.collecting():
            _read_table(table, files, findings)
    for table in tables.values():
        _check_references(table, tables, sources, findings)
    days = [day for table in tables.values() for day in _observed(table)]
    catalog = Catalog(
        {name: table.data() for name, table in tables.items()},
        digest_of(files),
        int(max(days, default=0)),
        int(min(days, default=0)),
    )
    return catalog, sorted(findings.problems, key=lambda problem: problem.position)


@dataclass
class _Table:
    """A table while it is read: values by key and column, and the place of each row's key."""

    schema: TableSchema
    files: TableFiles
    rows: dict[str, dict[str, Value]] = field(default_factory=dict)
    places: dict[str, Position] = field(default_factory=dict)
    lines: dict[str, tuple[CsvFile, int, dict[str, int]]] = field(default_factory=dict)
    cells: dict[tuple[str, str], tuple[CsvFile, int, int]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    flags: dict[str, dict[str, str]] = field(default_factory=dict)
    refused: set[tuple[str, str]] = field(default_factory=set)

    def data(self) -> TableData:
        names = [column.name for column in self.schema.columns]
        rows = tuple(tuple(row.get(name) for name in names) for row in self.rows.values())
        return TableData(rows, self.aliases, self.flags)

    def place(self, key: str, column: str) -> Position:
        if (key, column) in self.cells:
            file, line, index = self.cells[key, column]
            return file.place(line, index)
        if key in self.lines and column in self.lines[key][2]:
            file, line, indices = self.lines[key]
            return file.place(line, indices[column])
        return self.places[key]


def _matching(patterns: tuple[str, ...], files: Mapping[str, Any]) -> list[str]:
    paths = sorted(path for path in files if path.endswith(".csv"))
    return [
        path for pattern in patterns for path in paths if fnmatchcase(path, f"catalog/{pattern}")
    ]


def _read_table(table: _Table, files: Mapping[str, str | bytes], findings: Findings) -> None:
    spec = table.files
    readers = {
        source.header: (source.name, reader_for(source, column.type), column)
        for source, column in zip(spec.columns, table.schema.columns, strict=True)
    }
    for pattern in (*spec.files, *spec.pivot):
        if not _matching((pattern,), files):
            findings.add("C001", f'no file matches "{pattern}"', Position(TABLES), "a CSV file")
    for path in dict.fromkeys(_matching(spec.files, files)):
        with findings.collecting():
            _read_wide(table, read_csv(files[path], path, findings), readers, findings)
    for path in dict.fromkeys(_matching(spec.pivot, files)):
        with findings.collecting():
            _read_pivot(table, read_csv(files[path], path, findings), readers, findings)
    for key, row in table.rows.items():
        for column in table.schema.columns:
            if column.type.nullable or (key, column.name) in table.refused:
                continue
            if row.get(column.name) is None:
                findings.add(
                    "C006", f'"{key}" has no {column.name}', table.place(key, column.name),
                    "a value", "declare the column `nullable: true` if it can be missing",
                )  # fmt: skip
    if len(table.rows) > table.schema.max_rows:
        findings.add(
            "C012", f'"{table.schema.name}" has {len(table.rows)} rows', Position(TABLES),
            f"at most {table.schema.max_rows}", "raise max_rows",
        )  # fmt: skip
    if spec.alias_file:
        path = f"catalog/{spec.alias_file}"
        if path not in files:
            findings.add("C001", f'"{path}" does not exist', Position(TABLES), "a CSV file")
        else:
            _read_aliases(table, read_csv(files[path], path, findings), findings)


_Readers = dict[str, tuple[str, Reader, Any]]


def _read_wide(table: _Table, file: CsvFile, readers: _Readers, findings: Findings) -> None:
    spec, key_name = table.files, table.schema.key
    columns: list[tuple[int, str, Reader]] = []
    for index, header in enumerate(file.header):
        if header in readers:
            name, reader, _ = readers[header]
            columns.append((index, name, reader))
        elif header not in spec.ignore and header != spec.alias_column:
            findings.add(
                "C004", f'the column "{header}" is not declared', file.place(1, index),
                "a column of tables.yaml, or one under `ignore`", did_you_mean(header, readers),
            )  # fmt: skip
    key_header = next(one.header for one in spec.columns if one.name == key_name)
    if key_header not in file.header:
        findings.add("C004", f'the column "{key_header}" is missing', Position(file.path, 1, 1))
        return
    absent = [
        one.header
        for one in spec.columns
        if one.header not in file.header and not readers[one.header][2].type.nullable
    ]
    if absent and not spec.pivot:
        findings.add(
            "C004", f"columns are missing: {', '.join(absent)}", Position(file.path, 1, 1),
            "every column that is not nullable",
        )  # fmt: skip
    key_index = file.header.index(key_header)
    alias_index = file.header.index(spec.alias_column) if spec.alias_column in file.header else -1
    indices = {name: index for index, name, _ in columns}
    for line, fields in file.rows:
        key = _key(table, file, line, key_index, fields[key_index].strip(), findings)
        if not key:
            continue
        row: dict[str, Value] = {}
        table.rows[key] = row
        table.lines[key] = (file, line, indices)
        for index, name, reader in columns:
            text = fields[index].strip()
            if text:
                row[name] = _value(reader, text, file, line, index, findings)
                if row[name] is None:
                    table.refused.add((key, name))
        if alias_index >= 0:
            for alias in fields[alias_index].split("|"):
                if alias.strip():
                    _alias(table, alias.strip(), key, file.place(line, alias_index), findings)


def _key(table: _Table, file: CsvFile, line: int, index: int, key: str, findings: Findings) -> str:
    where = Position(file.path, line, 1)
    if not key or not key.isascii() or not key.isprintable():
        findings.add("C005", f'"{key}" is not a key', file.place(line, index), "printable ASCII")
        return ""
    if key in table.rows:
        findings.add(
            "C005", f'the key "{key}" exists already', file.place(line, index), "a unique key",
            f"the first one is at {table.places[key]}",
        )  # fmt: skip
        return ""
    table.places[key] = where
    return key


def _value(
    reader: Reader, text: str, file: CsvFile, line: int, index: int, findings: Findings
) -> Value:
    value, code, expected = reader(text)
    if code:
        findings.add(code, f'"{text}" in {file.header[index]}', file.place(line, index), expected)
    return value


def _read_pivot(table: _Table, file: CsvFile, readers: _Readers, findings: Findings) -> None:
    places = {name: file.header.index(name) for name in PIVOT_COLUMNS if name in file.header}
    for name in ("id", "figure", "value"):
        if name not in places:
            findings.add(
                "C013", f'the column "{name}" is missing', Position(file.path, 1, 1),
                ", ".join(PIVOT_COLUMNS),
            )  # fmt: skip
            return
    own_rows = not table.files.files
    for line, fields in file.rows:
        cells = {name: fields[index].strip() for name, index in places.items()}
        key, figure = cells["id"], cells["figure"]
        if key not in table.rows:
            if not own_rows:
                findings.add(
                    "C013", f'there is no row "{key}"', file.place(line, places["id"]),
                    f'a key of "{table.schema.name}"', did_you_mean(key, table.rows),
                )  # fmt: skip
                continue
            if not _key(table, file, line, places["id"], key, findings):
                continue
            table.rows[key] = {table.schema.key: key}
        if figure not in readers:
            if figure not in table.files.ignore:
                findings.add(
                    "C013", f'the figure "{figure}" is not declared',
                    file.place(line, places["figure"]), "a column of tables.yaml",
                    did_you_mean(figure, readers),
                )  # fmt: skip
            continue
        _figure(table, file, line, places, cells, readers[figure], findings)


def _figure(
    table: _Table,
    file: CsvFile,
    line: int,
    places: dict[str, int],
    cells: dict[str, str],
    target: tuple[str, Reader, Any],
    findings: Findings,
) -> None:
    name, reader, column = target
    key = cells["id"]
    if table.rows[key].get(name) is not None:
        findings.add(
            "C013", f'"{key}" has two values for {name}', file.place(line, places["figure"]),
            "one value",
        )  # fmt: skip
        return
    table.cells[key, name] = (file, line, places["value"])
    unit = cells.get("unit", "")
    if unit:
        with findings.collecting():
            written = parse_unit(unit, file.place(line, places["unit"]))
            if column.type.kind != "number" or not written.same_as(column.type.unit):
                findings.add(
                    "C013", f'{name} is in "{unit}"', file.place(line, places["unit"]),
                    f'"{column.type.unit.symbol}" as declared', "convert the value in the file",
                )  # fmt: skip
    status = cells.get("status", "")
    if status and status not in STATUSES:
        findings.add(
            "C009", f'"{status}" is not a status', file.place(line, places["status"]),
            "one of " + ", ".join(STATUSES), did_you_mean(status, STATUSES),
        )  # fmt: skip
    if cells["value"]:
        index = places["value"]
        value = _value(reader, cells["value"], file, line, index, findings)
        table.rows[key][name] = value
        if value is None:
            table.refused.add((key, name))
    if status in REPORTED:
        table.flags.setdefault(key, {})[name] = status
        findings.add(
            "W010", f"{name} of {key} is {status}", file.place(line, places["value"]),
            severity="warning",
        )  # fmt: skip


def _read_aliases(table: _Table, file: CsvFile, findings: Findings) -> None:
    if "alias" not in file.header or "id" not in file.header:
        findings.add("C011", "aliases need the columns alias,id", Position(file.path, 1, 1))
        return
    alias_index, id_index = file.header.index("alias"), file.header.index("id")
    for line, fields in file.rows:
        place = file.place(line, alias_index)
        _alias(table, fields[alias_index].strip(), fields[id_index].strip(), place, findings)


def _alias(table: _Table, alias: str, key: str, place: Position, findings: Findings) -> None:
    if key not in table.rows:
        findings.add(
            "C011", f'the alias "{alias}" leads to "{key}", which does not exist', place,
            f'a key of "{table.schema.name}"', did_you_mean(key, table.rows),
        )  # fmt: skip
    elif table.aliases.get(alias, key) != key or (alias in table.rows and alias != key):
        findings.add("C011", f'the alias "{alias}" has two meanings', place, "one meaning")
    else:
        table.aliases[alias] = key


def _check_references(
    table: _Table, tables: Mapping[str, _Table], sources: Mapping[str, Any], findings: Findings
) -> None:
    for source in table.files.columns:
        if source.kind == "source":
            known: Mapping[str, Any] = sources
            what = "catalog/sources.yaml"
        elif source.table:
            known, what = tables[source.table].rows, f'table "{source.table}"'
        else:
            continue
        for key, row in table.rows.items():
            value = row.get(source.name)
            if isinstance(value, str) and value not in known:
                findings.add(
                    "C010", f'"{value}" is not in {what}', table.place(key, source.name),
                    "an id that exists", did_you_mean(value, known),
                )  # fmt: skip


def _observed(table: _Table) -> list[float]:
    names = [source.name for source in table.files.columns if source.observed]
    days = (row.get(name) for row in table.rows.values() for name in names)
    return [day for day in days if isinstance(day, float)]
