"""Reads an hourly CSV into the levels of a distribution fact: how long each level lasted."""

from __future__ import annotations

import csv
import io
import os
import stat
from pathlib import Path
from typing import Any

from engine.book.model import Fact, Field
from engine.language.patterns import late
from engine.language.problems import Position
from engine.readers.document import InputError
from engine.readers.messages import problem, word

LARGEST_CURVE = 10_000_000
MOST_LEVELS = 256
_NUMBER = late(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def read_load_curve(path: Path, fact: Fact, language: str) -> tuple[list[tuple[Any, ...]], str]:
    """The levels in ascending order and a notice ("" when every level was kept exactly).

    The first field of the fact is the level, the second how long it lasts. The CSV has a column
    named like the level; a column named like the duration is optional (else each row lasts 1).
    Beyond `MOST_LEVELS` distinct levels, neighbours are joined; their time and their product
    with the level stay the same. Every number is in the range of its field, also the time of a
    level in all. Raises `InputError`.
    """
    level_field, hours_field = fact.fields[0], fact.fields[1]
    name = str(path)
    lines = _lines(_read(path, language), name, language)
    header = _header(lines, name, fact, language)
    level_at = header.index(level_field.name)
    hours_at = header.index(hours_field.name) if hours_field.name in header else -1
    levels: dict[float, float] = {}
    for line, row in lines[1:]:
        where = Position(name, line, 1)
        if len(row) != len(header):
            raise _refuse("curve_columns", where, language, found=len(row), wanted=len(header))
        level = _number(row[level_at], level_field, where, language)
        hours = 1.0 if hours_at < 0 else _number(row[hours_at], hours_field, where, language)
        levels[level] = levels.get(level, 0.0) + hours
        if levels[level] > hours_field.type.high:
            raise _refuse(
                "curve_total", where, language, level=f"{level:g}", hours=f"{levels[level]:g}"
            )
    if not levels:
        raise _refuse("curve_empty", Position(name, 1, 1), language)
    ordered = sorted(levels.items())
    limit = min(MOST_LEVELS, fact.max_rows or MOST_LEVELS)
    if len(ordered) <= limit:
        return [tuple(pair) for pair in ordered], ""
    notice = word("curve_joined", language, path=path.name, found=len(ordered), kept=limit)
    joined = join_levels(ordered, limit)
    for level, hours in joined:
        if hours > hours_field.type.high:
            raise _refuse(
                "curve_total",
                Position(name, 1, 1),
                language,
                level=f"{level:g}",
                hours=f"{hours:g}",
            )
    return [tuple(pair) for pair in joined], notice


def join_levels(levels: list[tuple[float, float]], limit: int) -> list[tuple[float, float]]:
    """Join the nearest neighbours until `limit` levels are left; time and load are kept."""
    groups = [[level * hours, hours, level] for level, hours in levels]
    while len(groups) > limit:
        at = min(range(len(groups) - 1), key=lambda i: groups[i + 1][2] - groups[i][2])
        left, right = groups[at], groups.pop(at + 1)
        hours = left[1] + right[1]
        load = left[0] + right[0]
        groups[at] = [load, hours, load / hours if hours > 0 else right[2]]
    return [(level, hours) for _, hours, level in groups]


def _read(path: Path, language: str) -> str:
    name = str(path)
    where = Position(name)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe or a device may never end
            raise InputError(problem("not_a_file", where, language, name=name))
        with open(path, "rb") as stream:
            content = stream.read(LARGEST_CURVE + 1)
    except FileNotFoundError as error:
        raise InputError(problem("no_curve", where, language, name=name)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            problem("unreadable", where, language, name=name, reason=reason)
        ) from error
    if len(content) > LARGEST_CURVE:
        most = word("largest", language, limit="10 MB")
        raise InputError(problem("too_large", where, language, limit="10 MB", expected=most))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            problem("not_utf8", Position(name, line, 1), language, expected="UTF-8")
        ) from error


def _lines(text: str, name: str, language: str) -> list[tuple[int, list[str]]]:
    """(line, fields) of every row that is not blank."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                found.append((begins, row))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise _refuse("curve_syntax", Position(name, begins, 1), language) from error
    return found


def _header(lines: list[tuple[int, list[str]]], file: str, fact: Fact, language: str) -> list[str]:
    if not lines:
        raise _refuse("curve_empty", Position(file, 1, 1), language)
    where = Position(file, lines[0][0], 1)
    header = [name.strip() for name in lines[0][1]]
    level, hours = fact.fields[0].name, fact.fields[1].name
    if level not in header:
        columns = f"{level}[, {hours}]"
        raise _refuse("curve_column", where, language, column=level, columns=columns)
    for name in (level, hours):
        if header.count(name) > 1:
            raise _refuse("curve_twice", where, language, column=name)
    return header


def _number(cell: str, field: Field, where: Position, language: str) -> float:
    text = cell.strip()
    low, high = field.type.low, field.type.high
    expected = word("between", language, low=f"{low:g}", high=f"{high:g}")
    if not _NUMBER.fullmatch(text):
        raise _refuse(
            "curve_cell", where, language, expected=expected, column=field.name, text=text
        )
    value = float(text)
    if not low <= value <= high:
        raise _refuse(
            "curve_range", where, language, expected=expected, column=field.name, text=text
        )
    return value + 0.0


def _refuse(name: str, where: Position, language: str, /, **values: Any) -> InputError:
    return InputError(problem(name, where, language, **values))
