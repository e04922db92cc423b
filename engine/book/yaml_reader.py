"""YAML to plain values that know where they stand.

Reads YAML 1.2 (core schema) with the C scanner and refuses what surprises people: duplicate keys,
anchors and aliases, tags, merge keys, unquoted yes/no/on/off as values, several documents,
numbers that are not finite, invalid UTF-8, files over 2 MB and nesting over 60 levels. Dates stay
strings; `1e5` is a number. Every problem raises `ProblemError` with file, line and column.
"""

from __future__ import annotations

import math
import re
from os import PathLike
from typing import Any

from engine.book.simple_yaml import members
from engine.language.frozen import frozen
from engine.language.patterns import late
from engine.language.problems import Position, Problem, ProblemError

MAX_BYTES = 2_000_000
MAX_DEPTH = 60
MAX_PROBLEMS = 50

_INTEGER = late(r"[-+]?[0-9]+\Z")
_OCTAL = late(r"0o[0-7]+\Z")
_HEXADECIMAL = late(r"0x[0-9a-fA-F]+\Z")
_FLOAT = late(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = late(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")
_SWITCHES = frozenset(("yes", "no", "on", "off"))
_CONSTANTS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_NUMBER_STARTS = frozenset("0123456789+-.")
# All but [\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]; written as a list of
# what is refused it compiles in a tenth of the time.
_REFUSED = late("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_SURROGATE_PAIR = late(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


@frozen
class Located:
    """A value and its place.

    `value`: None, bool, int, float or str; a tuple of `Located`; or a dict of str to `Located`.
    `position`: of the first character (inside the quotes; a block text's first line). `key`: of
    the mapping key that led here. `raw`: a scalar as written; `style`: "" plain or `'`, `"`, `|`,
    `>`.
    """

    value: Any
    position: Position
    key: Position | None = None
    raw: str = ""
    style: str = ""

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_sequence(self) -> bool:
        return isinstance(self.value, tuple)

    @property
    def where(self) -> Position:
        """Where to point a reader: at the key if there is one."""
        return self.key or self.position


def plain(located: Located) -> Any:
    """The value without positions: dicts, lists and scalars."""
    value = located.value
    if isinstance(value, dict):
        return {key: plain(child) for key, child in value.items()}
    if isinstance(value, tuple):
        return [plain(child) for child in value]
    return value


def read_yaml(source: PathLike[str] | str | bytes, name: str = "") -> Located:
    """Read a file (a path) or a text; `name` is what messages call it. Raises `ProblemError`."""
    name = name or (str(source) if isinstance(source, PathLike) else "<text>")
    text = _text(_bytes(source, name), name)
    if text.lstrip()[:1] in ("{", "["):  # JSON writes characters beyond U+FFFF as two escapes
        text = _SURROGATE_PAIR.sub(_join_surrogates, text)
    return _Builder(text, name).read()


def expression_text(located: Located) -> tuple[str, Position]:
    """The text of an expression and where it begins, such that lines and columns point right.

    Block texts and texts over several lines are taken as written, line breaks included (so that a
    `#` comment ends with its line even in a folded text).
    """
    if not isinstance(located.value, str):
        return located.raw, located.position
    if located.raw and (located.style in ("|", ">") or "\n" in located.raw):
        first = located.position
        return located.raw, Position(first.file, first.line, 1)
    return located.value, located.position


def _join_surrogates(match: re.Match[str]) -> str:
    high, low = int(match[1], 16), int(match[2], 16)
    return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}"


def _bytes(source: PathLike[str] | str | bytes, name: str) -> bytes:
    if isinstance(source, PathLike):
        try:
            with open(source, "rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except OSError as error:
            reason = error.strerror or "cannot be read"
            raise ProblemError(
                Problem(
                    "E012",
                    f"cannot read the file: {reason}",
                    Position(name),
                    "a file that can be read",
                )
            ) from None
    elif isinstance(source, str):
        try:
            data = source.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ProblemError(_not_utf8(source[: error.start], name)) from None
    else:
        data = source
    if len(data) > MAX_BYTES:
        raise ProblemError(
            Problem(
                "E003",
                "the file is too large",
                Position(name, 1, 1),
                f"at most {MAX_BYTES // 1_000_000} MB",
                "keep bulk data in CSV files",
            )
        )
    return data


def _text(data: bytes, name: str) -> str:
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        raise ProblemError(_not_utf8(before, name)) from None


def _not_utf8(before: str, name: str) -> Problem:
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Problem(
        "E002",
        "the file is not UTF-8 text",
        Position(name, line, column),
        "UTF-8",
        "save the file with the encoding UTF-8",
    )


class _Builder:
    """Turns the scanner's events into `Located` values, with a stack instead of recursion."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.problems: list[Problem] = []
        self.lines: list[str] | None = None

    def read(self) -> Located:
        simple = self._simple()
        if simple is not None:
            return simple
        import yaml  # only now: it takes longer to import than a simple file to read

        loader = None
        try:
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(self.text)
            root = self._document(loader, yaml)
        except yaml.YAMLError as error:
            self.problems.append(self._syntax(error))
            root = None
        finally:
            if loader is not None:
                loader.dispose()
        if self.problems or root is None:
            raise ProblemError(self.problems)
        return root

    def _simple(self) -> Located | None:
        """The file, where it is a simple one without a problem."""
        found = members(self.text)
        if found is None:
            return None
        line, indent, *_ = found[0]
        root: dict[str, Located] = {}
        mappings = {indent: root}  # the innermost open one of each indent
        for place, (number, indent, name, column, text) in enumerate(found):
            key = Position(self.name, number, indent + 1)
            if text:
                position = Position(self.name, number, column)
                value = self._plain(text, position)
                mappings[indent][name] = Located(value, position, key, text)
            else:
                first, inner, *_ = found[place + 1]
                mappings[inner] = {}
                where = Position(self.name, first, inner + 1)
                mappings[indent][name] = Located(mappings[inner], where, key)
        if self.problems:
            self.problems.clear()
            return None
        return Located(root, Position(self.name, line, found[0][1] + 1))

    def _document(self, loader: Any, yaml: Any) -> Located:
        root: Located | None = None
        documents = 0
        # one frame per open collection: (children, keys' positions, position, pending key)
        stack: list[list[Any]] = []
        scalar, mapping, sequence = (
            yaml.ScalarEvent,
            yaml.MappingStartEvent,
            yaml.SequenceStartEvent,
        )
        next_event = loader.get_event
        while (event := next_event()) is not None:
            kind = type(event)
            if kind is scalar:
                if event.anchor is not None or event.tag is not None:
                    self._refuse_extras(event)
                if stack and isinstance(stack[-1][0], dict) and stack[-1][2] is None:
                    self._key(stack[-1], event)
                    continue
                done = self._scalar(event)
            elif kind is mapping or kind is sequence:
                if event.anchor is not None or event.tag is not None:
                    self._refuse_extras(event)
                if len(stack) >= MAX_DEPTH:
                    self._problem("E004", "nested too deeply", event, f"at most {MAX_DEPTH} levels")
                    raise ProblemError(self.problems)
                is_key = bool(stack) and isinstance(stack[-1][0], dict) and stack[-1][2] is None
                if is_key:
                    self._problem("E011", "a key must be a single text", event, "a plain name")
                    stack[-1][2] = (None, self._position(event))
                children: Any = {} if kind is mapping else []
                stack.append([children, self._position(event), None, is_key])
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                children, position, _, is_key = stack.pop()
                if is_key:
                    continue
                value = children if isinstance(children, dict) else tuple(children)
                done = Located(value, position)
            elif kind is yaml.AliasEvent:
                self._problem(
                    "E006",
                    "anchors and aliases are not allowed",
                    event,
                    suggestion="write the value out",
                )
                done = Located(None, self._position(event))
                if stack and isinstance(stack[-1][0], dict) and stack[-1][2] is None:
                    stack[-1][2] = (None, done.position)
                    continue
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self._problem("E009", "several documents in one file", event, "one document")
                    raise ProblemError(self.problems)
                continue
            else:
                continue
            if not stack:
                root = done
                continue
            frame = stack[-1]
            if isinstance(frame[0], list):
                frame[0].append(done)
            else:
                name, where = frame[2]
                frame[2] = None
                if name is not None and name not in frame[0]:
                    frame[0][name] = Located(done.value, done.position, where, done.raw, done.style)
        return root if root is not None else Located(None, Position(self.name, 1, 1))

    def _key(self, frame: list[Any], event: Any) -> None:
        name: str = event.value
        where = self._position(event)
        if name == "<<" and not event.style:
            self._problem("E006", "merge keys are not allowed", event, "", "write the keys out")
        elif name in frame[0]:
            first = frame[0][name].key
            self._problem(
                "E005",
                f"the key `{name}` appears twice",
                event,
                suggestion=f"the first one is at line {first.line}; keep one of them",
            )
        frame[2] = (name, where)

    def _scalar(self, event: Any) -> Located:
        text: str = event.value
        style: str = event.style or ""
        mark = event.start_mark
        position = Position(self.name, mark.line + 1, mark.column + 1)
        if style == "":
            if event.end_mark.line != mark.line:
                raw = " " * mark.column + self.text[mark.index : event.end_mark.index]
                return Located(text, position, None, raw, style)
            return Located(self._plain(text, position), position, None, text, style)
        if style in ("|", ">"):
            return self._block(event, text, style)
        return Located(text, position._replace(column=position.column + 1), None, text, style)

    def _block(self, event: Any, text: str, style: str) -> Located:
        if self.lines is None:
            self.lines = self.text.split("\n")
        first = event.start_mark.line + 1
        last = event.end_mark.line + (1 if event.end_mark.column else 0)
        lines = self.lines[first : max(last, first)]
        indent = next((len(s) - len(s.lstrip(" ")) for s in lines if s.strip()), 0)
        position = Position(self.name, first + 1, indent + 1)
        return Located(text, position, None, "\n".join(lines), style)

    def _plain(self, text: str, position: Position) -> Any:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text[0] in _NUMBER_STARTS:
            return self._number(text, position)
        if text.lower() in _SWITCHES:
            self._add(
                Problem(
                    "E008",
                    f"`{text}` without quotes can be read as a truth value or as a text",
                    position,
                    "true, false or a quoted text",
                    f'write true or false, or "{text}" in quotes',
                )
            )
        return text

    def _number(self, text: str, position: Position) -> Any:
        value: Any
        if _INTEGER.match(text):
            if len(text) < 300:
                return int(text)
            value = math.inf
        elif _FLOAT.match(text):
            value = float(text)
        elif _NOT_FINITE.match(text):
            value = math.inf
        elif _OCTAL.match(text):
            return int(text[2:], 8)
        elif _HEXADECIMAL.match(text) and len(text) < 250:
            return int(text[2:], 16)
        else:
            return text
        if not math.isfinite(value):
            self._add(
                Problem("E010", f"`{text}` is not a finite number", position, "a finite number")
            )
        return value

    def _refuse_extras(self, event: Any) -> None:
        if event.anchor is not None:
            self._problem(
                "E006",
                "anchors and aliases are not allowed",
                event,
                suggestion="write the value out",
            )
        if event.tag is not None:
            self._problem(
                "E007", f"tags are not allowed: {event.tag}", event, suggestion="remove the tag"
            )

    def _position(self, event: Any) -> Position:
        return Position(self.name, event.start_mark.line + 1, event.start_mark.column + 1)

    def _problem(
        self, code: str, message: str, event: Any, expected: str = "", suggestion: str = ""
    ) -> None:
        self._add(Problem(code, message, self._position(event), expected, suggestion))

    def _add(self, found: Problem) -> None:
        """Beyond `MAX_PROBLEMS` the rest of the file is not read."""
        if len(self.problems) >= MAX_PROBLEMS:
            more = f"only the first {MAX_PROBLEMS} problems are shown"
            self.problems.append(Problem("E130", more, found.position))
            raise ProblemError(self.problems)
        self.problems.append(found)

    def _syntax(self, error: Exception) -> Problem:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        context = getattr(error, "context", None)
        message = f"not readable as YAML: {what}" + (f" ({context})" if context else "")
        if mark is not None:
            position = Position(self.name, mark.line + 1, mark.column + 1)
        else:
            position = self._control_character()
        return Problem("E001", message, position, "YAML", "check indentation, quotes and brackets")

    def _control_character(self) -> Position:
        """The scanner gives no line for characters it refuses; find the first one."""
        match = _REFUSED.search(self.text)
        if match is None:
            return Position(self.name)
        line = self.text.count("\n", 0, match.start()) + 1
        column = match.start() - (self.text.rfind("\n", 0, match.start()) + 1) + 1
        return Position(self.name, line, column)
