"""The scalar query in stages: a few projections each, over the columns they read.

The time DuckDB takes to plan grows with columns times projections, so each stage starts from the
columns it needs, joined by `profile_id`, and gives only its new ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.targets.sql_frames import Frame, Step, chain
from engine.targets.sql_text import quoted

# Projections in one stage. A small book is one stage, which needs no join; a very deep one has
# longer stages rather than more of them, because their columns are joined in the end.
SMALL = 12
LENGTH = 5
MOST = 16

_TEXTS = re.compile(r"'(?:[^']|'')*'")
_NAMES = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True, slots=True)
class ScalarStage:
    """One stage: its name, its level, whether it begins the level, and its projections."""

    name: str
    level: int
    steps: tuple[Step, ...]
    begins: bool

    def columns(self) -> list[str]:
        return [column for step in self.steps for column in step.columns]


class ScalarStages:
    """The stages of a finished scalar frame, and which of them has a column."""

    def __init__(self, frame: Frame) -> None:
        self.stages: list[ScalarStage] = []
        levels = [frame.steps(level, level) for level in range(len(frame.starts))]
        total = sum(map(len, levels))
        length = SMALL if total <= SMALL else max(LENGTH, total // MOST)
        for level, steps in enumerate(levels):
            for start in range(0, len(steps), length):
                part = tuple(steps[start : start + length])
                name = f"scalars {len(self.stages)}"
                self.stages.append(ScalarStage(name, level, part, start == 0))
        self.home = {column: stage.name for stage in self.stages for column in stage.columns()}

    def text(self, stage: ScalarStage) -> str:
        """The query of one stage."""
        own = set(stage.columns())
        read: dict[str, None] = {}
        for step in stage.steps:
            names = _NAMES.findall(_TEXTS.sub("", step.text("before")))
            read.update((name, None) for name in names if name in self.home and name not in own)
        # Names of their own: some dialects lift inner queries to the top.
        prefix = f"s{self.stages.index(stage)}_"
        if stage.level == 0 and stage.begins:
            texts, last = chain(prefix, stage.steps, "")
        else:
            first = Step((), lambda _: self.rows(read))
            texts, last = chain(prefix, [first, *stage.steps], "")
        columns = ", ".join(["profile_id", *stage.columns()])
        return f"WITH {', '.join(texts)}\nSELECT {columns}\nFROM {last}"

    def rows(self, columns: Iterable[str]) -> str:
        """A query of scalar columns, one row per profile."""
        homes: dict[str, list[str]] = {}
        for column in columns:
            homes.setdefault(self.home[column], []).append(column)
        if not homes:
            return "SELECT profile_id\nFROM profiles"
        names = {name: f"a{number}" for number, name in enumerate(homes)}
        listed = [f"{names[name]}.{column}" for name, found in homes.items() for column in found]
        (first, alias), *rest = names.items()
        joins = "".join(
            f"\nJOIN {quoted(name)} AS {other} ON {other}.profile_id = {alias}.profile_id"
            for name, other in rest
        )
        return (
            f"SELECT {', '.join([f'{alias}.profile_id', *listed])}\n"
            f"FROM {quoted(first)} AS {alias}{joins}"
        )
