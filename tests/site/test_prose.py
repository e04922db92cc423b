"""Prose cites the book: no figure is typed, every statement of the guide is taken up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.book.yaml_reader import plain, read_yaml
from engine.run.bundle import open_bundle
from engine.site.library import CLAIMS
from tests.site.built import LANGUAGES, ROOT

DOCS = ROOT / "docs"

# What is no prose: front matter, code, macros, ids of headings, targets of links, attributes; and
# the names of number formats.
NOT_PROSE = re.compile(
    r"\b(?:8|16|32|64)(?:-bit\b| 位)|"
    r"\A---\n.*?\n---\n|```.*?```|`[^`]*`|\{\{.*?\}\}|\{%.*?%\}|\{[#:][^}]*\}|\]\([^)]*\)",
    re.DOTALL,
)
# Names may hold digits (FP16, H100, 7B, A100); a figure stands alone, or before a unit.
UNIT = (
    r"%|‰|[kMGTP]i?B(?:it)?(?:/s)?|T?FLOPS?|[KMGT]bit|tokens?|h|hours?|days?|weeks?|months?|years?|"
    r"ms|s|W|kW|kWh|USD|CNY|cards?|GHz|倍|元|万|亿|小时|天|周|个月|年|月|张|台|卡|成|分钟|秒"
)
NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.\-])[$¥]?\d[\d.,]*(?:\s*(?:{UNIT})(?![A-Za-z])|(?![A-Za-z\d]))"
)
SPELT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundreds?|thousands?|millions?)(?:[ -]\w+)?[ -]"
    r"(?:per cent|percent|hours?|days?|weeks?|months?|years?|gigabytes?|watts?|dollars?|yuan)\b",
    re.IGNORECASE,
)
SPELT_CHINESE = re.compile(
    r"[二两三四五六七八九十百千万]+\s*(?:成|倍|小时|天|周|个月|年|元|分钟|秒|瓦)|百分之"
)


def pages(language: str) -> list[Path]:
    found = sorted((DOCS / language).rglob("*.md"))
    assert len(found) >= 9
    return found


def prose(path: Path) -> str:
    return NOT_PROSE.sub(" ", path.read_text(encoding="utf-8"))


def guide_ids() -> list[str]:
    """The statements of the guide: sources without a page of their own."""
    sources = open_bundle(str(ROOT)).book.sources
    found = [name for name, entry in sources.items() if "url" not in entry]
    assert len(found) > 60
    return found


def cited(path: Path) -> set[str]:
    calls = re.findall(r"\{\{ guide\(([^)]*)\) \}\}", path.read_text(encoding="utf-8"))
    return {name for call in calls for name in re.findall(r'"([^"]+)"', call)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_figure_is_typed_in_prose(language: str) -> None:
    hits = [
        f"{path.relative_to(ROOT)}: {match.group()!r}"
        for path in pages(language)
        for pattern in (NUMBER, SPELT, SPELT_CHINESE)
        for match in pattern.finditer(prose(path))
    ]
    assert not hits, hits


TYPED = (
    "at least 70 %", "from 80GB up", "36 months", "利用率 0.7 以上", "每小时 2 美元",
    "$2.00 an hour", "seventy per cent", "three years of work", "省三成", "三年以上", "costs 1,200",
)  # fmt: skip


@pytest.mark.parametrize("text", TYPED)
def test_a_typed_figure_would_be_seen(text: str) -> None:
    assert any(pattern.search(text) for pattern in (NUMBER, SPELT, SPELT_CHINESE))


@pytest.mark.parametrize(
    "text", ["FP16 on an A100", "a 7B model", "eight cards", "一张卡", "DeepSeek-V3"]
)
def test_names_are_no_figures(text: str) -> None:
    assert not any(pattern.search(text) for pattern in (NUMBER, SPELT, SPELT_CHINESE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_statement_of_the_guide_is_taken_up(language: str) -> None:
    held = set().union(*(cited(path) for path in pages(language)))
    assert not set(guide_ids()) - held


def test_both_languages_cite_the_same_on_each_page() -> None:
    for english in pages("en"):
        chinese = DOCS / "zh" / english.relative_to(DOCS / "en")
        assert cited(english) == cited(chinese), english.name
        assert macros(english) == macros(chinese), english.name


def macros(path: Path) -> list[str]:
    """Every macro call of a page but links whose words differ by language, in any order."""
    calls = re.findall(r"\{\{ (.*?) \}\}", path.read_text(encoding="utf-8"))
    calls = [re.sub(r'"(\w+)_(?:en|zh)"', r'"\1"', call) for call in calls]  # texts of a catalog
    return sorted(re.sub(r'(answer_link\("[^"]+"), .*', r"\1)", call) for call in calls)


def test_every_claim_is_quoted_somewhere() -> None:
    claims = plain(read_yaml(ROOT / CLAIMS, CLAIMS))["claims"]
    text = "".join(path.read_text(encoding="utf-8") for path in pages("en"))
    assert not [name for name in claims if f'claim("{name}")' not in text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_claim_that_evidence_contradicts_is_marked(language: str) -> None:
    """Paragraphs where measurement says something else carry a bar; the guide has ten of them."""
    marked = sum(
        path.read_text(encoding="utf-8").count("{: .claimed }") for path in pages(language)
    )
    assert marked >= 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_quoted_figure_stands_with_the_statement_it_comes_from(language: str) -> None:
    claims = plain(read_yaml(ROOT / CLAIMS, CLAIMS))["claims"]
    guide = set(guide_ids())
    for path in pages(language):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r'claim\("(\w+)"\)', text):
            assert set(claims[name]["source"]) & guide <= cited(path), (path.name, name)
