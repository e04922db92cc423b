"""The door: from a document to facts the rules can trust.

Everything wrong is found at once and refused with its place, what was expected and what to do;
nothing is repaired silently. What passes is flat: dotted path → double, boolean, text or rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from engine.book.model import Fact, TableData
from engine.book.yaml_reader import Located
from engine.language.frozen import frozen
from engine.language.problems import Position, Problem
from engine.readers.document import Document, InputError
from engine.readers.expected import describe, expectation
from engine.readers.hints import closest, unknown_field_hint
from engine.readers.messages import problem, word
from engine.readers.values import Checker

Given = dict[str, Any]
MOST_PROBLEMS = 50


@frozen
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
    settings: Sequence[Document] = (),
    required: Sequence[str] = (),
    language: str = "en",
) -> Profile:
    """Check every value of `document` against the facts of the book.

    `settings` are small documents whose fields take the place of those of `document`. Numbers
    come out as doubles in the fact's unit, dates as whole days since 1970-01-01, keys as ids of
    their catalog table, lists as tuples in field order. Raises `InputError` with every problem.
    """
    door = _Door(document, facts, tables, language)
    with suppress(_EnoughError):
        door.enter(settings)
        door.require(required)
    if door.problems:
        ordered = sorted(door.problems, key=lambda found: found.position[1:])
        if len(ordered) > MOST_PROBLEMS:
            last = ordered[MOST_PROBLEMS].position
            ordered[MOST_PROBLEMS:] = [problem("more", last, language, count=MOST_PROBLEMS)]
        texts = {one.file: one.lines for one in (document, *settings)}
        raise InputError(ordered, texts)
    return Profile(door.given, door.positions, document.file, tuple(door.checker.notices))


class _EnoughError(Exception):
    """More problems than anybody reads: the rest of the file is not looked at."""


class _Door:
    def __init__(
        self,
        document: Document,
        facts: Mapping[str, Fact],
        tables: Mapping[str, TableData],
        language: str,
    ) -> None:
        self.document = document
        self.facts, self.tables = facts, tables
        self.language = language
        self.given: Given = {}
        self.positions: dict[str, Position] = {}
        self.refused: set[str] = set()
        self.problems: list[Problem] = []
        self.groups = {
            ".".join(parts[:n])
            for parts in (path.split(".") for path in facts)
            for n in range(1, len(parts))
        }
        self.checker = Checker(facts, tables, document.folder, language)

    def enter(self, settings: Sequence[Document]) -> None:
        entries = self.entries(self.document)
        for setting in settings:
            replaced = self.entries(setting)
            paths = {path for path, _ in replaced}
            entries = [entry for entry in entries if entry[0] not in paths] + replaced
        entries += self.from_config(dict(entries))
        self.checker.note_currencies(entries)
        for path, entry in entries:
            self.one(path, entry)
        for path, currency in self.checker.implied_currencies.items():
            self.given.setdefault(path, currency)

    def from_config(self, stated: Mapping[str, Located]) -> list[tuple[str, Located]]:
        """What the file named by `model.config` states and the profile does not."""
        entry = stated.get("model.config")
        if entry is None or not isinstance(entry.value, str):
            return []
        from pathlib import Path

        from engine.readers.model_config import FAMILIES, read_model_config

        try:
            path = Path(self.document.folder, entry.value)
            # The columns of the table: family, matrices of its feed-forward block.
            rows = self.tables[FAMILIES].rows if FAMILIES in self.tables else ()
            families = {str(row[0]): int(row[1]) for row in rows if isinstance(row[1], float)}
            found = read_model_config(path, entry, self.language, families)
        except InputError as error:
            self.problems += [_placed(found, entry.position) for found in error.problems]
            return []
        return [(path, value) for path, value in found if path in self.facts and path not in stated]

    def entries(self, document: Document) -> list[tuple[str, Located]]:
        root = document.root
        if isinstance(root.value, dict):
            return list(self.flatten("", root))
        self.fail(
            "not_mapping",
            root.position,
            what=word("profile", self.language),
            found=describe(root.value, self.language),
        )
        return []

    def flatten(self, prefix: str, entry: Located) -> Iterator[tuple[str, Located]]:
        assert isinstance(entry.value, dict)
        for name, inner in entry.value.items():
            path = f"{prefix}.{name}" if prefix else name
            if path in self.facts:
                yield path, inner
            elif path in self.groups:
                if isinstance(inner.value, dict):
                    yield from self.flatten(path, inner)
                elif inner.value is None:
                    self.fail("null", inner.where, field=path)
                else:
                    self.group_expected(path, inner)
            else:
                self.refused.add(path)
                hint = unknown_field_hint(path, self.facts, self.groups, self.language)
                names = [
                    known.rpartition(".")[2]
                    for known in (*self.facts, *sorted(self.groups))
                    if known.rpartition(".")[0] == prefix
                ]
                listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
                expected = word("one_of", self.language, choices=listed)
                self.fail("unknown_field", inner.where, expected=expected, field=path, hint=hint)

    def group_expected(self, path: str, entry: Located) -> None:
        inside = [name[len(path) + 1 :] for name in self.facts if name.startswith(path + ".")]
        fields = ", ".join(inside[:8]) + (", …" if len(inside) > 8 else "")
        hint = word("group_fields", self.language, fields=fields)
        if isinstance(entry.value, str):
            guess = closest(entry.value, inside)
            if guess:
                hint = word("did_you_mean", self.language, guess=f"{path}.{guess[0]}: …")
        self.fail(
            "wrong_type",
            entry.position,
            field=path,
            found=describe(entry.value, self.language),
            expected=word("mapping", self.language),
            hint=hint,
        )

    def one(self, path: str, entry: Located) -> None:
        if path in self.positions:
            first = self.positions[path]
            name = "duplicate" if first.line else "duplicate_key"
            self.fail(name, entry.where, field=path, line=first.line)
            return
        self.positions[path] = entry.position
        value, problems = self.checker.value(self.facts[path], entry)
        if problems:
            self.refused.add(path)
            self.problems.extend(problems)
            self.enough()
        else:
            self.given[path] = value

    def fail(self, name: str, position: Position, /, **values: Any) -> None:
        self.problems.append(problem(name, position, self.language, **values))
        self.enough()

    def enough(self) -> None:
        if len(self.problems) > MOST_PROBLEMS:
            raise _EnoughError

    def require(self, paths: Sequence[str]) -> None:
        for path in paths if isinstance(self.document.root.value, dict) else ():
            if path not in self.given and path not in self.refused:
                known = path in self.facts
                expected = expectation(self.facts[path], self.language) if known else ""
                self.fail("required", self.document.root.position, expected=expected, field=path)


def _placed(found: Problem, position: Position) -> Problem:
    """A finding about a whole file, at the place in the profile that names the file."""
    if found.position.line:
        return found
    return Problem(found.code, found.message, position, found.expected, found.suggestion)
