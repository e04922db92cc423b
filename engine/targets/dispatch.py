"""Large tables in Python: rows are split by their enumerated inputs, once, when compiling.

Each combination of values leaves a few rows, tested one after another in a function of their
own; combinations that leave the same rows share it. A nested dict finds the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from engine.book.model import Row, Table
from engine.language import tree
from engine.language.tree import Value as Constant
from engine.targets import masks
from engine.targets.emit import Emitter
from engine.targets.module import Quick
from engine.targets.values import Value

ROWS = 12  # smaller tables gain nothing
COMBINATIONS = 128


def dispatched(
    emitter: Emitter, table: Table, subjects: dict[int, Value], label: str
) -> Quick | None:
    """A call that answers for known inputs; None where the table is not of that kind."""
    if len(table.rows) < ROWS or table.hit not in ("first", "unique", "any"):
        return None
    columns = _columns(table, list(subjects))
    if not columns:
        return None
    from engine.targets.tables import TableWriter

    others = {index: value for index, value in subjects.items() if index not in columns}
    functions: dict[tuple[str, ...], str] = {}
    children: list[Emitter] = []
    nullable = [False] * len(table.outputs)
    parameters: dict[str, None] = {}
    cases: dict[tuple[Constant, ...], tuple[str, ...]] = {}
    for values in product(*columns.values()):
        rows = _left(table.rows, dict(zip(columns, values, strict=True)))
        key = tuple(row.id for row in rows)
        cases[values] = key
        if key in functions:
            continue
        child = Emitter(emitter.module, emitter)
        child.known = emitter.known
        rest = replace(table, rows=tuple(rows))
        known = {index: child.read(value) for index, value in others.items()}
        writer = TableWriter(child, rest, label, known)
        for place, unknown in enumerate(writer.write_chain()):
            nullable[place] |= unknown
        children.append(child)
        functions[key] = ""
        parameters.update(child.parameters)
    # All functions take the same arguments, so that one call fits them all.
    for key, child in zip(functions, children, strict=True):
        child.parameters = dict(parameters)
        functions[key] = emitter.module.add_function("G", child)
    emitter.use(*parameters)
    nested = _nested(list(columns.values()), cases, functions)
    constant = emitter.module.late_constant(nested)
    keys = "".join(f"[{subjects[index].code}]" for index in columns)
    return f"{constant}{keys}({', '.join(parameters)})", nullable


def _columns(table: Table, used: Sequence[int]) -> dict[int, tuple[Constant, ...]]:
    """The enumerated inputs to split by, with their values."""
    chosen: dict[int, tuple[Constant, ...]] = {}
    count = 1
    for index in used:
        kind = table.inputs[index].type
        cells = [row.when[index] for row in table.rows]
        if kind is None or not all(masks.is_literal(cell) for cell in cells):
            continue
        values: tuple[Constant, ...] = kind.values or ()
        if kind.kind == "boolean":
            values = (False, True)
        if kind.kind != "number" and values and count * len(values) <= COMBINATIONS:
            chosen[index] = values
            count *= len(values)
    return chosen


def _left(rows: Sequence[Row], values: dict[int, Constant]) -> list[Row]:
    """The rows that may hold, without what is decided; none after one that holds anyway."""
    left = []
    for row in rows:
        cells = [(row.when[index], value) for index, value in values.items()]
        if not all(not cell.tests or masks.accepts(cell, value) for cell, value in cells):
            continue
        when = tuple(
            tree.Cell() if index in values else cell for index, cell in enumerate(row.when)
        )
        left.append(replace(row, when=when))
        if not any(cell.tests for cell in when):
            break
    return left


def _nested(
    columns: Sequence[Sequence[Constant]],
    cases: dict[tuple[Constant, ...], tuple[str, ...]],
    functions: dict[tuple[str, ...], str],
    before: tuple[Constant, ...] = (),
) -> str:
    if len(before) == len(columns):
        return functions[cases[before]]
    inner = (
        f"{value!r}: {_nested(columns, cases, functions, (*before, value))}"
        for value in columns[len(before)]
    )
    return f"{{{', '.join(inner)}}}"
