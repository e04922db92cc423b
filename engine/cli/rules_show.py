"""`rules list` and `rules show ID`: what the book says, for people and programs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from engine.book.model import Book, Curve, Decision, Formula, Table, Text, Unknown
from engine.cli.console import Console, unknown_id
from engine.language.problems import ProblemError

KINDS = ("facts", "parameters", "decisions", "relations", "rankings", "advice")


def entries(book: Book) -> Iterator[tuple[str, str, Any]]:
    """(kind, id, entry) of everything in the book; columns follow their relation."""
    for kind in KINDS:
        for name, entry in getattr(book, kind).items():
            yield kind.removesuffix("s"), name, entry
            if kind == "relations":
                for column in entry.columns:
                    yield "column", f"{name}.{column.decision.id}", column.decision


def list_entries(arguments: argparse.Namespace, console: Console) -> int:
    """Ids with titles; an id given narrows to what begins with it."""
    from engine.cli.inputs import open_book
    from engine.report.width import clip

    book = open_book(arguments.book, console).book
    found = [
        (kind, name, _title(kind, entry).in_language(console.language))
        for kind, name, entry in entries(book)
        if name.startswith(arguments.id or "")
    ]
    if not found and arguments.id:
        raise ProblemError(unknown_id(arguments.id, _names(book), console.language))
    if arguments.format == "json":
        console.print_json(
            [{"kind": kind, "id": name, "title": title} for kind, name, title in found]
        )
    else:
        for kind, name, title in found:
            console.print(clip(f"{kind:<10} {name:<52} {title}", 120))
    return 0


def _title(kind: str, entry: Any) -> Text:
    title: Text = entry.label if kind == "fact" else entry.title
    return title


def _names(book: Book) -> list[str]:
    return [name for _, name, _ in entries(book)]


def find(book: Book, name: str, console: Console) -> tuple[str, str, Any]:
    """The entry of that id, or the only one whose id ends with it; raises ProblemError."""
    every = list(entries(book))
    exact = [one for one in every if one[1] == name]
    ends = exact or [one for one in every if one[1].endswith("." + name)]
    if len(ends) != 1:
        raise ProblemError(unknown_id(name, _names(book), console.language))
    return ends[0]


def show(arguments: argparse.Namespace, console: Console) -> int:
    """Everything about one entry."""
    from engine.cli.inputs import open_book

    book = open_book(arguments.book, console).book
    kind, name, entry = find(book, arguments.id, console)
    data = described(kind, name, entry)
    if arguments.format == "json":
        console.print_json(data)
        return 0
    for line in _lines(data, console.language):
        console.print(line)
    sources = [source for source in data.get("source", []) if source in book.sources]
    for source in sources:
        found = book.sources[source]
        title = found.get("title", "")
        shown = title.get(console.language, "") if isinstance(title, Mapping) else title
        console.print(f"  {source}: {shown} {found.get('url', '')}".rstrip())
    return 0


def described(kind: str, name: str, entry: Any) -> dict[str, Any]:
    """An entry as plain data."""
    data: dict[str, Any] = {
        "kind": kind,
        "id": name,
        "title": _both(_title(kind, entry)),
        "source": list(getattr(entry, "source", ())),
        "defined_at": str(entry.position),
    }
    if kind == "parameter":
        data["value"] = list(entry.steps) or entry.value
        data["unit"] = entry.type.unit.symbol
        data["values"] = list(entry.type.values or ())
        if entry.type.kind == "number":
            data["range"] = [entry.type.low, entry.type.high]
        data["as_of"], data["review_by"] = entry.as_of, entry.review_by
        data["because"] = _both(entry.rationale)
    elif kind == "fact":
        data["type"], data["unit"] = entry.kind, entry.type.unit.symbol
        data["values"] = list(entry.type.values or ())
        data["help"], data["because"] = _both(entry.help), _both(entry.because)
    elif kind in ("decision", "column"):
        data |= _decision(entry)
    elif kind == "advice":
        data["rows"] = [
            {
                "id": row.id, "when": _cells(row.when), "then": row.verdict,
                "because": _both(row.message), "source": list(row.source),
            }
            for row in entry.rows
        ]  # fmt: skip
        data["inputs"] = _formulas(entry.inputs)
    return data


def _decision(decision: Decision) -> dict[str, Any]:
    from engine.reference.writing import formula_text

    data: dict[str, Any] = {
        "unit": decision.type.unit.symbol,
        "values": list(decision.type.values or ()),
        "basis": decision.basis,
        "because": _both(decision.because),
        "examples": [example.name for example in decision.examples],
    }
    body = decision.body
    if isinstance(body, Formula):
        data["formula"] = formula_text(body.expression)
    elif isinstance(body, Table):
        data["hit"], data["inputs"] = body.hit, _formulas(body.inputs)
        data["rows"] = [
            {
                "id": row.id, "when": _cells(row.when),
                "then": "unknown" if isinstance(row.then, Unknown)
                else ", ".join(_formulas(row.then)),
                "because": _both(row.because), "source": list(row.source),
            }
            for row in body.every_row
        ]  # fmt: skip
    elif isinstance(body, Curve):
        data["points"] = {key: [list(point) for point in points] for key, points in body.segments}
        data["below"], data["above"] = body.below, body.above
    return data


def _formulas(nodes: Any) -> list[str]:
    from engine.reference.writing import formula_text

    return [formula_text(node) for node in nodes]


def _cells(cells: Any) -> list[str]:
    from engine.reference.writing import cell_text

    return [cell_text(cell) for cell in cells]


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _lines(data: dict[str, Any], language: str) -> Iterator[str]:
    from engine.readers.spelling import spell_value
    from engine.report.width import wrap

    yield f"{data['id']}: {data['title'][language]} ({data['kind']})"
    for key in ("value", "unit", "range", "values", "as_of", "review_by", "basis", "hit"):
        value = data.get(key)
        if value not in (None, "", []):
            shown = (
                ", ".join(map(spell_value, value))
                if isinstance(value, list)
                else spell_value(value)
            )
            yield from wrap(f"{key}: {shown}", 100, "  ", "    ")
    for key in ("formula",):
        if data.get(key):
            yield from wrap(f"{key}: {data[key]}", 100, "  ", "    ")
    for key in ("because", "help"):
        if data.get(key) and data[key][language]:
            yield from wrap(data[key][language], 100, "  ", "  ")
    if data.get("inputs"):
        yield from wrap("inputs: " + ", ".join(data["inputs"]), 100, "  ", "    ")
    for row in data.get("rows", []):
        head = f"{row['id']}: {' | '.join(row['when'])} → {row['then']}"
        yield from wrap(head, 100, "  - ", "    ")
        if row["because"][language]:
            yield from wrap(row["because"][language], 100, "    ", "    ")
    for key, points in data.get("points", {}).items():
        shown = ", ".join(f"({x:g}, {y:g})" for x, y in points)
        yield from wrap(f"{key or 'points'}: {shown}", 100, "  ", "    ")
    for name in data.get("examples", []):
        yield from wrap(name, 100, "  · ", "    ")
    yield f"  {data['defined_at']}"
