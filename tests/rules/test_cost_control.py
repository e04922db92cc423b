"""The money at stake is the price of the recommended option times hours, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer, book

RENTED: dict[str, Any] = {
    "task": "lora",
    "model": {"name": "llama-3.1-8b"},
    "training": {"tokens_b": 2},
    "usage": {"sustained_utilisation": 0.02, "months": 2, "hours_per_day": 8, "days_per_month": 22},
    "data": {
        "may_leave_premises": True,
        "may_leave_country": True,
        "sensitivity": "internal",
        "size_gb": 1,
    },
}
SERVICE: dict[str, Any] = RENTED | {
    "task": "inference",
    "constraints": {"providers": ["aws"]},
    "serving": {"mode": "online", "target_tokens_per_s": 20_000},
    "place": {"distance_km": 100, "round_trip_budget_ms": 300},
    "usage": {"peak_to_average": 4, "months": 12, "sustained_utilisation": 0.1},
}
WELL_RUN = {
    "auto_stop": True,
    "balance_alert": True,
    "disks_outlive_instance": False,
    "autoscaling": True,
    "infrastructure_as_code": True,
    "monitoring": True,
    "monthly_check": True,
}
COST = "advice.cost_control"


def asked(profile: dict[str, Any], **operations: bool) -> Answer:
    return Answer(profile | {"operations": operations})


def test_a_night_forgotten_costs_twelve_hours() -> None:
    answer = asked(RENTED, auto_stop=False)
    hourly = answer.ranked()[0]["price_per_hour_usd"]
    assert answer.decision(f"{COST}.forgotten_night") == pytest.approx(12 * hourly)
    # 730 hours a month less 8 × 22 hours of use.
    assert answer.decision(f"{COST}.left_on") == pytest.approx((730 - 176) * hourly)
    assert answer.advice(f"{COST}.checks")["no_automatic_stop"] is True


def test_the_guides_night_of_a_thousand_yuan_is_a_large_machine() -> None:
    # A4.5a: over 1,000 CNY for a night means about 83 CNY an hour: eight cards at ten yuan.
    profile = RENTED | {
        "currency": "CNY",
        "exchange_rate": {"cny_per_usd": 7.0, "date": "2026-10-30"},
        "constraints": {"gpus": ["h100-sxm"]},
    }
    answer = asked(profile, auto_stop=False)
    hourly = answer.ranked()[0]["price_per_hour_usd"] * 7
    assert answer.decision(f"{COST}.forgotten_night") == pytest.approx(12 * hourly)


def test_well_run_work_hears_nothing() -> None:
    for work in (RENTED, SERVICE):
        profile = work | {"constraints": {"providers": ["aws"]}}
        assert set(asked(profile, **WELL_RUN).advice(f"{COST}.checks").values()) == {False}


@pytest.mark.parametrize(
    ("fact", "check"),
    [
        ("balance_alert", "no_balance_alert"),
        ("disks_outlive_instance", "disks_stay_behind"),
        ("autoscaling", "no_autoscaling"),
        ("monitoring", "no_monitoring"),
        ("monthly_check", "no_monthly_check"),
    ],
)
def test_one_bad_habit_of_a_service_gives_one_warning(fact: str, check: str) -> None:
    found = asked(SERVICE, **WELL_RUN | {fact: not WELL_RUN[fact]}).advice(f"{COST}.checks")
    assert [id for id, holds in found.items() if holds] == [check]
    missing = {name: value for name, value in WELL_RUN.items() if name != fact}
    found = asked(SERVICE, **missing).advice(f"{COST}.checks")
    assert [id for id, holds in found.items() if holds is None] == [check]


def test_a_service_is_not_told_to_stop_at_night() -> None:
    found = asked(SERVICE, **WELL_RUN | {"auto_stop": False}).advice(f"{COST}.checks")
    assert found["no_automatic_stop"] is False


def test_autoscaling_saves_what_peak_machines_and_start_up_leave() -> None:
    answer = asked(SERVICE, autoscaling=False)
    first = answer.ranked()[0]
    units = min(first["copies"], first["nodes"])
    assert units > 1
    # A peak of four times the average; never less than one machine; two rises in eight hours a day,
    # each of which pays five minutes of boot and the loading of the weights.
    base = max(1 / 4, 1 / units)
    start = (5 + answer.decision("needs.storage.start_minutes")) / 60
    paid = base + (1 - base) * 2 * start / 8
    saved = answer.decision("money.scaling.saved_per_month")
    assert saved == pytest.approx(first["cost_per_month_usd"] * (1 - paid))


def test_one_machine_for_the_peak_has_nothing_to_scale() -> None:
    profile = SERVICE | {"serving": {"mode": "online", "concurrency": 1}}
    answer = asked(profile, **WELL_RUN | {"autoscaling": False})
    assert answer.ranked()[0]["nodes"] == 1
    assert answer.advice(f"{COST}.checks")["no_autoscaling"] is False


@pytest.mark.parametrize(
    ("provider", "dollars"),
    [
        # 9,900 GB × 0.09 and 40,000 GB × 0.085 after 100 GB for nothing.
        ("aws", 9_900 * 0.09 + 40_000 * 0.085),
        # 1,000 × 0.12, 9,000 × 0.11 and 40,000 × 0.08.
        ("gcp", 120 + 990 + 3_200),
        ("runpod", 0),
    ],
)
def test_fifty_terabytes_of_traffic_cost_what_the_provider_prints(
    provider: str, dollars: float
) -> None:
    profile = RENTED | {
        "data": RENTED["data"] | {"egress_gb_per_month": 50_000},
        "constraints": {"providers": [provider]},
    }
    answer = asked(profile, **WELL_RUN)
    assert answer.ranked()[0]["provider"] == provider
    assert answer.decision("money.traffic.cost_per_month") == pytest.approx(dollars)
    assert answer.advice(f"{COST}.checks")["traffic_is_charged"] is (dollars > 0)
    assert answer.advice(f"{COST}.checks")["ask_for_the_traffic_price"] is False


@pytest.mark.parametrize(
    ("provider", "check"),
    [
        ("azure", "stop_it_the_right_way"),
        ("lambda", "it_cannot_be_stopped"),
        ("autodl", "a_stopped_machine_is_deleted"),
        ("aws", None),
    ],
)
def test_what_stopping_means_depends_on_the_provider(provider: str, check: str | None) -> None:
    profile = RENTED | {"constraints": {"providers": [provider]}}
    answer = asked(profile, **WELL_RUN)
    assert answer.ranked()[0]["provider"] == provider
    found = answer.advice(f"{COST}.checks")
    assert [id for id, holds in found.items() if holds] == ([check] if check else [])


def test_observed_idle_hours_are_priced_at_what_was_paid() -> None:
    observed = {"idle_hours_per_week": 42, "cost_per_hour": 10}
    answer = Answer(RENTED | {"operations": WELL_RUN, "observed": observed})
    # 42 hours × 730/168 weeks × 10.
    assert answer.decision(f"{COST}.idle_month") == pytest.approx(42 * 730 / 168 * 10)
    assert answer.advice(f"{COST}.checks")["idle_hours"] is True


def test_own_machines_have_no_bill_to_watch() -> None:
    private = RENTED | {
        "data": {"may_leave_premises": False, "can_be_deidentified": False, "size_gb": 1}
    }
    assert set(asked(private).advice(f"{COST}.checks").values()) == {False}


def test_the_warning_names_the_money_in_the_currency_of_the_answer() -> None:
    profile = RENTED | {"currency": "CNY", "operations": {"auto_stop": False}}
    found = book().recommend(profile).to_dict()
    check = next(one for one in found["checks"] if one["id"] == "no_automatic_stop")
    night = 12 * found["options"][0]["cost"]["per_hour"]
    assert f"CNY {night:,.0f}" in check["message"]
