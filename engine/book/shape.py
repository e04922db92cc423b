"""Checks a located value against a JSON Schema and says what is wrong in a writer's words.

The schemas in catalog/schema are the one description of our file formats. This reads the part of
draft 2020-12 they use (type, enum, pattern, properties, items, anyOf, $ref and the counts)
because a general validator knows no positions and takes ten times as long; tests hold
both to the same verdicts. Codes: B001 unknown key, B002 missing key, B003 wrong type, B004 not in
the list, B005 form, B006 count or size.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.book.yaml_reader import Located
from engine.language.problems import Position, Problem
from engine.language.suggest import did_you_mean

_WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "nothing",
}
_FORMS = {
    "^[a-z][a-z0-9_]*$": "lower case letters, digits and _",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": "a date such as 2026-11-30",
}

Schema = dict[str, Any]


@lru_cache(maxsize=8)
def load_schema(name: str) -> Schema:
    """A schema of catalog/schema, from the repository or from the installed package."""
    here = Path(__file__).resolve()
    for base in (here.parents[2], here.parents[1] / "data"):
        path = base / "catalog" / "schema" / name
        if path.is_file():
            schema: Schema = json.loads(path.read_text(encoding="utf-8"))
            return schema
    raise FileNotFoundError(name)


def check_shape(located: Located, schema: Schema) -> list[Problem]:
    """Every departure from the schema, in reading order."""
    checker = _Checker(schema)
    checker.check(located, schema)
    return checker.problems


def kind_of(value: Any) -> str:
    """The JSON Schema name of a value's type; whole numbers are "integer"."""
    if isinstance(value, dict):
        return "object"
    if isinstance(value, tuple):
        return "array"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return "null"


def _is(kind: str, wanted: Any) -> bool:
    if isinstance(wanted, str):
        return kind == wanted or (kind == "integer" and wanted == "number")
    return any(_is(kind, one) for one in wanted)


class _Checker:
    def __init__(self, root: Schema) -> None:
        self.root = root
        self.problems: list[Problem] = []
        self._patterns: dict[str, re.Pattern[str]] = {}

    def check(self, located: Located, schema: Schema) -> None:
        schema = self._resolved(schema)
        value = located.value
        kind = kind_of(value)
        if "anyOf" in schema:
            self._any_of(located, kind, schema)
            return
        wanted = schema.get("type")
        if wanted is not None and not _is(kind, wanted):
            self._wrong_type(located, kind, self._kinds(schema))
            return
        if "enum" in schema and value not in schema["enum"]:
            self._not_listed(located, schema["enum"])
        elif kind == "object":
            self._mapping(located, schema)
        elif kind == "array":
            self._sequence(located, schema)
        elif kind == "string":
            self._string(value, located.position, schema)
        elif "minimum" in schema and value < schema["minimum"]:
            self._add("B006", f"{value} is too small", located.position, f"≥ {schema['minimum']}")

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self.root["$defs"][schema["$ref"].rpartition("/")[2]]
        return schema

    def _kinds(self, schema: Schema) -> list[str]:
        schema = self._resolved(schema)
        if "anyOf" in schema:
            return [kind for branch in schema["anyOf"] for kind in self._kinds(branch)]
        wanted = schema.get("type")
        if wanted is None:
            return ["string"] if "enum" in schema else list(_WORDS)
        return [wanted] if isinstance(wanted, str) else list(wanted)

    def _any_of(self, located: Located, kind: str, schema: Schema) -> None:
        fitting = [one for one in schema["anyOf"] if _is(kind, self._kinds(one))]
        if not fitting:
            self._wrong_type(located, kind, self._kinds(schema))
            return
        before = self.problems
        for branch in fitting:
            self.problems = []
            self.check(located, branch)
            found = self.problems
            self.problems = before
            if not found:
                return
        self.problems.extend(found)

    def _mapping(self, located: Located, schema: Schema) -> None:
        entries: dict[str, Located] = located.value
        known: Schema = schema.get("properties", {})
        extra = schema.get("additionalProperties", True)
        names = schema.get("propertyNames")
        for key, child in entries.items():
            if key in known:
                self.check(child, known[key])
            elif extra is False:
                self._add(
                    "B001",
                    f'unknown key "{key}"',
                    child.where,
                    "one of " + ", ".join(known),
                    did_you_mean(key, known),
                )
            else:
                if names is not None:
                    self._string(key, child.where, self._resolved(names))
                if isinstance(extra, dict):
                    self.check(child, extra)
        for key in schema.get("required", ()):
            if key not in entries:
                self._add("B002", f'the key "{key}" is missing', located.where)
        if len(entries) < schema.get("minProperties", 0):
            least = schema["minProperties"]
            self._add("B006", "too few entries", located.where, f"at least {least}")

    def _sequence(self, located: Located, schema: Schema) -> None:
        items: tuple[Located, ...] = located.value
        if len(items) < schema.get("minItems", 0):
            self._add("B006", "too few items", located.where, f"at least {schema['minItems']}")
        most = schema.get("maxItems")
        if most is not None and len(items) > most:
            self._add("B006", "too many items", located.where, f"at most {most}")
        if "items" in schema:
            for item in items:
                self.check(item, schema["items"])
        if schema.get("uniqueItems"):
            seen: set[str] = set()
            for item in items:
                if not isinstance(item.value, str):
                    continue  # lists of texts alone are declared unique
                if item.value in seen:
                    self._add("B006", f'"{item.value}" is listed twice', item.position)
                seen.add(item.value)

    def _string(self, value: str, position: Position, schema: Schema) -> None:
        if len(value) < schema.get("minLength", 0):
            self._add("B006", "the text is empty", position, "a text")
        pattern = schema.get("pattern")
        if pattern is None:
            return
        compiled = self._patterns.get(pattern)
        if compiled is None:
            compiled = self._patterns[pattern] = re.compile(pattern)
        # `$` also matches before a final line break, which no name may hold.
        if not compiled.search(value) or value.endswith("\n"):
            form = _FORMS.get(pattern, "lower case names joined by dots")
            self._add("B005", f'"{value}" does not have the right form', position, form)

    def _wrong_type(self, located: Located, kind: str, wanted: list[str]) -> None:
        words = dict.fromkeys(_WORDS[one] for one in wanted if one != "null")
        suggestion = ""
        if kind in ("integer", "number", "boolean") and "string" in wanted:
            suggestion = f'put it in quotes: "{located.raw}"'
        self._add("B003", f"found {_WORDS[kind]}", located.where, " or ".join(words), suggestion)

    def _not_listed(self, located: Located, listed: list[Any]) -> None:
        self._add(
            "B004",
            f'"{located.raw or located.value}" is not allowed here',
            located.position,
            "one of " + ", ".join(str(one) for one in listed),
            did_you_mean(str(located.raw), [str(one) for one in listed]),
        )

    def _add(
        self, code: str, message: str, position: Position, expected: str = "", suggestion: str = ""
    ) -> None:
        self.problems.append(Problem(code, message, position, expected, suggestion))
