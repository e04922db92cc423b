"""Reads one YAML or JSON document from an untrusted file, keeping every position.

The file is read to a limit, so a 10 MB file costs one read; the YAML reader of the book does the
rest (it walks events with a stack of its own, so alias bombs and ten thousand brackets are cheap).
"""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Mapping
from typing import Any

from engine.book.yaml_reader import Located, read_yaml
from engine.language.frozen import frozen
from engine.language.problems import Position, Problem, ProblemError
from engine.readers.messages import problem, translated

LARGEST_FILE = 1_000_000
DEEPEST = 20
MOST_VALUES = 50_000  # of a Python value: nested lists that share their parts grow without end


@frozen
class Document:
    """A file that could be read. `folder` is where relative paths in it start."""

    root: Located
    file: str
    lines: tuple[str, ...] = ()
    folder: str = ""


class InputError(ProblemError):
    """Bad input. `texts`: the lines of each file named, so that a message can show the place."""

    def __init__(
        self,
        problems: list[Problem] | Problem,
        texts: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__(problems)
        self.texts = dict(texts or {})


def read_document(source: str, language: str = "en") -> Document:
    """Read the file `source` (`-`: standard input); raises `InputError`."""
    name = "<stdin>" if source == "-" else source
    content = _read_bytes(source, name, language)
    folder = "" if source == "-" else os.path.dirname(source)
    return parse_document(content, name, language, folder)


def parse_document(
    content: bytes | str, name: str, language: str = "en", folder: str = ""
) -> Document:
    """Read a text already in memory; raises `InputError`."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    lines = tuple(text.removeprefix("\ufeff").splitlines())
    try:
        root = read_yaml(content, name)
    except ProblemError as error:
        found = [translated(one, language) for one in error.problems]
        raise InputError(found, {name: lines}) from None
    if root.value is None:
        raise InputError(problem("empty", Position(name, 1, 1), language))
    return Document(root, name, lines, folder)


def document_of(
    value: Mapping[str, Any], name: str = "<profile>", language: str = "en"
) -> Document:
    """The document a Python mapping stands for; raises `InputError`."""
    return Document(_Reading(Position(name), language).located(value, 0, ""), name)


def _read_bytes(source: str, name: str, language: str) -> bytes:
    where = Position(name)
    try:
        if source == "-":
            if sys.stdin is None:
                raise OSError("it is closed")
            content = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            with open(source, "rb") as stream:
                content = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise InputError(problem("no_file", where, language, name=name)) from None
    except IsADirectoryError:
        raise InputError(problem("directory", where, language, name=name)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(problem("unreadable", where, language, name=name, reason=reason)) from None
    if len(content) > LARGEST_FILE:
        raise InputError(problem("too_large", Position(name, 1, 1), language, limit="1 MB"))
    return content


class _Reading:
    """A Python value as if it had been read from a file called `<profile>`."""

    def __init__(self, position: Position, language: str) -> None:
        self.position, self.language = position, language
        self.count = 0

    def located(self, value: Any, depth: int, path: str) -> Located:
        self.count += 1
        if depth > DEEPEST:
            raise self.refuse("too_deep", limit=DEEPEST)
        if self.count > MOST_VALUES:
            raise self.refuse("too_many_values", limit=MOST_VALUES)
        if isinstance(value, Mapping):
            members: dict[str, Located] = {}
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise self.refuse("key_not_text")
                members[key] = self.located(inner, depth + 1, f"{path}.{key}")
            return Located(members, self.position, self.position)
        if isinstance(value, (list, tuple)):
            items = [self.located(inner, depth + 1, path) for inner in value]
            return Located(tuple(items), self.position, self.position)
        if value is None or isinstance(value, (bool, str)):
            return Located(value, self.position, self.position)
        if isinstance(value, datetime.date):
            return Located(value.isoformat(), self.position, self.position)
        return self.number(value, path)

    def number(self, value: Any, path: str) -> Located:
        """Numbers of other libraries count as the double next to them."""
        kind = type(value).__name__
        odd = problem("odd_value", self.position, self.language, field=path.lstrip("."), kind=kind)
        if isinstance(value, (bytes, bytearray, memoryview)) or not hasattr(value, "__float__"):
            raise InputError(odd)
        try:
            return Located(float(value), self.position, self.position, str(value))
        except OverflowError:
            return Located(float("inf"), self.position, self.position)
        except Exception:  # whatever a foreign type does
            raise InputError(odd) from None

    def refuse(self, name: str, **values: Any) -> InputError:
        return InputError(problem(name, self.position, self.language, **values))


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """`{"a.b": 1}` as `{"a": {"b": 1}}`."""
    found: dict[str, Any] = {}
    for path, value in values.items():
        *groups, last = path.split(".")
        inner = found
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[last] = value
    return found
