"""Regulation: who speaks decides what a finding may do, and every output says how old it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.book.dates import date_text
from engine.book.model import Advice
from tests.cli.conftest import Run
from tests.properties.worlds import answer, book, decision

REGULATED = {"cn-outbound": "cn-cross-border-2024", "cn-certification": "cn-certification-2026"}
RANK = {"ok": 0, "ask": 0, "warn": 1, "deny": 2}
PROFILE = """task: lora
model: {name: llama-3.1-8b}
training: {sequence_length: 2048, tokens_b: 0.1}
data: {location: CN, destination: SG, may_leave_premises: true, may_leave_country: true,
  sensitivity: personal, people_count: 120000, sensitive_people_count: 0}
"""


def regulations() -> dict[str, dict[str, Any]]:
    """The rows of the table by their source."""
    schema, data = book().bundle.book.tables["regulations"], book().bundle.catalog.tables
    names = [column.name for column in schema.columns]
    rows = [dict(zip(names, row, strict=True)) for row in data["regulations"].rows]
    assert len(rows) >= 5
    return {row["source"]: row for row in rows}


def may(row: dict[str, Any]) -> str:
    """By hand: the regulator's own certain text may deny, a reprint warns, others ask."""
    if row["source_kind"] == "regulator":
        return "deny" if row["confidence"] == "high" else "warn"
    return "warn" if row["source_kind"] == "reprint" and row["confidence"] != "low" else "ask"


def tables() -> list[Advice]:
    return list(book().bundle.book.advice.values())


def test_no_finding_says_more_than_its_source_allows() -> None:
    found = regulations()
    checked = 0
    for advice in tables():
        for row in advice.rows:
            for source in row.source:
                if source in found:
                    checked += 1
                    assert RANK[row.verdict] <= RANK[may(found[source])], (advice.id, row.id)
    assert checked >= 6


def test_every_finding_on_regulation_names_its_dates_and_is_no_advice() -> None:
    found = regulations()
    for row in book().bundle.book.advice["sourcing.cross_border.findings"].rows:
        reviews = {date_text(found[one]["review_by"]) for one in row.source if one in found}
        for text in (row.message.en, row.message.zh):
            assert "Not legal advice" in text or "非法律意见" in text, row.id
            dates = re.findall(r"\d{4}-\d{2}-\d{2}", text)
            assert reviews & set(dates), (row.id, dates)
            assert len(set(dates) - reviews) >= 1, row.id  # and the day it is of


@pytest.mark.parametrize(
    ("people", "sensitive", "duty"),
    [
        (99_999, 0, "exempt"), (100_000, 0, "contract_or_certification"),
        (999_999, 0, "contract_or_certification"), (1_000_000, 0, "security_assessment"),
        (100, 1, "contract_or_certification"), (20_000, 9_999, "contract_or_certification"),
        (20_000, 10_000, "security_assessment"), (0, 0, "exempt"),
    ],
)  # fmt: skip
def test_both_sides_of_each_boundary(people: int, sensitive: int, duty: str) -> None:
    outcome = answer({
        "task": "lora", "data.location": "CN", "data.destination": "SG",
        "data.may_leave_premises": True, "data.may_leave_country": True,
        "data.sensitivity": "sensitive_personal" if sensitive else "personal",
        "data.people_count": float(people), "data.sensitive_people_count": float(sensitive),
    })  # fmt: skip
    assert decision(outcome, "sourcing.cross_border.duty") == duty


def test_every_output_says_how_old_the_regulation_is_and_that_it_is_no_advice(
    run: Run, tmp_path: Path
) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text(PROFILE, encoding="utf-8")
    found = json.loads(run("recommend", profile, "--format", "json").out)["regulation"]
    assert [row["regulation"] for row in found] == ["cn-certification", "cn-outbound"]
    for row in found:
        assert row["note"] == "not legal advice"
        assert row["source"] == [REGULATED[row["regulation"]]]
    for language, said in (("en", "not legal advice"), ("zh", "非法律意见")):
        for form in ("text", "markdown"):
            text = run("recommend", profile, "--format", form, "--lang", language).out
            flat = " ".join(text.replace("\\", "").split())
            assert said in flat.lower(), form
            for row in found:
                assert row["as_of"] in flat, form
                assert row["review_by"] in flat, form


def test_a_review_that_is_due_is_said(run: Run, tmp_path: Path) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text(PROFILE, encoding="utf-8")
    for day, due in (("2027-05-29", False), ("2027-05-30", True)):
        data = json.loads(run("recommend", profile, "--format", "json", "--as-of", day).out)
        late = {row["regulation"] for row in data["regulation"] if row["review_due"]}
        assert ("cn-certification" in late) is due
        # The rules on outbound data were due in March.
        assert "cn-outbound" in late
        assert "regulation_review_due" in {one["id"] for one in data["checks"]}
