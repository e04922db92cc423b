"""What an evaluation can read: one kind of address for everything that has a value."""

from __future__ import annotations

from typing import Literal, NamedTuple

ReadKind = Literal[
    "fact", "parameter", "decision", "column", "cell", "field", "step", "lookup", "curve",
    "ladder", "relation", "group", "ranking", "best",
]  # fmt: skip

At = tuple[int | None, ...]


class Read(NamedTuple):
    """The address of a value.

    fact (path) · parameter (id) · decision (id, output) · column (relation, column, at: row
    numbers of the sources it needs) · cell (table, column, (row,)) · field (list fact, field,
    (row,)) · step (relation, alias, at up to and with the step) · group (relation of the
    group's rows, column, (first row of the group,)) · lookup (table, column, key) · curve,
    ladder, relation, ranking (id) · best (ranking, column).
    """

    kind: ReadKind
    id: str
    name: str = ""
    at: At = ()
    key: str = ""
