"""`validate PROFILE …`: the door alone."""

from __future__ import annotations

import argparse

from engine.cli.console import Console, Parser, add_common


def parser(language: str) -> Parser:
    found = Parser("validate", language)
    found.add_argument("profiles", metavar="PROFILE", nargs="+", help=found.text("help_profiles"))
    add_common(found, ("text", "json"))
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    from engine.cli.inputs import admitted, open_book
    from engine.language.problems import Problem
    from engine.readers.document import InputError, read_document

    bundle = open_book(arguments.book, console)
    problems: list[Problem] = []
    texts: dict[str, tuple[str, ...]] = {}
    valid: list[dict[str, object]] = []
    for path in arguments.profiles:
        try:
            profile = admitted(bundle, read_document(path, console.language), [], console.language)
        except InputError as error:
            problems += error.problems
            texts.update(error.texts)
        else:
            valid.append({"file": profile.file, "fields": len(profile.given)})
            if arguments.format == "text":
                console.print(console.say("valid", file=profile.file, count=len(profile.given)))
    if problems:
        raise InputError(problems, texts)
    if arguments.format == "json":
        console.print_json({"errors": [], "valid": valid})
    return 0
