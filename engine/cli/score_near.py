"""`score NAME FILE --near PROFILE`: the measured rows most like a profile."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cli.console import Console
from engine.cli.messages import message
from engine.readers.measurements import Measurements
from engine.report.width import pad, width
from engine.run.bundle import Bundle
from engine.run.score import Scorer

MOST = 3


def run(
    arguments: argparse.Namespace, console: Console, bundle: Bundle, scorer: Scorer,
    file: Measurements,
) -> int:  # fmt: skip
    """Prints up to three rows, nearest first, each with what the book says of it."""
    from engine.cli.inputs import admitted
    from engine.readers.document import read_document
    from engine.run.nearest import as_data, nearest
    from engine.run.pipeline import decide

    document = read_document(arguments.near, console.language)
    profile = admitted(bundle, document, [], console.language)
    facts = decide(bundle, profile, scorer.overrides).outcome["facts"]
    found = as_data(nearest(scorer, file, facts, MOST))
    if arguments.format == "json":
        console.print_json({"nearest": found})
    else:
        console.print(_table(found, console.language))
    return 0


def _table(found: Sequence[Mapping[str, Any]], language: str) -> str:
    if not found:
        return message("near_none", language)
    names = ("id", "metric", "measured", "expected", "source")
    lines = [[message(f"near_{name}", language) for name in names]]
    for row in found:
        expected = row["expected"]
        lines.append(
            [
                row["id"],
                row["metric"],
                f"{row['measured']:.4g} {row['unit']}",
                f"{expected:.4g}" if isinstance(expected, float) else row["reason"],
                f"{row['source']}, {row['locator']}",
            ]
        )
    columns = [max(width(line[at]) for line in lines) for at in range(len(names))]
    texts = ["  ".join(pad(cell, columns[at]) for at, cell in enumerate(line)) for line in lines]
    return "\n".join(text.rstrip() for text in texts)
