"""Median errors of speed with every group judged by constants fitted without it.

The utilisation of training stands in a curve with a value for each kind of matrix kernel. Without a
group its value is the one that suits the other groups on the same kernel: the estimate times the
median of measured over expected among them. A group alone on its kernel has no others; it is
counted, and left out of the figure.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from engine.run.pipeline import decide
from engine.run.score import Estimate, Scorer
from engine.run.score_figures import weighted_median

if TYPE_CHECKING:
    from tests.measurements.calibrate_speed import Estimates

CARDS = "hardware.cards.cards"


def kind_held_out(
    estimates: Estimates, kind: str, choose: Callable[[str], Mapping[str, float]]
) -> dict[str, Any]:
    """Rows, groups and median errors of a kind: as stored, and each group without its own help.

    `choose`: the constants that suit the rows of all groups but one.
    """
    now = estimates.of((kind,), {})
    outside = []
    for group in sorted({one.row.group for one in now}):
        changes = {
            name: value
            for name, value in choose(group).items()
            if value != float(estimates.bundle.parameters[name])
        }
        outside += estimates.of((kind,), changes, group)
    found = {"rows": len(now), "groups": len({one.row.group for one in now}), "alone": 0}
    if kind == "training":
        kernels = {row.id: kernel for row, kernel in rows_on_kernels(estimates, now)}
        outside = on_their_kernels(outside, kernels)
        found["alone"] = found["groups"] - len({one.row.group for one in outside})
    return {**found, "in_sample": median_error(now), "held_out": median_error(outside)}


def median_error(estimates: Sequence[Estimate]) -> float | None:
    sizes = Counter(one.row.group for one in estimates)
    weights = [Fraction(1, sizes[one.row.group]) for one in estimates]
    return weighted_median([abs(one.expected / one.row.value - 1) for one in estimates], weights)


def rows_on_kernels(estimates: Estimates, rated: Sequence[Estimate]) -> list[tuple[Any, str]]:
    """Each row with the kind of matrix kernel its card trains on."""
    bundle = estimates.bundle
    relation = bundle.book.relations[CARDS]
    names = [column.decision.id.rsplit(".", 1)[-1] for column in relation.columns]
    card, kernel = (len(relation.sources) + names.index(name) for name in ("card_id", "kernel"))
    scorer = Scorer(bundle, "throughput", {})
    scorer.enter(estimates.file, [one.row for one in rated])
    found = []
    for one in rated:
        profile = scorer.completed(one.row)
        cards = decide(bundle, profile, {}).outcome["relations"][CARDS]
        gpu = profile.given["hardware.gpu"]
        found.append((one.row, next(row[kernel] for row in cards if row[card] == gpu)))
    return found


def on_their_kernels(estimates: Sequence[Estimate], kernels: Mapping[str, str]) -> list[Estimate]:
    """The estimates with the utilisation that the other groups on the same kernel have."""
    logs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in estimates:
        logs[kernels[one.row.id]][one.row.group].append(speed(one))
    found = []
    for one in estimates:
        others = [
            (value, Fraction(1, len(values)))
            for group, values in logs[kernels[one.row.id]].items()
            if group != one.row.group
            for value in values
        ]
        middle = weighted_median([value for value, _ in others], [weight for _, weight in others])
        if middle is not None:
            assert one.metric is not None
            by = math.exp(middle if one.metric.sense == "rate" else -middle)
            found.append(Estimate(one.row, one.metric, one.expected * by, None))
    return found


def speed(one: Estimate) -> float:
    """How much faster than expected, as a logarithm."""
    assert one.metric is not None
    faster = math.log(one.row.value / one.expected)
    return faster if one.metric.sense == "rate" else -faster
