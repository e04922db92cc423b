"""Texts of the book with the values of their placeholders put in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.book.display import Names
from engine.book.model import Text
from engine.language.chinese import close_gaps
from engine.language.durations import duration
from engine.language.placeholders import PLACEHOLDER
from engine.reference.expressions import Scope, evaluate
from engine.reference.values import Answer, UnknownValue
from engine.reference.writing import short_number

_WORDS = {"en": ("no", "yes", "unknown"), "zh": ("否", "是", "未知")}


def filled(text: Text, scope: Scope) -> Text:
    """The text in both languages without placeholders; a value not known reads so."""
    if not text.reads:
        return text
    values = {name: evaluate(node, scope) for name, node in text.reads}
    return fill_text(text, values, scope.reader.names)


def fill_text(text: Text, values: Mapping[str, Answer], names: Names) -> Text:
    """The text in both languages with values at hand in its placeholders.

    `names`: what stands for a key of the catalog in the form `name`, by key and language.
    """
    units = {name: node.type.unit.symbol for name, node in text.reads if node.type is not None}

    def filled_in(template: str, language: str) -> str:
        def replace(match: re.Match[str]) -> str:
            if match[1] not in values:
                return match[0]
            value, form = values[match[1]], match[2] or ""
            if form == "name" and isinstance(value, str):
                return names.get(value, {}).get(language, value)
            if form == "duration" and isinstance(value, float):
                return duration(value, units[match[1]], language)
            return _word(value, form, language)

        return PLACEHOLDER.sub(replace, template)

    return Text(filled_in(text.en, "en"), close_gaps(filled_in(text.zh, "zh")))


def _word(value: Answer, form: str, language: str) -> str:
    no, yes, unknown = _WORDS[language]
    if isinstance(value, UnknownValue):
        return unknown
    if isinstance(value, bool):
        return yes if value else no
    if isinstance(value, str):
        return value
    return format(value, form) if form else short_number(value)
