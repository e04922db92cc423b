"""The declaration of the catalog: tables the rules may read, and where their rows come from."""

from __future__ import annotations

from dataclasses import dataclass

from engine.book.model import TableColumn, TableSchema
from engine.book.problems import Findings, no_such, refuse
from engine.book.sections import plain_text, texts
from engine.book.shape import check_shape, load_schema
from engine.book.value_types import value_type
from engine.book.yaml_reader import Located, read_yaml


@dataclass(frozen=True, slots=True)
class Ages:
    """How old the prices `of` a date may be: `fresh` holds (column, value, parameter) in order.

    The first entry whose column has its value names the days; one without a column fits every row.
    """

    of: tuple[str, ...]
    fresh: tuple[tuple[str, str, str], ...]
    stale: str


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """How a column is read: `header` in the CSV, `kind` as declared, `table` a key must be in."""

    name: str
    header: str
    kind: str
    table: str = ""
    observed: bool = False
    ages: Ages | None = None


@dataclass(frozen=True, slots=True)
class TableFiles:
    """Where the rows of a table come from; paths and globs are relative to the catalog."""

    name: str
    files: tuple[str, ...]
    pivot: tuple[str, ...]
    columns: tuple[ColumnSource, ...]
    ignore: tuple[str, ...]
    alias_file: str = ""
    alias_column: str = ""


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declared tables, as the rules see them and as the catalog reads them."""

    schemas: dict[str, TableSchema]
    files: dict[str, TableFiles]


def read_declaration(text: str | bytes, name: str, findings: Findings) -> Declaration:
    """Reads catalog/tables.yaml; problems go to `findings`."""
    declaration = Declaration({}, {})
    with findings.collecting():
        located = read_yaml(text, name)
        problems = check_shape(located, load_schema("tables.schema.json"))
        findings.problems.extend(problems)
        if problems:
            return declaration
        tables: dict[str, Located] = located.value["tables"].value
        for table, body in tables.items():
            with findings.collecting():
                _table(table, body, tables, declaration)
    return declaration


def _table(
    name: str, located: Located, tables: dict[str, Located], declaration: Declaration
) -> None:
    body: dict[str, Located] = located.value
    if "files" not in body and "pivot" not in body:
        raise refuse("B080", f'the table "{name}" has no files', located.where, "files or pivot")
    columns: list[TableColumn] = []
    sources: list[ColumnSource] = []
    for column, item in body["columns"].value.items():
        spec: dict[str, Located] = item.value
        nullable = "nullable" in spec and spec["nullable"].value is True
        observed = "observed" in spec and spec["observed"].value is True
        kind: str = spec["type"].value
        if "table" in spec and spec["table"].value not in tables:
            raise no_such("catalog table", spec["table"].value, spec["table"].position, tables)
        if "table" in spec and kind != "key":
            raise refuse("B080", "`table` goes with the type key", spec["table"].where)
        if observed and kind != "date":
            raise refuse("B080", "`observed` goes with the type date", spec["observed"].where)
        type_ = value_type(spec, item.where).with_nullable(nullable)
        columns.append(TableColumn(column, type_, plain_text(spec["label"]), kind == "date"))
        header = spec["from"].value if "from" in spec else column
        table = spec["table"].value if "table" in spec else ""
        ages = _ages(spec["ages"], kind, body["columns"].value) if "ages" in spec else None
        sources.append(ColumnSource(column, header, kind, table, observed, ages))
    key: str = body["key"].value
    own = next((one for one in sources if one.name == key), None)
    if own is None or own.kind != "key" or own.table:
        raise refuse(
            "B080", f'"{key}" is not a key column', body["key"].position,
            "a column of type key without `table`",
        )  # fmt: skip
    title = plain_text(body["title"])
    max_rows: int = body["max_rows"].value
    alias_file, alias_column = "", ""
    if "aliases" in body:
        aliases = body["aliases"]
        if aliases.is_mapping:
            alias_column = aliases.value["column"].value
        else:
            alias_file = aliases.value
    declaration.schemas[name] = TableSchema(name, key, tuple(columns), max_rows, title)
    declaration.files[name] = TableFiles(
        name,
        texts(body.get("files")),
        texts(body.get("pivot")),
        tuple(sources),
        texts(body.get("ignore")),
        alias_file,
        alias_column,
    )


def _ages(located: Located, kind: str, columns: dict[str, Located]) -> Ages:
    """The `ages` of a date column; every column it names must be one of the table."""
    if kind != "date":
        raise refuse("B080", "`ages` goes with the type date", located.where)
    body: dict[str, Located] = located.value
    fresh: list[tuple[str, str, str]] = []
    for item in body["fresh"].value:
        rule: dict[str, Located] = item.value
        column = rule["column"].value if "column" in rule else ""
        if column and column not in columns:
            raise no_such("column", column, rule["column"].position, columns)
        value = rule["value"].value if "value" in rule else ""
        fresh.append((column, value, rule["days"].value))
    for name in body["of"].value:
        if name.value not in columns:
            raise no_such("column", name.value, name.position, columns)
    return Ages(texts(body["of"]), tuple(fresh), body["stale"].value)
