"""Texts of users as messages may show them: short, and nothing that acts on a terminal."""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("\u200c\u200d")  # join letters of Persian and Indic scripts, and emoji


def printable(text: str, most: int = 0) -> str:
    """`text` with control, direction and other invisible characters spelt as `\\x1b`, `\\u202e`.

    Longer than `most` characters (0: any length): cut, with an ellipsis.
    """
    if most and len(text) > most:
        text = text[: most - 1] + "…"
    if text.isprintable():
        return text
    return "".join(letter if _harmless(letter) else _spelt(letter) for letter in text)


def unprintable(text: str, lines: bool = False) -> str:
    """The first character that no field of a profile may hold, spelt; "" when there is none.

    `lines`: line breaks and tabs are allowed.
    """
    if text.isprintable():
        return ""
    for letter in text:
        if not _harmless(letter) and not (lines and letter in "\n\r\t"):
            return _spelt(letter)
    return ""


def _harmless(letter: str) -> bool:
    return letter.isprintable() or letter in _KEPT or unicodedata.category(letter) in ("Zs", "Co")


def _spelt(letter: str) -> str:
    code = ord(letter)
    if letter in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[letter]
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )
