"""Real situations with a known outcome: each is well formed, and each gets a verdict.

Run `python -m engine score cases` to see them; tests/cases/*.yaml hold one each.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.cli.main import main
from engine.cli.score_cases import as_table
from engine.language.problems import ProblemError
from engine.readers.document import document_of
from engine.readers.profile import admit
from engine.run.cases import (
    STATUSES,
    Row,
    at,
    counts,
    holds,
    read_cases,
    score_cases,
    share_right,
    status_of,
    words,
)
from engine.run.facade import RuleBook

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
COLLECTED = ROOT.parent / "shared" / "data" / "cases" / "cases.yaml"
NUMBER = 79
RIGHT = 0.85
ID = re.compile(r"\b(?:ACC|BIL|CNB|CUDA|DIF|EGR|INF|MEM|PVC|QTA|RND|SCI|SCL|SEC|SPT|TRC)-\d\d\b")

CASES = read_cases(FOLDER)


def by_id(name: str) -> dict[str, Any]:
    return next(case for case in CASES if case["id"] == name)


def test_every_case_that_was_collected_is_here() -> None:
    assert len(CASES) == NUMBER
    assert len({case["source"]["url"] for case in CASES}) > NUMBER * 0.9  # threads, not copies
    if not COLLECTED.is_file():
        pytest.skip("the collection the cases were read from is not part of the repository")
    collected = {case["id"]: case for case in yaml.safe_load(COLLECTED.read_text("utf-8"))}
    assert set(collected) == {case["id"] for case in CASES}
    for case in CASES:
        assert case["source"]["url"] == collected[case["id"]]["source"]["url"]
        assert case["kind"] == collected[case["id"]]["kind"]


@pytest.mark.parametrize("folder", ["rules", "catalog", "engine", "docs"])
def test_no_rule_fact_or_code_names_a_case(folder: str) -> None:
    texts = [path for path in (ROOT / folder).rglob("*") if path.suffix in
             (".yaml", ".csv", ".md", ".py", ".json", ".lark")]  # fmt: skip
    assert texts
    hits = [f"{path}: {found.group()}" for path in texts
            if (found := ID.search(path.read_text("utf-8")))]  # fmt: skip
    assert not hits, hits


@pytest.mark.parametrize("name", [case["id"] for case in CASES if "profile" in case])
def test_every_fact_is_in_the_vocabulary(name: str) -> None:
    """Also where the command that reads them is still to come."""
    bundle = RuleBook.load().bundle
    case = by_id(name)
    required = ("task",) if case["entry"] == "recommend" else ()
    found = admit(
        document_of(case["profile"]), bundle.book.facts, bundle.catalog.tables, required=required
    )
    assert found.given


def test_a_right_answer_is_never_a_dangerous_one() -> None:
    for case in CASES:
        if "dangerous" not in case:
            continue
        wanted = case["expect"]
        for value in [wanted.get("value"), *wanted.get("one_of", ())]:
            assert value is None or not holds(case["dangerous"], value), case["id"]


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    return tuple(score_cases(RuleBook.load().bundle, CASES, "en"))


def test_every_case_gets_one_status() -> None:
    assert [row.id for row in rows()] == [case["id"] for case in CASES]
    assert sum(counts(rows()).values()) == NUMBER
    assert {row.status for row in rows()} <= set(STATUSES)
    assert all(row.reason for row in rows() if row.status == "none")


def test_every_place_named_is_in_the_book() -> None:
    """A decision that does not exist would leave its case unanswered for ever."""
    missing = [row.id for row in rows() if "the book has no decision" in row.reason]
    assert not missing, missing


def test_no_answer_would_do_harm() -> None:
    """It says that work fits where it failed, sends protected data out, calls a scaling that lost
    time a gain, or an incompatible machine fine."""
    assert not [row.id for row in rows() if row.status == "dangerous"]


def test_the_book_is_right_about_most_cases_it_has_a_command_for() -> None:
    assert share_right(rows()) >= RIGHT, [row.id for row in rows() if row.status == "wrong"]


@pytest.mark.parametrize(("language", "word"), [("en", "unanswered"), ("zh", "未回答")])
def test_the_table_names_every_case_in_both_languages(language: str, word: str) -> None:
    told = as_table(rows(), language)
    assert all(row.id in told for row in rows()) and word in told


def test_the_command_prints_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "cases", str(FOLDER / "INF-05.yaml"), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"right", "wrong", "unanswered", "dangerous", "rows"} <= set(found)
    assert set(found["rows"][0]) >= {"id", "status", "expected", "found", "reason"}


# ---------------------------------------------------------------- how a verdict comes about


@pytest.mark.parametrize(
    ("condition", "right", "wrong"),
    [
        ({"value": "fits"}, "fits", "tight"),
        ({"value": True}, True, 1),
        ({"value": 32}, 32.0, 16),
        ({"one_of": ["fits", "tight"]}, "tight", "does_not_fit"),
        ({"not": "spot"}, "on_demand", "spot"),
        ({"at_least": 21.8}, 23.28, 7.76),
        ({"at_most": 0.5}, 0.17, 0.51),
        ({"at_most": 0.5}, 0.5, "0.2"),
        ({"range": [500, 1500]}, 1072.0, 3800),
        ({"contains": "A5.6"}, ["A5.6", "B.16"], ["B.16"]),
        ({"at_least": 1, "at_most": 2}, 1.5, 3),
    ],
)
def test_a_condition_holds_or_does_not(condition: dict[str, Any], right: Any, wrong: Any) -> None:
    assert holds(condition, right) and not holds(condition, wrong)
    assert words(condition)


def test_harm_counts_before_error() -> None:
    case = {"expect": {"value": "does_not_fit"}, "dangerous": {"one_of": ["fits", "tight"]}}
    assert [status_of(case, value) for value in ("does_not_fit", "fits", "unknown", None)] == [
        "right", "dangerous", "wrong", "unanswered",
    ]  # fmt: skip


ANSWER = {
    "options": [{"fit": "tight", "count": 1}, {"fit": "fits", "count": 2}],
    "checks": [{"id": "gang", "source": ["A5.6"], "verdict": "warn", "message": "not certain"}],
    "placement": {"value": "private", "because": "the data stay"},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$.placement.value", "private"),
        ("$.options[1].count", 2),
        ("$.options[fit=fits].count", 2),
        ("$.options[fit=does_not_fit].count", None),
        ("$.options[7].count", None),
        ("$.checks[source=A5.6].verdict", "warn"),
        ("$.checks[id=gang].message", "not certain"),
        ("$.nothing.here", None),
    ],
)
def test_a_place_in_an_answer_is_found(path: str, value: Any) -> None:
    assert at(ANSWER, path).value == value


def test_the_reason_comes_from_the_place() -> None:
    assert at(ANSWER, "$.placement.value").because == "the data stay"
    assert at(ANSWER, "$.checks[source=A5.6].verdict").because == "not certain"


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(ProblemError):
        at(ANSWER, "$.options[")


def judged(tmp_path: Path, **changes: Any) -> str:
    """The status of a case like INF-05 with some of its parts changed."""
    case = {**by_id("INF-05"), **changes}
    file = tmp_path / f"{case['id']}.yaml"
    file.write_text(json.dumps(case), encoding="utf-8")
    return score_cases(RuleBook.load().bundle, read_cases(file), "en")[0].status


def test_the_verdict_follows_from_what_is_expected(tmp_path: Path) -> None:
    assert judged(tmp_path) == "right"
    assert judged(tmp_path, expect={"at_least": 131072}) == "wrong"
    assert judged(tmp_path, dangerous={"at_least": 1}) == "dangerous"
    assert judged(tmp_path, profile={"task": "inference"}) == "unanswered"
    unheard_of = {"task": "inference", "hardware": {"gpu": "abacus"}}
    assert judged(tmp_path, profile=unheard_of) == "unanswered"
    assert judged(tmp_path, path="no.such.decision") == "unanswered"
    assert judged(tmp_path, entry="compat") == "later"


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"task": "inference", "modle": {"name": "llama-3.1-8b"}}, "modle"),
        ({"task": "inference", "serving": {"concurrency": "many"}}, "serving.concurrency"),
        ({"task": "cooking"}, "cooking"),
        ({"serving": {"concurrency": 4}}, "task"),
        ({"task": "inference", "hardware": {"gpu": "abacus"}, "serving": {"batch": -1}}, "abacus"),
    ],
)
def test_a_case_whose_profile_cannot_be_read_is_refused(
    tmp_path: Path, facts: dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict on it would be one on the file, not on the book."""
    with pytest.raises(ProblemError):
        judged(tmp_path, profile=facts)
    assert main(["score", "cases", str(tmp_path), "--format", "json"]) == 2
    (first, *_) = json.loads(capsys.readouterr().out)["errors"]
    assert named in first["message"]
    assert first["file"].endswith("INF-05.yaml") and first["line"] and first["column"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"entry": "none"}, "B002"),
        ({"expect": {}}, "B006"),
        ({"expects": {"value": 1}}, "B001"),
        ({"entry": "guess"}, "B004"),
    ],
)
def test_a_case_that_says_too_little_is_refused(
    tmp_path: Path, change: dict[str, Any], code: str
) -> None:
    with pytest.raises(ProblemError) as refused:
        judged(tmp_path, **change)
    assert code in {problem.code for problem in refused.value.problems}


def test_a_file_is_called_as_its_case(tmp_path: Path) -> None:
    (tmp_path / "OTHER-01.yaml").write_text(json.dumps(by_id("INF-05")), encoding="utf-8")
    with pytest.raises(ProblemError, match="INF-05"):
        read_cases(tmp_path)


def test_a_folder_without_cases_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["score", "cases", str(tmp_path)]) == 2
    assert main(["score", "cases", str(tmp_path / "nowhere")]) == 2
    assert "Traceback" not in capsys.readouterr().err
