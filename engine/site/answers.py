"""The answers to presets, as the report of the book lays them out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from engine.report.blocks import Item, Paragraph, Section, Table, sections
from engine.report.template import Context
from engine.site.markup import table
from engine.site.pen import Pen


def answer_sections(pen: Pen, preset: str, only: Sequence[str] = ()) -> list[Section]:
    """The sections of an answer, all or those named, in the order of the report."""
    report = pen.library.report
    context = Context(pen.library.answer(preset, pen.language), pen.language, report["words"])
    found = sections(report["text"], context)
    return [section for section in found if not only or section.id in only]


def section_html(pen: Pen, section: Section) -> str:
    """The blocks of a section; items that follow each other make one list."""
    parts: list[str] = []
    items: list[str] = []
    for block in section.blocks:
        if isinstance(block, Item):
            items.append(_item(pen, block))
            continue
        if items:
            parts.append(f"<ul>{''.join(items)}</ul>")
            items = []
        parts.append(_block(pen, block))
    if items:
        parts.append(f"<ul>{''.join(items)}</ul>")
    return "".join(parts)


def _item(pen: Pen, block: Item) -> str:
    note = f'<br><span class="faint">{pen.with_links(block.note)}</span>' if block.note else ""
    kind = f' class="{escape(block.kind)}"' if block.kind else ""
    return f"<li{kind}>{pen.with_links(block.text)}{note}</li>"


def _block(pen: Pen, block: Paragraph | Table) -> str:
    if isinstance(block, Paragraph):
        kind = f' class="{escape(block.kind)}"' if block.kind else ""
        return f"<p{kind}>{pen.with_links(block.text)}</p>"
    rows = ([pen.with_links(cell) for cell in row] for row in block.rows)
    return table([escape(cell) for cell in block.header], rows, block.right)


def answer_card(pen: Pen, preset: str) -> str:
    """The answer in short: what to take, what it costs, what comes next and what would flip it."""
    parts = []
    for section in answer_sections(pen, preset, ("answer", "changes")):
        if section.id != "answer":
            parts.append(f'<p class="label">{escape(section.title)}</p>')
        parts.append(section_html(pen, section))
    return f'<div class="answer" data-preset="{escape(preset)}">{"".join(parts)}</div>'
