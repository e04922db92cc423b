"""The best mix of own, reserved, hourly and reclaimable cards against a linear programme per hour.

The rules cut the load into slices and pay each in its cheapest way; the programme knows nothing of
slices: it chooses how many cards to own and to reserve, and for every level of the load which of
them work and what is rented, so that the whole costs least.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from engine.book.rows import TableRows
from tests.properties.worlds import Outcome, answer, book, decision, rows

LOADS = 1000


def world(seed: int) -> dict[str, Any]:
    """A load of a few levels and prices of every kind, none of them round."""
    rng = random.Random(seed)
    levels = rng.sample(range(1, 400), rng.randint(1, 9))
    curve = [(float(level), rng.uniform(1, 700)) for level in levels]
    if rng.random() < 0.2:  # a level listed twice
        curve.append((curve[0][0], rng.uniform(1, 100)))
    given: dict[str, Any] = {
        "usage.load_curve": curve,
        "usage.months": 60.0,
        "costs.currency": "USD",
        "costs.cards": 1.0,
        "costs.card_price": rng.uniform(5_000, 60_000),
        "costs.server_price": 0.0,
        "costs.power_kw": rng.uniform(0.3, 2.0),
        "costs.life_years": 5.0,
        "costs.staff_per_month": rng.uniform(0, 500),
        "costs.cloud_price_per_gpu_hour": rng.uniform(0.5, 12),
    }
    if rng.random() < 0.7:
        share = rng.uniform(0.3, 1.0)
        given["costs.reserved_price_per_gpu_hour"] = share * given["costs.cloud_price_per_gpu_hour"]
    if rng.random() < 0.6:
        given["usage.interruptible"] = rng.random() < 0.8
        given["usage.checkpoint_minutes"] = rng.uniform(5, 600)
        given["costs.spot_price_per_gpu_hour"] = (
            rng.uniform(0.18, 1.1) * given["costs.cloud_price_per_gpu_hour"]
        )
    return given


def optimum(given: dict[str, Any], outcome: Any) -> float:
    """The least cost per hour that the linear programme finds."""
    fixed = decision(outcome, "money.break_even.own_fixed_per_card_hour")
    fixed /= book().bundle.parameters["card_availability"]
    used = decision(outcome, "money.break_even.own_energy_per_card_hour")
    curve = given["usage.load_curve"]
    hours = sum(length for _, length in curve)
    prices = [used, 0.0, given["costs.cloud_price_per_gpu_hour"]]
    reserved = given.get("costs.reserved_price_per_gpu_hour")
    if given.get("usage.interruptible"):
        rework = decision(outcome, "sourcing.spot.rework_share")
        prices.append(given["costs.spot_price_per_gpu_hour"] * (1 + rework))
    count, kinds = len(curve), len(prices)
    # Variables: cards owned, cards reserved, then for each level the cards of each kind at work.
    costs = [fixed, reserved if reserved is not None else 0.0]
    rises, limits = [], []
    for place, (level, length) in enumerate(curve):
        costs += [price * length / hours for price in prices]
        start = 2 + place * kinds
        for bought in (0, 1):  # what works is owned or reserved
            line = np.zeros(2 + count * kinds)
            line[start + bought], line[bought] = 1, -1
            rises.append(line)
            limits.append(0.0)
        line = np.zeros(2 + count * kinds)
        line[start : start + kinds] = -1
        rises.append(line)
        limits.append(-level)
    bounds = [(0, None), (0, None if reserved is not None else 0)] + [(0, None)] * (count * kinds)
    found = linprog(costs, A_ub=np.array(rises), b_ub=limits, bounds=bounds, method="highs")
    assert found.status == 0
    return float(found.fun)


@lru_cache(maxsize=1)
def few_cards() -> dict[str, TableRows]:
    """The catalog with a few cards and their offers: every price of a world is stated."""
    tables = dict(book().bundle.tables)
    cards, offers = tables["accelerators"], tables["offers"]
    some = cards.rows[::40]
    names = {row[cards.columns.index("id")] for row in some}
    place = offers.columns.index("accelerator")
    left = tuple(row for row in offers.rows if row[place] in names)
    assert len(some) >= 5 and len(left) >= 10
    tables["accelerators"] = TableRows(cards.columns, lambda: some)
    tables["offers"] = TableRows(offers.columns, lambda: left)
    return tables


@lru_cache(maxsize=100)  # as many as the tests after the first one take again
def paid(seed: int) -> Outcome:
    bundle = book().bundle
    stated = {"as_of": float(bundle.catalog.newest), **world(seed)}
    return bundle.evaluate(stated, bundle.parameters, few_cards())


def test_the_catalog_has_no_part_in_a_mix_of_stated_prices() -> None:
    for seed in range(20):
        few, whole = paid(seed), answer(world(seed))
        mix = [name for name in whole["decisions"] if name.startswith("money.mix.")]
        assert len(mix) > 10
        for name in mix:
            assert decision(few, name) == decision(whole, name), (seed, name)


def test_no_mix_costs_less_than_the_one_named() -> None:
    for seed in reversed(range(LOADS)):
        given = world(seed)
        outcome = paid(seed)
        named = decision(outcome, "money.mix.cost_per_hour")
        assert named == pytest.approx(optimum(given, outcome), rel=1e-9), seed


def test_the_cards_named_make_up_the_peak() -> None:
    for seed in range(100):
        given = world(seed)
        outcome = paid(seed)
        ways = ("own", "reserved", "on_demand", "spot")
        total = sum(decision(outcome, f"money.mix.{way}_cards") for way in ways)
        assert total == pytest.approx(max(level for level, _ in given["usage.load_curve"]))


def test_whole_servers_never_cost_less_than_single_cards_and_never_more_than_renting() -> None:
    for seed in range(100):
        outcome = paid(seed)
        cost = decision(outcome, "money.mix.servers_cost_per_month")
        assert cost >= decision(outcome, "money.mix.cost_per_month") * (1 - 1e-9)
        assert cost <= decision(outcome, "money.mix.all_on_demand_per_month") * (1 + 1e-9)


def test_the_choice_of_servers_is_regretted_under_no_stated_load() -> None:
    for seed in range(50):
        cases = rows(paid(seed), "money.mix.cases")
        assert all(case["regret"] >= -1e-9 for case in cases)
        assert cases[1]["regret"] == pytest.approx(0, abs=1e-9)
