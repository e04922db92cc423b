"""`rules check|test|list|show`: the rule book itself."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.cli.console import Console, Parser, add_common
from engine.language.problems import Problem, ProblemError

ACTIONS = ("check", "test", "list", "show")


def parser(language: str) -> Parser:
    found = Parser("rules", language)
    found.add_argument("action", metavar="ACTION", choices=list(ACTIONS), help=" | ".join(ACTIONS))
    found.add_argument("id", metavar="ID", nargs="?", help=found.text("help_rules_id"))
    add_common(found, ("text", "json"))
    return found


def run(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.action == "check":
        return check(arguments, console)
    if arguments.action == "test":
        return test(arguments, console)
    from engine.cli import rules_show

    if arguments.action == "list":
        return rules_show.list_entries(arguments, console)
    if not arguments.id:
        from engine.cli.messages import usage_problem

        raise ProblemError(
            usage_problem(
                "missing_argument", console.language, name="ID", program="gpuwise rules show"
            )
        )
    return rules_show.show(arguments, console)


def _root(arguments: argparse.Namespace) -> Path:
    from engine.book.files import default_root

    return Path(arguments.book or default_root())


def check(arguments: argparse.Namespace, console: Console) -> int:
    """Every static proof, on the files as they are; 1 when one fails."""
    from engine.book.catalog import load_catalog
    from engine.book.load import load_book
    from engine.check.book import examine
    from engine.run.layout import check_report
    from engine.run.validation import check_validation

    root = _root(arguments)
    book = load_book(root)
    catalog = load_catalog(root)
    checked = examine(book, catalog.newest, catalog)
    problems = [*checked.problems, *check_report(book), *check_validation(book)]
    errors = [problem for problem in problems if problem.severity == "error"]
    counted = sum(checked.counts.values())
    if arguments.format == "json":
        _print_json({"counts": dict(checked.counts)}, problems, console)
    else:
        _problems(problems, console)
        for name, count in checked.counts.items():
            console.print(f"{count:>6}  {name.replace('_', ' ')}")
        name = "check_failed" if problems else "check_passed"
        warnings = len(problems) - len(errors)
        console.print(console.say(name, count=counted, errors=len(errors), warnings=warnings))
    return 1 if errors or not counted else 0


def test(arguments: argparse.Namespace, console: Console) -> int:
    """Every example through the reference, and what no example reaches; 1 when one fails."""
    from engine.cli.inputs import open_book
    from engine.run.examples import run_examples

    bundle = open_book(arguments.book, console)

    def fast(given: Mapping[str, Any], overrides: Mapping[str, Any]) -> Mapping[str, Any]:
        return bundle.evaluate(given, {**bundle.parameters, **overrides}, bundle.tables)

    report = run_examples(bundle.book, bundle.catalog, arguments.id or "", fast)
    if arguments.format == "json":
        coverage = {kind: {"hit": hit, "of": of} for kind, (hit, of) in report.coverage.items()}
        uncovered = [
            {"kind": one.kind, "owner": one.owner, "what": one.what} for one in report.uncovered
        ]
        data = {"ran": report.ran, "coverage": coverage, "uncovered": uncovered}
        _print_json(data, report.failures, console)
    else:
        _problems(report.failures, console)
        for one in report.uncovered:
            console.print(f"{one.position}: {one.kind} {one.owner} {one.what}")
        for kind, (hit, of) in report.coverage.items():
            console.print(f"{hit:>6} / {of:<6} {kind.replace('_', ' ')}")
        console.print(
            console.say(
                "tests_passed", passed=report.ran - len(report.failures),
                failed=len(report.failures),
            )
        )  # fmt: skip
    if report.ran == 0:
        console.note("nothing_checked")
    return 0 if report.passed else 1


def _problems(problems: Sequence[Problem], console: Console) -> None:
    from engine.report.problems import render_problems

    if problems:
        text = render_problems(problems, {}, console.language, console.error_style())
        console.err.write(text)


def _print_json(data: dict[str, object], problems: Sequence[Problem], console: Console) -> None:
    from engine.report.problems import findings_data

    console.print_json({**data, "problems": findings_data(problems)})
