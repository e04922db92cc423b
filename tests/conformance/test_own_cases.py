"""Our own cases: every runtime gives the same answer, bit for bit, as the fixtures say."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from engine.book.model import Book, Catalog, Decision, Table
from engine.check.tables import check_table
from engine.language.problems import NOWHERE, ProblemError
from engine.reference import Reference
from tests.conformance import conformance_books as books
from tests.conformance.conformance_runners import Question, runners

HERE = Path(__file__).parent
FIXTURES = {
    name: yaml.safe_load((HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    for name in ("expressions", "tables")
}


class Expected(NamedTuple):
    """One answer: `value` None is unknown; `asks` None: not said."""

    about: str
    question: Question
    value: Any
    asks: tuple[str, ...] | None
    rows: tuple[str, ...]


class Prepared(NamedTuple):
    book: Book
    catalog: Catalog
    expected: list[Expected]
    refused: list[tuple[str, Any, Any]]


def bits(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    return struct.pack("<d", value) if isinstance(value, float) else value


def wanted(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(books.plain_value, value))
    return books.plain_value(value)


def expressions() -> Prepared:
    spec = FIXTURES["expressions"]
    made = books.fixture(spec)
    decisions: dict[str, Decision] = {}
    expected, refused = [], []
    for group in spec["groups"]:
        for case in group["cases"]:
            text, about = case["formula"], f"{group['name']}: {case['formula']}"
            if "refused" in case:
                refused.append(
                    (about, lambda text=text: books.formula(made, "x", text), case["refused"])
                )
                continue
            name = f"cases.c{len(decisions)}"
            decisions.setdefault(text, books.formula(made, name, text))
            given = books.given_of(made, {**group.get("given", {}), **case.get("given", {})})
            question = Question(given, decisions[text].id)
            asks = tuple(case["unknown"]) if "unknown" in case else None
            expected.append(Expected(about, question, wanted(case.get("expect")), asks, ()))
    return Prepared(books.book(made, decisions.values()), books.catalog(made), expected, refused)


def tables() -> Prepared:
    spec = FIXTURES["tables"]
    made = books.fixture(spec)
    decisions, expected, refused = [], [], []
    for place, item in enumerate(spec["tables"]):
        if "refused" in item:
            refused.append(
                (item["name"], lambda item=item: books.table(made, "x", item), item["refused"])
            )
            continue
        if "violates" in item:
            continue
        decision = books.table(made, f"cases.t{place}", item)
        decisions.append(decision)
        for case in item["cases"]:
            expected.extend(_table_case(made, decision.id, item, case))
    return Prepared(books.book(made, decisions), books.catalog(made), expected, refused)


def _table_case(
    made: books.Fixture, name: str, item: dict[str, Any], case: dict[str, Any]
) -> Iterator[Expected]:
    given = books.given_of(made, case["given"])
    about = f"{item['name']}: {case['given']}"
    rows = tuple(case.get("rows", [case["row"]] if "row" in case else []))
    if "outputs" in item:
        asks = tuple(case["asks"]) if "asks" in case else None
        for output, value in case["expect"].items():
            yield Expected(about, Question(given, name, output), wanted(value), asks, rows)
        return
    asks = tuple(case["unknown"]) if "unknown" in case else None
    yield Expected(about, Question(given, name), wanted(case.get("expect")), asks, rows)


PREPARED = {"expressions": expressions(), "tables": tables()}


@pytest.mark.parametrize("runner", runners())
@pytest.mark.parametrize("kind", PREPARED)
def test_every_runtime_gives_the_expected_answers(kind: str, runner: str) -> None:
    prepared = PREPARED[kind]
    questions = [item.question for item in prepared.expected]
    answers = runners()[runner](prepared.book, prepared.catalog, questions)
    wrong = [
        f"{item.about} {item.question.key}: found {answer!r}, expected {item.value!r}"
        for item, answer in zip(prepared.expected, answers, strict=True)
        if bits(answer) != bits(item.value) or type(answer) is not type(item.value)
    ]
    print(f"\n{runner}: {len(answers) - len(wrong)} of {len(answers)} {kind} hold")
    assert len(answers) > 50
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", PREPARED)
def test_an_unknown_answer_asks_for_what_could_change_it(kind: str) -> None:
    prepared = PREPARED[kind]
    wrong = []
    for item in prepared.expected:
        if item.asks is not None:
            reader = Reference(prepared.book, prepared.catalog, item.question.given)
            found = reader.asks(item.question.decision)
            if found != item.asks:
                wrong.append(f"{item.about}: asks {found}, expected {item.asks}")
    assert not wrong, "\n".join(wrong)


def test_the_row_that_answers_is_named() -> None:
    prepared = PREPARED["tables"]
    checked = 0
    for item in prepared.expected:
        if item.rows:
            reader = Reference(prepared.book, prepared.catalog, item.question.given)
            decided = reader.decided(item.question.decision)
            definite = tuple(row.row.id for row in decided.judged if row.state == "definite")
            assert item.rows in ((decided.winner,), definite), item.about
            checked += 1
    assert checked > 15


@pytest.mark.parametrize(
    ("about", "build", "code"),
    [case for prepared in PREPARED.values() for case in prepared.refused],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_what_has_no_meaning_is_refused(about: str, build: Any, code: Any) -> None:
    with pytest.raises(ProblemError) as caught:
        build()
    if code is not True:
        assert code in {problem.code for problem in caught.value.problems}


TABLES = FIXTURES["tables"]["tables"]


def findings(item: dict[str, Any]) -> set[str]:
    made = books.fixture(FIXTURES["tables"])
    body = books.table(made, "cases.table", item).body
    assert isinstance(body, Table)
    problems = check_table("cases.table", body, NOWHERE, lambda one, other: one == other)
    return {problem.code for problem in problems}


@pytest.mark.parametrize("item", [item for item in TABLES if "violates" in item],
                         ids=lambda item: item["name"])  # fmt: skip
def test_a_hit_policy_that_is_violated_is_found_before_use(item: dict[str, Any]) -> None:
    assert findings(item) == {item["violates"]}


@pytest.mark.parametrize("item", [item for item in TABLES if "cases" in item],
                         ids=lambda item: item["name"])  # fmt: skip
def test_the_tables_that_have_answers_are_proven(item: dict[str, Any]) -> None:
    assert findings(item) == set()
