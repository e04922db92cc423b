"""A commented starter profile, generated from the facts of the book."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from engine.book.model import Fact
from engine.language.render import number_text
from engine.reference.writing import formula_text
from engine.run.bundle import Bundle
from engine.run.pipeline import belonging

_WORDS = {
    "default": ("default", "默认"),
    "asked": ("asked where it matters", "需要时会询问"),
    "optional": ("optional", "可选"),
    "one_of": ("one of", "可选值"),
    "catalog": ("an id of catalog table", "目录表中的标识："),
    "list": ("a list", "列表"),
}
_MOST_VALUES = 14


def starter(bundle: Bundle, given: Mapping[str, Any], title: tuple[str, str]) -> str:
    """The profile as YAML: what is given as it stands, every other relevant field commented out.

    Every field has its label in both languages, then its unit, range or values and what happens
    without it. Fields whose `relevant` is false for what is given are left out.
    """
    lines = [f"# {title[0]}", f"# {title[1]}", ""]
    group = None
    for fact in relevant_facts(bundle, given):
        head, dot, name = fact.path.rpartition(".")
        if head != group:
            if group is not None:
                lines.append("")
            group = head
            if head:
                lines.append(_group_line(head, given))
        indent = "  " if dot else ""
        lines += _field_lines(fact, name, indent, given.get(fact.path))
    return "\n".join(lines).rstrip() + "\n"


def relevant_facts(bundle: Bundle, given: Mapping[str, Any]) -> list[Fact]:
    """The facts that can matter for what is given, in the order of the book, groups together."""
    belongs = belonging(bundle, given)
    found: dict[str, list[Fact]] = {}
    for fact in bundle.book.facts.values():
        if fact.path in given or belongs(fact.path):
            found.setdefault(fact.path.rpartition(".")[0], []).append(fact)
    # Fields outside any group come first: they would otherwise fall into the group above them.
    return [*found.pop("", []), *(fact for facts in found.values() for fact in facts)]


def _group_line(group: str, given: Mapping[str, Any]) -> str:
    stated = any(path.startswith(group + ".") for path in given)
    return f"{group}:" if stated else f"# {group}:"


def _field_lines(fact: Fact, name: str, indent: str, value: Any) -> Iterable[str]:
    label = " / ".join(text for text in (fact.label.en, fact.label.zh) if text)
    about = "; ".join(part for part in (label, _domain(fact), _without(fact)) if part)
    yield f"{indent}# {about}"
    if value is not None:
        yield f"{indent}{name}: {yaml_value(value)}"
    else:
        yield f"{indent}# {name}:"


def _domain(fact: Fact) -> str:
    """Unit and range, or the values."""
    kind = fact.type
    if fact.key_of:
        text = f"{_WORDS['catalog'][0]} {fact.key_of}"
        return f"{_WORDS['list'][0]}: {text}" if fact.kind == "list" else text
    if fact.kind in ("records", "distribution"):
        return "[{" + ", ".join(column.name for column in fact.fields) + "}]"
    if fact.kind == "list" and fact.fields:
        kind = fact.fields[0].type
    if kind.values is not None:
        shown = ", ".join(kind.values[:_MOST_VALUES])
        return shown + (", …" if len(kind.values) > _MOST_VALUES else "")
    if fact.kind == "boolean":
        return "true, false"
    if fact.kind == "date":
        return "YYYY-MM-DD"
    if kind.kind == "number":
        unit = kind.unit.symbol if kind.unit.symbol not in ("count", "ratio") else ""
        if math.isfinite(kind.low) and math.isfinite(kind.high):
            return f"{kind.low:.10g}–{kind.high:.10g} {unit}".strip()
        return unit
    return ""


def _without(fact: Fact) -> str:
    """What happens when the field is left out."""
    if not fact.asked and not fact.optional:
        text = formula_text(fact.default).strip('"') if fact.default is not None else "[]"
        shown = text if len(text) <= 40 else "…"
        return f"{_WORDS['default'][0]}/{_WORDS['default'][1]}: {shown or '–'}"
    name = "optional" if fact.optional else "asked"
    return f"{_WORDS[name][0]}/{_WORDS[name][1]}"


def yaml_value(value: Any) -> str:
    """A value as YAML on one line, so that it reads back the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, str):
        import json

        plain = value.replace("_", "").replace("-", "").replace(".", "")
        safe = value.isascii() and plain.isalnum() and value[0].isalpha()
        words = ("yes", "no", "on", "off", "true", "false", "null", "y", "n")
        return value if safe and value.lower() not in words else json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(yaml_value(part) for part in value) + "]"
    return str(value)
