"""Regular expressions that are compiled when they are first used.

Compiling those of all that a short run imports takes longer than importing it.
"""

from __future__ import annotations

import re

_METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")


class _Late:
    def __init__(self, text: str) -> None:
        self._text = text

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:
            raise AttributeError(name)
        made = re.compile(self._text)
        for method in _METHODS:
            setattr(self, method, getattr(made, method))
        return getattr(made, name)


def late(text: str) -> re.Pattern[str]:
    """The pattern of `text`; it has the methods that look for something."""
    return _Late(text)  # type: ignore[return-value]
