"""Where claims come from: catalog/sources.yaml, and the check that every citation resolves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.book.contents import citations
from engine.book.model import Book
from engine.book.problems import Findings
from engine.book.shape import check_shape, load_schema
from engine.book.yaml_reader import Located, plain, read_yaml
from engine.language.problems import Position
from engine.language.suggest import did_you_mean

MOST_GUIDE_SECTIONS = 3

Sources = dict[str, dict[str, Any]]


def read_sources(text: str | bytes, name: str, findings: Findings) -> Sources:
    """Sources by id; sections of the guide are among them with `kind: guide`."""
    with findings.collecting():
        located = read_yaml(text, name)
        problems = check_shape(located, load_schema("sources.schema.json"))
        findings.problems.extend(problems)
        if problems:
            return {}
        sources: Sources = plain(located.value["sources"])
        for section, title, position in _sections(located.value.get("guide")):
            if section in sources:
                findings.add("B082", f'"{section}" is a source already', position)
            sources[section] = {"kind": "guide", "title": title}
        return sources
    return {}


def _sections(guide: Located | None) -> Iterator[tuple[str, Any, Position]]:
    """Sections of the guide: id, title (both languages where stated, else the id), position."""
    if guide is None:
        return
    if guide.is_mapping:
        for section, title in guide.value.items():
            yield section, plain(title), title.where
    else:
        for item in guide.value:
            yield item.value, item.value, item.position


def check_citations(book: Book, findings: Findings) -> None:
    """Every cited id exists, and no entry leans on more than three sections of the guide."""
    for owner, cited, position in citations(book):
        for one in cited:
            if one not in book.sources:
                findings.add(
                    "B081", f'"{owner}" cites the unknown source "{one}"', position,
                    "an id of catalog/sources.yaml", did_you_mean(one, book.sources),
                )  # fmt: skip
        sections = [one for one in cited if book.sources.get(one, {}).get("kind") == "guide"]
        if len(sections) > MOST_GUIDE_SECTIONS:
            findings.add(
                "B081", f'"{owner}" cites {len(sections)} sections of the guide', position,
                f"at most {MOST_GUIDE_SECTIONS}", "keep the ones that say it",
            )  # fmt: skip
