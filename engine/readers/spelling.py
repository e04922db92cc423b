"""Numbers and amounts as people write them, to doubles and back."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

from engine.language.render import number_text

_CURRENCY_SIGNS = {"$": "USD", "¥": "CNY", "￥": "CNY", "元": "CNY", "RMB": "CNY", "人民币": "CNY"}
_WIDE = {"\u2212": "-", "\uff0d": "-", "\uff0b": "+", "\uff0e": ".", "\uff05": "%", "\u3000": " "}


def as_double(value: float) -> float:
    """The double next to an integer; beyond all doubles: infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def spell(value: float) -> str:
    """A number as a person writes it: no `.0`, no exponent below 10^15."""
    return number_text(as_double(value))


def spell_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return spell(value) if isinstance(value, (int, float)) else str(value)


def ascii_digits(text: str) -> str:
    """Digits, signs and spaces of other scripts and widths as ASCII; other letters stay."""
    if text.isascii():
        return text
    return "".join(_ascii(letter) for letter in text)


def _ascii(letter: str) -> str:
    digit = unicodedata.decimal(letter, None)
    if digit is not None:
        return str(digit)
    return _WIDE.get(letter, letter)


def split_currency(text: str) -> tuple[str, str]:
    """“CNY 20000”, “20000 CNY”, “$200” → (code, amount); no currency: ("", text)."""
    names = {"USD": "USD", "CNY": "CNY", **_CURRENCY_SIGNS}
    for name, code in names.items():
        if text.upper().startswith(name):
            return code, text[len(name) :].strip()
        if text.upper().endswith(name):
            return code, text[: -len(name)].strip()
    return "", text
