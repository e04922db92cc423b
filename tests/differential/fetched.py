"""Outcomes of SQL queries as the bytes of `packed`, put together query by query.

The rows of relations, most of all values, come as arrays: one Python object at a time takes
several times as long.
"""

from __future__ import annotations

import marshal
import struct
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.book.model import Book
from engine.targets.sql_columns import advice_column
from engine.targets.sql_text import quoted
from tests.differential.packed import PARTS, VERSION

if TYPE_CHECKING:
    import duckdb

Names = Mapping[str, Sequence[str]]  # of each part of an outcome


def names_of(outcome: Mapping[str, Any]) -> Names:
    return {part: tuple(values) for part, values in outcome.items()}


def opened(size: int) -> bytes:
    """How a list of so many items begins."""
    return b"[" + struct.pack("<i", size)


class Pieces:
    """The bytes of the outcomes of some profiles, which grow piece by piece."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self.packed = [bytearray(opened(len(PARTS) + 1)) for _ in numbers]
        self.places = {number: place for place, number in enumerate(numbers)}

    def add(self, number: int, value: Any) -> None:
        self.packed[self.places[number]] += marshal.dumps(value, VERSION)

    def add_to_all(self, piece: bytes) -> None:
        for packed in self.packed:
            packed += piece


def fetch(
    connection: duckdb.DuckDBPyConnection,
    book: Book,
    final: Mapping[str, str],
    unknown: Iterable[str],
    names: Names,
    pieces: Pieces,
) -> None:
    """Runs the final queries and adds what they give, in the order of `names`."""
    queries = dict(final)
    _scalars(connection.execute(queries.pop("scalars")), book, names, pieces)
    of_kind = {
        kind: {name.partition(" ")[2]: text for name, text in queries.items()
               if name.startswith(f"{kind} ")}
        for kind in ("relation", "ranking")
    }  # fmt: skip
    if any(set(of_kind[kind]) != set(names[f"{kind}s"]) for kind in of_kind):
        raise ValueError("the queries do not answer with the relations and rankings of the book")
    pieces.add_to_all(opened(len(names["relations"])))
    blank = set(unknown)
    for name in names["relations"]:
        lost = set()
        if name in blank:
            text = f"SELECT profile_id FROM {quoted(f'unknown {name}')}"
            lost = {number for (number,) in connection.execute(text).fetchall()}
        _relation(connection.execute(of_kind["relation"][name]), lost, pieces)
    pieces.add_to_all(opened(len(names["rankings"])))
    for name in names["rankings"]:
        cursor = connection.execute(of_kind["ranking"][name])
        for number, order, undecided, pareto in cursor.fetchall():
            pieces.add(number, None if order is None else [order, undecided, pareto])


def _scalars(cursor: duckdb.DuckDBPyConnection, book: Book, names: Names, pieces: Pieces) -> None:
    columns = [part[0] for part in cursor.description or ()]
    found = {column: at for at, column in enumerate(columns)}
    facts = [found.pop(f"fact:{name}") for name in names["facts"]]
    decisions = [found.pop(f"decision:{name}") for name in names["decisions"]]
    advice = []
    for name in names["advice"]:
        rows = [advice_column(name, row.id) for row in book.advice[name].rows]
        advice.append([found.pop(column) for column in rows])
    if list(found) != ["profile_id"]:
        raise ValueError(f"columns that no outcome has: {', '.join(found)}")
    pick_facts, pick_decisions = itemgetter(*facts, 0), itemgetter(*decisions, 0)
    pick_advice = [itemgetter(*places, 0) for places in advice]
    while rows_ := cursor.fetchmany(1000):
        for row in rows_:
            values = [
                tuple(value) if type(value) is list else value for value in pick_decisions(row)[:-1]
            ]
            said = [pick(row)[:-1] for pick in pick_advice]
            packed = pieces.packed[pieces.places[row[0]]]
            for part in (list(pick_facts(row)[:-1]), values, said):
                packed += marshal.dumps(part, VERSION)


def _relation(cursor: duckdb.DuckDBPyConnection, lost: set[int], pieces: Pieces) -> None:
    lists = any(str(part[1]).lower().startswith("list") for part in cursor.description or ())
    if lists:
        found = cursor.fetchall()
        of = np.array([row[0] for row in found], dtype=np.int64)
        rows = [row[2:] for row in found]
    else:
        arrays = cursor.fetchnumpy()
        of = np.asarray(arrays.pop("profile_id"))
        arrays.pop("at")
        rows = list(zip(*map(_cells, arrays.values()), strict=True))
    starts = np.searchsorted(of, pieces.numbers, side="left").tolist()
    ends = np.searchsorted(of, pieces.numbers, side="right").tolist()
    dumps = marshal.dumps
    for number, packed, start, end in zip(pieces.numbers, pieces.packed, starts, ends, strict=True):
        packed += dumps(None if number in lost else rows[start:end], VERSION)


def _cells(array: Any) -> list[Any]:
    """The values of a column; what is masked is None."""
    if not isinstance(array, np.ma.MaskedArray):
        return list(array.tolist())
    values: list[Any] = array.data.tolist()
    for place in np.flatnonzero(np.ma.getmaskarray(array)).tolist():
        values[place] = None
    return values
