"""Texts with placeholders: `{name}`, `{name:.1f}`, `{name:,.0f}`, `{name:.0%}`.

They are read in the scope of the text. `{name:duration}` writes a time in the unit that suits its
length, `{name:name}` the name that the catalog has for a key.
"""

from __future__ import annotations

import re

from engine.book.expressions import value_named
from engine.book.model import Text
from engine.book.problems import Findings, refuse
from engine.book.yaml_reader import Located
from engine.language.durations import is_time
from engine.language.problems import Position
from engine.language.scope import Scope
from engine.language.tree import Node

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
_FORMAT = re.compile(r"(,?\.[0-9][f%]|duration|name)\Z")


def read_text(located: Located | None, scope: Scope, findings: Findings) -> Text:
    """A text with its placeholders resolved; problems (B060, B110) are collected."""
    if located is None:
        return Text()
    reads: dict[str, Node] = {}
    for language in ("en", "zh"):
        part: Located = located.value[language]
        with findings.collecting():
            _read(part, scope, reads)
    return Text(located.value["en"].value, located.value["zh"].value, tuple(reads.items()))


def _read(part: Located, scope: Scope, reads: dict[str, Node]) -> None:
    text: str = part.value
    outside = _PLACEHOLDER.sub("", text)
    if "{" in outside or "}" in outside:
        raise refuse("B060", "a brace is not closed", part.position, "placeholders like {name:.1f}")
    for match in _PLACEHOLDER.finditer(text):
        name, colon, form = match[1].partition(":")
        position = _placed(part, match.start(1))
        if not _NAME.match(name) or (colon and not _FORMAT.match(form)):
            raise refuse(
                "B060", f'"{match[0]}" is not a placeholder', position,
                "{name}, {name:.1f}, {name:,.0f} or {name:.0%}",
            )  # fmt: skip
        if name not in reads:
            reads[name], _ = value_named(name, position, scope)
        kind = reads[name].type
        if colon and kind is not None and kind.kind != ("text" if form == "name" else "number"):
            wanted = "a text" if form == "name" else "a number"
            raise refuse("B060", f'"{name}" is not {wanted}', position, f"{{{name}}}")
        if form == "duration" and kind is not None and not is_time(kind.unit.symbol):
            raise refuse("B060", f'"{name}" is not a time', position, f"{{{name}:.1f}}")


def _placed(part: Located, offset: int) -> Position:
    """The place of a character; exact for texts on one line, else the start of the text."""
    first = part.position
    if "\n" in part.raw or part.style in ("|", ">"):
        return first
    return Position(first.file, first.line, first.column + offset)
