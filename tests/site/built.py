"""A built site as tests read it: pages with their ids, links, requests and text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "zh")

# Attributes by which a browser fetches something without being asked.
_FETCHES = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "use": ("href", "xlink:href"),
}
_LINKED = ("stylesheet", "preload", "preconnect", "dns-prefetch", "icon", "modulepreload")


@dataclass
class Page:
    """One HTML file of a site."""

    path: Path
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    language: str = ""
    text: str = ""  # of the article, one space between words


@dataclass
class Site:
    """A folder with the editions in it."""

    folder: Path
    log: str

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every page by its path below the folder."""
        return {
            path.relative_to(self.folder).as_posix(): read(path)
            for path in sorted(self.folder.rglob("*.html"))
        }

    def edition(self, language: str) -> dict[str, Page]:
        """The pages of one language by their path below its folder; without the error page."""
        start = f"{language}/"
        return {
            name.removeprefix(start): page
            for name, page in self.pages.items()
            if name.startswith(start) and not name.endswith("404.html")
        }


def read(path: Path) -> Page:
    page = Page(path)
    reader = _Reader(page)
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    page.text = words("".join(reader.parts))
    return page


def words(text: str) -> str:
    """Text with runs of space as one; zero-width spaces and the marks of headings gone."""
    return re.sub(r"\s+", " ", text.replace("\u200b", "").replace("¶", "")).strip()


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page, self.parts = page, []
        self.article = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "html":
            self.page.language = found.get("lang", "")
        if tag == "article":
            self.article += 1
        if self.article and "id" in found:
            self.page.ids.append(found["id"])
        if tag == "a" and "href" in found:
            self.page.links.append(found["href"])
        if tag == "link" and set(found.get("rel", "").split()) & set(_LINKED):
            self.page.fetched.append(found.get("href", ""))
        self.page.fetched += [found[name] for name in _FETCHES.get(tag, ()) if name in found]
        if self.article and tag in ("p", "li", "td", "th", "br", "dd", "dt", "h1", "h2", "h3"):
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self.article -= 1

    def handle_data(self, data: str) -> None:
        if self.article:
            self.parts.append(data)
