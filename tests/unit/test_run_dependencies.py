"""The facts behind rows and orders, read off the book."""

# Rules in this file keep one entry to a line.
# ruff: noqa: E501

from __future__ import annotations

from engine.run.dependencies import facts_behind
from tests.unit.reference_book import book_of

RULES = """
relations:
  pairs:
    title: {en: P, zh: 对}
    from: [{as: machine, table: machines}]
    key: [machine.id]
    max_rows: 20
    columns:
      enough: {title: {en: E, zh: 够}, type: boolean, formula: machine.cards >= work.cards}
  levels:
    title: {en: L, zh: 级}
    from: [{as: level, fact: work.levels}]
    max_rows: 9
    columns:
      cards: {title: {en: C, zh: 卡}, unit: count, formula: level.cards}
rankings:
  chosen: {title: {en: C, zh: 选}, of: pairs, keep: wanted, by: [enough]}
decisions:
  wanted: {title: {en: W, zh: 需}, type: boolean, formula: any(for w in work.wanted return w.value = "x") or busy}
  busy: {title: {en: B, zh: 忙}, type: boolean, formula: any(for l in levels return l.cards > 2)}
"""


def test_facts_are_found_through_columns_decisions_lists_and_other_relations() -> None:
    book, _ = book_of(RULES)
    found = {name.rpartition(".")[2]: set(paths) for name, paths in facts_behind(book).items()}
    assert found == {
        "pairs": {"work.cards"},
        "levels": {"work.levels"},
        "chosen": {"work.cards", "work.wanted", "work.levels"},
    }
