"""Colour, where it helps and is wanted."""

from __future__ import annotations

import os
from typing import TextIO

_CODES = {"strong": "1", "faint": "2", "good": "32", "bad": "31", "caution": "33", "title": "1;36"}


def wants_colour(stream: TextIO) -> bool:
    """Whether the stream is a terminal that may be coloured (NO_COLOR, FORCE_COLOR, TERM)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Style:
    """Paints text; with `colour` off it returns the text unchanged."""

    def __init__(self, colour: bool = False) -> None:
        self.colour = colour

    def paint(self, text: str, kind: str) -> str:
        code = _CODES.get(kind)
        if not self.colour or not text or code is None:
            return text
        return f"\x1b[{code}m{text}\x1b[0m"
