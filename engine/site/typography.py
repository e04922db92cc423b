"""Line breaks of Chinese source text: they are no spaces in Chinese."""

from __future__ import annotations

import re

_PUNCTUATION = "\u3000-\u303f\uff00-\uff0f\uff1a-\uff20“”‘’…—"
_WIDE = f"\u2e80-\u2fff\u3040-\u9fff\uf900-\ufaff{_PUNCTUATION}"
_TAGS = r"((?:</?(?:a|code|em|span|strong|sup)\b[^<>]*>)*)"  # inside a line

# A break after which, or before which, no space belongs; tags may stand around it.
_JOINED = (
    re.compile(rf"(?<=[{_WIDE}]){_TAGS}\n{_TAGS}(?=[{_WIDE}])"),
    re.compile(rf"(?<=[{_PUNCTUATION}]){_TAGS}\n{_TAGS}(?=[^\s<])"),
    re.compile(rf"(?<=[^\s>]){_TAGS}\n{_TAGS}(?=[{_PUNCTUATION}])"),
)
_AS_IS = re.compile(r"(<pre\b.*?</pre>)", re.DOTALL)


def join_lines(html: str) -> str:
    """The page with the line breaks between Chinese characters removed; code is left as it is."""
    parts = _AS_IS.split(html)
    for number in range(0, len(parts), 2):
        for pattern in _JOINED:
            parts[number] = pattern.sub(r"\1\2", parts[number])
    return "".join(parts)
