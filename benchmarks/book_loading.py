"""How long the rule book takes to build, and to open once it is compiled.

    python -m benchmarks.book_loading [ROOT]

Processor time, best of several rounds. Building should stay under 2 s; opening a compiled book
with its facts, parameters and catalog under 25 ms.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from engine.book.catalog import load_catalog
from engine.book.compiled import (
    book_from_bytes,
    book_to_bytes,
    catalog_from_bytes,
    catalog_to_bytes,
)
from engine.book.files import book_files, catalog_files, default_root, digest_of
from engine.book.load import load_book


def best(rounds: int, work: Callable[[], object]) -> float:
    """The shortest processor time of `rounds` runs, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1000


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else default_root())
    book, catalog = load_book(root), load_catalog(root)
    columns = sum(len(relation.columns) for relation in book.relations.values())
    rows = sum(len(table.rows) for table in catalog.tables.values())
    print(f"{len(book.decisions) + columns} decisions, {len(book.facts)} facts, {rows} rows")
    stored, data = book_to_bytes(book), catalog_to_bytes(catalog)

    def open_book() -> None:
        opened = book_from_bytes(stored)
        list(opened.facts.values())
        list(opened.parameters.values())

    def open_catalog() -> None:
        list(catalog_from_bytes(data).tables.values())

    def digests() -> None:
        digest_of(book_files(root))
        digest_of(catalog_files(root))

    def decode_all() -> None:
        opened = book_from_bytes(stored)
        for section in (opened.decisions, opened.relations, opened.advice):
            list(section.values())

    print(f"build the book            {best(3, lambda: load_book(root)):8.1f} ms")
    print(f"build the catalog         {best(3, lambda: load_catalog(root)):8.1f} ms")
    print(f"digests of the files      {best(10, digests):8.1f} ms")
    print(f"open: facts, parameters   {best(10, open_book):8.1f} ms")
    print(f"open: catalog             {best(10, open_catalog):8.1f} ms")
    print(f"decode every decision     {best(5, decode_all):8.1f} ms")


if __name__ == "__main__":
    main()
