"""Writes pieces of one page: links, values and texts in the page's language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from html import escape
from typing import Any

from engine.book.model import Text
from engine.language import tree
from engine.language.walk import walk
from engine.site.figures import Figures
from engine.site.library import Library
from engine.site.markup import code, joint, listed
from engine.site.places import Place, Places, built, relative
from engine.site.words import say

_ID = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)*(?:#\w+)?")


class Pen:
    """What a page is written with; `page` is its Markdown file below the edition's folder."""

    def __init__(self, library: Library, places: Places, language: str, page: str) -> None:
        self.library, self.places = library, places
        self.language, self.page = language, page

    @cached_property
    def figures(self) -> Figures:
        return Figures(self.language, self.library.report["words"])

    def say(self, name: str, **values: str) -> str:
        return say(name, self.language, **values)

    def label(self, name: str) -> str:
        """A phrase that something follows."""
        return self.say(name) + joint(self.language)

    def text(self, text: Text) -> str:
        return text.in_language(self.language)

    def at(self, page: str, anchor: str = "") -> str:
        """The address of another page from this one, in raw HTML."""
        address = relative(built(page), built(self.page))
        return f"{address}#{anchor}" if anchor else address

    # ------------------------------------------------------------ links

    def link(self, place: Place, shown: str) -> str:
        """A link to an entry; `shown` is HTML."""
        return f'<a href="{escape(place.html_from(self.page))}">{shown}</a>'

    def id_link(self, name: str) -> str:
        """An id in code, linked where it stands on the site."""
        place = self.places.exactly(name)
        return code(name) if place is None else self.link(place, code(name))

    def source(self, name: str) -> str:
        """A source by its title, linked to the list of sources."""
        entry = self.library.book.sources.get(name)
        if entry is None:
            return code(name)
        place = self.places.index[name]
        title = escape(self.source_title(entry))
        return self.link(place, f"{escape(name)}") + f' <span class="faint">{title}</span>'

    def source_title(self, entry: Mapping[str, Any]) -> str:
        title = entry.get("title", entry)
        return str(title.get(self.language, "") if isinstance(title, Mapping) else title)

    def sources(self, names: Iterable[str]) -> str:
        return "<br>".join(self.source(name) for name in names)

    def short_sources(self, names: Iterable[str]) -> str:
        """Ids alone, for narrow columns."""
        found = []
        for name in names:
            place = self.places.index.get(name)
            found.append(escape(name) if place is None else self.link(place, escape(name)))
        return ", ".join(found)

    def with_links(self, text: str) -> str:
        """A line of an answer; ids of rules and sources in it become links."""
        parts, start = [], 0
        for match in _ID.finditer(text):
            name = match[0]
            place = self.places.exactly(name)
            if place is None or not (place.kind == "source" or "." in name):
                continue
            parts += [escape(text[start : match.start()]), self.link(place, escape(name))]
            start = match.end()
        return "".join([*parts, escape(text[start:])])

    # ------------------------------------------------------------ what trees read

    def reads(self, nodes: Iterable[tree.Node]) -> str:
        """Links to the entries that trees read, each once in reading order."""
        names: dict[str, None] = {}
        for node in nodes:
            for inner in walk(node):
                name = named(inner)
                if name:
                    names[name] = None
        return listed((self.id_link(name) for name in names), self.language)


def named(node: tree.Node) -> str:
    """The id of the entry that a node reads; "" for other nodes."""
    match node:
        case tree.Fact(path=path):
            return path
        case tree.Parameter(id=name):
            return name
        case tree.DecisionValue(id=name):
            return name
        case tree.Interpolate(curve=name) | tree.FirstAtLeast(ladder=name):
            return name
        case tree.Best(ranking=name):
            return name
        case tree.Aggregate(relation=name) if not name.startswith("catalog."):
            return name
        case _:
            return ""
