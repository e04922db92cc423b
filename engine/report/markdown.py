"""An answer as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.report.blocks import Item, Paragraph, Section, Table

_SPECIAL = re.compile(r"([\\`*_<>\[\]|])")


def render_markdown(found: Sequence[Section], title: str) -> str:
    """The sections under second-level headings."""
    lines = [f"# {_plain(title)}", ""]
    for section in found:
        lines += [f"## {_plain(section.title)}", ""]
        previous = ""
        for block in section.blocks:
            kind = type(block).__name__
            if previous and (kind != "Item" or previous != "Item"):
                lines.append("")
            lines += _block(block)
            previous = kind
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _block(block: Paragraph | Item | Table) -> Iterator[str]:
    if isinstance(block, Paragraph):
        text = _plain(block.text)
        yield f"**{text}**" if block.kind == "strong" else text
    elif isinstance(block, Item):
        yield f"- {_plain(block.text)}"
        if block.note:
            yield f"  *{_plain(block.note)}*"
    else:
        yield _line(block.header)
        yield "|" + "|".join(" --: " if right else " --- " for right in block.right) + "|"
        for row in block.rows:
            yield _line(row)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_plain(cell) for cell in cells) + " |"


def _plain(text: str) -> str:
    """The text with everything Markdown would take for markup escaped."""
    return _SPECIAL.sub(r"\\\1", text)
