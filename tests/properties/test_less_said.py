"""Leaving out what is asked for makes an answer open, never another one."""

from __future__ import annotations

import pytest

from tests.generators.choices import Seeded
from tests.properties.worlds import answer, book, decision, profile

DECISIONS = (
    "sourcing.placement.placement", "sourcing.placement.data_route", "sourcing.billing.billing",
    "sourcing.region.region", "sourcing.isolation.isolation",
)  # fmt: skip
GROUPS = ("data.", "place.", "usage.", "serving.", "security.", "operations.")


@pytest.mark.parametrize("block", range(6))
def test_no_answer_turns_into_another(block: int) -> None:
    asked = [path for path, fact in book().bundle.book.facts.items() if fact.asked]
    opened = 0
    for seed in range(block * 4, block * 4 + 4):
        given = profile(Seeded(f"less {seed}"), 0.05)
        before = answer(given)
        for path in asked:
            if path not in given or not path.startswith(GROUPS):
                continue
            after = answer({name: value for name, value in given.items() if name != path})
            for name in DECISIONS:
                was, now = decision(before, name), decision(after, name)
                assert now is None or now == was, (path, name, was, now)
                opened += was is not None and now is None
    assert opened


@pytest.mark.parametrize(
    "left_out", ["may_leave_premises", "can_be_deidentified", "sensitivity", "may_leave_country"]
)
def test_what_is_open_is_asked_for(left_out: str) -> None:
    data = {"may_leave_premises": False, "can_be_deidentified": True, "sensitivity": "internal",
            "may_leave_country": False, "location": "CN"}  # fmt: skip
    profile = {
        "task": "lora", "model": {"name": "llama-2-7b"}, "training": {"tokens_b": 0.02},
        "data": {name: value for name, value in data.items() if name != left_out},
    }  # fmt: skip
    found = book().recommend(profile)
    open_ones = {one["decision"] for one in found.to_dict()["status"] if not one["known"]}
    asked = {one["field"] for one in found.to_dict()["questions"] if one["headline"]}
    assert found.complete is not bool(open_ones)
    assert not open_ones or f"data.{left_out}" in asked
    if "placement" in open_ones:  # then which card to take is open too: to rent, or to buy
        assert "hardware" in open_ones
