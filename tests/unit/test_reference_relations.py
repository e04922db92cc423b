"""Relations, groups and rankings as the reference builds them."""

# Rules in this file keep one entry to a line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.reference import Reference, UnknownValue
from tests.unit.reference_book import book_of, profiles, sample

RULES = """
relations:
  pairs:
    title: {en: P, zh: 对}
    from:
      - {as: model, table: models}
      - {as: machine, table: machines, on: {family: model.family}, optional: true}
    key: [model.id]
    max_rows: 20
    columns:
      model_id: {title: {en: M, zh: 型}, type: text, formula: model.id}
      machine_id: {title: {en: M, zh: 机}, type: text, formula: 'if known(machine.id) then machine.id else "none"'}
      price: {title: {en: P, zh: 价}, unit: USD, formula: machine.price}
      total: {title: {en: P, zh: 总}, unit: USD, formula: machine.price * machine.cards}
      wanted: {title: {en: W, zh: 需}, type: boolean, formula: machine.cards >= work.cards}
  grid:
    title: {en: G, zh: 格}
    from:
      - {as: level, fact: work.levels}
      - {as: k, steps: {from: 0, to: 2, by: 0.5}}
    where: [level.cards > 1]
    max_rows: 60
    columns:
      amount: {title: {en: A, zh: 量}, unit: count, formula: level.cards * k.value}
  by_kind:
    title: {en: K, zh: 类}
    from: [{as: g, group: levels, by: [kind]}]
    max_rows: 9
    columns:
      kind: {title: {en: K, zh: 类}, values: [day, night], formula: g.kind}
      rows: {title: {en: R, zh: 行}, unit: count, formula: count(for m in members)}
      most: {title: {en: M, zh: 最}, unit: count, formula: max(for m in members return m.cards)}
      cost: {title: {en: C, zh: 费}, unit: USD, formula: sum(for m in members where m.cards > 1 return m.price)}
  levels:
    title: {en: L, zh: 级}
    from: [{as: level, fact: work.levels}]
    max_rows: 9
    columns:
      kind: {title: {en: K, zh: 类}, values: [day, night], formula: level.kind}
      cards: {title: {en: C, zh: 卡}, unit: count, formula: level.cards}
      price: {title: {en: P, zh: 价}, unit: USD, formula: level.price}
rankings:
  cheapest: {title: {en: C, zh: 省}, of: pairs, keep: wanted, by: [price, {descending: total}], pareto: [price, total]}
  every: {title: {en: E, zh: 全}, of: pairs, by: [{descending: price}]}
decisions:
  best_machine: {title: {en: B, zh: 优}, type: text, formula: best(cheapest).machine_id}
  best_price: {title: {en: B, zh: 优}, unit: USD, formula: best(every).price}
  wants_any: {title: {en: W, zh: 需}, type: boolean, formula: 'any(for w in work.wanted return w.value = "x")'}
"""
LEVELS = [("day", 2.0, 5.0), ("night", 1.0, None), ("day", 4.0, 1.0), ("night", 3.0, 2.0)]


def reference(**facts: Any) -> Reference:
    return Reference(*book_of(RULES), {f"work.{name}": value for name, value in facts.items()})


def rows(reader: Reference, name: str) -> list[tuple[Any, ...]]:
    return reader.outcome()["relations"][f"needs.case.{name}"]


def test_a_join_keeps_source_order_and_an_optional_miss_stands_alone() -> None:
    found = rows(reference(cards=4.0), "pairs")
    assert [row[:4] for row in found] == [
        (0, 0, "small", "m1"), (0, 1, "small", "m2"),
        (1, 2, "large", "m3"), (1, 3, "large", "m4"), (2, None, "odd", "none"),
    ]  # fmt: skip
    assert [row[4:] for row in found] == [
        (2.0, 2.0, False), (None, None, True), (9.0, 72.0, True), (1.0, 2.0, False),
        (None, None, None),
    ]  # fmt: skip


def test_an_unmatched_row_says_why_its_columns_are_unknown() -> None:
    row = reference(cards=4.0).row("needs.case.pairs", (2, None))
    price = row.column("price")
    assert isinstance(price, UnknownValue)
    assert [(c.kind, c.name) for c in price.causes] == [("no_match", "needs.case.pairs.machine")]
    blank = reference(cards=4.0).row("needs.case.pairs", (0, 1)).column("price")
    assert isinstance(blank, UnknownValue)
    assert [(c.kind, c.name) for c in blank.causes] == [("blank", "machines.price")]


def test_the_last_source_runs_fastest_and_steps_are_not_summed() -> None:
    found = rows(reference(levels=LEVELS), "grid")
    assert [row[:2] for row in found][:6] == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (2, 0)]
    assert [row[2] for row in found][5:10] == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert len(found) == 15


def test_groups_come_in_order_of_first_appearance() -> None:
    found = rows(reference(levels=LEVELS), "by_kind")
    assert found == [(0, "day", 2.0, 4.0, 6.0), (1, "night", 2.0, 3.0, 2.0)]
    some = rows(reference(levels=[("day", 2.0, None)]), "by_kind")
    assert some == [(0, "day", 1.0, 2.0, None)]


def test_a_ranking_drops_keeps_and_leaves_undecided() -> None:
    ranked = reference(cards=4.0).outcome()["rankings"]
    assert ranked["needs.case.cheapest"] == {
        "order": [2, 1], "undecided": [4], "pareto": [True, False],
    }  # fmt: skip
    assert ranked["needs.case.every"]["order"] == [2, 0, 3, 4, 1]
    assert reference().outcome()["rankings"]["needs.case.cheapest"]["undecided"] == [0, 1, 2, 3, 4]


def test_ties_fall_to_the_key_then_to_the_row() -> None:
    # Rows 4 (odd) and 1 (small) have no price; "odd" comes before "small".
    assert reference(cards=1.0).outcome()["rankings"]["needs.case.every"]["order"][-2:] == [4, 1]


def test_the_best_row_is_unknown_without_a_row_or_with_an_unknown_criterion() -> None:
    assert reference(cards=4.0).decision("needs.case.best_machine") == "m3"
    none = reference(cards=60.0).decision("needs.case.best_machine")
    assert isinstance(none, UnknownValue)
    assert ("no_match", "needs.case.cheapest") in [(c.kind, c.name) for c in none.causes]
    open_ = reference().decision("needs.case.best_machine")
    assert isinstance(open_, UnknownValue)
    assert open_.missing() == ("work.cards",)
    assert reference().asks("needs.case.best_machine") == ("work.cards",)


def test_a_list_that_is_missing_makes_what_runs_over_it_unknown() -> None:
    assert reference().asks("needs.case.wants_any") == ("work.wanted",)
    assert reference(wanted=[("x",)]).decision("needs.case.wants_any") is True


def test_taking_over_a_fast_result_builds_no_relation() -> None:
    outcome = reference(cards=4.0).outcome()
    reader = Reference(
        *book_of(RULES), {"work.cards": 4.0}, rankings=outcome["rankings"],
        relations={"needs.case.pairs": outcome["relations"]["needs.case.pairs"]},
    )  # fmt: skip
    assert reader.decision("needs.case.best_machine") == "m3"
    columns = {read for read in reader.reads if read.kind == "column"}
    assert {read.at for read in columns} == {(1, 2)}


def test_too_many_rows_are_an_error() -> None:
    book, catalog = book_of(RULES.replace("max_rows: 60", "max_rows: 3"))
    with pytest.raises(ValueError, match="more than 3"):
        Reference(book, catalog, {"work.levels": LEVELS}).relation("needs.case.grid")


FRONT = """
relations:
  levels:
    title: {en: L, zh: 级}
    from: [{as: level, fact: work.levels}]
    max_rows: 20
    columns:
      cards: {title: {en: C, zh: 卡}, unit: count, formula: level.cards}
      price: {title: {en: P, zh: 价}, unit: USD, formula: level.price}
rankings:
  all: {title: {en: A, zh: 全}, of: levels, by: [cards], pareto: [cards, price]}
"""


BOOK, CATALOG = sample()


@settings(max_examples=40)
@given(profiles(BOOK, CATALOG))
def test_taken_over_rows_answer_as_built_ones(profile: dict[str, Any]) -> None:
    built = Reference(BOOK, CATALOG, profile)
    outcome = built.outcome()
    taken = Reference(
        BOOK, CATALOG, profile, rankings=outcome["rankings"], relations=outcome["relations"]
    )
    assert taken.outcome() == outcome
    for name in BOOK.decisions:
        for output in built.outputs(name):
            assert taken.collected(name, output) == built.collected(name, output)


NARROWED = """
relations:
  levels:
    title: {en: L, zh: 级}
    from: [{as: level, fact: work.levels}]
    max_rows: 20
    columns:
      kind: {title: {en: K, zh: 类}, values: [day, night], formula: level.kind}
      many: {title: {en: M, zh: 多}, type: boolean, formula: level.cards > 2}
      paid: {title: {en: P, zh: 付}, type: boolean, formula: level.price > 0}
decisions:
  some: {title: {en: S, zh: 有}, type: boolean, formula: SOME}
  one: {title: {en: O, zh: 一}, type: boolean, formula: ONE}
  all_: {title: {en: A, zh: 全}, type: boolean, formula: ALL}
  number: {title: {en: N, zh: 数}, unit: count, formula: COUNT}
"""
FORMULAS = {
    "SOME": 'any(for l in levels where l.many and l.paid and l.kind = "day" return l.paid)',
    "ONE": 'any(for l in levels return l.kind = "day" and l.many and not l.paid)',
    "ALL": 'every(for l in levels where l.many and l.kind = "day" return l.paid)',
    "COUNT": "count(for l in levels where not l.many and l.paid)",
}
for _word, _formula in FORMULAS.items():
    NARROWED = NARROWED.replace(_word, f"'{_formula}'")
LEVEL = st.tuples(
    st.sampled_from(["day", "night"]),
    st.sampled_from([1.0, 4.0]),
    st.sampled_from([None, 0.0, 1.0]),
)


@given(st.lists(LEVEL, max_size=9))
def test_rows_left_out_of_a_taken_relation_change_no_answer(levels: list[Any]) -> None:
    built = Reference(*book_of(NARROWED), {"work.levels": levels})
    taken = Reference(
        *book_of(NARROWED), {"work.levels": levels}, relations=built.outcome()["relations"]
    )
    for name in built.book.decisions:
        assert taken.decision(name) == built.decision(name)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_the_front_holds_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    levels = [("day", float(a), float(b)) for a, b in points]
    found = Reference(*book_of(FRONT), {"work.levels": levels}).ranking("needs.case.all")
    assert not isinstance(found, UnknownValue)
    for number, flag in zip(found.order, found.pareto, strict=True):
        a, b = points[number]
        beaten = any(c <= a and d <= b and (c, d) != (a, b) for c, d in points)
        assert flag is not beaten
