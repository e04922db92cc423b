"""The runner of rule examples: what it compares, and what it finds untouched."""

# Rules in this file keep one entry to a line.
# ruff: noqa: E501

from __future__ import annotations

from engine.run.examples import ExampleReport, reader_name, run_examples
from tests.unit.reference_book import book_of, sample

HEAD = """
decisions:
  hours: {title: {en: H, zh: 时}, unit: hour, formula: "if work.urgent then work.hours / 2 else work.hours", examples: [%s]}
  mode:
    title: {en: Mode, zh: 模式}
    values: [a, b]
    hit: first
    inputs: [work.cards, hours]
    rows:
      - {id: few, when: ["< 8", "-"], then: a}
      - {id: long, when: ["-", "> limit"], then: b}
    otherwise: a
    examples: [%s]
  limit: {title: {en: L, zh: 限}, unit: hour, formula: work.hours}
"""


def _rules(hours: str, mode: str) -> str:
    text = HEAD % (hours, mode)
    return text.replace(", examples: []", "").replace("    examples: []\n", "")


def run(hours: str = "", mode: str = "") -> ExampleReport:
    return run_examples(*book_of(_rules(hours, mode)))


def only_failure(report: ExampleReport) -> str:
    assert len(report.failures) == 1, report.failures
    return str(report.failures[0])


def test_examples_that_hold() -> None:
    report = run(
        "{name: halved, given: {work: {urgent: true, hours: 3}}, expect: 1.5},"
        "{name: near, given: {work: {urgent: false, hours: 3}}, expect: 2.9, within: 0.2},"
        "{name: nobody said, given: {work: {hours: 3}}, expect: unknown, asks: [work.urgent]}",
        "{name: few, given: {work: {cards: 2}}, expect: a, row: few},"
        "{name: long, given: {work.cards: 9}, assume: {hours: 10, limit: 5}, expect: b, row: long}",
    )
    assert report.passed and report.ran == 5


def test_a_wrong_value_is_shown_with_its_place() -> None:
    text = only_failure(run("{name: halved, given: {work: {urgent: true, hours: 3}}, expect: 2}"))
    assert text.startswith("rules/needs/case.yaml:5:")
    assert "found 1.5; expected 2" in text


def test_an_unknown_value_is_shown_with_its_causes() -> None:
    text = only_failure(run("{name: open, given: {work: {urgent: true}}, expect: 2}"))
    assert "found unknown (missing work.hours)" in text


def test_wrong_questions_and_wrong_rows_fail() -> None:
    asked = "{name: open, given: {work: {hours: 3}}, expect: unknown, asks: [work.hours]}"
    assert "asks for work.urgent; expected work.hours" in only_failure(run(asked))
    row = "{name: few, given: {work: {cards: 2}}, expect: a, row: otherwise}"
    assert "row few answered; expected otherwise" in only_failure(run("", row))


def test_no_examples_do_not_pass() -> None:
    assert not run().passed


def test_coverage_counts_rows_near_misses_and_branches() -> None:
    report = run(
        "{name: halved, given: {work: {urgent: true, hours: 3}}, expect: 1.5}",
        "{name: few, given: {work: {cards: 2}}, assume: {hours: 10, limit: 5}, expect: a}",
    )
    assert report.coverage == {
        "branch": (1, 2),
        "row": (1, 3),
        "near_miss": (0, 2),
        "boundary": (0, 2),
    }
    missing = {(item.kind, item.what) for item in report.uncovered}
    assert missing == {
        ("branch", "else of if 1"), ("row", "long"), ("row", "otherwise"), ("near_miss", "few"),
        ("near_miss", "long"),
        ("boundary", "few: work.cards < 8"),
        ("boundary", "long: hours > limit"),
    }  # fmt: skip


def test_the_sample_book_holds() -> None:
    report = run_examples(*sample())
    assert report.passed, report.failures
    assert report.ran >= 10
    only = run_examples(*sample(), only="hardware.")
    assert 0 < only.ran < report.ran


def test_columns_in_assume_are_those_of_the_relation() -> None:
    book, _ = sample()
    relation = "hardware.options.layouts"
    assert reader_name(book, relation, "card.memory_gib") == f"{relation}.card.memory_gib"
    assert reader_name(book, relation, "fit") == f"{relation}.fit"
    others = ("needs.speed.weights_size", "memory_usable_ratio")
    assert tuple(reader_name(book, relation, name) for name in others) == others
    assert reader_name(book, "", "fit") == "fit"


RELATED = """
relations:
  grid:
    title: {en: G, zh: 格}
    from: [{as: k, steps: {from: 1, to: 3, by: 1}}]
    max_rows: 3
    columns:
      cards: {title: {en: C, zh: 卡}, unit: count, formula: k.value * size}
decisions:
  size: {title: {en: S, zh: 数}, unit: count, formula: work.cards}
  other: {title: {en: O, zh: 别}, unit: count, formula: work.cards}
  most:
    title: {en: M, zh: 最}
    unit: count
    formula: max(for g in grid return g.cards)
    examples: [{name: assumed, given: {work: {cards: 1}}, assume: {%s: 5}, expect: %s}]
"""


def test_what_depends_on_an_assumed_decision_is_not_taken_from_a_target() -> None:
    def fast(given: object, parameters: object) -> dict[str, dict[str, object]]:
        assert given == {"work.cards": 1} and parameters == {}
        relations: dict[str, object] = {"needs.case.grid": [(0, 77.0)]}
        return {"relations": relations, "rankings": {}, "decisions": {"needs.case.size": 6.0}}

    # The size is assumed and the grid made of it: three times five, whatever a target says.
    assert run_examples(*book_of(RELATED % ("size", "15")), fast=fast).passed
    # Nothing assumed leads to the grid: it is the target's.
    assert run_examples(*book_of(RELATED % ("other", "77")), fast=fast).passed
    # Assumed to be what it is, the size changes nothing.
    same = (RELATED % ("size", "77")).replace("size: 5", "size: 6")
    assert run_examples(*book_of(same), fast=fast).passed


UNDECIDED = """
relations:
  grid:
    title: {en: G, zh: 格}
    from: [{as: k, steps: {from: 1, to: 3, by: 1}}]
    max_rows: 3
    key: []
    columns:
      cards: {title: {en: C, zh: 卡}, unit: count, formula: k.value * work.cards}
rankings:
  most: {of: grid, keep: cards > 2, by: [cards], title: {en: M, zh: 最}}
decisions:
  best_cards:
    title: {en: B, zh: 佳}
    unit: count
    formula: best(most).cards
    examples: [{name: open, given: {}, expect: %s}]
"""


def test_why_rows_are_undecided_is_asked_where_an_example_says_so_or_fails() -> None:
    def asks(expect: str) -> ExampleReport:
        return run_examples(*book_of(UNDECIDED % expect))

    assert asks("unknown").passed
    assert asks("unknown, asks: [work.cards]").passed
    assert "asks for work.cards; expected nothing" in only_failure(asks("unknown, asks: []"))
    assert "missing work.cards" in only_failure(asks("3"))
