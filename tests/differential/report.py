"""What a run has found, and what each runtime has cost."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Report:
    profiles: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    values: int = 0
    mismatches: list[str] = field(default_factory=list)
    marks: dict[tuple[str, ...], int] = field(default_factory=dict)
    seconds: Counter[str] = field(default_factory=Counter)

    def add(self, other: Report) -> None:
        self.profiles += other.profiles
        self.values += other.values
        self.compared.update(other.compared)
        self.mismatches.extend(other.mismatches)
        self.seconds.update(other.seconds)
        for mark, hits in other.marks.items():
            self.marks[mark] = self.marks.get(mark, 0) + hits

    def reached(self, kind: str) -> tuple[int, int]:
        """How many marks of a kind were come through, of how many."""
        counts = [count for mark, count in self.marks.items() if mark[0] == kind]
        return sum(1 for count in counts if count), len(counts)

    def missed(self) -> list[str]:
        return sorted(" ".join(mark) for mark, count in self.marks.items() if not count)

    def differs(
        self, target: str, place: str, expected: Any, found: Any, given: Mapping[str, Any]
    ) -> None:
        values = f"expected {str(expected)[:400]}, {target} gives {str(found)[:400]}"
        self.mismatches.append(f"{place}: {values}; profile {dict(given)!r}")


@contextmanager
def spent(report: Report, target: str) -> Iterator[None]:
    """Counts the CPU seconds of a target; those of V8 and DuckDB run in this process too."""
    started = time.process_time()
    yield
    report.seconds[target] += time.process_time() - started  # type: ignore[assignment]


@contextmanager
def uncollected() -> Iterator[None]:
    """Keeps the collector from looking at what is made here again and again.

    A batch holds millions of values, none of them in a cycle.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
