"""CSV files with the place of every field: UTF-8, comma, one header row, RFC 4180 quotes.

Codes: C001 unreadable file, C002 header, C003 number of fields.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from engine.book.problems import Findings, refuse
from engine.language.problems import Position


@dataclass(frozen=True, slots=True)
class CsvFile:
    """`rows`: (line, fields), lines from 1; every row has as many fields as `header`."""

    path: str
    header: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    lines: tuple[str, ...]

    def place(self, line: int, index: int) -> Position:
        """Where field `index` of the record that begins on `line` stands."""
        starts = list(_starts("\n".join(self.lines[line - 1 : line + 20])))
        if index < len(starts):
            below, column = starts[index]
            return Position(self.path, line + below, column)
        return Position(self.path, line, 1)


def read_csv(data: str | bytes, path: str, findings: Findings) -> CsvFile:
    """Reads a file; rows of the wrong length go to `findings`. Raises ProblemError."""
    if isinstance(data, bytes):
        try:
            text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise refuse(
                "C001", "the file is not UTF-8", Position(path, line, 1), "UTF-8"
            ) from None
    else:
        text = data
    lines = tuple(text.replace("\r\n", "\n").split("\n"))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    header: tuple[str, ...] | None = None
    line = 1
    try:
        for fields in reader:
            begins, line = line, reader.line_num + 1
            if not fields:
                continue
            if header is None:
                header = tuple(name.strip() for name in fields)
                _check_header(header, path)
            elif len(fields) != len(header):
                findings.add(
                    "C003", f"the row has {len(fields)} fields", Position(path, begins, 1),
                    f"{len(header)}, as in the header", "quote fields that hold commas",
                )  # fmt: skip
            else:
                rows.append((begins, fields))
    except csv.Error as error:
        raise refuse(
            "C001", f"not readable as CSV: {error}", Position(path, reader.line_num, 1), "CSV"
        ) from None
    if header is None:
        raise refuse("C002", "the file is empty", Position(path, 1, 1), "a header row")
    return CsvFile(path, header, tuple(rows), lines)


def _check_header(header: tuple[str, ...], path: str) -> None:
    for index, name in enumerate(header):
        if not name or name in header[:index]:
            what = f'the column "{name}" appears twice' if name else "a column has no name"
            raise refuse("C002", what, Position(path, 1, 1), "a header row with unique names")


def _starts(text: str) -> Iterator[tuple[int, int]]:
    """Where the fields of the first record begin: lines below the first, and column from 1."""
    line, column, quoted, fresh = 0, 1, False, True
    for character in text:
        if fresh:
            yield line, column + (1 if character == '"' else 0)
            fresh = False
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            fresh = True
        elif character == "\n":
            if not quoted:
                return
            line, column = line + 1, 0
        column += 1
    if fresh:
        yield line, column
