"""SQL of decision tables: candidates as a bit set, then one answer per output.

The candidates are the maybe rows up to the first definite row and that row. One row set is one
answer when every output tree in it gives the same known value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.book.model import Advice, Output, Row, Table, Unknown
from engine.language import tree
from engine.targets.sql_expressions import Emitter
from engine.targets.sql_masks import Masks, bit, row_masks, words
from engine.targets.sql_text import (
    Sql,
    conjunction,
    made_of,
    unknown,
    unsigned,
)

# Beyond so many different constants an indexed list is faster than a CASE.
FEW = 4


def table_outputs(emitter: Emitter, table: Table) -> list[Sql]:
    """One expression per output."""
    if table.hit == "collect":
        from engine.targets.sql_collect import collect

        return collect(emitter, table)
    if table.hit == "priority":
        from engine.targets.sql_priority import priority

        return priority(emitter, table)
    rows = with_otherwise(table, table.rows)
    masks = table_masks(emitter, table, rows)
    chosen = Candidates(masks, first_candidates(emitter, masks), table.otherwise is not None)
    return answers(emitter, table, chosen, rows)


def with_otherwise(table: Table, rows: Sequence[Row]) -> list[Row]:
    """`otherwise` is one more row, the last."""
    return [*rows, table.otherwise] if table.otherwise is not None else list(rows)


def table_masks(emitter: Emitter, table: Table, rows: Sequence[Row]) -> Masks:
    """The masks of rows in this order; `otherwise` always matches."""
    anything = (tree.Cell(),) * len(table.inputs)
    cells = [anything if row is table.otherwise else row.when for row in rows]
    return row_masks(emitter, table.inputs, cells)


def answers(emitter: Emitter, table: Table, chosen: Candidates, rows: Sequence[Row]) -> list[Sql]:
    """One expression per output from the candidates among `rows`."""
    return [
        _answer(emitter, chosen, [then_of(emitter, row, index, output) for row in rows])
        for index, output in enumerate(table.outputs)
    ]


def then_of(emitter: Emitter, row: Row, index: int, output: Output) -> Sql:
    """What a row says for one output."""
    if isinstance(row.then, Unknown):
        return unknown(output.type)
    return unsigned(emitter.emit(row.then[index]), output.type)


def advice_conditions(emitter: Emitter, advice: Advice) -> list[Sql]:
    """Each row's condition, in order."""
    frame = emitter.context.frame
    subjects = [frame.let(emitter.emit(node)) for node in advice.inputs]
    conditions = []
    for row in advice.rows:
        pairs = zip(row.when, subjects, strict=True)
        conditions.append(conjunction([emitter.cell(cell, subject) for cell, subject in pairs]))
    return conditions


def first_candidates(emitter: Emitter, masks: Masks) -> list[Sql]:
    """All possible rows up to the first definite one, as columns (one per word)."""
    frame = emitter.context.frame
    found: list[Sql] = []
    for number, (yes, possible) in enumerate(zip(masks.yes, masks.possible, strict=True)):
        lowest = f"({yes.text} & (-{yes.text}))"
        text = lowest
        if not masks.exact:
            # All bits up to the lowest one of `yes`; all bits when there is none.
            text = f"({possible.text} & ({lowest} | ({lowest} - 1)))"
        earlier = masks.yes[:number]
        if earlier:
            none = " AND ".join(f"{word.text} = 0" for word in earlier)
            text = f"CASE WHEN {none} THEN {text} ELSE 0 END"
        found.append(frame.let(made_of(text, [yes, possible, *earlier])))
    return found


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidate rows of a table; `total`: there always is one."""

    masks: Masks
    words: list[Sql]
    total: bool

    def some_in(self, rows: int) -> str:
        """Is a candidate among `rows`?"""
        tests = [
            f"({word.text} & {mask}) <> 0"
            for word, mask in zip(self.words, words(rows, self.masks.count), strict=True)
            if mask
        ]
        return f"({' OR '.join(tests)})" if len(tests) > 1 else tests[0]

    def none_in(self, rows: int) -> str:
        tests = [
            f"({word.text} & {mask}) = 0"
            for word, mask in zip(self.words, words(rows, self.masks.count), strict=True)
            if mask
        ]
        return f"({' AND '.join(tests)})" if tests else "TRUE"

    def position(self) -> Sql:
        """The number of the first candidate, from 1; beyond the last row without one."""
        parts = []
        for number, word in enumerate(self.words):
            text = f"(bit_count(({word.text} & (-{word.text})) - 1) + {1 + 62 * number})"
            parts.append(f"WHEN {word.text} <> 0 THEN {text}" if len(self.words) > 1 else text)
        text = f"CASE {' '.join(parts)} END" if len(self.words) > 1 else parts[0]
        # Not to be repeated: always a column.
        return replace(made_of(text, self.words), size=4)

    def partial(self) -> Candidates:
        """As of a table that is not total: with several candidates no group is the rest."""
        return replace(self, total=False)

    def everything(self) -> int:
        return bit(self.masks.count) - 1


def _answer(emitter: Emitter, chosen: Candidates, values: Sequence[Sql]) -> Sql:
    groups: dict[str, tuple[Sql, int]] = {}
    for row, value in enumerate(values):
        known = groups.get(value.text, (value, 0))
        groups[value.text] = (known[0], known[1] | bit(row))
    nullable = not chosen.masks.exact or not chosen.total or any(v.nullable for v in values)
    low = min((value.low for value in values), default=-float("inf"))
    if not values:
        return Sql("NULL", nullable=True, literal=True)
    if all(value.literal for value in values):
        if len(groups) > FEW and emitter.program.dialect.lists:
            answer = _indexed(emitter, chosen, values, groups)
        else:
            answer = _constants(chosen, groups)
    elif chosen.masks.exact:
        answer = _one_of(chosen, list(groups.values()))
    else:
        answer = _agreed(emitter, chosen, list(groups.values()))
    return replace(answer, nullable=nullable, low=low)


def _indexed(
    emitter: Emitter,
    chosen: Candidates,
    values: Sequence[Sql],
    groups: dict[str, tuple[Sql, int]],
) -> Sql:
    """Constants by the number of the first candidate, if no candidate says otherwise."""
    position = emitter.context.frame.let(chosen.position())
    listed = ", ".join(value.text for value in values)
    text = f"list_extract([{listed}], {position.text})"
    if chosen.masks.exact:
        return made_of(text, [position])
    tests = []
    for number, word in enumerate(chosen.words):
        others = []
        for value in values:
            same = groups[value.text][1]
            rest = chosen.everything() & ~same
            others.append(str(words(rest, chosen.masks.count)[number]))
        tests.append(f"({word.text} & list_extract([{', '.join(others)}], {position.text})) = 0")
    text = f"CASE WHEN {' AND '.join(tests)} THEN {text} END"
    return made_of(text, [position, *chosen.words])


def _constants(chosen: Candidates, groups: dict[str, tuple[Sql, int]]) -> Sql:
    """A few constants: the one all candidates lie in."""
    if chosen.masks.exact:
        return _one_of(chosen, list(groups.values()))
    cases = [
        f"WHEN {chosen.none_in(chosen.everything() & ~rows)} THEN {value.text}"
        for value, rows in groups.values()
    ]
    if not chosen.total:
        cases.insert(0, f"WHEN {chosen.none_in(chosen.everything())} THEN NULL")
    return made_of(f"CASE {' '.join(cases)} END", chosen.words)


def _one_of(chosen: Candidates, groups: list[tuple[Sql, int]]) -> Sql:
    """The value of the only candidate."""
    if len(groups) == 1 and chosen.total:
        return groups[0][0]
    parts = [*chosen.words, *(value for value, _ in groups)]
    cases = [f"WHEN {chosen.some_in(rows)} THEN {value.text}" for value, rows in groups]
    if chosen.total:
        cases[-1] = f"ELSE {groups[-1][0].text}"
    return made_of(f"CASE {' '.join(cases)} END", parts)


def _agreed(emitter: Emitter, chosen: Candidates, groups: list[tuple[Sql, int]]) -> Sql:
    """The value every candidate gives."""
    frame = emitter.context.frame
    shared = [(frame.let(value), rows) for value, rows in groups]
    value = frame.let(_one_of(chosen.partial(), shared))
    tests = [f"({chosen.none_in(rows)} OR {part.text} = {value.text})" for part, rows in shared]
    text = f"CASE WHEN {' AND '.join(tests)} THEN {value.text} END"
    return made_of(text, [value, *chosen.words, *(part for part, _ in shared)])
