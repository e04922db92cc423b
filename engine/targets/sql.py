"""The SQL target: one query for scalar decisions and advice, one per relation and per ranking.

The queries read these tables. `profiles`: `profile_id` and one column per fact (its dotted path
quoted; DOUBLE, BOOLEAN or VARCHAR; a list fact a list of structs; NULL: missing). `parameters`:
one row, a column per parameter. `catalog_<name>`: the columns of the table's schema and
`row_number`, from 0. They answer with `fact:<path>`, `decision:<id>`, `decision:<id>.<output>`
and `advice:<id>.<row>` columns; a relation with a row per profile and row (`at`, a row number per
source `at:<alias>`, then `column:<name>`); a ranking with `order`, `undecided`, `pareto` per
profile. Unknown is NULL; the order of a relation that cannot be known is NULL, its rows are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.book.model import Book
from engine.targets.sql_columns import LIST_KINDS, advice_column, decision_column, output_names
from engine.targets.sql_dialects import dialect as dialect_named
from engine.targets.sql_dialects import refusal, translate
from engine.targets.sql_program import Program
from engine.targets.sql_rankings import RankedRows
from engine.targets.sql_relations import RelationRows
from engine.targets.sql_rows import AT
from engine.targets.sql_text import quoted


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the computation: a temporary table, or a CTE of a single query.

    `narrow` has only the columns that other stages read; `text` all of them.
    """

    name: str
    text: str
    narrow: str


@dataclass(frozen=True, slots=True)
class SqlProgram:
    """A compiled book.

    `text`, `relations` and `rankings` are whole queries. The same work in steps: create a
    temporary table per entry of `stages`, in order, then run `final` (`scalars`,
    `relation <id>`, `ranking <id>`); shared rows are then computed once. `unknown`: for each
    relation that may be unknown, a query of the profiles where it is.
    """

    dialect: str
    text: str
    relations: Mapping[str, str]
    rankings: Mapping[str, str]
    stages: tuple[Stage, ...]
    final: Mapping[str, str]
    unknown: Mapping[str, str]


def compile_sql(
    book: Book, *, dialect: str = "duckdb", select: Sequence[str] | None = None
) -> SqlProgram:
    """The queries of a book, or of the decisions, advice, relations and rankings selected.

    Raises ProblemError (B801) for what the dialect cannot say, naming the entry, and LookupError
    for an id the book does not have.
    """
    program = Program(book, dialect_named(dialect))
    _check_names(book, dialect)
    entries = _entries(book, select)
    for kind, name in entries:
        program.compile_entry(kind, name)
    if select is None:
        for path, fact in book.facts.items():
            if fact.kind not in LIST_KINDS:
                program.fact(path)
    stages = _stages(program)
    columns = map(quoted, _outputs(program, entries, select is None))
    final = {"scalars": program.scalars().rows(columns)}
    for kind, name in entries:
        if kind == "relation":
            rows = program.relations[name]
            listed = ", ".join(["profile_id", AT, *map(quoted, rows.output_columns())])
            text = f"SELECT {listed}\nFROM {quoted(rows.stage)}\nORDER BY profile_id, {AT}"
            final[f"relation {name}"] = text
        elif kind == "ranking":
            final[f"ranking {name}"] = program.rankings[name].outcome_text()
    queries = {name: _compose(stages, text) for name, text in final.items()}
    return SqlProgram(
        dialect,
        translate(queries["scalars"], dialect),
        {name: queries[f"relation {name}"] for kind, name in entries if kind == "relation"},
        {name: queries[f"ranking {name}"] for kind, name in entries if kind == "ranking"},
        stages,
        final,
        {
            name: _compose(stages, f"SELECT profile_id FROM {quoted(f'unknown {name}')}")
            for kind, name in entries
            if kind == "relation" and program.relations[name].may_be_unknown
        },
    )


def _entries(book: Book, select: Sequence[str] | None) -> list[tuple[str, str]]:
    """What to compile, in dependency order."""
    kinds = {
        "decision": book.decisions, "advice": book.advice,
        "relation": book.relations, "ranking": book.rankings,
    }  # fmt: skip
    named = [(kind, name) for kind, names in kinds.items() for name in names]
    if select is not None:
        missing = sorted(set(select) - {name for _, name in named})
        if missing:
            raise LookupError(f"the book has no {', '.join(missing)}")
        named = [entry for entry in named if entry[1] in select]
    ordered = [entry for entry in book.order if entry in set(named)]
    return ordered + [entry for entry in named if entry not in set(ordered)]


def _outputs(program: Program, entries: Iterable[tuple[str, str]], facts: bool) -> list[str]:
    book = program.book
    columns = []
    if facts:
        paths = [path for path, fact in book.facts.items() if fact.kind not in LIST_KINDS]
        columns = [f"fact:{path}" for path in paths]
    for kind, name in entries:
        if kind == "decision":
            outputs = output_names(book.decisions[name].body)
            columns += [decision_column(name, output) for output in outputs]
        elif kind == "advice":
            columns += [advice_column(name, row.id) for row in book.advice[name].rows]
    return columns


def _stages(program: Program) -> tuple[Stage, ...]:
    """Every stage, each after those it reads."""
    stages = [_same(f"list:{name}", text) for name, text in _catalog_lists(program)]
    scalars = program.scalars()
    for level in range(len(program.frame.starts)):
        stages += [
            _same(stage.name, scalars.text(stage))
            for stage in scalars.stages
            if stage.level == level
        ]
        for item in program.compiled:
            if item.base == level:
                stages += _row_stages(item)
    return tuple(stages)


def _row_stages(item: RelationRows | RankedRows) -> list[Stage]:
    if isinstance(item, RankedRows):
        stages = [_same(item.stage, item.text())]
        return [*stages, _same(item.best_stage, item.best_text())] if item.wanted else stages
    stages = []
    if item.may_be_unknown:
        stages.append(_same(item.unknown_stage, item.unknown_text()))
    narrow = item.read_columns()
    wide = list(dict.fromkeys([*item.output_columns(), *narrow]))
    stages.append(Stage(item.stage, item.rows_text(wide), item.rows_text(narrow)))
    stages.append(_same(item.list_stage, item.list_text()))
    stages += [_same(group.stage, group.text()) for group in item.groups.values()]
    return stages


def _catalog_lists(program: Program) -> Iterable[tuple[str, str]]:
    for table, wanted in program.catalog_lists.items():
        fields = ", ".join(f"'{name}': {quoted(name)}" for name in wanted)
        items = "{" + (fields or "'row_number': row_number") + "}"
        source = quoted(f"catalog_{table}")
        yield table, f"SELECT coalesce(list({items} ORDER BY row_number), []) AS rows FROM {source}"


def _same(name: str, text: str) -> Stage:
    return Stage(name, text, text)


def _compose(stages: Sequence[Stage], final: str) -> str:
    """One query: the stages it needs as CTEs, kept in memory when read more than once."""
    texts: dict[str, str] = {}
    readers = [final]
    for stage in reversed(stages):
        name = quoted(stage.name)
        if any(name in text for text in readers):
            text = stage.text if name in final else stage.narrow
            texts[stage.name] = text
            readers.append(text)
    parts = []
    for stage in stages:
        if stage.name in texts:
            name = quoted(stage.name)
            once = sum(text.count(name) for text in readers) == 1
            kept = "NOT MATERIALIZED" if once else "MATERIALIZED"
            parts.append(f"{name} AS {kept} (\n{texts[stage.name]})")
    return f"WITH {', '.join(parts)}\n{final}" if parts else final


def _check_names(book: Book, dialect: str) -> None:
    """Column names of SQL ignore case: two that differ in nothing else cannot both be columns."""
    tables = {"profiles": ["profile_id", *book.facts], "parameters": list(book.parameters)}
    for name, schema in book.tables.items():
        tables[f"catalog_{name}"] = ["row_number", *(column.name for column in schema.columns)]
    for table, names in tables.items():
        seen: dict[str, str] = {}
        for name in names:
            if name.lower() in seen:
                other = seen[name.lower()]
                raise refusal(f"{other} and {name} are one column name in {table}", dialect)
            seen[name.lower()] = name
