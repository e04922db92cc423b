"""The worked pages: every calculation comes out when a reader repeats it from what is printed."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.site.built import LANGUAGES, ROOT
from tests.site.test_build import Environment

jinja2 = pytest.importorskip("jinja2", reason="the site extra is not installed")

WORKED = ("api", "border", "break-even", "mix", "owning", "renting")
_TAPE = re.compile(r'<div class="tape">(.*?)</table>', re.DOTALL)
_ROW = re.compile(r"<tr><td>(.*?)</td><td>(.*?)</td><td[^>]*>(.*?)</td></tr>", re.DOTALL)
_NUMBER = re.compile(r"(?:[A-Z]{3} )?(-?\d[\d,]*(?:\.(\d+))?)( ?%)?")


@dataclass(frozen=True)
class Printed:
    """A figure as printed: what it says, and half of its last digit."""

    low: float
    high: float
    text: str

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class Line:
    sign: str
    label: str
    figure: Printed | None


def printed(text: str) -> Printed | None:
    found = _NUMBER.match(text)
    if found is None:
        return None
    size = 0.01 if found[3] else 1.0
    value = float(found[1].replace(",", ""))
    # As the pages say: seven digits are printed, and fewer where the rest are noughts.
    hidden = 6 - math.floor(math.log10(abs(value))) if value else 7
    places = max(hidden, len(found[2] or ""))
    half = 0.0 if value == round(value) and not found[2] else 0.5 * 10.0**-places
    return Printed((value - half) * size, (value + half) * size, text)


@lru_cache(maxsize=2)
def macros(language: str) -> dict[str, Any]:
    from engine.site.macros import define_env

    page = ROOT / "docs" / language / "worked" / "owning.md"
    environment = Environment(page, language)
    environment.page.file.src_uri = "worked/owning.md"
    define_env(environment)
    return environment.macros


@lru_cache(maxsize=16)
def tapes(name: str, language: str) -> tuple[tuple[Line, ...], ...]:
    """The calculations of a page in the order they are printed."""
    source = (ROOT / "docs" / language / "worked" / f"{name}.md").read_text(encoding="utf-8")
    plain = jinja2.Environment(
        undefined=jinja2.StrictUndefined, comment_start_string="{##", comment_end_string="##}"
    )
    shown = plain.from_string(source).render(**macros(language))
    found = []
    for body in _TAPE.findall(shown):
        rows = [
            [unescape(re.sub("<[^>]+>", "", cell)) for cell in row] for row in _ROW.findall(body)
        ]
        found.append(tuple(Line(sign, label, printed(figure)) for sign, label, figure in rows))
    return tuple(found)


def repeat(lines: tuple[Line, ...]) -> list[tuple[Line, float, float]]:
    """(line with `=`, lowest, highest value that the lines above it come to)."""
    low = high = math.nan
    results = []
    for number, line in enumerate(lines):
        if line.figure is None:
            assert not line.sign and len(lines) == 1, line
            return []
        one, other = line.figure.low, line.figure.high
        if number == 0:
            assert line.sign == "", line
            low, high = one, other
        elif line.sign == "+":
            low, high = low + one, high + other
        elif line.sign == "−":
            low, high = low - other, high - one
        elif line.sign == "×":
            ends = [a * b for a in (low, high) for b in (one, other)]
            low, high = min(ends), max(ends)
        elif line.sign == "÷":
            assert one > 0, line
            ends = [a / b for a in (low, high) for b in (one, other)]
            low, high = min(ends), max(ends)
        elif line.sign == "^":
            assert one == other == round(one), line
            low, high = low**one, high**one
        elif line.sign == "=":
            results.append((line, low, high))
        elif line.sign == "≈":  # a line of a bill: to the cent, a half upwards
            low, high = (math.floor(end * 100 + 0.5 + 1e-9) / 100 for end in (low, high))
            results.append((line, low, high))
        else:
            raise AssertionError(line)
    return results


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", WORKED)
def test_every_sum_comes_out_by_hand(name: str, language: str) -> None:
    checked = 0
    for lines in tapes(name, language):
        for line, low, high in repeat(lines):
            checked += 1
            figure = line.figure
            assert figure is not None
            assert low <= figure.high and high >= figure.low, (line, low, high)
            # The bound is worth something: digits enough to tell a wrong sum.
            wide = max(abs(high - low), figure.high - figure.low)
            assert wide <= max(1e-3 * abs(figure.middle), 0.02), (line, low, high)
    assert checked >= {"border": 3, "renting": 9}.get(name, 6)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", WORKED)
def test_a_figure_that_is_carried_on_is_printed_the_same(name: str, language: str) -> None:
    seen: dict[str, set[str]] = {}
    carried = 0
    for lines in tapes(name, language):
        for line in lines:
            if line.figure is None:
                continue
            if line.sign in ("=", "≈"):
                seen.setdefault(line.label, set()).add(line.figure.text)
            elif line.label in seen:
                carried += 1
                assert line.figure.text in seen[line.label], line
    assert carried >= (0 if name == "border" else 1)


def test_both_languages_print_the_same_figures() -> None:
    for name in WORKED:
        figures = [
            [[(line.sign, line.figure and (line.figure.low, line.figure.high)) for line in lines]
             for lines in tapes(name, language)]
            for language in LANGUAGES
        ]  # fmt: skip
        assert figures[0] == figures[1], name


def test_a_wrong_total_would_be_seen() -> None:
    lines = (
        Line("", "a", printed("USD 1,000.00")),
        Line("+", "b", printed("USD 500.00")),
        Line("=", "c", printed("USD 1,501.00")),
    )
    ((line, low, high),) = repeat(lines)
    assert line.figure is not None
    assert not (low <= line.figure.high and high >= line.figure.low)


def test_every_worked_page_is_read() -> None:
    found = {path.stem for path in Path(ROOT / "docs/en/worked").glob("*.md")}
    assert found == set(WORKED)
