"""Where each statement of the guide stands, and what would notice its loss.

python -m tests.coverage.guide          prints the table
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from engine.book.contents import body_trees, citations
from engine.book.load import load_book
from engine.book.model import Advice, AdviceRow, Book, Decision, Example, Table
from engine.language import tree
from engine.language.walk import walk

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("guide.yaml")
LANGUAGES = ("en", "zh")
CITED = re.compile(r"""\{\{\s*guide\(\s*["']([^"']+)["']\s*\)\s*\}\}""")


@lru_cache(maxsize=1)
def book() -> Book:
    return load_book(ROOT)


@lru_cache(maxsize=1)
def listed() -> dict[str, dict[str, Any]]:
    """The entries of guide.yaml by the id of the statement."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(LIST.read_text("utf-8"))["statements"]
    return found


@lru_cache(maxsize=1)
def to_write() -> frozenset[str]:
    """Pages that are listed and do not exist yet."""
    return frozenset(yaml.safe_load(LIST.read_text("utf-8"))["to_write"])


@lru_cache(maxsize=1)
def statements() -> dict[str, dict[str, str]]:
    """What each statement says, in our words, by id."""
    return {
        name: source["title"]
        for name, source in book().sources.items()
        if source.get("kind") == "guide"
    }


@lru_cache(maxsize=1)
def citing() -> dict[str, tuple[str, ...]]:
    """The entries of the book that cite each statement."""
    found: dict[str, list[str]] = {name: [] for name in statements()}
    for owner, cited, _ in citations(book()):
        for one in cited:
            if one in found:
                found[one].append(owner)
    return {name: tuple(owners) for name, owners in found.items()}


# ---------------------------------------------------------------- pages


def page_file(page: str, language: str) -> Path:
    return ROOT / "docs" / language / f"{page}.md"


def cited_on(page: str, language: str) -> set[str]:
    """The statements a page cites; nothing where it does not exist."""
    file = page_file(page, language)
    return set(CITED.findall(file.read_text("utf-8"))) if file.is_file() else set()


# ---------------------------------------------------------------- examples


def entries() -> Iterator[tuple[str, Decision | Advice]]:
    """Decisions, columns (`relation.column`) and advice tables by the name guide.yaml uses."""
    yield from book().decisions.items()
    for relation in book().relations.values():
        for column in relation.columns:
            yield f"{relation.id}.{column.decision.id}", column.decision
    yield from book().advice.items()


@lru_cache(maxsize=1)
def by_name() -> dict[str, Decision | Advice]:
    return dict(entries())


def example_of(entry: Decision | Advice, name: str) -> tuple[Example, AdviceRow | None] | None:
    """An example by its sentence, with the advice row it belongs to."""
    if isinstance(entry, Advice):
        return next(
            ((one, row) for row in entry.rows for one in row.examples if one.name == name), None
        )
    return next(((one, None) for one in entry.examples if one.name == name), None)


def read_by(entry: Decision | Advice, example: Example, row: AdviceRow | None) -> set[str]:
    """The statements an example rests on: those its entry cites, the row it hits, and the
    parameters and facts that the entry computes with and the example does not replace."""
    if isinstance(entry, Advice):
        return set(row.source) if row is not None else set()
    found = set(entry.source)
    if isinstance(entry.body, Table):
        found.update(s for one in entry.body.every_row if one.id == example.row for s in one.source)
    for node in (inner for one in body_trees(entry.body) for inner in walk(one)):
        if isinstance(node, tree.Parameter) and node.id not in example.assume:
            found.update(book().parameters[node.id].source)
        if isinstance(node, tree.Fact) and node.path in book().facts:
            found.update(book().facts[node.path].source)
    return found


def says_something(example: Example) -> bool:
    """An example that expects nothing in particular would not notice a loss."""
    return example.expect is not None or bool(example.asks) or bool(example.row)


# ---------------------------------------------------------------- the table


def noticed(entry: dict[str, Any]) -> str:
    """What would notice the loss of a statement, in one line."""
    found = entry["noticed_by"]
    if "example" in found:
        return f"example: {found['of']}: {found['example']}"
    return f"test: {found['test']}" if "test" in found else f"page: {found['page']}"


def table() -> list[str]:
    """Per statement: id, entries of the book that cite it, page, what notices its loss, and what
    it says."""
    head = f"{'id':<6} {'cited':>5}  {'page':<22} noticed by"
    lines = [head]
    for name, says in statements().items():
        entry = listed()[name]
        lines.append(f"{name:<6} {len(citing()[name]):>5}  {entry['page']:<22} {noticed(entry)}")
        lines.append(f"{'':<37}{says['en']} / {says['zh']}")
    return lines


if __name__ == "__main__":
    print("\n".join(table()))
