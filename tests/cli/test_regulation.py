"""Regulation: who speaks decides what a finding may do, and every output says how old it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.book.dates import date_text, day_number
from engine.book.model import Advice
from tests.cli.conftest import Run
from tests.properties.worlds import answer, book, decision

REGULATED = {
    "cn-certification": "cn-certification-2026",
    "cn-network-data": "regulation-study",
    "cn-outbound": "cn-cross-border-2024",
}
RANK = {"ok": 0, "ask": 0, "warn": 1, "deny": 2}
PROFILE = """task: lora
model: {name: llama-3.1-8b}
training: {sequence_length: 2048, tokens_b: 0.1}
data: {location: CN, destination: SG, may_leave_premises: true, may_leave_country: true,
  sensitivity: personal, people_count: 120000, sensitive_people_count: 0}
"""


def regulations() -> dict[str, list[dict[str, Any]]]:
    """The rows of the table by their source."""
    schema, data = book().bundle.book.tables["regulations"], book().bundle.catalog.tables
    names = [column.name for column in schema.columns]
    found: dict[str, list[dict[str, Any]]] = {}
    for row in data["regulations"].rows:
        named = dict(zip(names, row, strict=True))
        found.setdefault(named["source"], []).append(named)
    return found


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
                    allowed = min(RANK[may(one)] for one in found[source])
                    assert RANK[row.verdict] <= allowed, (advice.id, row.id)
    assert checked >= 6


def test_every_finding_on_regulation_names_its_dates_and_is_no_advice() -> None:
    found = regulations()
    checked = 0
    for advice in tables():
        for row in advice.rows:
            cited = [r for one in row.source for r in found.get(one, ())]
            if not cited or advice.id == "sourcing.regulation.findings":  # of any regulation
                continue
            checked += 1
            for text in (row.message.en, row.message.zh):
                assert "Not legal advice" in text or "非法律意见" in text, row.id
                dates = re.findall(r"\d{4}-\d{2}-\d{2}", text)
                assert {date_text(one["review_by"]) for one in cited} & set(dates), (row.id, dates)
                of = {date_text(one[day]) for one in cited for day in ("as_of", "effective")}
                assert of & set(dates), (row.id, dates, of)  # and the day it is of
    assert checked >= 28


def test_every_regulation_of_the_table_is_read_by_a_rule() -> None:
    table = decision_rows("sourcing.regulation.rules", "applies")
    bundle = book().bundle
    names = [column.name for column in bundle.book.tables["regulations"].columns]
    listed = {row[names.index("id")] for row in bundle.catalog.tables["regulations"].rows}
    assert listed == {text for row in table for text in re.findall(r'"([\w-]+)"', row)}
    assert len(listed) == 23


def decision_rows(relation: str, column: str) -> list[str]:
    """The first cell of each row of a column's table, as written."""
    text = (Path(__file__).parents[2] / "rules/sourcing/regulation.yaml").read_text("utf-8")
    columns = yaml.safe_load(text)["relations"][relation.rpartition(".")[2]]["columns"]
    return [str(row["when"][0]) for row in columns[column]["rows"]]


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
    assert [row["regulation"] for row in found] == list(REGULATED)
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


OWN = {"task": "lora", "model.name": "llama-3.1-8b", "training.tokens_b": 0.1,
       "data.may_leave_premises": False, "data.can_be_deidentified": False,
       "buyer.country": "CN"}  # fmt: skip


def days(given: dict[str, Any]) -> dict[str, Any]:
    """Dates as the days that a runtime reads."""
    dated = ("as_of", "data.export_evidence_until")
    return {k: float(day_number(v) or 0) if k in dated else v for k, v in given.items()}


def checks(given: dict[str, Any]) -> dict[str, str]:
    """Findings by id with their verdicts; what is not known yet is left out."""
    outcome = answer(days(given))
    said: dict[str, str] = {}
    for advice in tables():
        for row, holds in zip(advice.rows, outcome["advice"][advice.id], strict=True):
            if holds is True and any(one in regulations() for one in row.source):
                said[row.id] = row.verdict
    return said


@pytest.mark.parametrize(
    ("card", "facts", "found"),
    [
        # What the rule of 2026-01-15 says of each, by hand: 1,978.9 × 8 = 15,831 and 4,800 GB/s;
        # 2,614.9 × 8 = 20,919 and 6,000; 2,250 × 16 = 36,000.
        ("h200-sxm", {"hardware.ship_from": "US"}, ("licence_reviewed", "warn")),
        ("mi325x", {"hardware.ship_from": "US"}, ("licence_reviewed", "warn")),
        ("b200", {"hardware.ship_from": "US"}, ("licence_presumed_denied", "warn")),
        ("h200-sxm", {"hardware.ship_from": "SG"}, ("reexport_without_licence", "deny")),
        ("l20", {"hardware.ship_from": "US"}, ("density_not_known", "ask")),
    ],
)
def test_cards_for_china_by_their_performance(
    card: str, facts: dict[str, Any], found: tuple[str, str]
) -> None:
    said = checks({**OWN, "hardware.gpu": card, **facts})
    assert said.get(found[0]) == found[1], said
    licensed = checks({**OWN, "hardware.gpu": card, **facts, "hardware.export_licence": "D1"})
    assert found[0] not in licensed
    at_home = checks({**OWN, "hardware.gpu": card, **facts, "buyer.country": "US"})
    assert not {one for one in at_home if one.startswith(("licence", "reexport", "density"))}


@pytest.mark.parametrize("card", ["ascend-910b2-64", "t4"])
def test_domestic_and_small_cards_need_no_american_licence(card: str) -> None:
    said = checks({**OWN, "hardware.gpu": card, "hardware.ship_from": "SG"})
    assert not {one for one in said if one.startswith(("licence", "reexport", "density"))}


@pytest.mark.parametrize(
    ("day", "preference", "low_price"),
    [("2025-12-31", False, False), ("2026-01-01", True, False), ("2026-01-31", True, False),
     ("2026-02-01", True, True)],
)  # fmt: skip
def test_rules_of_public_buying_by_their_first_day(
    day: str, preference: bool, low_price: bool
) -> None:
    facts = {**OWN, "hardware.gpu": "l20", "buyer.public_funds": True, "as_of": day,
             "costs.card_price": 8000.0}  # fmt: skip
    said = checks(facts)
    assert ("foreign_against_domestic" in said) is preference
    assert ("whole_life_cost_counts" in said) is low_price
    assert said["domestic_cards_reported"] == "ask"  # the press alone never denies
    assert not {"foreign_against_domestic", "domestic_cards_reported"} & set(
        checks({**facts, "buyer.public_funds": False})
    )


@pytest.mark.parametrize(
    ("kind", "until", "day", "found"),
    [
        ("certificate", "2027-01-01", "2027-01-01", "evidence_holds"),
        ("certificate", "2027-01-01", "2027-01-02", "evidence_expired"),
        ("assessment_passed", None, "2026-12-01", "evidence_holds"),
    ],
)
def test_evidence_stands_in_for_the_warning_while_it_holds(
    kind: str, until: str | None, day: str, found: str
) -> None:
    facts = {
        "task": "lora", "data.location": "CN", "data.destination": "SG", "as_of": day,
        "data.may_leave_premises": True, "data.may_leave_country": True,
        "data.sensitivity": "personal", "data.people_count": 100_000.0,
        "data.sensitive_people_count": 0.0, "data.export_evidence": kind,
    }  # fmt: skip
    said = checks({**facts, **({"data.export_evidence_until": until} if until else {})})
    assert found in said and "needs_contract_or_certification" not in said
    # More people need more than a certificate.
    many = checks({**facts, "data.people_count": 1_000_000.0})
    assert ("needs_security_assessment" in many) is (kind == "certificate")


@pytest.mark.parametrize(("level", "asked"), [(2, False), (3, True)])
def test_graded_protection_asks_from_level_three(level: int, asked: bool) -> None:
    said = checks({
        "task": "lora", "model.name": "llama-3.1-8b", "training.tokens_b": 0.1,
        "data.may_leave_premises": True, "data.may_leave_country": True,
        "data.sensitivity": "internal", "data.location": "CN",
        "data.graded_protection_level": float(level), "constraints.countries": [("US",)],
        "usage.sustained_utilisation": 0.05,
    })  # fmt: skip
    assert ("protected_system_abroad" in said) is asked
