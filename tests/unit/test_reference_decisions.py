"""Facts, formulas and tables as the reference evaluates them."""

# Rules in this file keep one entry to a line.
# ruff: noqa: E501

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.book.contents import body_trees
from engine.language import tree
from engine.language.walk import walk
from engine.reference import Cause, Reference, UnknownValue
from engine.reference.expressions import aggregate, power, round_half_up
from engine.reference.reads import Read
from engine.reference.values import same
from tests.unit.reference_book import book_of, profiles, sample

DECISIONS = """
decisions:
  layers: {title: {en: L, zh: 层}, unit: count, formula: work.layers + work.batch}
  hours: {title: {en: H, zh: 时}, unit: hour, formula: "if work.urgent then work.hours / 2 else work.hours"}
  zero: {title: {en: Z, zh: 零}, unit: hour, formula: 0 - work.hours}
  mode:
    title: {en: Mode, zh: 模式}
    values: [a, b]
    hit: first
    inputs: [work.cards, work.urgent]
    rows:
      - {id: none, when: ["0", "-"], then: unknown, asks: [work.hours, work.batch], because: {en: Nothing, zh: 无}}
      - {id: few, when: ["< 8", "-"], then: a}
      - {id: urgent, when: ["-", "true"], then: b}
    otherwise: a
"""


def reference(given: dict[str, Any], **more: Any) -> Reference:
    return Reference(*book_of(DECISIONS), given, **more)


def causes(value: Any) -> list[tuple[str, str]]:
    assert isinstance(value, UnknownValue)
    return [(cause.kind, cause.name) for cause in value.causes]


def test_a_fact_is_given_else_derived_else_default_else_missing() -> None:
    assert reference({"work.layers": 7.0, "work.model": "small"}).fact("work.layers") == 7.0
    assert reference({"work.model": "small"}).fact("work.layers") == 32.0
    assert reference({}).fact("work.batch") == 4.0
    assert causes(reference({}).fact("work.hours")) == [("missing", "work.hours")]


def test_a_derived_fact_that_is_missing_asks_for_what_it_is_derived_from() -> None:
    assert causes(reference({}).fact("work.layers")) == [("missing", "work.model")]


def test_a_derivation_that_fails_otherwise_asks_for_the_fact_itself() -> None:
    missed = reference({"work.model": "unheard_of"}).fact("work.layers")
    assert causes(missed) == [("missing", "work.layers")]
    assert causes(reference({"work.model": "odd"}).fact("work.layers")) == [
        ("missing", "work.layers")
    ]


def test_causes_come_once_and_in_reading_order() -> None:
    both = reference({}).decision("needs.case.hours")
    assert causes(both) == [("missing", "work.urgent"), ("missing", "work.hours")]


def test_outputs_have_no_negative_zero() -> None:
    value = reference({"work.hours": 0.0}).decision("needs.case.zero")
    assert str(value) == "0.0"


def test_a_row_that_states_unknown_asks_for_what_was_not_given() -> None:
    stated = reference({"work.cards": 0.0, "work.hours": 1.0, "work.urgent": True})
    assert causes(stated.decision("needs.case.mode")) == [
        ("stated", "needs.case.mode.none"),
        ("missing", "work.batch"),
    ]
    assert stated.asks("needs.case.mode") == ("work.batch",)


def test_every_row_is_judged_and_the_winner_named() -> None:
    decided = reference({"work.cards": 9.0, "work.urgent": True}).decided("needs.case.mode")
    assert decided.winner == "urgent"
    assert [item.state for item in decided.judged] == ["out", "out", "definite"]


def test_parameters_and_assumptions_stand_in() -> None:
    assumed = reference({}, assume={"needs.case.layers": 3})
    assert assumed.decision("needs.case.layers") == 3.0
    nothing = reference({"work.layers": 1.0}, assume={"needs.case.layers": None})
    assert causes(nothing.decision("needs.case.layers")) == [("stated", "assumed")]


def test_an_id_the_book_does_not_have_is_an_error() -> None:
    with pytest.raises(LookupError):
        reference({}).decision("needs.case.nothing")


def test_division_root_and_power_are_defended() -> None:
    assert causes(power(2.0, 0.5)) == [("stated", "power")]
    assert causes(power(2.0, 5000.0)) == [("stated", "power")]


@given(st.floats(0.5, 2), st.integers(0, 200))
def test_power_follows_the_bits_from_the_top(x: float, n: int) -> None:
    expected = 1.0
    for digit in f"{n:013b}":
        expected = expected * expected
        if digit == "1":
            expected = expected * x
    assert power(x, float(n)) == expected


@given(st.lists(st.floats(-1e9, 1e9), max_size=20))
def test_sums_run_left_to_right_from_zero(numbers: list[float]) -> None:
    expected = 0.0
    for number in numbers:
        expected += number
    assert aggregate("sum", [(True, number) for number in numbers], "rows") == expected


def test_halves_round_up_whatever_the_sign() -> None:
    assert [round_half_up(x, 0) for x in (0.5, 1.5, -0.5, -1.5)] == [1.0, 2.0, -0.0, -1.0]


BOOK, CATALOG = sample()


def _deterministic(name: str) -> bool:
    """Whether a decision never reads the best row of a ranking (the one construct that may)."""
    decision = BOOK.decisions[name]
    for node in body_trees(decision.body):
        for part in walk(node):
            if isinstance(part, tree.Best):
                return False
            if isinstance(part, tree.DecisionValue) and not _deterministic(part.id):
                return False
    return True


def _learnt() -> list[str]:
    """Facts whose statement adds knowledge; to state a defaulted or derived one is to change it.

    So is to state what a defaulted fact could have been derived from.
    """
    feeds = {
        node.path
        for fact in BOOK.facts.values()
        if fact.derive is not None and not fact.asked
        for node in walk(fact.derive)
        if isinstance(node, tree.Fact)
    }
    return [
        path
        for path, fact in BOOK.facts.items()
        if fact.asked and fact.derive is None and path not in feeds
    ]


LEARNT = _learnt()
MONOTONE = [name for name in BOOK.decisions if _deterministic(name)]


@settings(max_examples=60)
@given(profiles(BOOK, CATALOG), st.data())
def test_more_facts_never_change_a_known_answer(
    profile: dict[str, Any], data: st.DataObject
) -> None:
    fewer = {
        path: value
        for path, value in profile.items()
        if path not in LEARNT or data.draw(st.booleans())
    }
    known, more = Reference(BOOK, CATALOG, fewer), Reference(BOOK, CATALOG, profile)
    for name in MONOTONE:
        for output in known.outputs(name):
            before, after = known.collected(name, output), more.collected(name, output)
            if not isinstance(before, UnknownValue):
                assert before == after, name


@settings(max_examples=60)
@given(profiles(BOOK, CATALOG))
def test_unknown_answers_name_facts_that_are_not_given(profile: dict[str, Any]) -> None:
    reader = Reference(BOOK, CATALOG, profile)
    for name in BOOK.decisions:
        for output in reader.outputs(name):
            value = reader.collected(name, output)
            if isinstance(value, UnknownValue):
                assert value.causes
                assert not set(value.missing()) & set(profile)
                assert len(set(value.causes)) == len(value.causes)


def test_unknown_equals_nothing() -> None:
    nothing = UnknownValue((Cause("missing", "a"),))
    assert not same(nothing, nothing)


def test_the_reference_needs_no_parser_and_no_reader() -> None:
    code = (
        "import sys, engine.reference, engine.reference.tracer;"
        "print([m for m in ('lark', 'pint', 'jsonschema', 'yaml') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


SAMPLE = sample()


@settings(max_examples=100, deadline=None)
@given(profiles(*SAMPLE))
def test_judging_no_more_than_needed_changes_no_answer(given_facts: dict[str, Any]) -> None:
    book, catalog = SAMPLE
    brief, whole = (Reference(book, catalog, given_facts, brief=one) for one in (True, False))
    assert brief.outcome() == whole.outcome()
    for name in book.decisions:
        for output in whole.outputs(name):
            assert str(brief.decision(name, output)) == str(whole.decision(name, output))


def test_a_table_judged_briefly_is_judged_in_full_when_asked() -> None:
    brief = reference({"work.cards": 4.0, "work.urgent": True}, brief=True)
    assert brief.winner(Read("decision", "needs.case.mode")) == "few"
    assert [item.row.id for item in brief.decided("needs.case.mode").judged] == [
        "none",
        "few",
        "urgent",
    ]
