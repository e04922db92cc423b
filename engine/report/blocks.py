"""From an answer to what is printed: sections of sentences, items and tables.

The layout is the `text` part of the book's report; both the text and the Markdown renderer print
these blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.language.frozen import frozen
from engine.report.template import Context, fill, holds


@frozen
class Paragraph:
    text: str
    kind: str = ""


@frozen
class Item:
    """One line of a list; `note` is a fainter second part (a source, a reason)."""

    text: str
    kind: str = ""
    note: str = ""


@frozen
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]


Block = Paragraph | Item | Table


@frozen
class Section:
    id: str
    title: str
    blocks: tuple[Block, ...]


def sections(layout: Sequence[Mapping[str, Any]], context: Context) -> list[Section]:
    """The sections that have something to say."""
    found = []
    for spec in layout:
        if not holds(spec, context):
            continue
        blocks = tuple(_blocks(spec["blocks"], context))
        if blocks:
            title = fill(_text(spec["title"], context), context) or ""
            found.append(Section(str(spec["id"]), title, blocks))
    return found


def _text(value: Any, context: Context) -> str:
    return str(value[context.language] if isinstance(value, Mapping) else value)


def _blocks(specs: Sequence[Mapping[str, Any]], context: Context) -> Iterator[Block]:
    for spec in specs:
        if not holds(spec, context):
            continue
        if "first_of" in spec:
            yield from _first(spec["first_of"], context)
        elif "each" in spec:
            yield from _each(spec, context)
        elif "table" in spec:
            yield from _table(spec, context)
        elif "say" in spec:
            yield from _sentence(spec, context)
        elif "item" in spec:
            yield from _item(spec, context)


def _first(specs: Sequence[Mapping[str, Any]], context: Context) -> Iterator[Block]:
    for spec in specs:
        found = list(_blocks([spec], context))
        if found:
            yield from found
            return


def _sentence(spec: Mapping[str, Any], context: Context) -> Iterator[Block]:
    text = fill(_text(spec["say"], context), context)
    if text is not None:
        yield Paragraph(text, str(spec.get("style", "")))


def _item(spec: Mapping[str, Any], context: Context) -> Iterator[Block]:
    text = fill(_text(spec["item"], context), context)
    if text is None:
        return
    note = fill(_text(spec["note"], context), context) if "note" in spec else ""
    kind = spec.get("style", "")
    if isinstance(kind, Mapping):  # by the value of a path: {path: verdict, ok: good, …}
        kind = kind.get(str(context.find(str(kind["path"]))), "")
    yield Item(text, str(kind), note or "")


def _each(spec: Mapping[str, Any], context: Context) -> Iterator[Block]:
    items = [
        item
        for item in _listed(context.find(spec["each"]))
        if holds(_filter(spec), context.within(item))
    ]
    if "distinct" in spec:
        shown = {context.within(item).find(spec["distinct"]): item for item in reversed(items)}
        items = list(reversed(shown.values()))
    limit = spec.get("limit")
    for item in items[:limit]:
        yield from _blocks(spec["blocks"], context.within(item))
    if limit is not None and len(items) > limit and "more" in spec:
        rest = {"count": len(items) - limit, "items": items[limit:]}
        text = fill(_text(spec["more"], context), context.within(rest))
        if text is not None:
            yield Paragraph(text, "faint")


def _table(spec: Mapping[str, Any], context: Context) -> Iterator[Block]:
    rows = []
    columns = spec["columns"]
    for item in _listed(context.find(spec["table"])):
        inner = context.within(item)
        if not holds(_filter(spec), inner):
            continue
        cells = []
        for column in columns:
            template = _text(column["cell"], inner)
            cells.append(fill(template, inner) or "–")
        rows.append(tuple(cells))
    if not rows:
        return
    limit = spec.get("limit")
    used = [
        index for index in range(len(columns)) if any(row[index] != "–" for row in rows[:limit])
    ]
    yield Table(
        tuple(_text(columns[index]["title"], context) for index in used),
        tuple(tuple(row[index] for index in used) for row in rows[:limit]),
        tuple(columns[index].get("align") == "right" for index in used),
    )


def _listed(found: Any) -> Sequence[Any]:
    """The items of a list; of a group of figures each figure with its key."""
    if isinstance(found, Mapping):
        return [{"key": key, **_row(value)} for key, value in found.items()]
    return found or ()


def _filter(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "when": spec.get("where"),
        "unless": spec.get("where_not"),
        "known": spec.get("where_known"),
    }


def _row(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {"value": value}
