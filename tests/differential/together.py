"""Several batches in one run of the SQL target.

DuckDB plans a query anew whenever it runs, and for all queries of a large book that takes as
long as running thousands of profiles. So batches wait for one another and share a run: every
row of the catalog and of the parameters says in which batch it is chosen, `profile_id` says
which batch a profile is of, and the queries join the two. Otherwise they are those of the
target, word for word. Outcomes are compared by digests of their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from engine.book.model import Book, Catalog
from engine.targets.sql import SqlProgram
from engine.targets.sql_run import connect
from engine.targets.sql_text import quoted
from tests.differential.fetched import Names, Pieces, fetch
from tests.differential.loading import load_catalogs, load_parameters, load_profiles
from tests.generators.parameters import Parameters

Given = Mapping[str, Any]

CHOICE = '"#choice"'  # the number of the batch, in tables that hold rows of several
OF_PROFILE = "(p.profile_id >> 20)"
SHIFT = 20

# Whatever a query reads that differs between batches, in the words of the compiled book.
REWRITTEN = (
    # A table joined to the rows so far.
    (r'("catalog_[^"]+") AS (\w+) ON ', rf"\1 AS \2 ON \2.{CHOICE} = {OF_PROFILE} AND "),
    (
        r"FROM profiles AS p CROSS JOIN parameters AS q",
        rf"FROM profiles AS p JOIN parameters AS q ON q.{CHOICE} = {OF_PROFILE}",
    ),
    # A whole table as a list: one for each batch.
    (
        r'^SELECT (coalesce\(list\(.*\) AS rows FROM "catalog_[^"]+")$',
        rf"SELECT {CHOICE}, \1 GROUP BY {CHOICE}",
    ),
    (
        r'\((SELECT (?:rows|list_transform\(rows, lambda x: x\."[^"]+"\)) FROM "list:[^"]+")\)',
        rf"coalesce((\1 AS c WHERE c.{CHOICE} = (profile_id >> {SHIFT})), [])",
    ),
)
READ = re.compile(r'(?:FROM|JOIN) (?:"catalog_[^"]+"|"list:[^"]+"|parameters\b)')


def of_many(text: str) -> str:
    """A query of the target for several batches at once."""
    found = 0
    places = len(READ.findall(text))
    for pattern, put in REWRITTEN:
        text, times = re.subn(pattern, put, text)
        found += times
    if found != places:
        raise ValueError(f"{places} tables read, {found} of them rewritten: {text[:500]}")
    return text


@dataclass(frozen=True, slots=True)
class Waiting:
    """A batch that was run elsewhere, with a digest of each outcome."""

    catalog: Catalog
    parameters: Parameters
    profiles: Sequence[Given]
    digests: Sequence[bytes]
    values: int


def digest(packed: bytes | bytearray) -> bytes:
    return blake2b(packed, digest_size=16).digest()


class Together:
    """The SQL target in DuckDB on one thread, on batches that have been added."""

    def __init__(self, book: Book, program: SqlProgram) -> None:
        self.book, self.connection = book, connect(1)
        self.stages = [(stage.name, of_many(stage.text)) for stage in program.stages]
        self.final, self.unknown = dict(program.final), tuple(program.unknown)
        self.waiting: list[Waiting] = []

    def add(self, batch: Waiting) -> None:
        self.waiting.append(batch)

    def size(self) -> int:
        return sum(len(batch.profiles) for batch in self.waiting)

    def values(self) -> int:
        return sum(batch.values for batch in self.waiting)

    def differing(self, names: Names) -> Iterator[tuple[Waiting, Given]]:
        """Runs what is waiting: the profiles whose outcome has another digest.

        `names`: the names of an outcome, in its order.
        """
        batches, self.waiting = self.waiting, []
        found = iter(self._packed(batches, names))
        for batch in batches:
            for given, expected in zip(batch.profiles, batch.digests, strict=True):
                if digest(next(found)) != expected:
                    yield batch, given

    def _packed(self, batches: Sequence[Waiting], names: Names) -> Sequence[bytearray]:
        chosen = list(enumerate(batches))
        load_catalogs(self.connection, self.book, [(n, one.catalog) for n, one in chosen])
        load_parameters(self.connection, self.book, [(n, one.parameters) for n, one in chosen])
        numbers = load_profiles(
            self.connection, self.book, [(n << SHIFT, one.profiles) for n, one in chosen]
        )
        for name, text in self.stages:
            self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(name)} AS {text}")
        pieces = Pieces(numbers)
        fetch(self.connection, self.book, self.final, self.unknown, names, pieces)
        for name, _ in reversed(self.stages):
            self.connection.execute(f"DROP TABLE {quoted(name)}")
        return pieces.packed
