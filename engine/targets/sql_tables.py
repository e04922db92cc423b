"""SQL of decision tables: candidates as a bit set, then one answer per output.

The candidates are the maybe rows up to the first definite row and that row. One row set is one
answer when every output tree in it gives the same known value.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

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
    rows = list(table.rows)
    if table.hit == "priority":
        order = _priority_order(emitter, table)
        rows = [rows[index] for index in order]
    last = [] if table.otherwise is None else [table.otherwise]
    cells = [row.when for row in rows] + [(tree.Cell(),) * len(table.inputs) for _ in last]
    masks = row_masks(emitter, table.inputs, cells)
    chosen = _Candidates(emitter, masks, total=bool(last))
    rows += last
    answers = [
        _answer(emitter, chosen, [then_of(emitter, row, index, output) for row in rows])
        for index, output in enumerate(table.outputs)
    ]
    if table.hit == "priority" and len(answers) > 1 and not masks.exact:
        return _all_or_nothing(emitter, chosen, answers, rows, bool(last))
    return answers


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


class _Candidates:
    """The candidate rows of a table, as columns (one per word)."""

    def __init__(self, emitter: Emitter, masks: Masks, *, total: bool) -> None:
        self.masks, self.total = masks, total
        frame = emitter.context.frame
        self.words: list[Sql] = []
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
            self.words.append(frame.let(made_of(text, [yes, possible, *earlier])))

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

    def partial(self) -> _Candidates:
        """As of a table that is not total: with several candidates no group is the rest."""
        other = copy(self)
        other.total = False
        return other

    def everything(self) -> int:
        return bit(self.masks.count) - 1


def _answer(emitter: Emitter, chosen: _Candidates, values: Sequence[Sql]) -> Sql:
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
    chosen: _Candidates,
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


def _constants(chosen: _Candidates, groups: dict[str, tuple[Sql, int]]) -> Sql:
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


def _one_of(chosen: _Candidates, groups: list[tuple[Sql, int]]) -> Sql:
    """The value of the only candidate."""
    if len(groups) == 1 and chosen.total:
        return groups[0][0]
    parts = [*chosen.words, *(value for value, _ in groups)]
    cases = [f"WHEN {chosen.some_in(rows)} THEN {value.text}" for value, rows in groups]
    if chosen.total:
        cases[-1] = f"ELSE {groups[-1][0].text}"
    return made_of(f"CASE {' '.join(cases)} END", parts)


def _agreed(emitter: Emitter, chosen: _Candidates, groups: list[tuple[Sql, int]]) -> Sql:
    """The value every candidate gives."""
    frame = emitter.context.frame
    shared = [(frame.let(value), rows) for value, rows in groups]
    value = frame.let(_one_of(chosen.partial(), shared))
    tests = [f"({chosen.none_in(rows)} OR {part.text} = {value.text})" for part, rows in shared]
    text = f"CASE WHEN {' AND '.join(tests)} THEN {value.text} END"
    return made_of(text, [value, *chosen.words, *(part for part, _ in shared)])


def _all_or_nothing(
    emitter: Emitter, chosen: _Candidates, answers: list[Sql], rows: list[Row], otherwise: bool
) -> list[Sql]:
    """`priority`: a maybe row that outranks the definite one leaves every output open."""
    frame = emitter.context.frame
    count = len(rows) - (1 if otherwise else 0)
    definite = words(bit(count) - 1, len(rows))
    none = " AND ".join(
        f"({word.text} & {mask}) = 0" for word, mask in zip(chosen.masks.yes, definite, strict=True)
    )
    single = " + ".join(f"bit_count({word.text})" for word in chosen.words)
    shared = [frame.let(answer) for answer in answers]
    known = " AND ".join(f"{answer.text} IS NOT NULL" for answer in shared)
    parts = [*shared, *chosen.words, *chosen.masks.yes]
    return [
        made_of(
            f"CASE WHEN ({none}) OR ({single}) = 1 OR ({known}) THEN {answer.text} END",
            parts, nullable=True, low=answer.low,
        )
        for answer in shared
    ]  # fmt: skip


def _priority_order(emitter: Emitter, table: Table) -> list[int]:
    """Row numbers from the highest rank down; ranks must be constants of the book."""
    ranks = []
    for number, row in enumerate(table.rows):
        rank: list[int] = []
        for index, output in enumerate(table.outputs):
            if isinstance(row.then, Unknown):
                rank.append(-1)
                continue
            value = row.then[index]
            if output.type.values is None and not emitter.emit(value).nullable:
                continue
            if not isinstance(value, tree.Literal):
                emitter.program.refuse("a priority table whose outputs are not constants")
            if output.type.values is not None:
                assert isinstance(value, tree.Literal)
                rank.append(output.type.values.index(str(value.value)))
        ranks.append((tuple(rank), number))
    return [number for _, number in sorted(ranks)]
