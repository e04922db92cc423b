"""Reads one YAML or JSON document from an untrusted file, keeping every position.

The parser's events are walked with a stack of our own, so that hostile input (10 MB files,
alias bombs, ten thousand brackets) is refused before it costs anything. YAML is read as 1.2:
`no` is a text, `1e5` a number, a date a text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from engine.language.problems import Position, Problem, ProblemError
from engine.readers.messages import problem

LARGEST_FILE = 1_000_000
DEEPEST = 12
MOST_VALUES = 50_000

_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN = {".nan", ".NaN", ".NAN"}
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_SURROGATES = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")

Content = Union[float, bool, str, None, "list[Entry]", "dict[str, Entry]"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One value: where it starts, where its key starts, and how it was written.

    `text` is the source of a plain scalar (`12.10`), so that messages can quote it.
    """

    value: Content
    position: Position
    key: Position
    text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that could be read.

    `folder` is where relative paths in it start; `problems` what was found but did not stop the
    reading (a field that stands twice).
    """

    root: Entry
    file: str
    lines: tuple[str, ...] = ()
    folder: Path = field(default_factory=Path)
    problems: tuple[Problem, ...] = ()


class InputError(ProblemError):
    """Bad input. `lines` of the file, so that the message can show the place."""

    def __init__(
        self, problems: list[Problem] | Problem, file: str = "", lines: tuple[str, ...] = ()
    ) -> None:
        super().__init__(problems)
        self.file = file
        self.lines = lines


def read_document(source: str, language: str = "en") -> Document:
    """Read the file `source` (`-`: standard input); raises `InputError`."""
    name = "<stdin>" if source == "-" else source
    content = _read_bytes(source, name, language)
    text = _decode(content, name, language)
    lines = tuple(text.splitlines())
    folder = Path() if source == "-" else Path(source).parent
    root, problems = _parse(text, name, lines, language)
    return Document(root, name, lines, folder, problems)


def parse_document(text: str, name: str, language: str = "en") -> Document:
    """Read a text already in memory; raises `InputError`."""
    lines = tuple(text.splitlines())
    root, problems = _parse(text, name, lines, language)
    return Document(root, name, lines, Path(), problems)


def document_of(value: Mapping[str, Any], name: str = "<profile>", language: str = "en") -> Document:
    """The document a Python mapping stands for; raises `InputError`."""
    return Document(_entry_of(value, Position(name), 0, "", language), name)


# ---------------------------------------------------------------- bytes and text


def _read_bytes(source: str, name: str, language: str) -> bytes:
    try:
        if source == "-":
            content = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            with open(source, "rb") as stream:
                content = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError as error:
        raise InputError(problem("no_file", Position(name), language, name=name)) from error
    except IsADirectoryError as error:
        raise InputError(problem("directory", Position(name), language, name=name)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            problem("unreadable", Position(name), language, name=name, reason=reason)
        ) from error
    if len(content) > LARGEST_FILE:
        raise InputError(problem("too_large", Position(name), language, limit="1 MB"))
    return content


def _decode(content: bytes, name: str, language: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        raise InputError(
            problem(
                "not_utf8", Position(name, line, column), language, byte=f"0x{content[error.start]:02x}"
            )
        ) from error


def _pair(match: re.Match[str]) -> str:
    return chr(
        0x10000 + ((int(match[1], 16) - 0xD800) << 10) + (int(match[2], 16) - 0xDC00)
    )


# ---------------------------------------------------------------- YAML


def _parse(
    text: str, name: str, lines: tuple[str, ...], language: str
) -> tuple[Entry, tuple[Problem, ...]]:
    import yaml

    if text.lstrip()[:1] in ("{", "["):  # JSON escapes characters beyond U+FFFF as two halves
        text = _SURROGATES.sub(_pair, text)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    builder = _Builder(name, language)
    try:
        return builder.build(loader), tuple(builder.problems)
    except InputError as error:
        raise InputError(error.problems, name, lines) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        reason = error.problem or error.context or "syntax error"
        position = Position(name, line, column)
        raise InputError(
            problem("not_yaml", position, language, reason=reason), name, lines
        ) from error
    except yaml.YAMLError as error:  # a character YAML does not allow
        offset = getattr(error, "position", 0)
        before = text.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore")
        position = Position(
            name, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        )
        raise InputError(
            problem("bad_character", position, language), name, lines
        ) from error
    finally:
        loader.dispose()


class _Builder:
    """Builds entries from parser events, without recursion."""

    def __init__(self, name: str, language: str) -> None:
        self.name = name
        self.language = language
        self.count = 0
        self.problems: list[Problem] = []

    def fail(self, kind: str, position: Position, **values: Any) -> InputError:
        return InputError(problem(kind, position, self.language, **values))

    def at(self, event: Any) -> Position:
        return Position(self.name, event.start_mark.line + 1, event.start_mark.column + 1)

    def build(self, loader: Any) -> Entry:
        from yaml import events

        stack: list[_Open] = []
        root: Entry | None = None
        documents = 0
        while True:
            event = loader.get_event()
            if isinstance(event, events.StreamEndEvent):
                break
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.fail("two_documents", self.at(event))
                continue
            if isinstance(event, (events.StreamStartEvent, events.DocumentEndEvent)):
                continue
            position = self.at(event)
            if isinstance(event, (events.MappingEndEvent, events.SequenceEndEvent)):
                entry = self.close(stack.pop())
            else:
                self.check(event, position, len(stack))
                if isinstance(event, (events.MappingStartEvent, events.SequenceStartEvent)):
                    top = stack[-1] if stack else None
                    if top is not None and top.mapping and top.waiting is None:
                        raise self.fail("key_not_text", position)
                    stack.append(
                        _Open(isinstance(event, events.MappingStartEvent), position)
                    )
                    continue
                plain = bool(event.implicit[0])
                top = stack[-1] if stack else None
                if top is not None and top.mapping and top.waiting is None:
                    self.start_key(top, str(event.value), position)
                    continue
                value = resolve(event.value) if plain else event.value
                entry = Entry(value, position, position, event.value if plain else "")
            if stack:
                stack[-1].add(entry)
            else:
                root = entry
        if root is None or (root.value is None and root.text == ""):
            raise self.fail("empty", Position(self.name))
        return root

    def check(self, event: Any, position: Position, depth: int) -> None:
        from yaml import events

        if isinstance(event, events.AliasEvent) or getattr(event, "anchor", None):
            raise self.fail("alias", position)
        if getattr(event, "tag", None) not in (None, "!"):
            raise self.fail("tag", position, tag=event.tag)
        if depth >= DEEPEST:
            raise self.fail("too_deep", position, limit=DEEPEST)
        self.count += 1
        if self.count > MOST_VALUES:
            raise self.fail("too_many_values", position, limit=MOST_VALUES)

    def start_key(self, top: _Open, key: str, position: Position) -> None:
        if key in top.members:
            first = top.members[key].key
            self.problems.append(
                problem("duplicate", position, self.language, field=key, line=first.line)
            )
        top.waiting = (key, position)

    def close(self, opened: _Open) -> Entry:
        value: Content = opened.members if opened.mapping else opened.items
        return Entry(value, opened.position, opened.position)


class _Open:
    """A mapping or list whose end has not been read yet."""

    __slots__ = ("items", "mapping", "members", "position", "waiting")

    def __init__(self, mapping: bool, position: Position) -> None:
        self.mapping = mapping
        self.position = position
        self.items: list[Entry] = []
        self.members: dict[str, Entry] = {}
        self.waiting: tuple[str, Position] | None = None

    def add(self, entry: Entry) -> None:
        if not self.mapping:
            self.items.append(entry)
            return
        assert self.waiting is not None
        key, position = self.waiting
        self.members[key] = Entry(entry.value, entry.position, position, entry.text)
        self.waiting = None


def resolve(text: str) -> float | bool | str | None:
    """What a plain YAML 1.2 scalar means; every number becomes a double."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if _NUMBER.fullmatch(text):
        return float(text)
    if _OTHER_BASE.fullmatch(text):
        try:
            return float(int(text, 0))
        except OverflowError:
            return float("inf")
    if _INFINITY.fullmatch(text):
        return float("-inf") if text.startswith("-") else float("inf")
    if text in _NAN:
        return float("nan")
    return text


# ---------------------------------------------------------------- Python values


def _entry_of(value: Any, position: Position, depth: int, path: str, language: str) -> Entry:
    if depth > DEEPEST:
        raise InputError(problem("too_deep", position, language, limit=DEEPEST))
    if isinstance(value, Mapping):
        members: dict[str, Entry] = {}
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InputError(problem("key_not_text", position, language))
            members[key] = _entry_of(inner, position, depth + 1, f"{path}.{key}", language)
        return Entry(members, position, position)
    if isinstance(value, (list, tuple)):
        items = [_entry_of(inner, position, depth + 1, path, language) for inner in value]
        return Entry(items, position, position)
    if value is None or isinstance(value, (bool, str)):
        return Entry(value, position, position)
    if hasattr(value, "isoformat"):
        return Entry(str(value.isoformat()), position, position)
    try:
        return Entry(float(value), position, position, str(value))
    except OverflowError:
        return Entry(float("inf"), position, position)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise InputError(
            problem("odd_value", position, language, field=path.lstrip("."), kind=kind)
        ) from None
