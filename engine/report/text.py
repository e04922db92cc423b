"""An answer as plain text, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.report.blocks import Item, Paragraph, Section, Table
from engine.report.style import Style
from engine.report.width import clip, pad, width, wrap

COLUMNS = 100
_INDENT = "  "
_MARKS = {"good": "✓", "bad": "✗", "caution": "!", "ask": "?"}


def render_text(found: Sequence[Section], style: Style, columns: int = COLUMNS) -> str:
    """The sections one under the other, the first without a heading of its own."""
    lines: list[str] = []
    for number, section in enumerate(found):
        if number:
            lines += ["", style.paint(section.title, "title")]
        for block in section.blocks:
            lines += _block(block, style, columns, indented=number > 0)
    return "\n".join(lines) + "\n"


def _block(
    block: Paragraph | Item | Table, style: Style, columns: int, indented: bool
) -> Iterator[str]:
    indent = _INDENT if indented else ""
    if isinstance(block, Paragraph):
        for line in wrap(block.text, columns, indent, indent):
            yield style.paint(line, block.kind)
    elif isinstance(block, Item):
        mark = _MARKS.get(block.kind, "-")
        first, rest = f"{indent}{mark} ", f"{indent}  "
        for line in wrap(block.text, columns, first, rest):
            yield style.paint(line, block.kind if block.kind == "bad" else "")
        if block.note:
            for line in wrap(block.note, columns, rest, rest):
                yield style.paint(line, "faint")
    else:
        yield from _table(block, style, columns, indent)


def _table(table: Table, style: Style, columns: int, indent: str) -> Iterator[str]:
    widths = [
        max(width(cell) for cell in column)
        for column in zip(table.header, *table.rows, strict=True)
    ]
    room = columns - width(indent) - 2 * (len(widths) - 1)
    wraps = len(widths) > 1 and not table.right[-1]  # sentences in the last column may wrap
    while sum(widths) > room:  # the widest column gives way
        widest = widths.index(max(widths))
        widths[widest] -= 1

    def line(cells: Sequence[str]) -> str:
        padded = [
            pad(clip(cell, size), size, right)
            for cell, size, right in zip(cells, widths, table.right, strict=True)
        ]
        return (indent + "  ".join(padded)).rstrip()

    yield style.paint(line(table.header), "faint")
    for row in table.rows:
        first, *rest = wrap(row[-1], widths[-1]) if wraps else [row[-1]]
        yield line((*row[:-1], first))
        for text in rest:
            yield line((*("" for _ in row[:-1]), text))
