"""What an answer says about itself: what is open, what was ignored, what disagrees."""

from __future__ import annotations

from typing import Any

import pytest

from tests.properties.worlds import book

FULL: dict[str, Any] = {
    "model": {"name": "llama-2-7b"}, "serving": {"target_tokens_per_s": 100, "mode": "online"},
    "training": {"tokens_b": 1}, "hardware": {"gpu": "h100-sxm", "count": 8},
    "data": {"may_leave_premises": True, "may_leave_country": True, "sensitivity": "public"},
    "place": {"distance_km": 10, "round_trip_budget_ms": 100},
}  # fmt: skip
UNCOVERED = (
    "pretrain", "diffusion_inference", "diffusion_training", "rendering", "transcoding", "scientific",
    "data_processing", "classical_ml", "speech", "embedding", "development",
)  # fmt: skip


def data(profile: dict[str, Any], language: str = "en") -> dict[str, Any]:
    return book().recommend(profile, language=language).to_dict()


@pytest.mark.parametrize("task", UNCOVERED)
@pytest.mark.parametrize("facts", [{}, FULL], ids=["bare", "full"])
def test_work_the_rules_do_not_cover_gets_no_card(task: str, facts: dict[str, Any]) -> None:
    found = data({"task": task, **facts})
    hardware = next(one for one in found["status"] if one["decision"] == "hardware")
    assert not hardware["known"] and "not covered" in hardware["because"]
    assert not [option for option in found["options"] if option["rank"] is not None]


def test_what_no_rule_reads_is_said() -> None:
    profile = {"task": "lora", "constraints": {"certifications": ["iso27001"]}, "name": "x",
               "currency": "CNY", "as_of": "2026-11-01"}  # fmt: skip
    assert [one["field"] for one in data(profile)["unused"]] == ["constraints.certifications"]
    assert data({"task": "lora", "notes": "y"})["unused"] == []


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
]  # fmt: skip


@pytest.mark.parametrize(("name", "facts"), CONFLICTS)
def test_statements_that_disagree_are_listed(name: str, facts: dict[str, Any]) -> None:
    for language in ("en", "zh"):
        found = data({"task": "lora", **facts}, language)["conflicts"]
        assert [one["id"] for one in found] == [name]
        assert found[0]["fields"] and found[0]["used"] and found[0]["message"]


def test_prices_of_a_later_day_are_not_known_yet() -> None:
    profile = {"task": "lora", **FULL, "as_of": "2020-01-01"}
    assert not [option for option in data(profile)["options"] if option["rank"] is not None]
    for option in data({"task": "lora", **FULL, "as_of": "2026-07-01"})["options"]:
        if option["rank"] is not None:
            assert option["offer"]["price_date"] <= "2026-07-01"
