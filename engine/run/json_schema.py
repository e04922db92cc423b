"""The JSON Schema of a profile, generated from the facts of the book."""

from __future__ import annotations

import math
from typing import Any

from engine.book.model import Book, Fact, Field
from engine.language.types import Type

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def profile_schema(book: Book) -> dict[str, Any]:
    """Draft 2020-12. Numbers may also be texts with a unit, as the door accepts them."""
    properties: dict[str, Any] = {}
    for fact in book.facts.values():
        *groups, last = fact.path.split(".")
        inner = properties
        for group in groups:
            entry = inner.setdefault(
                group,
                {"type": "object", "additionalProperties": False, "properties": {}},
            )
            inner = entry["properties"]
        inner[last] = fact_schema(fact)
    schema: dict[str, Any] = {
        "$schema": DRAFT,
        "title": "Profile",
        "description": "What a piece of work is and where it must run. 描述一项任务及其约束。",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    required = list(book.report.get("required", ()))
    if required:
        schema["required"] = required
    return schema


def fact_schema(fact: Fact) -> dict[str, Any]:
    """The schema of one field, with its label and help in both languages."""
    schema = _shape(fact)
    label = " / ".join(text for text in (fact.label.en, fact.label.zh) if text)
    if label:
        schema["title"] = label
    described = " ".join(text for text in (fact.help.en, fact.help.zh) if text)
    if described:
        schema["description"] = described
    if fact.type.kind == "number" and fact.type.unit.symbol:
        schema["x-unit"] = fact.type.unit.symbol
    if fact.key_of:
        schema["x-table"] = fact.key_of
    return schema


def _shape(fact: Fact) -> dict[str, Any]:
    if fact.kind == "date":
        return {"type": "string", "format": "date"}
    if fact.kind == "list":
        item = _cell(fact.fields[0].type) if fact.fields else _cell(fact.type)
        return _array(item, fact.max_rows)
    if fact.kind in ("records", "distribution"):
        rows = _array(_record(fact.fields), fact.max_rows)
        return {"anyOf": [{"type": "string"}, rows]} if fact.kind == "distribution" else rows
    if fact.kind in ("number", "integer"):
        return {"anyOf": [_number(fact.type), {"type": "string"}]}
    return _cell(fact.type)


def _array(item: dict[str, Any], most: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array", "items": item}
    if most:
        schema["maxItems"] = most
    return schema


def _record(fields: tuple[Field, ...]) -> dict[str, Any]:
    properties = {}
    needed = [field.name for field in fields if not field.type.nullable]
    for field in fields:
        properties[field.name] = _cell(field.type)
        if field.label.en:
            properties[field.name]["title"] = f"{field.label.en} / {field.label.zh}"
    schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**schema, "required": needed} if needed else schema


def _cell(kind: Type) -> dict[str, Any]:
    if kind.kind == "number":
        return _number(kind)
    if kind.kind == "boolean":
        return {"type": "boolean"}
    if kind.values is not None:
        return {"enum": list(kind.values)}
    return {"type": "string", "minLength": 1}


def _number(kind: Type) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer" if kind.integer else "number"}
    for key, bound in (("minimum", kind.low), ("maximum", kind.high)):
        if math.isfinite(bound):
            schema[key] = int(bound) if float(bound).is_integer() else bound
    return schema
