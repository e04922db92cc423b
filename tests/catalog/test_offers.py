"""Offers: whole prices in bounds, discounts that are discounts, dates and pages for all."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from typing import Any

import pytest

from tests.catalog.shelf import CATALOG, by_id, catalog, lines
from tests.catalog.shelf import rows as all_rows

CNY_PER_USD = 6.6529
PRICES = ("on_demand_per_hour", "spot_per_hour", "reserved_1y_per_hour", "reserved_3y_per_hour")
DISCOUNTS = PRICES[1:]


def rows(table: str) -> tuple[dict[str, Any], ...]:
    """Rows of a table without the shapes of machines one would own, which have no price."""
    return tuple(row for row in all_rows(table) if row["provider"] != "own")


def usd_per_card(row: dict[str, Any], price: str) -> float | None:
    value = row[price]
    if value is None:
        return None
    rate = CNY_PER_USD if row["currency"] == "CNY" else 1.0
    return float(value) / rate / float(row["cards"])


def test_the_shelf_is_full() -> None:
    """A refresh that loses providers or rows keeps the last good copy instead."""
    assert len(rows("offers")) >= 1500
    assert len({row["provider"] for row in rows("offers")}) >= 30
    assert len({row["accelerator"] for row in rows("offers")}) >= 50


def test_one_file_for_each_provider() -> None:
    for path in sorted((CATALOG / "offers").glob("*.csv")):
        providers = {line["provider"] for line in lines(f"offers/{path.name}")}
        assert providers == {path.stem}


def test_every_offer_has_a_price() -> None:
    assert not [row["id"] for row in rows("offers") if all(row[p] is None for p in PRICES)]
    with_list_price = sum(row["on_demand_per_hour"] is not None for row in rows("offers"))
    assert with_list_price >= 0.95 * len(rows("offers"))


@pytest.mark.parametrize("price", PRICES)
def test_the_price_of_a_card_is_in_bounds(price: str) -> None:
    wrong = []
    for row in rows("offers"):
        per_card = usd_per_card(row, price)
        if per_card is not None and not 0.03 <= per_card <= 60:
            wrong.append(f"{row['id']}: {per_card:.3f} USD a card-hour")
    assert not wrong


@pytest.mark.parametrize("price", DISCOUNTS)
def test_a_discount_is_below_the_list_price(price: str) -> None:
    wrong = [
        row["id"]
        for row in rows("offers")
        if row[price] is not None
        and row["on_demand_per_hour"] is not None
        and row[price] > row["on_demand_per_hour"] * 1.001
    ]
    assert not wrong


def test_three_years_are_cheaper_than_one() -> None:
    for row in rows("offers"):
        one, three = row["reserved_1y_per_hour"], row["reserved_3y_per_hour"]
        if one is not None and three is not None:
            assert three <= one, row["id"]


def test_the_price_is_of_the_whole_instance() -> None:
    """Within one provider, region and card a price per card that leaps by more than ten would be
    a card's price written for a node of eight, or the other way round."""
    groups: dict[tuple[str, str, str], list[tuple[float, str]]] = defaultdict(list)
    for row in rows("offers"):
        per_card = usd_per_card(row, "on_demand_per_hour")
        if per_card is not None:
            groups[row["provider"], row["region"], row["accelerator"]].append((per_card, row["id"]))
    wrong = [(min(g), max(g)) for g in groups.values() if max(g)[0] > 10 * min(g)[0]]
    assert not wrong


def test_cards_times_the_price_of_a_card_is_the_price_of_the_instance() -> None:
    offer = by_id("offers")
    eight = offer["lambda/8x-H100-SXM/unspecified"]
    assert eight["cards"] == 8
    assert eight["on_demand_per_hour"] == pytest.approx(8 * 3.99)
    assert offer["aws/p5.48xlarge/us-east-1"]["on_demand_per_hour"] == pytest.approx(8 * 6.88)


def test_fractions_of_a_card_are_kept_and_shared() -> None:
    parts = [row for row in rows("offers") if row["cards"] < 1]
    assert len(parts) > 100
    assert {row["isolation"] for row in parts} == {"shared"}
    assert all(row["cards"] < 1 or float(row["cards"]).is_integer() for row in rows("offers"))


def test_prices_carry_the_day_they_were_read() -> None:
    newest = catalog().newest
    first = (datetime.date(2022, 1, 1) - datetime.date(1970, 1, 1)).days
    undated = [row["id"] for row in rows("offers") if row["price_date"] is None]
    assert len(undated) <= 20
    for row in rows("offers"):
        for price, day in (
            ("spot_per_hour", "spot_date"),
            ("reserved_1y_per_hour", "reserved_date"),
            ("reserved_3y_per_hour", "reserved_date"),
        ):
            if row[price] is not None and row["price_date"] is not None:
                assert row[day] is not None, row["id"]
        for day in ("price_date", "spot_date", "reserved_date"):
            if row[day] is not None:
                assert first <= row[day] <= newest, row["id"]


def test_no_day_and_no_value_fills_the_whole_shelf() -> None:
    """A broken refresh copies one value everywhere: values of one provider must differ."""
    for provider, count in Counter(row["provider"] for row in rows("offers")).items():
        if count >= 10:
            own = [row for row in rows("offers") if row["provider"] == provider]
            assert len({row["on_demand_per_hour"] for row in own}) > count / 10, provider


def test_regions_agree_with_their_offers() -> None:
    region = by_id("regions")
    for row in rows("offers"):
        own = region[row["region_id"]]
        assert own["provider"] == row["provider"], row["id"]
        assert own["region"] == row["region"], row["id"]
        assert own["country"] == row["country"], row["id"]


def test_chinese_yuan_are_of_chinese_providers() -> None:
    for row in rows("offers"):
        if row["currency"] == "CNY":
            assert row["country"] == "CN" or row["provider"] == "aliyun", row["id"]


def test_ids_name_provider_instance_and_region() -> None:
    for row in rows("offers"):
        parts = row["id"].split("/")
        assert parts[0] == row["provider"], row["id"]
        assert len(parts) in (3, 4), row["id"]


def test_a_country_has_a_jurisdiction_and_an_unknown_country_has_none() -> None:
    for row in rows("regions"):
        assert (row["country"] is None) == (row["jurisdiction"] is None), row["id"]


def test_machines_of_ones_own_carry_no_price() -> None:
    own = [row for row in all_rows("offers") if row["provider"] == "own"]
    assert all(row[price] is None for row in own for price in PRICES)
