"""Reads a file of published measurements: one JSON object a line.

A row is `{id, kind, profile, metric, value, unit, group, confidence, usable}`; other fields
(source, locator, notes …) are kept for those who read the file and change nothing here. Rows with
`usable: false` are counted and not read further.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any

from engine.book.yaml_reader import Located
from engine.language.frozen import frozen
from engine.language.problems import Position, Problem
from engine.readers.document import Document, InputError, parse_document
from engine.readers.expected import describe
from engine.readers.messages import problem, word

CONFIDENCES = ("high", "medium", "low")
LARGEST_FILE = 100_000_000
MOST_PROBLEMS = 50
TEXTS = ("id", "kind", "metric", "unit", "group", "confidence")


@frozen
class Measurement:
    """One usable row. `fields`: everything in it as plain data; `line`: where it stands."""

    id: str
    kind: str
    metric: str
    value: float
    unit: str
    group: str
    confidence: str
    profile: Mapping[str, Any]
    fields: Mapping[str, Any]
    line: int


@frozen
class Measurements:
    """The rows of a file and its text, which messages about a row quote."""

    rows: tuple[Measurement, ...]
    skipped: int
    file: str
    lines: tuple[str, ...]

    def document(self, row: Measurement, language: str) -> Document:
        """The profile of a row with the position of every value; raises `InputError`."""
        whole = _located(self.lines, row.line, self.file, language)
        assert isinstance(whole.root.value, dict)
        return Document(whole.root.value["profile"], self.file, self.lines, whole.folder)

    def place(self, row: Measurement, field: str, language: str) -> Position:
        """Where a field of a row stands."""
        whole = _located(self.lines, row.line, self.file, language)
        assert isinstance(whole.root.value, dict)
        found: Located = whole.root.value[field]
        return found.position


def read_measurements(path: str, language: str = "en") -> Measurements:
    """Read the file at `path`; raises `InputError` with everything that is wrong in it."""
    # Only these end a line of JSON: others, such as U+2028, may stand in its texts.
    lines = tuple(line.removesuffix("\r") for line in read_text(path, language).split("\n"))
    reading = _Reading(path, lines, language)
    rows: list[Measurement] = []
    for number in range(1, len(lines) + 1):
        row = reading.row(number)
        if row is not None:
            rows.append(row)
        if len(reading.problems) >= MOST_PROBLEMS:
            break
    if reading.problems:
        raise InputError(reading.problems[:MOST_PROBLEMS], {path: reading.lines})
    return Measurements(tuple(rows), reading.skipped, path, reading.lines)


def read_text(path: str, language: str) -> str:
    where = Position(path)
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise InputError(problem("no_measurements", where, language, name=path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(problem("unreadable", where, language, name=path, reason=reason)) from None
    if len(content) > LARGEST_FILE:
        raise InputError(
            problem("too_large", Position(path, 1, 1), language, limit="100 MB",
                    expected=word("largest", language, limit="100 MB"))
        )  # fmt: skip
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(problem("not_utf8", where, language)) from None


def _located(lines: tuple[str, ...], number: int, file: str, language: str) -> Document:
    """One line as a document whose positions are those in the file."""
    return parse_document(
        "\n" * (number - 1) + lines[number - 1], file, language, os.path.dirname(file)
    )


class _Reading:
    def __init__(self, file: str, lines: tuple[str, ...], language: str) -> None:
        self.file, self.lines, self.language = file, lines, language
        self.problems: list[Problem] = []
        self.skipped = 0
        self.seen: dict[str, int] = {}

    def row(self, number: int) -> Measurement | None:
        text = self.lines[number - 1]
        if not text.strip():
            return None
        try:
            fields = read_json(text)
            if not isinstance(fields, dict):
                raise ValueError
        except (ValueError, RecursionError) as error:
            self.unreadable(number, getattr(error, "colno", 1))
            return None
        if fields.get("usable") is False:
            self.skipped += 1
            return None
        wrong = self.wrong(fields)
        if wrong:
            self.place(wrong, number)
            return None
        self.seen[fields["id"]] = number
        texts = {name: fields[name] for name in TEXTS}
        return Measurement(
            **texts,
            value=float(fields["value"]),
            profile=fields["profile"],
            fields=fields,
            line=number,
        )

    def unreadable(self, number: int, column: int) -> None:
        try:  # the reader of profiles says more: which field stands twice, which number is none
            _located(self.lines, number, self.file, self.language)
        except InputError as error:
            self.problems += error.problems
        else:
            where = Position(self.file, number, column)
            self.problems.append(problem("measured_line", where, self.language))

    def wrong(self, fields: Mapping[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
        """(field, name of the finding, its values) for each thing that is wrong with a row."""
        language = self.language
        found: list[tuple[str, str, dict[str, Any]]] = []

        def no(field: str, name: str, **values: Any) -> None:
            found.append((field, name, {"field": field, "hint": "", **values}))

        for field in (*TEXTS, "value", "profile"):
            if field not in fields:
                no(field, "required")
        for field in TEXTS:
            value = fields.get(field, "-")
            if not isinstance(value, str):
                no(field, "wrong_type", found=describe(value, language),
                   expected=word("text", language))  # fmt: skip
            elif not value.strip():
                no(field, "null")
        value = fields.get("value", 1)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            no("value", "wrong_type", found=describe(value, language),
               expected=word("number", language))  # fmt: skip
        elif not math.isfinite(value):
            no("value", "not_finite")
        elif value < 0:
            no("value", "out_of_range", value=value)
        if not isinstance(fields.get("profile", {}), dict):
            no("profile", "wrong_type", found=describe(fields["profile"], language),
               expected=word("mapping", language))  # fmt: skip
        if not isinstance(fields.get("usable", True), bool):
            no("usable", "wrong_type", found=describe(fields["usable"], language),
               expected=word("boolean", language))  # fmt: skip
        if fields.get("confidence", "high") not in CONFIDENCES:
            choices = ", ".join(CONFIDENCES)
            no("confidence", "unknown_value", value=str(fields["confidence"]),
               expected=word("one_of", language, choices=choices))  # fmt: skip
        first = self.seen.get(str(fields.get("id")))
        if first:
            no("id", "measured_twice", id=str(fields["id"]), line=first)
        return found

    def place(self, wrong: list[tuple[str, str, dict[str, Any]]], number: int) -> None:
        try:
            root = _located(self.lines, number, self.file, self.language).root
        except InputError as error:  # JSON, but nothing a profile may hold
            self.problems += error.problems
            return
        members: Mapping[str, Located] = root.value if isinstance(root.value, dict) else {}
        for field, name, values in wrong:
            place = members[field].position if field in members else root.position
            self.problems.append(problem(name, place, self.language, **values))


def read_json(text: str) -> Any:
    """The value of a text of JSON; raises ValueError (RecursionError) for one that a double
    cannot hold, a field that stands twice, NaN and infinities."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refused, parse_int=_whole)


def _whole(text: str) -> int:
    if math.isinf(float(text)):
        raise ValueError(text)
    return int(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field stands twice")
    return found


def _refused(name: str) -> Any:
    raise ValueError(name)
