"""SQL of `priority` tables: the best definite row, unless a maybe row outranks it.

A row's rank is the place of its outputs in their declared values. Where the outputs are constants
the rows are put in that order and the table is a `first` one; else the ranks are lists, compared
row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.book.model import Row, Table, Unknown
from engine.language import tree
from engine.targets.sql_expressions import Emitter
from engine.targets.sql_masks import Masks, bit, words
from engine.targets.sql_tables import (
    Candidates,
    answers,
    first_candidates,
    table_masks,
    then_of,
    with_otherwise,
)
from engine.targets.sql_text import Sql, literal, made_of


def priority(emitter: Emitter, table: Table) -> list[Sql]:
    """One expression per output."""
    ranks = [_constant_rank(emitter, table, row) for row in table.rows]
    # Equal ranks: the earlier row. Ranks can differ in length, as unknown outputs count apart.
    known = [((*rank, number), number) for number, rank in enumerate(ranks) if rank is not None]
    if len(known) == len(ranks):
        rows = with_otherwise(table, [table.rows[number] for _, number in sorted(known)])
        masks = table_masks(emitter, table, rows)
        found = first_candidates(emitter, masks)
    else:
        rows = with_otherwise(table, table.rows)
        masks = table_masks(emitter, table, rows)
        found = _ranked_candidates(emitter, table, masks)
    chosen = Candidates(masks, found, table.otherwise is not None)
    results = answers(emitter, table, chosen, rows)
    if len(results) > 1 and not masks.exact:
        return _all_or_nothing(emitter, chosen, results, len(table.rows))
    return results


def _constant_rank(emitter: Emitter, table: Table, row: Row) -> tuple[int, ...] | None:
    """The rank when it is the same for every profile, else None."""
    if isinstance(row.then, Unknown):
        return (-1,) * len(table.outputs)
    rank = []
    for node, output in zip(row.then, table.outputs, strict=True):
        if output.type.values is None:
            if emitter.emit(node).nullable:
                return None
        elif isinstance(node, tree.Literal):
            rank.append(output.type.values.index(str(node.value)))
        else:
            return None
    return tuple(rank)


def _ranked_candidates(emitter: Emitter, table: Table, masks: Masks) -> list[Sql]:
    """The best definite row and the maybe rows above it; all maybe rows without one."""
    emitter.program.need_lists("a priority table whose outputs are not constants")
    frame = emitter.context.frame
    ranks = [frame.let(_rank(emitter, table, row, index)) for index, row in enumerate(table.rows)]
    definite = [
        f"CASE WHEN {_holds(masks.yes, index, masks.count)} THEN {rank.text} END"
        for index, rank in enumerate(ranks)
    ]
    text = f"list_min(list_filter([{', '.join(definite)}], lambda x: x IS NOT NULL))"
    best = frame.let(made_of(text, [*masks.yes, *ranks], nullable=True))
    found = []
    for start in range(0, masks.count, 62):
        parts = []
        for index in range(start, min(start + 62, masks.count)):
            test = f"{best.text} IS NULL"
            if index < len(ranks):
                held = _holds(masks.possible, index, masks.count)
                test = f"{held} AND ({test} OR {ranks[index].text} <= {best.text})"
            parts.append(f"CASE WHEN {test} THEN {bit(index - start)} ELSE 0 END")
        text = f"({' | '.join(parts)})"
        found.append(frame.let(made_of(text, [best, *ranks, *masks.possible], nullable=False)))
    return found


def _rank(emitter: Emitter, table: Table, row: Row, index: int) -> Sql:
    parts, texts = [], []
    for place, output in enumerate(table.outputs):
        value = emitter.context.frame.let(then_of(emitter, row, place, output))
        parts.append(value)
        if output.type.values is not None:
            cases = " ".join(
                f"WHEN {literal(name).text} THEN {number}"
                for number, name in enumerate(output.type.values)
            )
            texts.append(f"CASE {value.text} {cases} ELSE -1 END")
        else:
            texts.append(f"CASE WHEN {value.text} IS NULL THEN -1 END")
    listed = ", ".join([*texts, str(index)])
    return made_of(f"list_filter([{listed}], lambda x: x IS NOT NULL)", parts, nullable=False)


def _holds(masks: Sequence[Sql], row: int, count: int) -> str:
    for word, mask in zip(masks, words(bit(row), count), strict=True):
        if mask:
            return f"({word.text} & {mask}) <> 0"
    raise LookupError(row)


def _all_or_nothing(
    emitter: Emitter, chosen: Candidates, results: list[Sql], count: int
) -> list[Sql]:
    """`priority`: a maybe row that outranks the definite one leaves every output open."""
    emitter.program.need_lists("a priority table of several outputs with missing values")
    frame = emitter.context.frame
    definite = words(bit(count) - 1, chosen.masks.count)
    none = " AND ".join(
        f"({word.text} & {mask}) = 0" for word, mask in zip(chosen.masks.yes, definite, strict=True)
    )
    single = " + ".join(f"bit_count({word.text})" for word in chosen.words)
    shared = [frame.let(answer) for answer in results]
    known = " AND ".join(f"{answer.text} IS NOT NULL" for answer in shared)
    parts = [*shared, *chosen.words, *chosen.masks.yes]
    return [
        made_of(
            f"CASE WHEN ({none}) OR ({single}) = 1 OR ({known}) THEN {answer.text} END",
            parts, nullable=True, low=answer.low,
        )
        for answer in shared
    ]  # fmt: skip
