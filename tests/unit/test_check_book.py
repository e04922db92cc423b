"""What `check_book` finds beside tables and claims, each in a small broken book."""

from __future__ import annotations

from dataclasses import replace

from engine.book.model import Fact, Text
from engine.check.book import check_book, examine
from engine.language.tree import DecisionValue
from engine.language.types import number
from tests.unit.small_book import book_of, codes, findings, formula, table

AS_OF = 20_787  # 2026-11-30


def test_a_declared_range_must_hold_whatever_the_profile_says() -> None:
    assert codes(book_of(formula("load * 2", "range: [0, 200]"))) == []
    (problem,) = findings(book_of(formula("load * 2", "range: [0, 150]")))
    assert problem.code == "B210"
    assert "can be [0, 200], outside its declared range [0, 150]" in problem.message
    assert "high end" in problem.suggestion


def test_a_declared_range_must_hold_whatever_the_policy_says() -> None:
    # low_cut is 10, and a policy may raise it to 40.
    assert codes(book_of(formula("low_cut", "range: [5, 20]"))) == ["B210"]


def test_ranges_of_tables_and_curves_are_checked() -> None:
    rows = "one | <= 50 | 1\ntwo | > 50 | load"
    assert codes(book_of(table("load", rows, "unit: ratio\nrange: [0, 99]"))) == ["B210"]
    assert codes(book_of(table("load", rows, "unit: ratio\nrange: [0, 100]"))) == []


def test_unused_parameters_are_found() -> None:
    found = check_book(book_of(formula("load + low_cut")), AS_OF)
    unused = {problem.message.split()[-1] for problem in found if problem.code == "B230"}
    assert unused == {"free_cut", "never", "smallest", "ladder"}
    shown = {"answer": {"cut": "parameters.free_cut", "rate": {"parameter": "never"}}}
    found = check_book(replace(book_of(formula("load + low_cut")), report=shown), AS_OF)
    unused = {problem.message.split()[-1] for problem in found if problem.code == "B230"}
    assert unused == {"smallest", "ladder"}


def test_a_parameter_says_where_it_comes_from() -> None:
    book = book_of(formula("load + low_cut"))
    bare = replace(book.parameters["low_cut"], rationale=Text(), source=())
    broken = replace(book, parameters={**book.parameters, "low_cut": bare})
    assert "W235" in [problem.code for problem in check_book(broken, AS_OF)]


def test_every_text_exists_in_both_languages() -> None:
    book = book_of(formula("load"))

    def with_title(text: Text) -> list[str]:
        decision = replace(book.decisions["needs.test.answer"], title=text)
        return codes(replace(book, decisions={decision.id: decision}))

    assert with_title(Text("Title", "标题")) == []
    assert with_title(Text("Title", "")) == ["B233"]
    assert with_title(Text("", "标题")) == ["B233"]
    assert with_title(Text("A title of words", "A title of words")) == ["B233"]
    assert with_title(Text("H100", "H100")) == []
    assert with_title(Text("Load {load:.1f}", "负载 {load:.2f}")) == []
    assert with_title(Text("Load {load}", "负载")) == ["B234"]


def test_a_review_date_that_has_passed_is_a_warning() -> None:
    book = book_of(formula("load + low_cut"))
    dated = replace(book.parameters["low_cut"], review_by="2026-11-29")
    old = replace(book, parameters={**book.parameters, "low_cut": dated})
    (problem,) = findings(old, as_of_day=AS_OF)
    assert (problem.code, problem.severity) == ("W240", "warning")
    assert findings(old, as_of_day=AS_OF - 1) == []


def test_a_circle_is_named() -> None:
    book = book_of(formula("load + signed"))
    decision = DecisionValue("needs.test.answer", type=number(low=0, high=1))
    circular: Fact = replace(book.facts["load"], derive=decision)
    broken = replace(book, facts={**book.facts, "load": circular})
    (problem,) = [one for one in findings(broken) if one.code == "B250"]
    assert "load → needs.test.answer → load" in problem.message


def test_an_order_that_reads_ahead_is_refused() -> None:
    book = book_of(
        formula("other + 1")
        + """
  other: {title: {en: Other, zh: 其他}, unit: ratio, formula: load}
"""
    )
    assert codes(book) == []
    assert codes(replace(book, order=tuple(reversed(book.order)))) == ["B250"]


def test_a_book_without_rules_fails() -> None:
    book = book_of(formula("load"))
    nothing = replace(book, decisions={}, parameters={}, order=())
    found = examine(nothing, AS_OF)
    assert [problem.code for problem in found.problems] == ["B260"]
    assert not found.passed


def test_what_was_proven_is_counted() -> None:
    book = book_of(formula("load / (low_cut + 1)", "range: [0, 100]\nincreasing: [load]"))
    counts = examine(book, AS_OF).counts
    assert counts["entries"] == 1
    assert (counts["claims"], counts["ranges"], counts["divisors"]) == (1, 1, 1)


def test_findings_come_in_reading_order() -> None:
    book = book_of(
        formula("load", "range: [0, 1]")
        + "\n"
        + table("load", "one | < 5 | a").replace("answer", "second")
    )
    positions = [problem.position for problem in findings(book)]
    assert positions == sorted(positions) and len(positions) == 2
