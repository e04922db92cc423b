"""Loads a rule book: `load_book(root)` from files, `load_book_from({path: text})` for tests."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.book.files import (
    REPORT,
    SOURCES,
    TABLES,
    VALIDATION,
    VERSION,
    Folder,
    book_files,
    digest_of,
)
from engine.book.finish import finish
from engine.book.model import Book, TableSchema
from engine.book.parameters import check_orderings
from engine.book.problems import Findings
from engine.book.resolve import Resolver
from engine.book.sections import read_sections
from engine.book.sources import Sources, check_citations, read_sources
from engine.book.tables import Declaration, read_declaration
from engine.book.yaml_reader import plain, read_yaml
from engine.language.problems import Position, Problem, ProblemError

_VERSION_FORM = re.compile(r"\d+\.\d+\.\d+\Z")
# Typing recurses through chains of decisions; each link takes a few frames per level of its tree.
_RECURSION = 30_000


def load_book(root: Path) -> Book:
    """The typed book under a root with `rules/` and `catalog/`. Raises ProblemError."""
    files = book_files(root)
    require_rules(files, root)
    return load_book_from(files)


def require_rules(files: Mapping[str, str | bytes], root: Folder) -> None:
    """Raises ProblemError (B014) when a root holds no rules at all."""
    if not any(path.startswith("rules/") for path in files):
        raise ProblemError(
            Problem("B014", "there are no rules here", Position(str(root)), "a folder rules/")
        )


def load_book_from(files: Mapping[str, str | bytes]) -> Book:
    """A book from texts by path (`rules/needs/memory.yaml`, `catalog/tables.yaml`, …)."""
    findings = Findings()
    rules = {
        path: text
        for path, text in files.items()
        if path.startswith("rules/")
        and path.endswith(".yaml")
        and path != REPORT
        and not path.startswith(VALIDATION)
    }
    sections = read_sections(rules, findings)
    declaration = Declaration({}, {})
    if TABLES in files:
        declaration = read_declaration(files[TABLES], TABLES, findings)
    sources: Sources = {}
    if SOURCES in files:
        sources = read_sources(files[SOURCES], SOURCES, findings)
    version = _version(files, findings)
    report: dict[str, Any] = {}
    if REPORT in files:
        with findings.collecting():
            found = read_yaml(files[REPORT], REPORT)
            if found.value is not None and not found.is_mapping:
                said = "the report is not a mapping of parts"
                raise ProblemError(Problem("B003", said, found.where, "a mapping"))
            report = plain(found) or {}
    validation: dict[str, Any] = {}
    for path in sorted(path for path in files if path.startswith(VALIDATION)):
        with findings.collecting():
            validation[path[len(VALIDATION) :].removesuffix(".yaml")] = plain(
                read_yaml(files[path], path)
            )
    findings.raise_if_any()  # half-read files would only cause unknown names
    _check_names(sections.parameters, sections.entries, sections.facts, findings)
    with _deep_recursion():
        resolver = Resolver(sections, declaration.schemas, findings)
        resolver.resolve_all()
        finish(resolver)
    check_orderings(resolver.parameters, findings)
    book = Book(
        version=version,
        digest=digest_of(files),
        facts=_in_order(resolver.facts, sections.facts),
        parameters=resolver.parameters,
        decisions=_in_order(resolver.decisions, sections.entries),
        relations=_in_order(resolver.relations, sections.entries),
        rankings=_in_order(resolver.rankings, sections.entries),
        advice=_in_order(resolver.advice, sections.entries),
        tables=declaration.schemas,
        order=tuple(resolver.order),
        sources=sources,
        report=report,
        titles=sections.titles,
        validation=validation,
    )
    check_citations(book, findings)
    findings.raise_if_any()
    return book


def load_tables(root: Path) -> dict[str, TableSchema]:
    """The declared catalog tables alone. Raises ProblemError."""
    findings = Findings()
    path = root / TABLES
    declaration = read_declaration(path.read_bytes(), TABLES, findings)
    findings.raise_if_any()
    return declaration.schemas


def _version(files: Mapping[str, str | bytes], findings: Findings) -> str:
    content = files.get(VERSION, "0.0.0")
    text = (content if isinstance(content, str) else content.decode("utf-8", "replace")).strip()
    if not _VERSION_FORM.match(text):
        findings.add("B013", f'"{text}" is not a version', Position(VERSION, 1, 1), "1.0.0")
    return text


def _check_names(
    parameters: Mapping[str, Any],
    entries: Mapping[str, Any],
    facts: Mapping[str, Any],
    findings: Findings,
) -> None:
    """A fact has one name, which nothing else may have, and no fact is inside another."""
    for path in facts:
        parts = path.split(".")
        for end in range(1, len(parts)):
            outer = ".".join(parts[:end])
            if outer in facts:
                findings.add(
                    "B012", f'the fact "{path}" is inside the fact "{outer}"', facts[path].where
                )
    bare = {path for path in facts if "." not in path}
    for entry in [*parameters.values(), *entries.values()]:
        if entry.name in bare:
            findings.add(
                "B012", f'"{entry.name}" is a fact already', entry.body.where, "a name of its own"
            )


def _in_order(found: dict[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """In the order of the files, not of dependency."""
    return {name: found[name] for name in wanted if name in found}


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
