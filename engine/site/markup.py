"""Small pieces of HTML and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from engine.language.placeholders import PLACEHOLDER

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")

Rows = Iterable[Sequence[str]]


def code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def markdown_text(text: str) -> str:
    """The text with everything Markdown would take for markup escaped."""
    return _SPECIAL.sub(r"\\\1", text)


def sentence(text: str) -> str:
    """A text of the book in HTML; placeholders of values stand in code."""
    parts, start = [], 0
    for match in PLACEHOLDER.finditer(text):
        parts += [escape(text[start : match.start()]), code(match[1])]
        start = match.end()
    return "".join([*parts, escape(text[start:])])


def table(header: Sequence[str], rows: Rows, right: Sequence[bool] = ()) -> str:
    """A table of HTML cells that scrolls sideways within itself; `right`: numbers."""
    kinds = [' class="number"' if number else "" for number in right] or [""] * len(header)
    head = "".join(
        f'<th scope="col"{kind}>{cell}</th>' for cell, kind in zip(header, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def listed(items: Iterable[str], language: str) -> str:
    return ("、" if language == "zh" else ", ").join(items)


def joint(language: str) -> str:
    """What stands between a label and what it labels."""
    return "：" if language == "zh" else ": "
