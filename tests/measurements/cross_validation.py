"""Each group of rows judged by constants that were fitted without it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.readers.measurements import Measurements
from engine.run.bundle import open_bundle
from engine.run.score import Estimate, Scorer
from engine.run.score_figures import weighted_median

Errors = dict[tuple[str, str], float]  # by kind and group


@dataclass(frozen=True)
class Constant:
    """A parameter, the kinds of rows it moves, and the values that are tried beside the stored."""

    name: str
    kinds: Sequence[str]
    values: Sequence[float]


@dataclass(frozen=True)
class Fit:
    """`errors`: of every value tried, the stored one first, so that it wins a tie."""

    constant: Constant
    stored: float
    errors: Mapping[float, Errors]

    @property
    def moved(self) -> list[tuple[str, str]]:
        """The groups on which the constant has any effect."""
        tables = list(self.errors.values())
        return [
            group
            for group, error in tables[0].items()
            if any(table.get(group) != error for table in tables[1:])
        ]

    def best(self, leaving_out: str = "") -> float:
        return min(self.errors, key=lambda value: mean(self.errors[value], leaving_out))

    @property
    def held_out(self) -> float:
        """The mean error of the groups it moves, each at the value that suits the others."""
        found = [self.errors[self.best(group)][kind, group] for kind, group in self.moved]
        return sum(found) / len(found)

    def in_sample(self, value: float) -> float:
        found = [self.errors[value][group] for group in self.moved]
        return sum(found) / len(found)


class Estimates:
    """Estimates of the rows of a file with some parameters changed."""

    def __init__(self, file: Measurements) -> None:
        self.rows = [
            row
            for row in file.rows
            if row.confidence in ("high", "medium") and row.metric != "compute_buffer"
        ]
        self.file, self.bundle = file, open_bundle()
        self.scorer({}).enter(file, self.rows)

    def scorer(self, changes: Mapping[str, float]) -> Scorer:
        return Scorer(self.bundle, "memory", changes)

    def of(
        self, kinds: Sequence[str], changes: Mapping[str, float], group: str = ""
    ) -> list[Estimate]:
        scorer = self.scorer(changes)
        rows = [row for row in self.rows if row.kind in kinds and (not group or row.group == group)]
        scorer.enter(self.file, rows)
        return [one for one in map(scorer.estimate, rows) if _number(one)]

    def fit(self, constant: Constant) -> Fit:
        stored = float(self.bundle.parameters[constant.name])
        values = [stored, *(value for value in constant.values if value != stored)]
        return Fit(
            constant,
            stored,
            {value: by_group(self.of(constant.kinds, {constant.name: value})) for value in values},
        )


def _number(one: Estimate) -> bool:
    return not one.reason and one.metric is not None and one.metric.sense != "verdict"


def by_group(estimates: Iterable[Estimate]) -> Errors:
    """The mean absolute relative error of each group of each kind."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in estimates:
        found[one.row.kind, one.row.group].append(abs(one.expected / one.row.value - 1))
    return {group: sum(errors) / len(errors) for group, errors in found.items()}


def mean(errors: Errors, leaving_out: str = "") -> float:
    kept = [error for (_, group), error in errors.items() if group != leaving_out]
    return sum(kept) / len(kept)


@dataclass(frozen=True)
class Kind:
    """Errors of a kind, mean and median: with the stored constants, and each group without its own
    help."""

    rows: int
    groups: int
    in_sample: float
    held_out: float
    median: float
    median_held_out: float


def kinds_held_out(estimates: Estimates, fits: Sequence[Fit], kinds: Sequence[str]) -> dict[
    str, Kind
]:  # fmt: skip
    """Every group of every kind, all constants fitted anew to the other groups."""
    found = {}
    for kind in kinds:
        now = estimates.of([kind], {})
        groups = sorted({one.row.group for one in now})
        outside: list[Estimate] = []
        for group in groups:
            changes = {
                fit.constant.name: fit.best(group)
                for fit in fits
                if kind in fit.constant.kinds and fit.best(group) != fit.stored
            }
            own = [one for one in now if one.row.group == group]
            outside += (estimates.of([kind], changes, group) if changes else []) or own
        errors, left_out = by_group(now), by_group(outside)
        found[kind] = Kind(
            len(now), len(groups), mean(errors), mean(left_out), median(now), median(outside)
        )
    return found


def median(estimates: Sequence[Estimate]) -> float:
    """The median of the absolute relative errors, every group weighing 1."""
    sizes = Counter(one.row.group for one in estimates)
    found = weighted_median(
        [abs(one.expected / one.row.value - 1) for one in estimates],
        [Fraction(1, sizes[one.row.group]) for one in estimates],
    )
    assert found is not None
    return found


@dataclass(frozen=True)
class Band:
    """`ratio`: what 95 % of the groups stay under; `covered`: the share of rows, group by group,
    under the ratio of all other groups."""

    groups: int
    ratio: float
    covered: float


def band(estimates: Sequence[Estimate]) -> Band:
    groups = sorted({one.row.group for one in estimates})
    covered = []
    for group in groups:
        others = [one for one in estimates if one.row.group != group]
        own = [one for one in estimates if one.row.group == group]
        ratio = quantile(others, 0.95)
        covered.append(sum(one.row.value <= ratio * one.expected for one in own) / len(own))
    return Band(len(groups), quantile(estimates, 0.95), sum(covered) / len(covered))


def quantile(estimates: Iterable[Estimate], share: float) -> float:
    """Measured over expected that `share` of the weight stays under, each group weighing 1."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for one in estimates:
        ratios[one.row.group].append(one.row.value / one.expected)
    weighed = sorted((ratio, 1 / len(each)) for each in ratios.values() for ratio in each)
    below = 0.0
    for ratio, weight in weighed:
        below += weight
        if below >= share * len(ratios):
            return ratio
    return weighed[-1][0]
