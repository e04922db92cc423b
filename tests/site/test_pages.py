"""Pages stand alone, say the same in both languages, and every link leads somewhere."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from engine.book.load import load_book
from tests.site.built import LANGUAGES, ROOT, Page, Site


def test_both_languages_have_the_same_pages_and_anchors(site: Site) -> None:
    english, chinese = site.edition("en"), site.edition("zh")
    assert set(english) == set(chinese)
    different = {
        name: Counter(page.ids) - Counter(chinese[name].ids)
        for name, page in english.items()
        if Counter(page.ids) != Counter(chinese[name].ids)
    }
    assert not different


def test_no_id_stands_twice_on_a_page(site: Site) -> None:
    twice = {
        name: [one for one, count in Counter(page.ids).items() if count > 1]
        for name, page in site.pages.items()
    }
    assert not {name: found for name, found in twice.items() if found}


def test_headings_have_ids_of_their_own(site: Site) -> None:
    """Made from a Chinese title, an id would be a number that moves with the text."""
    numbered = [
        (name, one)
        for name, page in site.edition("zh").items()
        for one in page.ids
        if one.strip("_").isdigit() or not one.isascii()
    ]
    assert not numbered


def test_nothing_is_fetched_from_outside(site: Site) -> None:
    fetched = [(name, one) for name, page in site.pages.items() for one in page.fetched]
    assert len(fetched) > len(site.pages)
    outside = [(name, one) for name, one in fetched if urlsplit(one).scheme or one[:2] == "//"]
    assert not outside
    missing = [
        (name, one) for name, one in fetched if not _target(name, one, site.folder).is_file()
    ]
    assert not [found for found in missing if not found[0].endswith("404.html")]


def test_style_sheets_fetch_nothing_from_outside(site: Site) -> None:
    sheets = list(site.folder.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        assert "url(http" not in text and "url(//" not in text and "@import" not in text, sheet


def test_every_link_leads_to_a_page_and_an_anchor_of_it(site: Site) -> None:
    broken = []
    internal = 0
    for name, page in site.pages.items():
        if name.endswith("404.html"):
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                continue
            internal += 1
            target = _name(name, link)
            found = site.pages.get(target)
            if found is None or (parts.fragment and unquote(parts.fragment) not in anchors(found)):
                broken.append((name, link))
    assert internal > 1000
    assert not broken, broken[:20]


def anchors(page: Page) -> set[str]:
    return {*page.ids, "__skip", "__toc", "__drawer", ""}


def test_every_entry_of_the_book_has_its_id_as_an_anchor(site: Site) -> None:
    book = load_book(ROOT)
    columns = {
        f"{name}.{column.decision.id}"
        for name, relation in book.relations.items()
        for column in relation.columns
    }
    entries = {
        *book.facts, *book.parameters, *book.decisions, *book.relations, *book.rankings,
        *book.advice, *book.sources, *columns,
    }  # fmt: skip
    held = {
        one
        for name, page in site.edition("en").items()
        if name.startswith("reference/")
        for one in page.ids
    }
    assert not entries - held


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_leads_to_itself_in_the_other_language(site: Site, language: str) -> None:
    (other,) = (one for one in LANGUAGES if one != language)
    for name in site.edition(language):
        here = f"{language}/{name}"
        there = {_name(here, link) for link in site.pages[here].links}
        assert f"{other}/{name}" in there, here


def test_chinese_words_are_cut_for_the_search(site: Site) -> None:
    path = site.folder / "zh" / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    text = " ".join(entry["text"] + entry["title"] for entry in index["docs"])
    found = set(re.split(index["config"]["separator"], text))
    assert {"显存", "缓存", "推理", "渲染"} <= found


def _name(page: str, link: str) -> str:
    """The page a link leads to, by its path below the site."""
    path = unquote(urlsplit(link).path)
    if not path:
        return page
    found = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return posixpath.join(found, "index.html") if not posixpath.splitext(found)[1] else found


def _target(page: str, link: str, folder: Path) -> Path:
    return folder / posixpath.join(posixpath.dirname(page), unquote(urlsplit(link).path))
