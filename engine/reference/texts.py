"""Texts of the book with the values of their placeholders put in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.book.model import Text
from engine.language.placeholders import PLACEHOLDER
from engine.reference.expressions import Scope, evaluate
from engine.reference.values import Answer, UnknownValue
from engine.reference.writing import short_number

_WORDS = {"en": ("no", "yes", "unknown"), "zh": ("否", "是", "未知")}


def filled(text: Text, scope: Scope) -> Text:
    """The text in both languages without placeholders; a value not known reads so."""
    if not text.reads:
        return text
    return fill_text(text, {name: evaluate(node, scope) for name, node in text.reads})


def fill_text(text: Text, values: Mapping[str, Answer]) -> Text:
    """The text in both languages with values at hand in its placeholders."""
    return Text(_fill(text.en, values, "en"), _fill(text.zh, values, "zh"))


def _fill(template: str, values: Mapping[str, Answer], language: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match[1] not in values:
            return match[0]
        return _word(values[match[1]], match[2] or "", language)

    return PLACEHOLDER.sub(replace, template)


def _word(value: Answer, form: str, language: str) -> str:
    no, yes, unknown = _WORDS[language]
    if isinstance(value, UnknownValue):
        return unknown
    if isinstance(value, bool):
        return yes if value else no
    if isinstance(value, str):
        return value
    return format(value, form) if form else short_number(value)
