"""What every command shares: streams, language, colour, and its argument parser."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TextIO

from engine.cli.messages import message, usage_problem
from engine.language.frozen import frozen
from engine.language.problems import Problem, ProblemError
from engine.report.style import Style, wants_colour

LANGUAGES = ("en", "zh")
PROGRAM = "gpuwise"


@frozen
class Console:
    """Where a command prints. Answers go to `out`, everything else to `err`."""

    language: str
    out: TextIO
    err: TextIO

    def style(self) -> Style:
        return Style(wants_colour(self.out))

    def error_style(self) -> Style:
        return Style(wants_colour(self.err))

    def print(self, text: str) -> None:
        self.out.write(text if text.endswith("\n") else text + "\n")

    def print_json(self, data: object) -> None:
        """One JSON value; numbers are written so that they read back exactly."""
        import json

        self.print(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False))

    def note(self, name: str, /, **values: object) -> None:
        """A notice of the message catalogue, on standard error."""
        self.err.write(message(name, self.language, **values) + "\n")

    def say(self, name: str, /, **values: object) -> str:
        return message(name, self.language, **values)

    def write_file(self, path: str, content: str) -> None:
        """Write an output file, on every system the same bytes; raises ProblemError when that is
        not possible."""
        try:
            with open(path, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(content)
        except OSError as error:
            raise ProblemError(
                usage_problem(
                    "no_write", self.language, file=path, reason=error.strerror or str(error)
                )
            ) from error


class Parser(argparse.ArgumentParser):
    """An argument parser that reports in our terms instead of exiting."""

    def __init__(self, name: str, language: str) -> None:
        super().__init__(
            prog=f"{PROGRAM} {name}".strip(),
            description=message(name, language) if name else message("program", language),
            add_help=False,
            allow_abbrev=False,
            # A width of its own: measuring the terminal would import three compressors.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=96),
        )
        self.language = language
        self._positionals.title = message("arguments", language)
        self._optionals.title = message("options", language)
        self.add_argument("-h", "--help", action="help", help=message("help_help", language))

    def format_help(self) -> str:
        text = super().format_help()
        return text.replace("usage:", message("usage", self.language) + ":", 1)

    def text(self, name: str) -> str:
        return message(name, self.language).replace("%", "%%")

    def parse_args(self, args: Any = None, namespace: Any = None) -> argparse.Namespace:  # type: ignore[override]
        """As argparse; an empty value is not a value (`--record ""` must not mean "no record")."""
        found: argparse.Namespace = super().parse_args(args, namespace)
        for action in self._actions:
            value = getattr(found, action.dest, None)
            if action.option_strings and (value == "" or (isinstance(value, list) and "" in value)):
                name = action.option_strings[-1]
                raise ProblemError(usage_problem("missing_value", self.language, name=name))
        return found

    def error(self, message: str) -> NoReturn:
        raise ProblemError(self.explained(message))

    def explained(self, said: str) -> Problem:
        """argparse's complaint, with a code, a suggestion and in the language asked for."""
        language = self.language
        choice = re.match(r"argument ([^:]+): invalid choice: '?(.*?)'? \(choose from (.*)\)", said)
        if choice:
            choices = [part.strip(" '") for part in choice[3].split(",")]
            hint = _hint(choice[2], choices, language)
            return usage_problem(
                "invalid_choice", language, name=choice[1].split("/")[-1], value=choice[2],
                expected=", ".join(choices), hint=hint,
            )  # fmt: skip
        value = re.match(r"argument ([^:]+): invalid \w+ value: '(.*)'", said)
        if value:
            return usage_problem(
                "bad_value", language, name=value[1].split("/")[-1], value=value[2], hint="",
                expected=message("positive", language),
            )  # fmt: skip
        needs = re.match(r"argument ([^:]+): expected ", said)
        if needs:
            return usage_problem("missing_value", language, name=needs[1].split("/")[-1])
        missing = re.match(r"the following arguments are required: (.*)", said)
        if missing:
            return usage_problem("missing_argument", language, name=missing[1], program=self.prog)
        unknown = re.match(r"unrecognized arguments: (.*)", said)
        if unknown:
            name = unknown[1].split()[0]
            options = [text for action in self._actions for text in action.option_strings]
            return usage_problem(
                "unknown_option", language, name=name,
                hint=_hint(name.partition("=")[0], options, language),
            )  # fmt: skip
        return usage_problem("bad_usage", language, reason=said)


def _hint(text: str, choices: Sequence[str], language: str) -> str:
    from engine.readers.hints import did_you_mean

    return did_you_mean(text, list(choices), language)


def unknown_id(name: str, known: Sequence[str], language: str) -> Problem:
    """The finding about an id that the book does not have, or the end of several ids."""
    ends = [full for full in known if full.endswith("." + name)]
    if len(ends) > 1:
        return usage_problem("ambiguous_id", language, name=name, hint=", ".join(ends))
    hint = _hint(name, known, language) or "`rules list`"
    return usage_problem("unknown_id", language, name=name, hint=hint)


def add_common(parser: Parser, formats: Sequence[str]) -> None:
    """`--format`, `--lang` and `--book`, which every command takes."""
    parser.add_argument(
        "--format", choices=list(formats), default=formats[0], help=parser.text("help_format")
    )
    parser.add_argument(
        "--lang", choices=list(LANGUAGES), default="en", help=parser.text("help_lang")
    )
    parser.add_argument("--book", metavar="DIR", help=parser.text("help_book"))


def add_run(parser: Parser) -> None:
    """The options that state or change inputs of a run."""
    parser.add_argument("--set", action="append", default=[], metavar="path=value",
                        help=parser.text("help_set"))  # fmt: skip
    parser.add_argument("--policy", action="append", default=[], metavar="FILE",
                        help=parser.text("help_policy"))  # fmt: skip
    parser.add_argument("--as-of", metavar="DATE", help=parser.text("help_as_of"))
    parser.add_argument("--objective", metavar="OBJECTIVE", help=parser.text("help_objective"))
    parser.add_argument("--currency", metavar="CURRENCY", help=parser.text("help_currency"))


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) < 1:
        raise ValueError(text)
    return int(text)


def standard_console(language: str) -> Console:
    streams: list[TextIO] = []
    for stream in (sys.stdout, sys.stderr):
        if stream is None:  # closed by whoever started us: nobody reads it
            streams.append(open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
            continue
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
        streams.append(stream)
    return Console(language, streams[0], streams[1])
