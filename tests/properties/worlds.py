"""Random but realistic profiles of the real rule book, and what the compiled book makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.readers.document import read_document
from engine.readers.profile import admit
from engine.run.facade import RuleBook
from tests.generators.choices import Choices
from tests.generators.profiles import Vocabulary, mutated, vocabulary

OPTIONS, LAYOUTS = "hardware.options.options", "hardware.layouts.layouts"
RECOMMENDED = "hardware.options.recommended"
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

Given = dict[str, Any]
Outcome = Mapping[str, Any]
Row = dict[str, Any]


@lru_cache(maxsize=1)
def book() -> RuleBook:
    return RuleBook.load()


@lru_cache(maxsize=1)
def words() -> Vocabulary:
    return vocabulary(book().bundle.book, book().bundle.catalog)


@lru_cache(maxsize=1)
def examples() -> tuple[Given, ...]:
    bundle = book().bundle
    documents = [read_document(str(path)) for path in sorted(EXAMPLES.glob("*.yaml"))]
    return tuple(
        admit(document, bundle.book.facts, bundle.catalog.tables).given for document in documents
    )


def profile(choices: Choices, missing: float = 0.1) -> Given:
    """An example with a few facts changed, added or left out."""
    return mutated(words(), choices, choices.one_of(examples()), missing)


def answer(given: Given, parameters: Mapping[str, Any] | None = None) -> Outcome:
    """What the compiled book says; prices are judged from the newest day of the catalog."""
    bundle = book().bundle
    stated = {"as_of": float(bundle.catalog.newest), **given}
    return bundle.evaluate(stated, parameters or bundle.parameters, bundle.tables)


def decision(outcome: Outcome, name: str) -> Any:
    return outcome["decisions"][name]


def rows(outcome: Outcome, relation: str) -> list[Row]:
    found = book().bundle.book.relations[relation]
    names = [column.decision.id for column in found.columns]
    first = len(found.sources)
    return [dict(zip(names, row[first:], strict=True)) for row in outcome["relations"][relation]]


def ranked(outcome: Outcome, ranking: str = RECOMMENDED) -> list[Row]:
    """The options of a ranking, best first."""
    result = outcome["rankings"][ranking]
    if result is None or not result["order"]:
        return []
    every = rows(outcome, OPTIONS)
    return [every[number] for number in result["order"]]
