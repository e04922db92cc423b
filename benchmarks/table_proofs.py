"""How long the proofs of a decision table of forty rows take (gaps, overlaps, dead rows)."""

from __future__ import annotations

import statistics
import sys
import time

from benchmarks.table40 import book, load
from engine.book.model import Table
from engine.check.tables import check_table
from engine.language.problems import NOWHERE

RUNS = 20


def main() -> int:
    table = book(load()).decisions["table"].body
    assert isinstance(table, Table)
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        found = check_table("table", table, NOWHERE, lambda one, other: one == other)
        times.append((time.process_time() - started) * 1000)
    print(f"{len(table.rows)} rows, {len(found)} findings")
    print(f"processor time: median {statistics.median(times):.1f} ms, best {min(times):.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
