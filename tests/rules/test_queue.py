"""People who share cards: card-hours asked for against card-hours there are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

LAB: dict[str, Any] = {"task": "lora", "model": {"name": "llama-3.1-8b"}}


def lab(jobs: float, cards: int) -> Answer:
    owned = [{"gpu": "l40s", "count": cards}] if cards else []
    usage = {"jobs_per_week": jobs, "gpu_hours_per_job": 20, "people": 12}
    return Answer(LAB | {"owned": owned, "usage": usage})


@pytest.mark.parametrize(
    ("jobs", "cards", "check"),
    [
        (17, 2, "queue_never_ends"),  # 340 card-hours of 336
        (16, 2, "queue_is_long"),  # 320 of 336: 95 %
        (12, 2, "queue_is_long"),  # 240 of 336: 71 %
        (11, 2, None),  # 220 of 336: 65 %
    ],
)
def test_when_a_queue_is_said_to_be_long(jobs: float, cards: int, check: str | None) -> None:
    found = lab(jobs, cards).advice("advice.queue.checks")
    held = {id for id, holds in found.items() if holds and id != "people_wait_for_cards"}
    assert held == ({check} if check else set())


def test_cards_wanted_keep_the_load_under_seventy_per_cent() -> None:
    # 600 card-hours / 168 / 0.7 = 5.1 cards, in whole cards 6.
    answer = lab(30, 2)
    assert answer.decision("needs.queue.cards_wanted") == 6
    # 600 − 2 × 168 × 0.7 = 364.8 card-hours go elsewhere.
    assert answer.decision("needs.queue.overflow") == pytest.approx(364.8)
    assert lab(30, 6).decision("needs.queue.overflow") == 0


def test_a_group_without_cards_of_its_own_has_no_queue() -> None:
    found = lab(30, 0).advice("advice.queue.checks")
    assert not found["queue_never_ends"] and not found["people_wait_for_cards"]


def test_the_amount_to_rent_is_named_once_when_the_use_of_the_cards_is_stated() -> None:
    # Two cards busy 90 % of 168 hours stand idle 33.6; 600 − 33.6 = 566.4 to rent, never 364.8 too.
    usage = {"jobs_per_week": 30, "gpu_hours_per_job": 20}
    owned = [{"gpu": "l40s", "count": 2, "utilisation": 0.9}]
    training = {"micro_batch": 1, "sequence_length": 1024, "lora_rank": 16}
    answer = Answer(LAB | {"owned": owned, "usage": usage, "training": training})
    assert answer.decision("hardware.idle.missing") == pytest.approx(566.4)
    steps = answer.advice("advice.queue.plan")
    assert steps == {"rent_the_overflow": False, "rent_what_idle_hours_leave": True}


def test_idle_cards_that_cover_the_queue_are_not_joined_by_a_call_to_rent() -> None:
    # Four idle cards give 672 card-hours for 600: above 70 % load, yet nothing is to be rented.
    usage = {"jobs_per_week": 30, "gpu_hours_per_job": 20}
    owned = [{"gpu": "l40s", "count": 4, "utilisation": 0}]
    answer = Answer(LAB | {"owned": owned, "usage": usage})
    assert not answer.advice("advice.queue.checks")["queue_is_long"]
    assert not any(answer.advice("advice.queue.plan").values())
