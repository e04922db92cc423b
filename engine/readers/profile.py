"""The door: from a document to facts the rules can trust.

Everything wrong is found at once and refused with its place, what was expected and what to do;
nothing is repaired silently. What passes is flat: dotted path → double, boolean, text or rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.book.model import Fact, TableData
from engine.language.problems import Position, Problem
from engine.readers.document import Document, Entry, InputError
from engine.readers.hints import closest, unknown_field_hint
from engine.readers.messages import problem, word
from engine.readers.values import Checker, describe

Given = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Profile:
    """What was stated: `given` by dotted path, in the order written, and where each stands."""

    given: Given
    positions: Mapping[str, Position]
    file: str
    notices: tuple[str, ...] = ()


def admit(
    document: Document,
    facts: Mapping[str, Fact],
    tables: Mapping[str, TableData],
    *,
    required: tuple[str, ...] = (),
    language: str = "en",
) -> Profile:
    """Check every value of `document` against the facts of the book.

    Numbers come out as doubles in the fact's unit, dates as whole days since 1970-01-01, keys as
    ids of their catalog table, lists as tuples in field order. Raises `InputError` with every
    problem in reading order.
    """
    door = _Door(document, facts, tables, language)
    door.enter()
    for path in required:
        if path not in door.given and path not in door.refused:
            position = document.root.position
            expected = door.checker.expectation(facts[path]) if path in facts else ""
            door.problems.append(
                problem("required", position, language, expected=expected, field=path)
            )
    if door.problems:
        ordered = sorted(door.problems, key=lambda found: found.position[1:])
        raise InputError(ordered, document.file, document.lines)
    return Profile(door.given, door.positions, document.file, tuple(door.checker.notices))


class _Door:
    def __init__(
        self,
        document: Document,
        facts: Mapping[str, Fact],
        tables: Mapping[str, TableData],
        language: str,
    ) -> None:
        self.document = document
        self.facts = facts
        self.language = language
        self.given: Given = {}
        self.positions: dict[str, Position] = {}
        self.refused: set[str] = set()
        self.problems: list[Problem] = list(document.problems)
        self.groups = {
            ".".join(parts[:n]) for parts in (path.split(".") for path in facts)
            for n in range(1, len(parts))
        }
        self.checker = Checker(facts, tables, document.folder, language)

    def enter(self) -> None:
        root = self.document.root
        if not isinstance(root.value, dict):
            self.fail(
                "not_mapping", root.position, what=word("profile", self.language),
                found=describe(root.value, self.language),
            )
            return
        entries = list(self.flatten("", root))
        currencies = self.checker.currencies(entries)
        for path, entry in entries:
            self.one(path, entry, currencies)

    def flatten(self, prefix: str, entry: Entry) -> Iterator[tuple[str, Entry]]:
        assert isinstance(entry.value, dict)
        for name, inner in entry.value.items():
            path = f"{prefix}.{name}" if prefix else name
            if path in self.facts:
                yield path, inner
            elif path in self.groups:
                if isinstance(inner.value, dict):
                    yield from self.flatten(path, inner)
                elif inner.value is None:
                    self.fail("null", inner.key, field=path)
                else:
                    self.group_expected(path, inner)
            else:
                self.refused.add(path)
                hint = unknown_field_hint(path, self.facts, self.groups, self.language)
                self.fail("unknown_field", inner.key, field=path, hint=hint)

    def group_expected(self, path: str, entry: Entry) -> None:
        inside = [name[len(path) + 1 :] for name in self.facts if name.startswith(path + ".")]
        fields = ", ".join(inside[:8]) + (", …" if len(inside) > 8 else "")
        hint = word("group_fields", self.language, fields=fields)
        if isinstance(entry.value, str):
            guess = closest(entry.value, inside)
            if guess:
                hint = word("did_you_mean", self.language, guess=f"{path}.{guess[0]}: …")
        self.fail(
            "wrong_type", entry.position, field=path, found=describe(entry.value, self.language),
            expected=word("mapping", self.language), hint=hint,
        )

    def one(self, path: str, entry: Entry, currencies: Mapping[str, str]) -> None:
        if path in self.positions:
            first = self.positions[path]
            self.fail("duplicate", entry.key, field=path, line=first.line)
            return
        self.positions[path] = entry.position
        value, problems = self.checker.value(self.facts[path], entry, currencies)
        if problems:
            self.refused.add(path)
            self.problems.extend(problems)
        else:
            self.given[path] = value

    def fail(self, name: str, position: Position, **values: Any) -> None:
        self.problems.append(problem(name, position, self.language, **values))
