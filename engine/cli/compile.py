"""`compile --to js|sql|json-schema`: the rule book for other runtimes."""

from __future__ import annotations

import argparse

from engine.cli.console import Console, Parser, add_common

TARGETS = ("js", "sql", "json-schema")


def parser(language: str) -> Parser:
    found = Parser("compile", language)
    found.add_argument("--to", choices=list(TARGETS), required=True, help=found.text("help_to"))
    found.add_argument("--dialect", default="duckdb", help=found.text("help_dialect"))
    found.add_argument("-o", "--output", metavar="FILE", help=found.text("help_output"))
    add_common(found, ("text", "json"))
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    from engine.cli.inputs import open_book

    book = open_book(arguments.book, console).book
    if arguments.to == "js":
        from engine.targets.javascript import compile_javascript

        content = compile_javascript(book)
    elif arguments.to == "sql":
        from engine.targets.sql import compile_sql

        content = compile_sql(book, dialect=arguments.dialect).text
    else:
        import json

        from engine.run.json_schema import profile_schema

        content = json.dumps(profile_schema(book), ensure_ascii=False, indent=2) + "\n"
    if arguments.output:
        console.write_file(arguments.output, content)
        console.note("written", file=arguments.output)
    else:
        console.print(content)
    return 0
