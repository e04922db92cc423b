"""No option that is recommended breaks what the profile allows, or its budget."""

from __future__ import annotations

from typing import Any

import pytest

from tests.generators.choices import Choices, Seeded
from tests.properties.worlds import Given, Row, answer, decision, profile, ranked, words

COUNTRIES = ("CN", "US", "DE", "JP")
COSTS = {
    "budget.per_month": "cost_per_month_usd",
    "budget.per_hour_cap": "price_per_hour_usd",
    "budget.total": "cost_total_usd",
}


def limited(choices: Choices) -> Given:
    given = {
        path: value
        for path, value in profile(choices).items()
        if not path.startswith(("constraints.", "budget."))
    }
    limits: dict[str, list[Any]] = {
        "constraints.providers": [[("aws",), ("azure",)], [("autodl",)], [("gcp",)]],
        "constraints.vendors": [[("NVIDIA",)], [("AMD",)]],
        "constraints.gpus": [[(choices.one_of(words().keys["accelerators"]),) for _ in range(20)]],
        "constraints.countries": [[(country,)] for country in COUNTRIES],
        "constraints.max_gpus": [1.0, 4.0, 8.0],
        "budget.per_month": [30.0, 3000.0],
        "budget.per_hour_cap": [1.0, 50.0],
        "budget.total": [100.0, 1e5],
    }
    for path, values in limits.items():
        if choices.chance(0.3):
            given[path] = choices.one_of(values)
    if choices.chance(0.5):
        given["data.may_leave_country"] = False
        given["data.location"] = choices.one_of(COUNTRIES)
    return given


def broken(given: Given, outcome: Any, row: Row) -> list[str]:
    """The limits a row breaks."""

    def outside(path: str, value: Any) -> bool:
        return bool(given.get(path)) and (value,) not in given[path]

    rented = row["offer_kind"] == "rent"
    found = {
        "provider": rented and outside("constraints.providers", row["provider"]),
        "vendor": outside("constraints.vendors", row["vendor"]),
        "card": outside("constraints.gpus", row["card_id"]),
        "country": rented and outside("constraints.countries", row["country"]),
        "cards": row["cards"] > given.get("constraints.max_gpus", 1e9),
        "fit": row["fit"] not in ("fits", "tight"),
        "supply": row["offer_kind"] != (decision(outcome, "sourcing.placement.supply") or "rent"),
        "home": rented
        and decision(outcome, "sourcing.region.country_rule") == "home_only"
        and row["country"] != given.get("data.location"),
    }
    facts = outcome["facts"]
    rate = facts["exchange_rate.cny_per_usd"] if facts.get("budget.currency") == "CNY" else 1.0
    for path, column in COSTS.items():
        limit = given.get(path)
        found[path] = limit is not None and not (row[column] or 1e12) * rate <= limit * 1.000001
    return [name for name, breaks in found.items() if breaks]


@pytest.mark.parametrize("block", range(4))
def test_what_is_recommended_is_allowed(block: int) -> None:
    checked = 0
    for seed in range(block * 18, block * 18 + 18):
        given = limited(Seeded(f"limits {seed}"))
        outcome = answer(given)
        for row in ranked(outcome):
            assert broken(given, outcome, row) == [], (given, row)
            checked += 1
    assert checked


@pytest.mark.parametrize(
    "allowed", [["on_demand"], ["spot", "on_demand"], ["subscription"], ["spot"]]
)
def test_how_to_pay_is_one_of_what_is_allowed(allowed: list[str]) -> None:
    for seed in range(8):
        given = profile(Seeded(f"billing {seed}"))
        given["constraints.billing"] = [(way,) for way in allowed]
        found = decision(answer(given), "sourcing.billing.billing")
        parts = ["subscription", "on_demand"] if found == "mixed" else [found]
        assert found in (None, "owned") or set(parts) <= set(allowed)
