"""Proof that relations stay within `max_rows` on the catalog at hand."""

from __future__ import annotations

from dataclasses import replace

from engine.book.load import load_book_from
from engine.book.model import Book, Catalog, TableData
from engine.check.book import examine
from engine.check.row_limits import check_row_limits
from tests.unit.small_book import SOURCES

TABLES = """
tables:
  cards:
    title: {en: Cards, zh: 卡}
    files: [cards.csv]
    key: id
    max_rows: 50
    columns:
      id: {type: key, label: {en: Id, zh: 编号}}
  offers:
    title: {en: Offers, zh: 报价}
    files: [offers.csv]
    key: id
    max_rows: 500
    columns:
      id: {type: key, label: {en: Id, zh: 编号}}
      card: {type: text, label: {en: Card, zh: 卡}}
"""
RULES = """
id: hardware.test
title: {en: Test, zh: 测试}
relations:
  layouts:
    title: {en: Layouts, zh: 布局}
    from:
      - {as: card, table: cards}
      - {as: k, steps: {from: 1, to: 4, by: 1}}
    key: [card.id]
    max_rows: 40
    columns:
      card_id: {title: {en: Card, zh: 卡}, type: text, formula: card.id}
  joined:
    title: {en: Joined, zh: 连接}
    from:
      - {as: l, relation: layouts}
      - {as: offer, table: offers, on: {card: l.card_id}}
    key: [l.card_id]
    max_rows: 400
    columns:
      offer_id: {title: {en: Offer, zh: 报价}, type: text, formula: offer.id}
  firsts:
    title: {en: Firsts, zh: 首个}
    from:
      - {as: l, relation: layouts}
      - {as: card, table: cards, on: {id: l.card_id}, optional: true}
    key: [l.card_id]
    max_rows: 40
    columns:
      card_id: {title: {en: Card, zh: 卡}, type: text, formula: card.id}
"""


def book() -> Book:
    return load_book_from({
        "rules/hardware/test.yaml": RULES,
        "catalog/tables.yaml": TABLES,
        "catalog/sources.yaml": SOURCES,
    })  # fmt: skip


def catalog(cards: int, offers: list[int]) -> Catalog:
    """`offers`: how many offers each card has."""
    listed = [(f"o{card}-{n}", f"c{card}") for card, many in enumerate(offers) for n in range(many)]
    tables = {
        "cards": TableData(tuple((f"c{number}",) for number in range(cards))),
        "offers": TableData(tuple(listed)),
    }
    return Catalog(tables, "", 20_787, 20_787)


def unproven(of: Catalog) -> list[str]:
    problems, _ = check_row_limits(book(), of)
    return [problem.message.split()[0] for problem in problems]


def test_cross_products_count_their_sources() -> None:
    assert unproven(catalog(10, [1] * 10)) == []
    assert "hardware.test.layouts" in unproven(catalog(11, [1] * 10))


def test_a_join_counts_from_whichever_side_is_smaller() -> None:
    # One card has 91 offers: 40 layouts × 91 is far too many, 100 offers × 4 layouts is not.
    assert unproven(catalog(10, [91, 1, 1, 1, 1, 1, 1, 1, 1, 1])) == []
    assert unproven(catalog(10, [92, 1, 1, 1, 1, 1, 1, 1, 1, 1])) == ["hardware.test.joined"]


def test_a_join_on_a_key_adds_no_rows() -> None:
    assert "hardware.test.firsts" not in unproven(catalog(10, [200]))


def test_an_unproven_limit_is_a_warning_with_the_bound_found() -> None:
    found = examine(book(), 20_787, catalog(20, [1]))
    (problem,) = [one for one in found.problems if "layouts" in one.message]
    assert (problem.code, problem.severity) == ("W214", "warning")
    assert "at most 80 rows" in problem.message
    assert found.passed
    assert found.counts["row_limits"] == 2  # the others rest on the limit of layouts


def test_without_a_catalog_nothing_is_said_about_rows() -> None:
    assert "row_limits" not in examine(replace(book()), 20_787).counts
