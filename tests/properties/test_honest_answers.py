"""What an answer says about itself: what is open, what was ignored, what disagrees."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from engine.readers.document import document_of
from engine.readers.profile import admit
from tests.properties.worlds import Outcome, answer, book, decision, ranked

FULL: dict[str, Any] = {
    "model": {"name": "llama-2-7b"}, "serving": {"target_tokens_per_s": 100, "mode": "online"},
    "training": {"tokens_b": 1}, "hardware": {"gpu": "h100-sxm", "count": 8},
    "data": {"may_leave_premises": True, "may_leave_country": True, "sensitivity": "public"},
    "place": {"distance_km": 10, "round_trip_budget_ms": 100},
}  # fmt: skip
# What each task must be told before a card can be named.
SILENT = (
    "inference", "lora", "full_finetune", "pretrain", "rendering", "transcoding", "scientific",
    "data_processing", "classical_ml", "diffusion_inference", "diffusion_training",
)  # fmt: skip


def outcome(profile: dict[str, Any]) -> Outcome:
    bundle = book().bundle
    admitted = admit(document_of(profile), bundle.book.facts, bundle.catalog.tables)
    return answer(admitted.given)


@pytest.mark.parametrize("task", SILENT)
def test_work_that_nobody_described_gets_no_card(task: str) -> None:
    found = outcome({"task": task})
    assert ranked(found) == []
    assert decision(found, "advice.checks.chosen_cards") is None


def test_what_no_rule_reads_is_said() -> None:
    profile = {"task": "lora", **FULL, "constraints": {"certifications": ["iso27001"]}, "name": "x",
               "notes": "y", "currency": "CNY", "as_of": "2026-11-01"}  # fmt: skip
    found = book().recommend(profile).to_dict()["unused"]
    assert [one["field"] for one in found] == [
        "serving.target_tokens_per_s", "serving.mode", "constraints.certifications"
    ]  # fmt: skip


CONFLICTS: list[tuple[str, dict[str, Any]]] = [
    ("regulated_but_may_leave", {"data": {"sensitivity": "regulated", "may_leave_premises": True}}),
    ("abroad_but_at_home", {"data": {"may_leave_premises": False, "may_leave_country": True}}),
    ("utilisation_against_hours",
     {"usage": {"sustained_utilisation": 0.9, "hours_per_day": 2, "days_per_month": 20}}),
    ("activated_above_all", {"model": {"parameters_b": 7, "active_parameters_b": 13}}),
    ("kv_heads_above_heads", {"model": {"heads": 8, "kv_heads": 32}}),
    ("experts_used_above_all", {"model": {"experts": 8, "experts_per_token": 16}}),
    ("request_above_context",
     {"task": "inference", "serving": {"input_tokens": 8000, "context_tokens": 4096}}),
    ("sensitive_above_all_people", {"data": {"people_count": 1, "sensitive_people_count": 2}}),
    ("size_against_name", {"model": {"name": "llama-2-7b", "parameters_b": 70}}),
    ("split_above_cards",
     {"hardware": {"gpu": "rtx4090", "count": 4}, "parallelism": {"tensor": 7}}),
    ("machines_above_cards", {"hardware": {"gpu": "l4", "count": 2, "nodes": 8}}),
    ("machine_without_card", {"hardware": {"memory_gib": 24}}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "facts"), CONFLICTS)
def test_statements_that_disagree_are_found(name: str, facts: dict[str, Any]) -> None:
    found = outcome({"task": "lora", **facts})["advice"]
    tables = book().bundle.book.advice
    held = [
        row.id
        for table in tables
        if table.startswith("advice.conflicts.")
        for row, holds in zip(tables[table].rows, found[table], strict=True)
        if holds
    ]
    assert held == [name]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_statements_that_disagree_are_listed(language: str) -> None:
    size = {"model": {"name": "llama-2-7b", "parameters_b": 70}}
    profile = {"task": "lora", **FULL, **size, "data": {"sensitivity": "regulated",
               "may_leave_premises": True, "can_be_deidentified": False}}  # fmt: skip
    found = book().recommend(profile, language=language).to_dict()["conflicts"]
    assert [one["id"] for one in found] == ["regulated_but_may_leave", "size_against_name"]
    assert all(one["fields"] and one["used"] and one["message"] for one in found)


def test_prices_of_a_later_day_are_not_known_yet() -> None:
    assert ranked(outcome({"task": "lora", **FULL, "as_of": "2020-01-01"})) == []
    july = outcome({"task": "lora", **FULL, "as_of": "2026-07-01"})
    days = [row["price_day"] for row in ranked(july)]
    assert days and max(days) <= (date(2026, 7, 1) - date(1970, 1, 1)).days
