"""`init`: a commented starter profile; on a terminal it asks what the headline decisions need."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from engine.book.model import Fact
from engine.cli.console import Console, Parser, add_common
from engine.cli.messages import MESSAGES, message, usage_problem
from engine.language.problems import ProblemError
from engine.run.bundle import Bundle

_MOST_QUESTIONS = 20


def parser(language: str) -> Parser:
    found = Parser("init", language)
    found.add_argument("--task", metavar="TASK", help=found.text("help_task"))
    found.add_argument("-o", "--output", metavar="FILE", help=found.text("help_output"))
    add_common(found, ("text", "json"))
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    from engine.cli.inputs import open_book
    from engine.run.starter import starter

    if arguments.output and Path(arguments.output).exists():
        found = usage_problem("exists", console.language, file=arguments.output)
        raise ProblemError(found)
    bundle = open_book(arguments.book, console)
    given: dict[str, Any] = {}
    if arguments.task:
        given = _read(bundle, {"task": arguments.task}, console)
    elif arguments.output and all(
        stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)
    ):
        given = _ask(bundle, console)
    content = starter(bundle, given, MESSAGES["starter_title"])
    if arguments.output:
        console.write_file(arguments.output, content)
        console.note("written", file=arguments.output)
        console.note("starter_then", file=arguments.output)
    else:
        console.print(content)
    return 0


def _read(bundle: Bundle, stated: dict[str, Any], console: Console) -> dict[str, Any]:
    """Stated values through the door; raises InputError."""
    from engine.readers.document import document_of
    from engine.readers.profile import admit

    document = document_of(stated, "<init>", console.language)
    profile = admit(document, bundle.book.facts, bundle.catalog.tables, language=console.language)
    return profile.given


def _ask(bundle: Bundle, console: Console) -> dict[str, Any]:
    """Ask for the required fields, then for whatever the headline decisions still miss."""
    from engine.readers.profile import Profile
    from engine.run.pipeline import decide
    from engine.run.questions import questions
    from engine.run.values import Values

    console.note("asking")
    report = bundle.book.report
    given: dict[str, Any] = {}
    skipped: set[str] = set()
    waiting = list(report.get("required", ()))
    for _ in range(_MOST_QUESTIONS):
        if not waiting:
            decided = decide(bundle, Profile(dict(given), {}, "<init>"), {})
            values = Values(decided, report["rows"], report["currency"])
            asked = questions(decided, values, console.language)
            waiting = [
                one["field"] for one in asked if one["headline"] and one["field"] not in skipped
            ][:1]
            if not waiting:
                break
        path = waiting.pop(0)
        value = _answer(bundle, bundle.book.facts[path], console)
        if value is None:
            skipped.add(path)
        else:
            given[path] = value
    return given


def _answer(bundle: Bundle, fact: Fact, console: Console) -> Any:
    """One answer, asked again until it is valid; empty: not known."""
    from engine.readers.document import InputError
    from engine.report.problems import render_problems

    language = console.language
    label = fact.label.in_language(language) or fact.path
    about = fact.help.in_language(language)
    console.err.write(f"\n{label} ({fact.path})" + (f"\n  {about}" if about else "") + "\n")
    if fact.type.values is not None:
        console.err.write("  " + ", ".join(fact.type.values) + "\n")
    while True:
        console.err.write(f"  [{message('ask_skip', language)}] > ")
        console.err.flush()
        line = sys.stdin.readline()
        if not line.strip():
            return None
        try:
            from engine.cli.inputs import setting

            document = setting(f"{fact.path}={line.strip()}", language)
            from engine.readers.profile import admit

            admitted = admit(document, bundle.book.facts, bundle.catalog.tables, language=language)
        except InputError as error:
            console.err.write(render_problems(error.problems, {}, language, console.error_style()))
        else:
            return admitted.given[fact.path]
