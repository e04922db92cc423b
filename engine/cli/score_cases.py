"""`score cases [DIR]`: what the rule book says to real situations with a known outcome."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from engine.cli.console import Console
from engine.cli.messages import message, usage_problem
from engine.language.problems import ProblemError
from engine.report.width import clip, pad, width
from engine.run.cases import ANSWERED, Row, counts, read_cases, score_cases, share_right

FOLDER = "tests/cases"
WIDEST = {"expected": 28, "found": 24, "reason": 72}


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Prints the verdict on every case; the exit status is 0 whatever the verdicts are."""
    from engine.cli.inputs import open_book

    folder = Path(arguments.file or FOLDER)
    if not folder.exists():
        raise ProblemError(usage_problem("no_file", console.language, file=str(folder)))
    cases = read_cases(folder)
    rows = score_cases(open_book(arguments.book, console), cases, console.language)
    if arguments.format == "json":
        console.print_json(as_data(rows))
    else:
        console.print(as_table(rows, console.language))
    return 0


def as_data(rows: Sequence[Row]) -> dict[str, object]:
    """The verdicts as plain data; `share_right` is of the cases whose command exists."""
    listed = [
        {"id": row.id, "status": row.status, "entry": row.entry, "expected": row.expected,
         "found": row.found, "reason": row.reason}
        for row in rows
    ]  # fmt: skip
    return {**counts(rows), "share_right": share_right(rows), "rows": listed}


def as_table(rows: Sequence[Row], language: str) -> str:
    """A line per case and the counts below."""
    head = [
        message(f"case_{name}", language) for name in ("id", "status", "expected", "found", "why")
    ]
    lines = [head] + [
        [
            row.id,
            message(f"case_{row.status}", language),
            clip(row.expected, WIDEST["expected"]),
            clip(_shown(row.found), WIDEST["found"]),
            clip(row.reason, WIDEST["reason"]),
        ]
        for row in rows
    ]
    columns = [max(width(line[at]) for line in lines) for at in range(len(head))]
    texts = ["  ".join(pad(cell, columns[at]) for at, cell in enumerate(line)) for line in lines]
    found = counts(rows)
    told = ", ".join(f"{found[name]} {message(f'case_{name}', language)}" for name in found)
    answered = sum(found[name] for name in ANSWERED)
    texts.append(told)
    texts.append(message("cases_share", language, share=share_right(rows), answered=answered))
    return "\n".join(text.rstrip() for text in texts)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
