"""Reads an hourly CSV into the levels of a distribution fact: how long each level lasted."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

from engine.book.model import Fact
from engine.language.problems import Position
from engine.readers.document import InputError
from engine.readers.messages import problem, word

LARGEST_CURVE = 10_000_000
MOST_LEVELS = 256


def read_load_curve(path: Path, fact: Fact, language: str) -> tuple[list[tuple[Any, ...]], str]:
    """The levels in ascending order and a notice ("" when every level was kept exactly).

    The first field of the fact is the level, the second how long it lasts. The CSV has a column
    named like the level; a column named like the duration is optional (else each row lasts 1).
    Beyond `MOST_LEVELS` distinct levels, neighbours are joined; their time and their product
    with the level stay the same. Raises `InputError`.
    """
    level_name, hours_name = fact.fields[0].name, fact.fields[1].name
    low, high = fact.fields[0].type.low, fact.fields[0].type.high
    text = _read(path, language)
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        raise InputError(problem("curve_empty", Position(str(path), 1, 1), language))
    header = [name.strip() for name in rows[0]]
    if level_name not in header:
        raise InputError(
            problem(
                "curve_column",
                Position(str(path), 1, 1),
                language,
                column=level_name,
                columns=f"{level_name}[, {hours_name}]",
            )
        )
    level_at = header.index(level_name)
    hours_at = header.index(hours_name) if hours_name in header else -1
    levels: dict[float, float] = {}
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        where = Position(str(path), line, 1)
        level = _number(row, level_at, level_name, where, low, high, language)
        hours = 1.0
        if hours_at >= 0:
            hours = _number(row, hours_at, hours_name, where, 0.0, math.inf, language)
        levels[level] = levels.get(level, 0.0) + hours
    if not levels:
        raise InputError(problem("curve_empty", Position(str(path), 1, 1), language))
    ordered = sorted(levels.items())
    limit = min(MOST_LEVELS, fact.max_rows or MOST_LEVELS)
    if len(ordered) <= limit:
        return [tuple(pair) for pair in ordered], ""
    notice = word("curve_joined", language, path=path.name, found=len(ordered), kept=limit)
    return [tuple(pair) for pair in join_levels(ordered, limit)], notice


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
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST_CURVE + 1)
    except FileNotFoundError as error:
        raise InputError(problem("no_curve", Position(name), language, name=name)) from error
    except OSError as error:
        raise InputError(
            problem("unreadable", Position(name), language, name=name, reason=error.strerror)
        ) from error
    if len(content) > LARGEST_CURVE:
        raise InputError(problem("too_large", Position(name), language, limit="10 MB"))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"0x{content[error.start]:02x}"
        raise InputError(problem("not_utf8", Position(name), language, byte=byte)) from error


def _number(
    row: list[str], at: int, column: str, where: Position, low: float, high: float, language: str
) -> float:
    text = row[at].strip() if at < len(row) else ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and low <= value <= high):
        raise InputError(problem("curve_cell", where, language, column=column, text=text[:40]))
    return value
