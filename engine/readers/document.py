"""Reads one YAML or JSON document from an untrusted file, keeping every position.

The file is read to a limit, so a 10 MB file costs one read; the YAML reader of the book does the
rest (it walks events with a stack of its own, so alias bombs and ten thousand brackets are cheap).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.book.yaml_reader import Located, read_yaml
from engine.language.frozen import factory, frozen
from engine.language.problems import Position, Problem, ProblemError
from engine.readers.messages import problem, translated

LARGEST_FILE = 1_000_000
DEEPEST = 20


@frozen
class Document:
    """A file that could be read. `folder` is where relative paths in it start."""

    root: Located
    file: str
    lines: tuple[str, ...] = ()
    folder: Path = factory(default_factory=Path)


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
    folder = Path() if source == "-" else Path(source).parent
    return parse_document(content, name, language, folder)


def parse_document(
    content: bytes | str, name: str, language: str = "en", folder: Path | None = None
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
        raise InputError(problem("empty", Position(name), language))
    return Document(root, name, lines, folder or Path())


def document_of(
    value: Mapping[str, Any], name: str = "<profile>", language: str = "en"
) -> Document:
    """The document a Python mapping stands for; raises `InputError`."""
    return Document(_located(value, Position(name), 0, "", language), name)


def _read_bytes(source: str, name: str, language: str) -> bytes:
    where = Position(name)
    try:
        if source == "-":
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
        raise InputError(problem("too_large", where, language, limit="1 MB"))
    return content


def _located(value: Any, position: Position, depth: int, path: str, language: str) -> Located:
    """A Python value as if it had been read from a file called `<profile>`."""
    if depth > DEEPEST:
        raise InputError(problem("too_deep", position, language, limit=DEEPEST))
    if isinstance(value, Mapping):
        members: dict[str, Located] = {}
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InputError(problem("key_not_text", position, language))
            members[key] = _located(inner, position, depth + 1, f"{path}.{key}", language)
        return Located(members, position, position)
    if isinstance(value, (list, tuple)):
        items = [_located(inner, position, depth + 1, path, language) for inner in value]
        return Located(tuple(items), position, position)
    if value is None or isinstance(value, (bool, str)):
        return Located(value, position, position)
    if hasattr(value, "isoformat"):
        return Located(str(value.isoformat()), position, position)
    try:
        return Located(float(value), position, position, str(value))
    except OverflowError:
        return Located(float("inf"), position, position)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise InputError(
            problem("odd_value", position, language, field=path.lstrip("."), kind=kind)
        ) from None
