"""SQL of `collect` tables: all definite rows in order, or what an aggregate makes of them."""

from __future__ import annotations

from engine.book.model import Table
from engine.targets.sql_expressions import Emitter
from engine.targets.sql_masks import Masks, bit, row_masks, words
from engine.targets.sql_tables import then_of
from engine.targets.sql_text import Sql, made_of, type_name, unsigned


def collect(emitter: Emitter, table: Table) -> list[Sql]:
    """One expression per output: a list, or a number with an aggregate."""
    masks = row_masks(emitter, table.inputs, [row.when for row in table.rows])
    return [_output(emitter, table, masks, index) for index in range(len(table.outputs))]


def _output(emitter: Emitter, table: Table, masks: Masks, index: int) -> Sql:
    output = table.outputs[index]
    values = [then_of(emitter, row, index, output) for row in table.rows]
    frame = emitter.context.frame
    if table.aggregate == "count":
        bits = " + ".join(f"bit_count({word.text})" for word in masks.yes)
        value = made_of(f"CAST({bits} AS DOUBLE)", masks.yes, nullable=False)
    elif table.aggregate == "sum":
        value = _sum(masks, values)
    else:
        value = _listed(emitter, masks, values, table, type_name(output.type))
    if table.otherwise is not None:
        other = then_of(emitter, table.otherwise, index, output)
        if not table.aggregate:
            text = f"CASE WHEN {other.text} IS NOT NULL THEN [{other.text}] END"
            other = made_of(text, [frame.let(other)])
        none = " AND ".join(f"{word.text} = 0" for word in masks.yes)
        text = f"CASE WHEN {none} THEN {other.text} ELSE {value.text} END"
        value = made_of(text, [*masks.yes, other, value])
    if not masks.exact:
        certain = " AND ".join(
            f"{yes.text} = {possible.text}"
            for yes, possible in zip(masks.yes, masks.possible, strict=True)
        )
        text = f"CASE WHEN {certain} THEN {value.text} END"
        value = made_of(text, [*masks.yes, *masks.possible, value], nullable=True)
    return unsigned(value, output.type) if table.aggregate else value


def _holds(masks: Masks, row: int) -> tuple[str, Sql]:
    for number, mask in enumerate(words(bit(row), masks.count)):
        if mask:
            return f"({masks.yes[number].text} & {mask}) <> 0", masks.yes[number]
    raise LookupError(row)


def _sum(masks: Masks, values: list[Sql]) -> Sql:
    """Left to right; adding 0 for a row that is out changes no bit."""
    text, parts = "0e0", list(masks.yes)
    for row, value in enumerate(values):
        held, _ = _holds(masks, row)
        text = f"({text} + CASE WHEN {held} THEN {value.text} ELSE 0e0 END)"
        parts.append(value)
    return made_of(text, parts)


def _listed(emitter: Emitter, masks: Masks, values: list[Sql], table: Table, kind: str) -> Sql:
    emitter.program.need_lists("a collect table")
    parts = [
        f"CASE WHEN {_holds(masks, row)[0]} THEN [{value.text}] ELSE [] END"
        for row, value in enumerate(values)
    ]
    text = f"CAST(flatten([{', '.join(parts)}]) AS {kind}[])"
    listed = emitter.context.frame.let(made_of(text, [*masks.yes, *values], nullable=False))
    whole = f"list_count({listed.text}) = len({listed.text})"
    result = f"list_{table.aggregate}({listed.text})" if table.aggregate else listed.text
    nullable = bool(table.aggregate) or any(value.nullable for value in values)
    return made_of(f"CASE WHEN {whole} THEN {result} END", [listed], nullable=nullable)
