"""Sentences with values of an answer put in.

A template is a text with `{path}` or `{path:form}`; paths walk the answer's JSON
(`options.0.cost.per_month`). A sentence that needs a value the answer does not have is not
printed: `fill` gives None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.language.chinese import close_gaps
from engine.language.durations import duration
from engine.language.frozen import frozen
from engine.language.patterns import late
from engine.language.placeholders import PLACEHOLDER
from engine.language.printable import printable


@frozen
class Context:
    """What a template can read: the answer, the item of a list at hand, and the words."""

    answer: Mapping[str, Any]
    language: str
    words: Mapping[str, Mapping[str, str]]
    item: Any = None

    def within(self, item: Any) -> Context:
        return Context(self.answer, self.language, self.words, item)

    def find(self, path: str) -> Any:
        """The value at a path: in the item first, else in the answer; None where there is none."""
        if path == "item":
            return self.item
        if isinstance(self.item, Mapping):
            head = path.partition(".")[0]
            if head in self.item:
                return walk(self.item, path)
        return walk(self.answer, path)


def walk(value: Any, path: str) -> Any:
    """The value at a dotted path of mappings and lists; None where there is none."""
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, Sequence) and not isinstance(value, str) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else None
        else:
            return None
    return value


# Spaces that a value left out would leave behind.
_SPACES = late(r" +([.,;:!?)，。；：）]|$)|  +")


def fill(text: str, context: Context) -> str | None:
    """The text with its values; None when one of them is missing."""
    missing = False

    def put(match: re.Match[str]) -> str:
        nonlocal missing
        shown = shape(context.find(match[1]), match[2] or "", context)
        if shown is None:
            missing = True
            return ""
        return printable(shown)

    filled = PLACEHOLDER.sub(put, text)
    if missing:
        return None
    filled = _SPACES.sub(lambda match: match[1] or " ", filled).strip()
    return close_gaps(filled) if context.language == "zh" else filled


def shape(value: Any, form: str, context: Context) -> str | None:
    """A value in a given form; None when there is nothing to show."""
    if isinstance(value, Mapping) and "value" in value:
        if form == "figure":
            return figure(value, context)
        if form == "duration" and value["value"] is not None:
            return duration(float(value["value"]), str(value["unit"]), context.language)
        value = value["value"]
    if form == "unit":
        return "" if value in (None, "ratio", "count") else _unit(str(value), context)
    if value is None or value == [] or value == "":
        return "" if form == "optional" else None
    if form == "optional":
        form = ""
    if form == "value":
        return _plain(value, context)
    if form == "quoted":  # a word or an answer in quotation marks, a number as it is
        plain = _plain(value, context)
        return f"“{plain}”" if isinstance(value, (bool, str)) else plain
    if form == "word" or (form == "" and isinstance(value, str)):
        return _plain(value, context) if form == "word" else str(value)
    if form == "list" and isinstance(value, Sequence):
        joint = "、" if context.language == "zh" else ", "
        return joint.join(shape(part, "", context) or "" for part in value)
    if isinstance(value, bool):
        return _yes(value, context.language)
    if isinstance(value, (int, float)):
        return _number(float(value), form, context)
    return str(value)


def _plain(value: Any, context: Context) -> str:
    """A field's value as a person states it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(float(value))
    return word(value, context) if isinstance(value, str) else str(shape(value, "", context))


def _number(value: float, form: str, context: Context) -> str:
    if form == "money":
        return money(value, str(context.answer.get("currency", "")))
    head, _, unit = form.partition(" ")
    if head == "duration":  # of a bare number: `duration hour`
        return duration(value, unit, context.language)
    if form == "percent":
        return f"{value * 100:,.0f}%"
    if form == "plural":  # the ending of an English noun
        return "" if value == 1 or context.language == "zh" else "s"
    if form:
        shown = format(value, form)
        return number(value) if "e" in shown else shown  # no exponents in a text
    return number(value)


def figure(leaf: Mapping[str, Any], context: Context) -> str | None:
    """A figure with its unit, and its range where the two ends differ."""
    value = leaf.get("value")
    if value is None:
        return None
    if isinstance(value, bool):
        return _yes(value, context.language)
    if isinstance(value, str):
        return word(value, context)
    unit = str(leaf.get("unit") or "")
    shown = f"{value * 100:.0f}%" if unit == "ratio" and abs(value) <= 1 else number(value)
    tail = "" if unit in ("", "ratio", "count") else f" {unit}"
    return shown + tail


def word(value: Any, context: Context) -> str:
    """The words for a value of a closed list; itself when the book has none for it."""
    known = context.words.get(str(value))
    return known.get(context.language, str(value)) if known else str(value)


def _unit(symbol: str, context: Context) -> str:
    """The words of a unit, which stand under `unit` and its symbol; else the symbol."""
    key = f"unit {symbol}"
    return word(key, context) if key in context.words else symbol


def money(value: float, currency: str) -> str:
    """`USD 1,235`; below 100 with cents, far below with more digits, never a zero that is none."""
    if 0 < abs(value) < 0.001:
        shown = f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"  # two significant digits
    elif 0 < abs(value) < 0.1:
        shown = f"{value:,.4f}"
    elif abs(value) < 100:
        shown = f"{value:,.2f}"
    else:
        shown = f"{value:,.0f}"
    return f"{currency} {shown}".strip()


def number(value: float) -> str:
    """Three or four significant digits, thousands separated, no exponent in the usual range."""
    size = abs(value)
    if value == int(value) and size < 1e15:
        return f"{int(value):,}"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1:
        return f"{value:.2f}"
    return f"{value:.3g}"


def _yes(value: bool, language: str) -> str:
    if language == "zh":
        return "是" if value else "否"
    return "yes" if value else "no"


def holds(spec: Mapping[str, Any], context: Context) -> bool:
    """Whether a block's `when`, `unless`, `known` and `unknown` let it be printed."""
    for path, wanted in (spec.get("when") or {}).items():
        if not _matches(context.find(path), wanted):
            return False
    for path, wanted in (spec.get("unless") or {}).items():
        if _matches(context.find(path), wanted):
            return False
    known = all(_is_known(context.find(path)) for path in spec.get("known") or ())
    return known and not any(_is_known(context.find(path)) for path in spec.get("unknown") or ())


_BOUND = re.compile(r"([<>]) *([0-9.]+)")


def _is_known(value: Any) -> bool:
    if isinstance(value, Mapping) and "value" in value:
        value = value["value"]
    return value is not None and value != [] and value != {}


def _matches(value: Any, wanted: Any) -> bool:
    if isinstance(value, Mapping) and "value" in value:
        value = value["value"]
    if isinstance(wanted, list):
        return value in wanted
    bound = _BOUND.fullmatch(wanted) if isinstance(wanted, str) else None
    if bound is None or not isinstance(value, (int, float)):
        return bool(value == wanted)
    return value > float(bound[2]) if bound[1] == ">" else value < float(bound[2])
