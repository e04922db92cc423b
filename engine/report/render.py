"""One answer, several formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.encoder import encode_basestring as _quoted
from typing import TYPE_CHECKING, Any

from engine.report.style import Style

if TYPE_CHECKING:
    from engine.report.blocks import Section


def as_json(answer: Mapping[str, Any]) -> str:
    """One JSON object; numbers are written so that they read back exactly.

    The same as `json.dumps` gives with `indent=2`, which takes twice as long. Raises ValueError
    for numbers that are none.
    """
    return _written(answer, "\n") + "\n"


def _written(value: Any, line: str) -> str:
    """`line`: the end of a line and how far the next one is indented."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping) and value:
        inner = line + "  "
        members = [f"{_quoted(key)}: {_written(one, inner)}" for key, one in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}"
    if isinstance(value, list | tuple) and value:
        inner = line + "  "
        return f"[{inner}{f',{inner}'.join([_written(one, inner) for one in value])}{line}]"
    return json.dumps(value, allow_nan=False)


def as_text(report: Any, answer: Mapping[str, Any], language: str, style: Style) -> str:
    from engine.report.text import render_text

    return render_text(_sections(report, answer, language), style)


def as_markdown(report: Any, answer: Mapping[str, Any], language: str) -> str:
    from engine.report.markdown import render_markdown

    found = _sections(report, answer, language)
    return render_markdown(found, report["title"][language])


def _sections(report: Mapping[str, Any], answer: Mapping[str, Any], language: str) -> list[Section]:
    from engine.report.blocks import sections
    from engine.report.template import Context

    context = Context(answer, language, report.get("words", {}))
    return sections(report["text"], context)
