"""Tables of how far the estimates of a book are from published measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from engine.site.markup import table
from engine.site.pen import Pen

_SHARES = ("median_ape", "mape", "within_10")


def kinds_table(pen: Pen, found: Mapping[str, Any]) -> str:
    """A line for each kind of work."""
    lines = [
        [escape(pen.library.measured(kind, pen.language)), *_cells(pen, figures)]
        for kind, figures in found["kinds"].items()
        if figures["n"]
    ]
    return _table(pen, ["kind"], lines)


def metrics_table(pen: Pen, found: Mapping[str, Any]) -> str:
    """A line for each figure that was measured, kind by kind."""
    name = pen.library.measured
    lines = [
        [escape(name(kind, pen.language)), escape(name(metric, pen.language)),
         *_cells(pen, figures)]
        for kind, whole in found["kinds"].items()
        for metric, figures in whole["metrics"].items()
    ]  # fmt: skip
    return _table(pen, ["kind", "measured_figure"], lines)


def held_out_table(pen: Pen, found: Mapping[str, Any]) -> str:
    """Errors with the constants as they are, and fitted without the group at hand."""
    errors = ("in_sample", "held_out", "median", "median_held_out")
    lines = [
        [escape(pen.library.measured(kind, pen.language)), str(one["rows"]), str(one["groups"]),
         *(percent(pen, one[error]) for error in errors)]
        for kind, one in found["kinds"].items()
    ]  # fmt: skip
    words = ("kind", "rows", "groups", "error_now", "error_held_out", "error_median_now",
             "error_median_held_out")  # fmt: skip
    return table([pen.say(word) for word in words], lines, [False, *[True] * 6])


def bands_table(pen: Pen, found: Mapping[str, Any]) -> str:
    """Each width of a band: stored, as the rows have it, and how often it holds outside."""
    lines = [
        [_parameter(pen, name), str(one["groups"]), f"{one['stored']:.2f}", f"{one['ratio']:.2f}",
         percent(pen, one["covered"])]
        for name, one in found["bands"].items()
    ]  # fmt: skip
    words = ("parameter", "groups", "band_stored", "band_measured", "band_covered")
    return table([pen.say(word) for word in words], lines, [False, True, True, True, True])


def speed_table(pen: Pen, found: Mapping[str, Any]) -> str:
    """Median errors with the constants as they are, and fitted without the group at hand."""
    lines = [
        [escape(pen.library.measured(kind, pen.language)), str(one["rows"]), str(one["groups"]),
         percent(pen, one["in_sample"]), percent(pen, one["held_out"])]
        for kind, one in found["speed"].items()
    ]  # fmt: skip
    words = ("kind", "rows", "groups", "median_now", "median_held_out")
    return table([pen.say(word) for word in words], lines, [False, True, True, True, True])


def promises_table(pen: Pen, found: Mapping[str, Any]) -> str:
    """Each promise of speed: stored, and what nine in ten of the groups reach."""
    lines = [
        [_parameter(pen, name), str(one["groups"]), f"{one['stored']:.2f}", f"{one['share']:.2f}"]
        for name, one in found["promises"].items()
    ]
    words = ("parameter", "groups", "band_stored", "band_measured")
    return table([pen.say(word) for word in words], lines, [False, True, True, True])


def constants_table(pen: Pen, found: Mapping[str, Any]) -> str:
    """Each fitted constant: stored, best on the rows, and its error without the group at hand."""
    lines = [
        [_parameter(pen, name), str(one["groups"]), f"{one['stored']:g}", f"{one['best']:g}",
         percent(pen, one["in_sample"]), percent(pen, one["held_out"])]
        for name, one in found["constants"].items()
    ]  # fmt: skip
    words = ("parameter", "groups", "value_stored", "value_best", "error_now", "error_held_out")
    return table([pen.say(word) for word in words], lines, [False, *[True] * 5])


def nearest_table(pen: Pen, found: Sequence[Mapping[str, Any]]) -> str:
    """Measured rows beside what the book says of the same runs."""
    lines = [
        [escape(pen.library.measured(row["metric"], pen.language)), _amount(row, "measured"),
         _amount(row, "expected") or escape(row["reason"]),
         f"{escape(str(row['source']))}, {escape(str(row['locator']))}"]
        for row in found
    ]  # fmt: skip
    header = [pen.say(word) for word in ("measured_figure", "measured", "estimated", "source")]
    return table(header, lines, [False, True, True, False])


def _amount(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    return f"{value:.1f} {row['unit']}" if isinstance(value, float) else ""


def _parameter(pen: Pen, name: str) -> str:
    place = pen.places.find(name, "parameter")
    return pen.link(place, escape(pen.text(place.entry.title)))


def _table(pen: Pen, names: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    words = (
        *names, "rows", "groups", "answered", "error_median", "error_mean", "within_a_tenth",
        "within_bound", "bound_over_expected",
    )  # fmt: skip
    kept = [n for n in range(len(words)) if n < len(names) or any(line[n] for line in lines)]
    header = [pen.say(words[n]) for n in kept]
    body = [[line[n] or pen.say("missing") for n in kept] for line in lines]
    return table(header, body, [n >= len(names) for n in kept])


def _cells(pen: Pen, figures: Mapping[str, Any]) -> list[str]:
    bounds = [figures[key] for key in ("p95_coverage", "p10_coverage") if figures[key] is not None]
    ratio = figures["median_p95_over_p50"]
    return [
        str(figures["n"]),
        str(figures.get("groups", "")),
        percent(pen, figures["answered"] / figures["n"]),
        *(percent(pen, figures[key]) for key in _SHARES),
        percent(pen, min(bounds)) if bounds else "",
        "" if ratio is None else f"{ratio:.2f}",
    ]


def percent(pen: Pen, share: float | None) -> str:
    """A share to a tenth of a percent; "" for none."""
    sign = "%" if pen.language == "zh" else " %"
    return "" if share is None else f"{100 * share:.1f}{sign}"
