"""An answer as plain text, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

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
    longest = [_longest(column) for column in zip(table.header, *table.rows, strict=True)]
    while sum(widths) > room:  # the widest column gives way, one whose cells wrap before others
        able = [
            number
            for number, right in enumerate(table.right)
            if not right and widths[number] > longest[number]
        ]
        widths[max(able or range(len(widths)), key=widths.__getitem__)] -= 1

    def lines(cells: Sequence[str]) -> Iterator[str]:
        """A cell of words takes as many lines as it needs: cut short, two would read the same."""
        wrapped = [
            [clip(cell, size)] if right else [clip(line, size) for line in wrap(cell, size)]
            for cell, size, right in zip(cells, widths, table.right, strict=True)
        ]
        for parts in zip_longest(*wrapped, fillvalue=""):
            padded = map(pad, parts, widths, table.right)
            yield (indent + "  ".join(padded)).rstrip()

    for line in lines(table.header):
        yield style.paint(line, "faint")
    for row in table.rows:
        yield from lines(row)


def _longest(cells: Sequence[str]) -> int:
    """Columns of the longest part of the cells that no line may break."""
    return max(width(line) for cell in cells for line in wrap(cell, 1))
