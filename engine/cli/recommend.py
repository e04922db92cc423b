"""`recommend PROFILE`: the main job."""

from __future__ import annotations

import argparse

from engine.cli.console import Console, Parser, add_common, add_run, positive

FORMATS = ("text", "json", "markdown")


def parser(language: str) -> Parser:
    found = Parser("recommend", language)
    found.add_argument("profile", metavar="PROFILE", help=found.text("help_profile"))
    add_common(found, FORMATS)
    add_run(found)
    found.add_argument("--top", type=positive, default=8, metavar="N", help=found.text("help_top"))
    found.add_argument("--what-if", action="store_true", help=found.text("help_what_if"))
    found.add_argument("--record", metavar="FILE", help=found.text("help_record"))
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    from engine.book.display import with_names
    from engine.cli.inputs import open_book, read_inputs
    from engine.run.recommendation import recommend

    bundle = open_book(arguments.book, console)
    inputs = read_inputs(bundle, arguments, console.language)
    decided = inputs.decide()
    answer = recommend(
        decided, language=console.language, top=arguments.top, what_if=arguments.what_if
    )
    if arguments.record:
        from engine.run.record import record_text

        text = record_text(decided, answer, inputs.settings(arguments.top, arguments.what_if))
        console.write_file(arguments.record, text)
    report = with_names(bundle.book, bundle.catalog)
    console.print(render(report, answer.to_dict(), arguments.format, console))
    for notice in decided.profile.notices:
        console.err.write(notice + "\n")
    if not answer.complete:
        console.note("incomplete")
        return 3
    return 0


def render(report: object, answer: dict[str, object], form: str, console: Console) -> str:
    """The answer in a format; every format shows the same answer."""
    from engine.report.render import as_json, as_markdown, as_text

    if form == "json":
        return as_json(answer)
    if form == "markdown":
        return as_markdown(report, answer, console.language)
    return as_text(report, answer, console.language, console.style())
