"""Which rows of a table can answer, by sweeping its columns with a bit set of live rows.

Exact over the atoms of the axes. Rows that accept everything from some column on end the sweep
early, so a table of 40 rows takes well under ten milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.check.axes import Atom

MOST_STEPS = 400_000


class TooManyStepsError(Exception):
    """The rows overlap in more ways than can be enumerated."""


class Sweep:
    """The rows of one table over the atoms of its columns."""

    def __init__(self, axes: Sequence[Sequence[Atom]], rows: int) -> None:
        self.axes = [_distinct(atoms) for atoms in axes]
        self.all_rows = (1 << rows) - 1
        self.gap = 1 << rows  # stands for "no row" among the answers
        # free[c]: rows that accept every atom of column c and of all columns after it.
        free = [self.all_rows]
        for atoms in reversed(self.axes):
            accepted = free[-1]
            for atom in atoms:
                accepted &= atom.accepts
            free.append(accepted)
        self._free = free[::-1]
        self._known: dict[tuple[int, int], int] = {}

    def answers(self, live: int | None = None, column: int = 0) -> int:
        """The rows that are the first match somewhere, as bits; `gap` when some point has none.

        Raises TooManyStepsError.
        """
        if live is None:
            live = self.all_rows
        if not live:
            return self.gap
        free = live & self._free[column]
        if free:
            live &= ((free & -free) << 1) - 1  # rows after it never answer
            if live == free & -free:
                return live
        key = (column, live)
        found = self._known.get(key)
        if found is None:
            found = 0
            for atom in self.axes[column]:
                found |= self.answers(live & atom.accepts, column + 1)
            self._known[key] = found
            if len(self._known) > MOST_STEPS:
                raise TooManyStepsError
        return found

    def gap_witness(self) -> list[str]:
        """A value for each leading column such that no row matches; shorter when it suffices."""
        words: list[str] = []
        live, column = self.all_rows, 0
        while live:
            atom = next(
                atom
                for atom in self.axes[column]
                if self.answers(live & atom.accepts, column + 1) & self.gap
            )
            words.append(atom.witness)
            live, column = live & atom.accepts, column + 1
        return words

    def live_sets(self, without: int) -> set[int]:
        """The sets of rows that can be live together over all columns but one."""
        reached = {self.all_rows}
        for column, atoms in enumerate(self.axes):
            if column != without:
                reached = {live & atom.accepts for live in reached for atom in atoms}
                if len(reached) > MOST_STEPS:
                    raise TooManyStepsError
        return reached


def _distinct(atoms: Sequence[Atom]) -> list[Atom]:
    by_rows: dict[int, Atom] = {}
    for atom in atoms:
        by_rows.setdefault(atom.accepts, atom)
    return list(by_rows.values())


def overlaps(axes: Sequence[Sequence[Atom]], rows: int) -> list[int]:
    """For each row the rows that match together with it somewhere (as boxes), as bits."""
    partners = [(1 << rows) - 1] * rows
    for atoms in axes:
        together = [0] * rows
        for accepts in {atom.accepts for atom in atoms}:
            rest = accepts
            while rest:
                row = (rest & -rest).bit_length() - 1
                together[row] |= accepts
                rest &= rest - 1
        partners = [a & b for a, b in zip(partners, together, strict=True)]
    return partners


def common_witness(axes: Sequence[Sequence[Atom]], first: int, second: int) -> list[str]:
    """A value for each column that both rows accept."""
    both = (1 << first) | (1 << second)
    return [next(atom.witness for atom in atoms if atom.accepts & both == both) for atoms in axes]
