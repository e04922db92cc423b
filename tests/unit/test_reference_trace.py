"""Explanations: the tree of what was read, the rows of tables, near misses."""

# Rules in this file keep one entry to a line.
# ruff: noqa: E501

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.book.model import Text
from engine.reference import Reference, TraceNode
from engine.reference.expressions import Scope
from engine.reference.texts import filled
from tests.unit.reference_book import book_of, profiles, sample, values_of

RULES = """
decisions:
  doubled: {title: {en: D, zh: 倍}, unit: count, formula: work.cards * work.batch + 1 - (work.cards - 1)}
  mode:
    title: {en: Mode, zh: 模式}
    values: [a, b, c]
    hit: first
    inputs: [work.cards, work.urgent, work.model]
    rows:
      - {id: few, when: ["< 8", "-", "-"], then: a, because: {en: "only {work.cards}", zh: "仅 {work.cards}"}, source: [a-paper]}
      - {id: urgent, when: ["<= 32", "true", "-"], then: b}
      - {id: small, when: ["-", "-", '"small", "odd"'], then: b}
      - {id: many, when: ["> 32", "false", "-"], then: c}
    otherwise: {then: a, because: {en: Nothing else, zh: 其他}}
  batches: {title: {en: B, zh: 批}, unit: count, formula: "interpolate(curve, work.batch) + count(for l in work.levels where l.cards > work.cards)"}
  curve:
    title: {en: C, zh: 线}
    unit: count
    curve: {x: {unit: count, range: [0, 100]}, points: [[0, 0], [10, 5]], below: refuse, above: hold}
advice:
  checks:
    title: {en: Checks, zh: 检查}
    inputs: [work.cards, work.urgent]
    rows:
      - {id: much, when: ["> 50", "-"], verdict: warn, severity: low, message: {en: "{work.cards} cards", zh: "{work.cards} 卡"}}
      - {id: hurry, when: ["-", "true"], verdict: ok, severity: info, message: {en: Hurry, zh: 加急}}
"""


def trace(name: str, **given: Any) -> TraceNode:
    given = {f"work.{key}": value for key, value in given.items()}
    return Reference(*book_of(RULES), given).trace(f"needs.case.{name}")


def test_a_formula_shows_its_numbers_and_what_it_read() -> None:
    node = trace("doubled", cards=6.0)
    assert node.formula == "work.cards * work.batch + 1 - (work.cards - 1)"
    assert node.numbers == "6 * 4 + 1 - (6 - 1)"
    assert (node.value, node.unit) == (20.0, "count")
    assert [(child.id, child.origin) for child in node.children] == [
        ("work.cards", "given"), ("work.batch", "default"),
    ]  # fmt: skip
    assert node.children[1].because.en == "A usual batch."
    assert trace("doubled").numbers == "unknown * 4 + 1 - (unknown - 1)"


def test_a_table_shows_the_winner_and_why_the_others_lost() -> None:
    table = trace("mode", cards=8.0, urgent=True, model="small").table
    assert table is not None and table.winner == "urgent"
    assert [(row.id, row.state) for row in table.rows] == [
        ("few", "lost"), ("urgent", "won"), ("small", "matched"), ("many", "lost"),
        ("otherwise", "lost"),
    ]  # fmt: skip
    few, many = table.rows[0], table.rows[3]
    assert [(cell.column, cell.found, cell.test) for cell in few.failed] == [(0, 8.0, "< 8")]
    assert [cell.column for cell in many.failed] == [0, 1]
    assert (few.because.en, few.source) == ("only 8", ("a-paper",))


def test_a_near_miss_names_the_bound_that_would_flip_it() -> None:
    table = trace("mode", cards=8.0, urgent=False, model="large").table
    assert table is not None and table.winner == "otherwise"
    misses = {(miss.row, miss.operator, miss.bound): miss for miss in table.near_misses}
    assert misses["few", "<", 8.0].value == 7.0
    assert misses["few", "<", 8.0].flips is False  # it says a as well
    assert misses["urgent", "=", True].outputs == ("b",)
    assert misses["small", "=", "odd"].flips and misses["small", "=", "small"].flips
    assert misses["many", ">", 32.0].value == 33.0
    assert misses["many", ">", 32.0].outputs == ("c",)


def test_rows_in_doubt_show_which_column_is_open() -> None:
    table = trace("mode", cards=8.0, model="large").table
    assert table is not None and table.winner == "otherwise"
    assert [(row.id, row.doubtful) for row in table.rows if row.state == "maybe"] == [
        ("urgent", (1,))
    ]


def test_curves_and_aggregates_show_what_they_rest_on() -> None:
    node = trace("batches", cards=1.0, levels=[("day", 2.0, None)])
    assert node.value == 3.0
    curve, levels, cards = node.children[1], node.children[2], node.children[3]
    assert curve.kind == "curve" and curve.curve is not None
    assert (curve.curve.x, curve.curve.points) == (4.0, ((0.0, 0.0), (10.0, 5.0)))
    assert (levels.id, levels.value, cards.id) == ("work.levels", 1.0, "work.cards")


def test_advice_shows_each_row() -> None:
    node = trace("checks", cards=60.0)
    assert node.table is not None
    assert [(row.id, row.state) for row in node.table.rows] == [("much", "won"), ("hurry", "maybe")]
    assert node.table.rows[0].because == Text("60 cards", "60 卡")
    assert {child.id for child in node.children} == {"work.cards", "work.urgent"}


def test_placeholders_take_a_format_and_words_for_what_has_no_number() -> None:
    book, catalog = book_of(RULES)
    row = book.decisions["needs.case.mode"].body.rows[0]  # type: ignore[union-attr]
    text = Text("{work.cards:.2f} of {work.cards}", "{work.cards:.1f} 卡", row.because.reads)
    known = Scope(Reference(book, catalog, {"work.cards": 3.0}))
    assert filled(text, known).en == "3.00 of 3"
    assert filled(text, Scope(Reference(book, catalog, {}))) == Text("unknown of unknown", "未知卡")


def test_the_tree_is_plain_data_and_shared_parts_come_once() -> None:
    plain = trace("doubled", cards=6.0).to_dict()
    assert json.loads(json.dumps(plain))["children"][0]["id"] == "work.cards"
    shallow = trace("doubled", cards=6.0).to_dict(depth=0)
    assert shallow["more"] == 2 and "children" not in shallow


BOOK, CATALOG = sample()
NAMES = [
    f"{name}.{output}" if output else name
    for name in BOOK.decisions
    for output in Reference(BOOK, CATALOG, {}).outputs(name)
]


def facts_in(node: TraceNode) -> set[str]:
    found, waiting, seen = set(), [node], set()
    while waiting:
        current = waiting.pop()
        if id(current) not in seen:
            seen.add(id(current))
            waiting.extend(current.children)
            if current.kind in ("fact", "field"):
                found.add(current.id if current.kind == "fact" else current.id.rpartition(".")[0])
    return found


@settings(max_examples=40)
@given(profiles(BOOK, CATALOG), st.sampled_from(sorted(BOOK.facts)), st.data())
def test_no_fact_that_changes_the_answer_is_missing_from_the_trace(
    profile: dict[str, Any], path: str, data: st.DataObject
) -> None:
    other = dict(profile)
    changed = data.draw(st.one_of(st.none(), values_of(BOOK, CATALOG, BOOK.facts[path])))
    other.pop(path, None)
    if changed is not None:
        other[path] = changed
    one, two = Reference(BOOK, CATALOG, profile), Reference(BOOK, CATALOG, other)
    before, after = one.outcome()["decisions"], two.outcome()["decisions"]
    for name in NAMES:
        if before[name] != after[name]:
            assert path in facts_in(one.trace(name)), name


@settings(max_examples=15)
@given(profiles(BOOK, CATALOG))
def test_everything_can_be_explained(profile: dict[str, Any]) -> None:
    reader = Reference(BOOK, CATALOG, profile)
    outcome = reader.outcome()
    for name in NAMES:
        assert json.dumps(reader.trace(name).to_dict(), allow_nan=False)
    for relation in BOOK.relations.values():
        row = outcome["relations"][relation.id][:1]
        for column in relation.columns if row else ():
            at = row[0][: len(relation.sources)]
            name = f"{relation.id}.{column.decision.id}"
            assert json.dumps(reader.trace(name, at=at).to_dict(), allow_nan=False)
