"""Providers and terms side by side: what stands in the answer is what the catalog says, no more."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.readers.profile import Profile
from engine.run.pipeline import decide
from engine.run.recommendation import recommend
from tests.properties.worlds import (
    EXAMPLES,
    Given,
    answer,
    book,
    decision,
    examples,
    ranked,
    rows,
)

CATALOG = EXAMPLES.parents[1] / "catalog"
DAY = date(2026, 11, 9)
# A card whose owning is stated in full, so that rents alone decide.
OWNED: Given = {
    "task": "full_finetune", "hardware.gpu": "h100-sxm", "costs.currency": "USD",
    "costs.cards": 8.0, "costs.card_price": 240000.0, "costs.server_price": 60000.0,
    "costs.power_kw": 10.2, "costs.electricity_per_kwh": 0.12, "costs.pue": 1.4,
    "costs.colocation_per_kw_month": 180.0, "costs.staff_per_month": 4000.0,
    "costs.maintenance_ratio_per_year": 0.08, "costs.life_years": 4.0,
    "costs.cloud_price_per_gpu_hour": 5.0,
    "usage.months": 48.0, "usage.sustained_utilisation": 0.6, "data.may_leave_premises": True,
    "data.may_leave_country": True, "data.sensitivity": "internal",
    "as_of": float((DAY - date(1970, 1, 1)).days),
}  # fmt: skip


def table(*parts: str) -> list[dict[str, str]]:
    with Path(CATALOG, *parts).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def whole(given: Given) -> Any:
    stated = {"as_of": float(book().bundle.catalog.newest), **given}
    return recommend(decide(book().bundle, Profile(stated, {}, "a test"), {})).to_dict()


@pytest.mark.parametrize("number", range(0, 24, 5))
def test_the_providers_compared_are_those_of_the_options_that_stand(number: int) -> None:
    outcome = answer(examples()[number])
    found = [
        rows(outcome, "sourcing.providers.compared")[place]["provider"]
        for place in outcome["rankings"]["sourcing.providers.side_by_side"]["order"]
    ]
    standing = [row["provider"] for row in ranked(outcome) if row["offer_kind"] == "rent"]
    assert len(found) == len(set(found))
    assert set(found) == set(standing)


def test_what_nobody_read_of_a_provider_stays_unknown() -> None:
    known = {row["id"]: row for row in table("providers", "providers.csv")}
    fees = {row["provider"] for row in table("providers", "traffic_fees.csv")
            if row["kind"] == "internet" and row["place"] in ("all", "mainland")}  # fmt: skip
    named = {row["provider"] for row in table("regions.csv") if row["region"] != "unspecified"}
    empty = compared = 0
    for given in examples()[1::6]:
        for one in whole(given)["providers"]:
            written = known[one["provider"]]
            assert (one["traffic"]["out_per_gb"] is not None) == (one["provider"] in fees)
            assert (one["regions"] is not None) == (one["provider"] in named)
            for shown, column in (
                (one["billing_unit"], "billing_unit"), (one["when_stopped"], "stop_rule"),
                (one["reclaimable"]["notice_seconds"], "reclaim_notice_seconds"),
                (one["reclaimable"]["price_to_list"], "spot_ratio_median"),
                (one["traffic"]["address_per_month"], "address_per_month"),
                (one["reserved"]["one_year_to_list"], "reserved_1y_ratio"),
            ):  # fmt: skip
                compared += 1
                empty += shown is None
                if written[column] == "":
                    assert shown is None, (one["provider"], column)
                else:
                    assert str(shown) == written[column] or float(shown) == float(written[column])
    assert empty > 20
    assert compared - empty > 20


def offered(kind: str, column: str, dated: str) -> float | None:
    """The lowest dated price of a card-hour of the card, read from the files by hand."""
    limit = 3 * (90 if kind == "hyperscaler" else 30)
    prices = []
    for path in sorted((CATALOG / "offers").glob("*.csv")):
        for row in table("offers", path.name):
            if row["accelerator"] != "h100-sxm" or row["provider_kind"] != kind:
                continue
            if not row[column] or not row[dated]:
                continue
            age = (DAY - date.fromisoformat(row[dated])).days
            if 0 <= age <= limit:
                rate = 6.6529 if row["currency"] == "CNY" else 1.0
                prices.append(float(row[column]) / float(row["cards"]) / rate)
    return min(prices, default=None)


COLUMNS = {
    "by_the_hour": ("on_demand_per_hour", "price_date"),
    "reserved_1y": ("reserved_1y_per_hour", "reserved_date"),
    "reserved_3y": ("reserved_3y_per_hour", "reserved_date"),
}


def test_terms_are_the_lowest_dated_prices_and_break_even_follows_by_hand() -> None:
    outcome = answer(OWNED)
    fixed = decision(outcome, "money.break_even.own_fixed_per_card_hour")
    energy = decision(outcome, "money.break_even.own_energy_per_card_hour")
    purchase = decision(outcome, "money.break_even.purchase_price_per_card")
    running = decision(outcome, "money.payback.fixed_per_card_month")
    averages = {-0.2: (1 + 0.8 + 0.64 + 0.512) / 4, 0.0: 1.0, 0.2: (1 + 1.2 + 1.44 + 1.728) / 4}
    priced = 0
    for row in rows(outcome, "money.terms.terms"):
        price = offered(row["tier"], *COLUMNS[row["term"]])
        assert (price is None) == (row["price"] is None), row
        assert row["offered"] is (price is not None)
        if price is None:
            continue
        priced += 1
        assert row["price"] == pytest.approx(price)
        path = 1.0 if row["term"] == "reserved_3y" else averages[round(row["change"], 6)]
        if row["term"] == "by_the_hour":
            assert row["utilisation"] == pytest.approx(fixed / (price * path - energy))
            paid = price * path * 0.6 * 730
            assert row["owning_is_cheaper"] is (row["utilisation"] <= 0.6)
        else:
            assert row["utilisation"] is None
            paid = price * path * 730
        saved = paid - running - energy * 0.6 * 730
        months = purchase / saved if saved > 1e-6 else 1000.0
        assert row["payback_months"] == pytest.approx(min(months, 1000.0))
    assert priced >= 9


def test_of_a_fleet_each_level_shows_the_busy_share_of_its_cards() -> None:
    curve = [(8.0, 80.0), (24.0, 440.0), (32.0, 150.0), (48.0, 60.0)]
    found = whole({**OWNED, "usage.load_curve": curve})["money"]["mix"]
    hours = [sum(length for level, length in curve if level >= top) for top, _ in curve]
    assert [one["cards_to"] for one in found["levels"]] == [8, 24, 32, 48]
    assert [one["busy_share"] for one in found["levels"]] == pytest.approx(
        [one / 730 for one in hours]
    )
    needed = found["busy_share_needed"]["value"]
    for one in found["levels"]:
        assert one["way"] == ("own" if one["busy_share"] >= needed else "on_demand")
    loads = found["loads"]
    assert [one["load"] for one in loads] == [0.75, 1.0, 1.25]
    assert all(one["best_own_cards"] % 8 == 0 for one in loads)
    assert all(one["regret_per_hour"] >= -1e-9 for one in loads)
    assert loads[1]["best_own_cards"] == found["own_in_servers"]["value"]
