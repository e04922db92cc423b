"""`score NAME FILE`: how far the rules are from published measurements."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cli.console import Console, Parser, add_common
from engine.cli.messages import usage_problem
from engine.language.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.readers.measurements import Measurement
    from engine.run.bundle import Bundle
    from engine.run.score import Estimate

_MOST_REASONS = 12


def parser(language: str) -> Parser:
    found = Parser("score", language)
    found.add_argument("name", metavar="NAME",
                       help=found.text("help_score_name"))  # fmt: skip
    found.add_argument("file", metavar="FILE", nargs="?", help=found.text("help_measurements"))
    add_common(found, ("table", "json"))
    found.add_argument("--confidence", metavar="LIST",
                       help=found.text("help_confidence"))  # fmt: skip
    found.add_argument("--where", action="append", default=[], metavar="path=value",
                       help=found.text("help_where"))  # fmt: skip
    found.add_argument("--ids", metavar="FILE", help=found.text("help_ids"))
    found.add_argument("--policy", action="append", default=[], metavar="FILE",
                       help=found.text("help_policy"))  # fmt: skip
    found.add_argument("--rows", action="store_true", help=found.text("help_rows"))
    found.add_argument("--near", metavar="PROFILE", help=found.text("help_near"))
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.name == "cases":
        from engine.cli import score_cases

        return score_cases.run(arguments, console)
    if not arguments.file:
        program = "gpuwise score"
        found = usage_problem("missing_argument", console.language, name="FILE", program=program)
        raise ProblemError(found)
    return measurements(arguments, console)


def measurements(arguments: argparse.Namespace, console: Console) -> int:
    """Rows of measured memory or speed, scored by kind."""
    from engine.cli.inputs import open_book
    from engine.readers.document import read_document
    from engine.readers.measurements import read_measurements
    from engine.run.policy import read_policy
    from engine.run.score import Scorer, result

    bundle = open_book(arguments.book, console)
    name = arguments.name
    if name not in bundle.book.validation:
        from engine.readers.hints import did_you_mean

        names = [*bundle.book.validation, "cases"]
        hint = did_you_mean(name, names, console.language) or ", ".join(names)
        raise ProblemError(usage_problem("unknown_measure", console.language, name=name, hint=hint))
    if "readings" in bundle.book.validation[name]:
        return _table(arguments, console, bundle)
    policies = [read_document(path, console.language) for path in arguments.policy]
    overrides = read_policy(policies, bundle.book.parameters, console.language)
    file = read_measurements(arguments.file, console.language)
    if arguments.near:
        from engine.cli import score_near

        scorer = Scorer(bundle, name, overrides, console.language)
        return score_near.run(arguments, console, bundle, scorer, file)
    rows = _selected(file.rows, arguments, console)
    if not rows:
        nothing = usage_problem("no_measured_row", console.language, file=arguments.file)
        raise ProblemError(nothing)
    scorer = Scorer(bundle, name, overrides, console.language)
    scorer.enter(file, rows)
    estimates = [scorer.estimate(row) for row in rows]
    found = result(estimates, file.skipped)
    if arguments.rows:
        found["rows"] = [_row(one) for one in estimates]
    if arguments.format == "json":
        console.print_json(found)
    else:
        _print(found, console)
    console.note("scored", rows=len(rows), skipped=file.skipped)
    return 0


def _table(arguments: argparse.Namespace, console: Console, bundle: Bundle) -> int:
    """A published table of results: each row comes out as printed or not."""
    from engine.readers.document import read_document
    from engine.readers.published import read_published
    from engine.run.policy import read_policy
    from engine.run.published import TableScorer, result

    policies = [read_document(path, console.language) for path in arguments.policy]
    overrides = read_policy(policies, bundle.book.parameters, console.language)
    rows = read_published(arguments.file, console.language)
    if arguments.ids:
        ids = _lines(arguments.ids, console.language)
        rows = [row for row in rows if row.id in ids]
    if not rows:
        nothing = usage_problem("no_measured_row", console.language, file=arguments.file)
        raise ProblemError(nothing)
    scorer = TableScorer(bundle, arguments.name, overrides, console.language)
    found = result([scorer.result(row) for row in rows])
    if arguments.format == "json":
        console.print_json(found)
    else:
        lines = [
            [row["id"], "✓" if row["ok"] else "✗", row["metric"], _number(row["expected"]),
             _number(row["found"]), _number(row["tolerance"]), row["answer"] or row["reason"]]
            for row in found["rows"]
        ]  # fmt: skip
        header = ["id", "", "metric", "expected", "found", "tolerance", "rule"]
        console.print("\n".join(_aligned([header, *lines])))
        console.print(f"\n{found['passed']} / {len(rows)}\n")
        say, steps = console.say, found["one_step"]
        counts = [[rule, str(n), str(steps[rule])] for rule, n in found["rules"].items()]
        header = [say("score_rule"), say("score_rows"), say("score_one_step")]
        console.print("\n".join(_aligned([header, *counts])))
    console.note("scored", rows=len(rows), skipped=0)
    return 0


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.6g}"


# ------------------------------------------------------------------------------ selection


def _selected(
    rows: Sequence[Measurement], arguments: argparse.Namespace, console: Console
) -> list[Measurement]:
    kept = list(rows)
    if arguments.confidence:
        levels = _confidences(arguments.confidence, console)
        kept = [row for row in kept if row.confidence in levels]
    if arguments.ids:
        ids = _lines(arguments.ids, console.language)
        kept = [row for row in kept if row.id in ids]
    for text in arguments.where:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise ProblemError(
                usage_problem("bad_value", console.language, name="--where", value=text,
                              hint="--where serving.engine=vllm")
            )  # fmt: skip
        kept = [row for row in kept if _spelt(_field(row, path.strip())) == value.strip()]
    return kept


def _confidences(text: str, console: Console) -> set[str]:
    from engine.readers.measurements import CONFIDENCES

    levels = {part.strip() for part in text.split(",")}
    for level in sorted(levels):
        if level not in CONFIDENCES:
            raise ProblemError(
                usage_problem("invalid_choice", console.language, name="--confidence", value=level,
                              hint="", expected=", ".join(CONFIDENCES))
            )  # fmt: skip
    return levels


def _lines(path: str, language: str) -> set[str]:
    from engine.language.problems import Position
    from engine.readers.document import InputError
    from engine.readers.messages import problem

    try:
        with open(path, encoding="utf-8-sig") as stream:
            return {line.strip() for line in stream if line.strip()}
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        found = problem("unreadable", Position(path), language, name=path, reason=reason)
        raise InputError(found) from None


def _field(row: Measurement, path: str) -> Any:
    """A field of the row's profile, or of the row itself (`metric`, `kind`, `source` …)."""
    found: Any = row.profile
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return row.fields.get(path) if found is None else found


def _spelt(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


# ------------------------------------------------------------------------------ output


def _row(one: Estimate) -> dict[str, Any]:
    row = one.row
    return {
        "id": row.id, "kind": row.kind, "metric": row.metric, "group": row.group,
        "measured": row.value, "expected": one.expected, "cautious": one.cautious,
        "reason": one.reason,
    }  # fmt: skip


_COLUMNS = (
    ("score_rows", "n"), ("score_groups", "groups"), ("score_answered", "answered"),
    ("score_median", "median_ape"), ("score_mean", "mape"), ("score_within_10", "within_10"),
    ("score_within_20", "within_20"), ("score_under", "under_10"), ("score_over", "over_10"),
    ("score_p95", "p95_coverage"), ("score_p10", "p10_coverage"),
    ("score_wide", "median_p95_over_p50"), ("score_fits", "fits_right"),
)  # fmt: skip
_COUNTS = ("n", "groups", "answered")


def _print(found: Mapping[str, Any], console: Console) -> None:
    say = console.say
    header = [say(name) for name, _ in _COLUMNS]
    kinds = [[kind, *_cells(figures)] for kind, figures in found["kinds"].items()]
    kinds.append([say("score_macro"), *_cells(found["macro"])])
    metrics = [
        [f"{kind} {metric}", *_cells(figures)]
        for kind, whole in found["kinds"].items()
        for metric, figures in whole["metrics"].items()
    ]
    reasons = Counter(one["reason"] for one in found["unanswered"]).most_common(_MOST_REASONS)
    style = console.style()
    for title, first, rows in (
        ("score_kinds", "score_kind", kinds),
        ("score_metrics", "score_metric", metrics),
    ):
        console.print(style.paint(say(title), "strong"))
        console.print("\n".join(_aligned([[say(first), *header], *rows])) + "\n")
    if reasons:
        console.print(style.paint(say("score_unanswered"), "strong"))
        console.print("\n".join(f"{count:>5}  {reason}" for reason, count in reasons))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column to the left, the others to the right; nothing is cut."""
    from engine.report.width import width

    shown = [n for n in range(len(rows[0])) if n == 0 or any(row[n] for row in rows[1:])]
    widest = {n: max(width(row[n]) for row in rows) for n in shown}
    lines = []
    for row in rows:
        cells = [
            row[n] + " " * (widest[n] - width(row[n]))
            if n == 0
            else " " * (widest[n] - width(row[n])) + row[n]
            for n in shown
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _cells(figures: Mapping[str, Any]) -> list[str]:
    return [_cell(key, figures.get(key)) for _, key in _COLUMNS]


def _cell(key: str, value: Any) -> str:
    if value is None:
        return ""
    if key in _COUNTS:
        return str(value)
    return f"{value:.2f}" if key == "median_p95_over_p50" else f"{100 * value:.1f} %"
