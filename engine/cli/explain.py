"""`explain DECISION PROFILE`: how one decision came about."""

from __future__ import annotations

import argparse

from engine.cli.console import Console, Parser, add_common, add_run, positive, unknown_id
from engine.language.problems import ProblemError


def parser(language: str) -> Parser:
    found = Parser("explain", language)
    found.add_argument("decision", metavar="DECISION", help=found.text("help_decision"))
    found.add_argument("profile", metavar="PROFILE", help=found.text("help_profile"))
    add_common(found, ("text", "json"))
    add_run(found)
    found.add_argument(
        "--depth", type=positive, default=3, metavar="N", help=found.text("help_depth")
    )
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    from engine.cli.inputs import open_book, read_inputs
    from engine.run.explain import explain, explainable, trace_json
    from engine.run.values import Values

    bundle = open_book(arguments.book, console)
    decided = read_inputs(bundle, arguments, console.language).decide()
    report = bundle.book.report
    values = Values(decided, report["rows"], report["currency"])
    names = explainable(values)
    if arguments.decision not in names:
        raise ProblemError(unknown_id(arguments.decision, list(names), console.language))
    node = explain(decided, values, names[arguments.decision])
    if arguments.format == "json":
        console.print_json(trace_json(node, decided))
    else:
        from engine.report.trace import render_trace

        console.print(
            render_trace(node.to_dict(), console.language, console.style(), arguments.depth)
        )
    return 0
