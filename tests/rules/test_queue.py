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


def told(jobs: float, utilisation: float | None) -> set[str]:
    """Checks and steps about eight A100 that hold the work, which are shared by twelve people."""
    own: dict[str, Any] = {"gpu": "a100-sxm-80", "count": 8}
    if utilisation is not None:
        own["utilisation"] = utilisation
    usage = {"jobs_per_week": jobs, "gpu_hours_per_job": 30, "people": 12}
    answer = Answer(LAB | {"owned": [own], "usage": usage})
    found = answer.advice("advice.queue.checks") | answer.advice("advice.queue.plan")
    return {id for id, holds in found.items() if holds}


def test_one_figure_says_what_to_rent_where_idle_hours_are_known() -> None:
    """1,200 card-hours of 1,344: by load 259 too many, by idle hours (5 %) 1,133 too many."""
    assert told(40, None) == {"queue_is_long", "people_wait_for_cards", "rent_the_overflow"}
    assert told(40, 0.95) == {"rent_the_rest", "people_wait_for_cards"}


def test_nobody_is_told_to_rent_beside_cards_that_stand_idle() -> None:
    assert told(20, 0.3) == {"schedule_before_buying"}
