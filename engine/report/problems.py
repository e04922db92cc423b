"""Findings about input, as a person or a program reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from engine.language.printable import printable
from engine.language.problems import Problem
from engine.report.style import Style
from engine.report.width import width

_WORDS = {
    "en": {"expected": "expected", "error": "error", "warning": "warning"},
    "zh": {"expected": "应为", "error": "错误", "warning": "警告"},
}
_LONGEST_LINE = 96
_LONGEST_TEXT = 1000  # a message, or a list of what may stand there


def render_problems(
    problems: Sequence[Problem],
    texts: Mapping[str, Sequence[str]],
    language: str,
    style: Style,
) -> str:
    """Each finding with its place, the line it stands on and a caret under it."""
    return "\n".join(_one(problem, texts, language, style) for problem in problems) + "\n"


def problems_json(problems: Sequence[Problem]) -> str:
    """`{"errors": [{code, file, line, column, message, expected, suggestion}]}`."""
    errors = [problem_data(problem) for problem in problems]
    return json.dumps({"errors": errors}, ensure_ascii=False, indent=2) + "\n"


def findings_data(problems: Sequence[Problem]) -> list[dict[str, str | int]]:
    """Findings of a check, warnings among them, as plain data."""
    return [{**problem_data(problem), "severity": problem.severity} for problem in problems]


def problem_data(problem: Problem) -> dict[str, str | int]:
    """One finding as plain data."""
    return {
        "code": problem.code,
        "file": problem.position.file,
        "line": problem.position.line,
        "column": problem.position.column,
        "message": printable(problem.message, _LONGEST_TEXT),
        "expected": printable(problem.expected, _LONGEST_TEXT),
        "suggestion": printable(problem.suggestion, _LONGEST_TEXT),
    }


def _one(problem: Problem, texts: Mapping[str, Sequence[str]], language: str, style: Style) -> str:
    words = _WORDS[language]
    kind = "caution" if problem.severity == "warning" else "bad"
    head = f"{printable(str(problem.position))}: {style.paint(problem.code, kind)} "
    lines = [head + style.paint(printable(problem.message, _LONGEST_TEXT), "strong")]
    source = texts.get(problem.position.file, ())
    if 0 < problem.position.line <= len(source):
        lines += _excerpt(source[problem.position.line - 1], problem, style)
    if problem.expected:
        joint = "：" if language == "zh" else ": "
        lines.append(f"  {words['expected']}{joint}{printable(problem.expected, _LONGEST_TEXT)}")
    if problem.suggestion:
        lines.append(f"  {style.paint(printable(problem.suggestion, _LONGEST_TEXT), 'good')}")
    return "\n".join(lines)


def _excerpt(line: str, problem: Problem, style: Style) -> list[str]:
    """The line with a caret under the place; a long line is shown around it."""
    column = max(problem.position.column, 1)
    line = line.replace("\t", " ")
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
    start = max(0, column - 1 - _LONGEST_LINE // 2) if len(line) > _LONGEST_LINE else 0
    shown = line[start : start + _LONGEST_LINE]
    before = width(line[start : column - 1])
    number = str(problem.position.line)
    gutter = " " * len(number)
    return [
        style.paint(f"  {number} | ", "faint") + shown,
        style.paint(f"  {gutter} | ", "faint") + " " * before + style.paint("^", "bad"),
    ]
