"""Growing step by step: gates on what was observed, and nothing before anything was."""

from __future__ import annotations

import pytest

from tests.rules.ask import ONE_CARD, Answer, book


def seen(**observed: float) -> Answer:
    return Answer(ONE_CARD | {"observed": observed})


@pytest.mark.parametrize(
    ("observed", "step"),
    [
        ({}, "measure_first"),
        ({"gpu_busy_ratio": 0.80}, "stay"),  # A4.1d: over 80 %, not at it
        ({"gpu_busy_ratio": 0.81}, "more_cards"),
        ({"memory_used_ratio": 0.95}, "more_memory"),
        ({"gpu_busy_ratio": 0.95, "memory_used_ratio": 0.95}, "more_memory"),
        ({"latency_p95_ms": 900, "latency_target_ms": 500}, "more_cards"),
        ({"latency_p95_ms": 400, "latency_target_ms": 500}, "stay"),
        ({"latency_p95_ms": 900}, "measure_first"),  # late against what?
    ],
)
def test_the_gates_of_the_guide(observed: dict[str, float], step: str) -> None:
    assert seen(**observed).decision("advice.ramp.next_step") == step


def test_nobody_is_asked_for_a_measurement_before_there_is_one() -> None:
    found = book().recommend(ONE_CARD).to_dict()
    asked = {path for one in found["checks"] for path in one["asks"]}
    asked |= {question["field"] for question in found["questions"]}
    assert not {path for path in asked if path.startswith("observed.")}


def test_each_step_of_the_plan_is_there_only_when_it_applies() -> None:
    plan = seen().advice("advice.ramp.plan")
    assert plan["record_a_baseline"] is True and plan["stay_with_what_you_have"] is False
    plan = seen(gpu_busy_ratio=0.5).advice("advice.ramp.plan")
    assert plan["record_a_baseline"] is False and plan["stay_with_what_you_have"] is True
    plan = seen(gpu_busy_ratio=0.9).advice("advice.ramp.plan")
    assert plan["add_cards"] is True and plan["stay_with_what_you_have"] is False


@pytest.mark.parametrize(
    ("observed", "check"),
    [
        ({"gpu_busy_ratio": 0.9}, "busy_is_not_used"),
        ({"gpu_busy_ratio": 0.3}, "cards_wait"),
        ({"cross_card_bandwidth_ratio": 0.3}, "links_below_nominal"),
        ({"run_to_run_spread": 0.21}, "neighbours_felt"),  # A5.1: more than 20 %
        ({"memory_used_ratio": 0.95}, "memory_nearly_full"),
    ],
)
def test_an_observation_says_one_thing(observed: dict[str, float], check: str) -> None:
    found = seen(**observed).advice("advice.ramp.checks")
    assert [id for id, holds in found.items() if holds is not False] == [check]


def test_neighbours_that_were_felt_ask_for_a_card_alone() -> None:
    tolerant = ONE_CARD | {"usage": ONE_CARD["usage"] | {"performance_sensitive": False}}
    assert Answer(tolerant).decision("sourcing.isolation.isolation") == "shared"
    felt = tolerant | {"observed": {"run_to_run_spread": 0.3}}
    assert Answer(felt).decision("sourcing.isolation.isolation") == "exclusive"


def test_a_policy_moves_a_gate() -> None:
    profile = ONE_CARD | {"observed": {"gpu_busy_ratio": 0.7}}
    assert Answer(profile).decision("advice.ramp.next_step") == "stay"
    moved = Answer(profile, busy_gate=0.6)
    assert moved.decision("advice.ramp.next_step") == "more_cards"
