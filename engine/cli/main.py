"""Finds the command, runs it, and turns every failure into a message and an exit status.

0: done; 1: a check failed; 2: bad input; 3: a headline decision is unknown; 130: interrupted;
141: nobody read the output; 70: a bug of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from engine.cli.console import LANGUAGES, PROGRAM, Console, standard_console
from engine.cli.messages import message, usage_problem
from engine.language.problems import Problem, ProblemError

COMMANDS = ("recommend", "explain", "init", "validate", "score", "rules", "catalog", "compile")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    language = _option(arguments, "--lang") or "en"
    console = standard_console(language if language in LANGUAGES else "en")
    try:
        status = _run(arguments, console)
        console.out.flush()
        return status
    except ProblemError as error:
        return _report(error, arguments, console)
    except BrokenPipeError:
        _abandon_output()
        return 141
    except KeyboardInterrupt:
        console.err.write("\n")
        return 130
    except SystemExit as done:  # --help
        return int(done.code or 0)
    except OSError as error:  # a full disk, a folder without permission: no bug of ours
        if not error.filename:
            _abandon_output()
        name = str(error.filename or "stdout")
        reason = error.strerror or str(error)
        found = usage_problem("no_access", console.language, file=name, reason=reason)
        return _report(ProblemError(found), arguments, console)
    except Exception as error:
        if os.environ.get("GPUWISE_TRACEBACK"):
            raise
        reason = f"{type(error).__name__}: {error}"
        found = usage_problem("internal", console.language, reason=reason)
        return _report(ProblemError(found), arguments, console, status=70)


def _run(arguments: list[str], console: Console) -> int:
    if arguments[:1] in (["--version"], ["-V"]):
        from engine.version import __version__

        console.print(f"{PROGRAM} {__version__}")
        return 0
    named = any(text in COMMANDS for text in arguments)
    if not arguments or (not named and {"-h", "--help", "help"} & set(arguments)):
        console.print(_overview(console.language))
        return 0 if arguments else 2
    name = next((text for text in arguments if not text.startswith("-")), "")
    # Options before the command (`--lang zh recommend`) are options of the command.
    names = [text for text in arguments if text in COMMANDS]
    if arguments[0].startswith("-") and names:
        name = names[0]
    if name not in COMMANDS:
        raise ProblemError(_unknown(name, console.language))
    module = import_module(f"engine.cli.{name}")
    rest = list(arguments)
    rest.remove(name)
    parsed = module.parser(console.language).parse_args(rest)
    return int(module.run(parsed, console))


def _unknown(name: str, language: str) -> list[Problem]:
    commands = ", ".join(COMMANDS)
    if not name:
        return [usage_problem("no_command", language, commands=commands)]
    from engine.readers.hints import did_you_mean

    hint = did_you_mean(name, COMMANDS, language) or message("commands", language) + f": {commands}"
    return [usage_problem("unknown_command", language, name=name, hint=hint)]


def _overview(language: str) -> str:
    lines = [
        f"{PROGRAM}: {message('program', language)}",
        "",
        f"{message('usage', language)}: {PROGRAM} COMMAND …",
        "",
        f"{message('commands', language)}:",
    ]
    lines += [f"  {name:<10} {message(name, language)}" for name in COMMANDS]
    lines += [
        "",
        message("more_help", language, program=PROGRAM),
    ]
    return "\n".join(lines)


def _option(arguments: Sequence[str], name: str) -> str | None:
    """The value of an option before the command line is parsed."""
    for number, text in enumerate(arguments):
        if text == name and number + 1 < len(arguments):
            return arguments[number + 1]
        if text.startswith(name + "="):
            return text.partition("=")[2]
    return None


def _report(
    error: ProblemError, arguments: Sequence[str], console: Console, status: int = 2
) -> int:
    from engine.report.problems import problems_json, render_problems

    try:
        if _option(arguments, "--format") == "json":
            console.print(problems_json(error.problems))
        else:
            texts = getattr(error, "texts", {})
            style = console.error_style()
            console.err.write(render_problems(error.problems, texts, console.language, style))
        console.out.flush()
    except OSError:
        _abandon_output()
    return status


def _abandon_output() -> None:
    """The reader has gone: leave quietly, also when the interpreter flushes at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
