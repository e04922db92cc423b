"""`explain DECISION PROFILE`: how one decision came about."""

from __future__ import annotations

import argparse

from engine.cli.console import Console, Parser, add_common, add_run, positive
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
        raise ProblemError(_unknown(arguments.decision, list(names), console.language))
    node = explain(decided, values, names[arguments.decision])
    if arguments.format == "json":
        import json

        data = trace_json(node, decided)
        console.print(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        from engine.report.trace import render_trace

        console.print(
            render_trace(node.to_dict(), console.language, console.style(), arguments.depth)
        )
    return 0


def _unknown(name: str, names: list[str], language: str):  # type: ignore[no-untyped-def]
    from engine.cli.messages import usage_problem
    from engine.readers.hints import did_you_mean

    hint = did_you_mean(name, names, language) or "`rules list`"
    return usage_problem("unknown_id", language, name=name, hint=hint)
