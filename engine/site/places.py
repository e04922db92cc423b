"""Where everything in the book stands on the site: page and anchor of every id."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from engine.book.model import Book, Table
from engine.language.frozen import frozen
from engine.readers.hints import did_you_mean
from engine.site.library import SiteError

SOURCES = "reference/sources.md"
ANSWERS = "answers"


@frozen
class Place:
    """`page`: the Markdown file below the edition's folder; `anchor`: the id on it."""

    page: str
    anchor: str
    kind: str
    entry: Any

    def markdown_from(self, here: str) -> str:
        """The link from another Markdown file, checked and converted by MkDocs."""
        return f"{relative(self.page, here)}#{self.anchor}"

    def html_from(self, here: str) -> str:
        """The link from another page in raw HTML."""
        return f"{relative(built(self.page), built(here))}#{self.anchor}"


def relative(target: str, here: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(here) or ".")


def built(page: str) -> str:
    """The built file of a Markdown file."""
    return page.removesuffix(".md") + ".html"


def page_of(file_id: str) -> str:
    """The page of a rule file: `needs.memory` stands on reference/needs/memory.md."""
    return f"reference/{file_id.replace('.', '/')}.md"


def file_of(position_file: str) -> str:
    """The id of the rule file at a path: rules/needs/memory.yaml is `needs.memory`."""
    return position_file.rpartition("rules/")[2].removesuffix(".yaml").replace("/", ".")


class Places:
    """The index of a book."""

    def __init__(self, book: Book) -> None:
        self.book = book

    @cached_property
    def index(self) -> dict[str, Place]:
        return {place.anchor: place for place in self._every()}

    def _every(self) -> Iterator[Place]:
        book = self.book
        for name, fact in book.facts.items():
            yield Place(page_of(file_of(fact.position.file)), name, "fact", fact)
        for name, parameter in book.parameters.items():
            yield Place(page_of(file_of(parameter.position.file)), name, "parameter", parameter)
        for name, decision in book.decisions.items():
            page = page_of(name.rpartition(".")[0])
            yield Place(page, name, "decision", decision)
            yield from _rows(page, name, decision)
        for name, relation in book.relations.items():
            page = page_of(name.rpartition(".")[0])
            yield Place(page, name, "relation", relation)
            for column in relation.columns:
                own = f"{name}.{column.decision.id}"
                yield Place(page, own, "column", column.decision)
                yield from _rows(page, own, column.decision)
        for name, ranking in book.rankings.items():
            yield Place(page_of(name.rpartition(".")[0]), name, "ranking", ranking)
        for name, advice in book.advice.items():
            page = page_of(name.rpartition(".")[0])
            yield Place(page, name, "advice", advice)
            for row in advice.rows:
                yield Place(page, f"{name}:{row.id}", "row", row)
        for name, source in book.sources.items():
            yield Place(SOURCES, name, "source", source)

    def exactly(self, name: str) -> Place | None:
        """The place of a full id; rows are written `id#row`, outputs `id.output`."""
        found = self.index.get(name.replace("#", ":"))
        if found is None and name.rpartition(".")[0] in self.book.decisions:
            return self.index.get(name.rpartition(".")[0])
        return found

    def find(self, name: str, *kinds: str) -> Place:
        """The place of an id, or of the only one that ends with it. Raises SiteError."""
        places = [place for place in self.index.values() if place.kind in kinds]
        exact = [place for place in places if place.anchor == name]
        ends = exact or [place for place in places if place.anchor.endswith("." + name)]
        if len(ends) == 1:
            return ends[0]
        noun = " or ".join(kinds)
        if ends:
            several = ", ".join(place.anchor for place in ends)
            raise SiteError(f"{name!r} could be any of {several}: write the whole id")
        hint = did_you_mean(name, [place.anchor for place in places], "en")
        raise SiteError(f"the book has no {noun} {name!r} {hint}".rstrip())


def _rows(page: str, owner: str, decision: Any) -> Iterator[Place]:
    if isinstance(decision.body, Table):
        for row in decision.body.every_row:
            yield Place(page, f"{owner}:{row.id}", "row", row)
