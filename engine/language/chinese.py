"""Spaces in Chinese text."""

from __future__ import annotations

from engine.language.patterns import late

# No space stands between two characters, nor beside a mark of full width.
_MARKS = "，。；：、（）“”"
_HAN = "\u3400-\u9fff"
_GAPS = late(rf"(?<=[{_HAN}]) +(?=[{_HAN}])|(?<=[{_MARKS}]) +| +(?=[{_MARKS}])")


def close_gaps(text: str) -> str:
    """The text without spaces that values put in left where none stand."""
    return _GAPS.sub("", text)
