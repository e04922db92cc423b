"""Data that may not leave and cannot be de-identified is never worked on rented machines."""

from __future__ import annotations

import pytest

from tests.generators.choices import Seeded
from tests.generators.parameters import random_parameters
from tests.properties.worlds import Given, answer, book, decision, profile, ranked

NAME = "sourcing.placement.placement"


def staying(seed: int) -> Given:
    """Anything at all, with data that stays: said so, or regulated whatever else is said."""
    choices = Seeded(f"stays {seed}")
    given = profile(choices, 0.2)
    given["data.can_be_deidentified"] = False
    if choices.chance(0.5):
        given["data.may_leave_premises"] = False
    else:
        given["data.sensitivity"] = "regulated"
        given["data.may_leave_premises"] = choices.chance(0.5)
    if choices.chance(0.3):
        given["constraints.providers"] = [("aws",), ("azure",)]
    if choices.chance(0.3):
        given["budget.per_hour_cap"] = 0.5
    given["objective"] = choices.one_of(["cost", "time", "balanced"])
    return given


@pytest.mark.parametrize("block", range(4))
def test_no_statement_and_no_policy_makes_it_rent(block: int) -> None:
    kept = 0
    for seed in range(block * 12, block * 12 + 12):
        given = staying(seed)
        chosen = Seeded(f"policy {seed}")
        policy = random_parameters(book().bundle.book, chosen) if chosen.chance(0.5) else None
        outcome = answer(given, policy)
        assert decision(outcome, NAME) == "private", given
        assert decision(outcome, "sourcing.billing.billing") == "owned", given
        for ranking in ("recommended", "cheapest", "fastest"):
            found = ranked(outcome, f"hardware.options.{ranking}")
            assert {row["offer_kind"] for row in found} <= {"own"}, given
            kept += len(found)
    assert kept  # some of them have an answer


@pytest.mark.parametrize("objective", ["cost", "time", "balanced"])
def test_the_answer_for_people_shows_no_rented_option(objective: str) -> None:
    profile = {
        "task": "lora", "objective": objective, "model": {"name": "llama-2-7b"},
        "training": {"tokens_b": 0.02}, "budget": {"per_hour_cap": 5},
        "data": {"may_leave_premises": objective == "time", "sensitivity": "regulated",
                 "can_be_deidentified": False, "may_leave_country": True},
        "constraints": {"providers": ["aws", "azure"]}, "hardware": {"gpu": "h100-sxm"},
    }  # fmt: skip
    found = book().recommend(profile).to_dict()
    kept = [option for option in found["options"] if option["rank"] is not None]
    assert {option["kind"] for option in kept} <= {"own"}
    assert found["placement"]["value"] == "private" and found["billing"]["value"] == "owned"
