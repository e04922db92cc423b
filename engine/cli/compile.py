"""`compile --to js|sql|json-schema|answer-schema`: the rule book for other runtimes, and the JSON
Schemas of what goes in (a profile) and what comes out (an answer)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from engine.cli.console import Console, Parser, add_common

TARGETS = ("js", "sql", "json-schema", "answer-schema")


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
    elif arguments.to == "answer-schema":
        from engine.run.answer_schema import answer_schema

        content = _json(answer_schema(book))
    else:
        from engine.run.json_schema import profile_schema

        content = _json(profile_schema(book))
    if arguments.output:
        console.write_file(arguments.output, content)
        console.note("written", file=arguments.output)
    else:
        console.print(content)
    return 0


def _json(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
