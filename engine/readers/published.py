"""Reads a CSV file of published results: what went in, what came out, how exactly it was printed.

Columns read: `id`, `metric`, `inputs` (a JSON object of numbers and ranges of two), `expected`,
`tol_abs`, and `currency` where there is one. Others (source, formula, notes …) are for people.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from typing import Any

from engine.language.frozen import frozen
from engine.language.problems import Position, Problem
from engine.readers.document import InputError
from engine.readers.expected import describe
from engine.readers.measurements import read_json, read_text
from engine.readers.messages import problem, word

NEEDED = ("id", "metric", "inputs", "expected", "tol_abs")
MOST_PROBLEMS = 50


@frozen
class Published:
    """One row. `inputs`: numbers by name; a range is taken at its middle."""

    id: str
    metric: str
    currency: str
    inputs: Mapping[str, float]
    expected: float
    tolerance: float
    line: int


def read_published(path: str, language: str = "en") -> list[Published]:
    """The rows of the file; raises `InputError` with everything that is wrong in it."""
    text = read_text(path, language)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    problems: list[Problem] = []
    rows: list[Published] = []
    seen: dict[str, int] = {}
    try:
        names = reader.fieldnames or []
        where = Position(path, 1, 1)
        absent = [name for name in NEEDED if name not in names]
        problems += [problem("required", where, language, field=one, hint="") for one in absent]
        twice = [name for name in NEEDED if names.count(name) > 1]
        problems += [problem("curve_twice", where, language, column=one) for one in twice]
        if problems:
            raise InputError(problems)
        for fields in reader:
            place = Position(path, reader.line_num, 1)
            if len(problems) >= MOST_PROBLEMS:
                break
            try:
                if None in fields:
                    found, wanted = len(names) + len(fields[None]), len(names)
                    raise InputError(
                        problem("curve_columns", place, language, found=found, wanted=wanted)
                    )
                row = _row(fields, place, language)
            except InputError as error:
                problems += error.problems
                continue
            if row.id in seen:
                first = seen[row.id]
                problems.append(
                    problem("measured_twice", place, language, field="id", id=row.id, line=first)
                )
            seen[row.id] = place.line
            rows.append(row)
    except csv.Error as error:
        where = Position(path, reader.line_num, 1)
        problems.append(problem("unreadable", where, language, name=path, reason=str(error)))
    if problems:
        raise InputError(problems[:MOST_PROBLEMS], {path: tuple(text.splitlines())})
    return rows


def _row(fields: Mapping[str | None, Any], place: Position, language: str) -> Published:
    def cell(name: str) -> str:
        text = str(fields.get(name) or "").strip()
        if not text:
            raise InputError(problem("null", place, language, field=name, hint=""))
        return text

    def number(name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(
                problem("wrong_type", place, language, field=name, hint="",
                        found=describe(value, language), expected=word("number", language))
            )  # fmt: skip
        if not math.isfinite(value):
            raise InputError(problem("not_finite", place, language, field=name, hint=""))
        return float(value)

    def parsed(name: str) -> Any:
        try:
            return read_json(cell(name))
        except (ValueError, RecursionError):
            raise InputError(
                problem("wrong_type", place, language, field=name, hint="",
                        found=describe(cell(name), language),
                        expected=word("mapping" if name == "inputs" else "number", language))
            ) from None  # fmt: skip

    tolerance = number("tol_abs", parsed("tol_abs"))
    if tolerance < 0:
        raise InputError(
            problem("out_of_range", place, language, field="tol_abs", value=tolerance, hint="")
        )
    inputs = parsed("inputs")
    if not isinstance(inputs, dict):
        raise InputError(
            problem("wrong_type", place, language, field="inputs", hint="",
                    found=describe(inputs, language), expected=word("mapping", language))
        )  # fmt: skip
    values = {}
    for name, value in inputs.items():
        ends = value if isinstance(value, list) and len(value) == 2 else [value]
        found = [number(f"inputs.{name}", end) for end in ends]
        values[name] = sum(found) / len(found)
    return Published(
        cell("id"),
        cell("metric"),
        str(fields.get("currency") or "").strip(),
        values,
        number("expected", parsed("expected")),
        tolerance,
        place.line,
    )
