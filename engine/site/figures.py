"""Values of the book as a reader writes them: numbers with units, dates, words of closed lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.book.dates import date_text
from engine.language.types import Type
from engine.report.template import money, number
from engine.site.words import per, say, unit_words

_CURRENCY = re.compile("[A-Z]{3}")


class Figures:
    """Writes values in one language; `words` are those of the book's report."""

    def __init__(self, language: str, words: Mapping[str, Mapping[str, str]]) -> None:
        self.language, self.words = language, words

    def word(self, value: str) -> str:
        known = self.words.get(value)
        return known.get(self.language, value) if known else value

    def value(self, value: Any, kind: Type, *, date: bool = False) -> str:
        """A value of a type; what is missing is said to be unknown."""
        if value is None:
            return say("unknown", self.language)
        if date:
            return date_text(value)
        if isinstance(value, bool):
            yes, no = ("是", "否") if self.language == "zh" else ("yes", "no")
            return yes if value else no
        if isinstance(value, str):
            return self.word(value) if kind.values else value
        return self.number(float(value), kind.unit.symbol)

    def number(self, value: float, unit: str, places: int | None = None) -> str:
        """A number with its unit; a share up to one as a percentage, money with its currency.

        `places`: decimals, for figures that a reader adds up; else three or four digits.
        """
        shared, _, rest = unit.partition("/")
        if shared == "ratio" and 0 < abs(value) <= 1:
            sign = "%" if self.language == "zh" else " %"
            shown = number(value * 100) if places is None else f"{value * 100:,.{places}f}"
            return f"{shown}{sign}{per(rest, self.language)}"
        if _CURRENCY.fullmatch(shared):
            shown = money(value, shared) if places is None else f"{shared} {value:,.{places}f}"
            return f"{shown}{per(rest, self.language)}"
        words = unit_words(unit, value, self.language)
        shown = number(value) if places is None else f"{value:,.{places}f}"
        return f"{shown} {words}".strip()
