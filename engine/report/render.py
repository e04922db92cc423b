"""One answer, several formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.report.style import Style

if TYPE_CHECKING:
    from engine.report.blocks import Section


def as_json(answer: Mapping[str, Any]) -> str:
    """One JSON object; numbers are written so that they read back exactly."""
    return json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


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
