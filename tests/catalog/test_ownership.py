"""Ownership inputs, rents and price history: plausible levels, ordered bands, readable dates."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest

from tests.catalog.shelf import by_id, catalog, rows

BANDED = (
    "card_prices", "server_prices", "colocation_prices", "electricity_prices",
    "operating_ratios",
)  # fmt: skip
PER_USD = {"USD": 1.0, "EUR": 0.87, "CNY": 6.65}  # rough, for bounds only


@pytest.mark.parametrize("table", BANDED)
def test_low_middle_and_high_are_in_order(table: str) -> None:
    for row in rows(table):
        found = [row[part] for part in ("low", "mid", "high") if row[part] is not None]
        assert found == sorted(found), row["id"]


def test_rents_are_in_order_and_a_card_hour_is_plausible() -> None:
    for row in rows("server_rents"):
        ends = [row[f"cny_per_month_{part}"] for part in ("low", "mid", "high")]
        found = [end for end in ends if end is not None]
        assert found == sorted(found), row["id"]
        hour = row["cny_per_month_mid"] / row["cards"] / 720
        assert 0.5 <= hour <= 60, row["id"]


def test_a_month_of_a_server_is_ten_thousands_of_yuan() -> None:
    # SMM, 2026-09-14, Guangzhou: 90,000 CNY a month for eight H100, 15.6 CNY a card-hour.
    rent = by_id("server_rents")["smm/h100-sxm/2026-09-14/guangzhou"]
    assert rent["cny_per_month_mid"] == 90_000
    assert rent["cny_per_month_mid"] / 8 / 720 == pytest.approx(15.62, abs=0.01)


def test_prices_of_hardware_are_in_bounds() -> None:
    for row in rows("card_prices"):
        assert 500 <= row["mid"] / PER_USD[row["currency"]] <= 60_000, row["id"]
    for row in rows("server_prices"):
        cards = row["cards"] or 8
        assert 1_000 <= row["mid"] / PER_USD[row["currency"]] / cards <= 60_000, row["id"]


def test_prices_of_sites_are_in_bounds() -> None:
    for row in rows("colocation_prices"):
        assert 60 <= row["mid"] / PER_USD[row["currency"]] <= 600, row["id"]
    for row in rows("electricity_prices"):
        assert 0.03 <= row["mid"] / PER_USD[row["currency"]] <= 0.4, row["id"]


def test_failures_follow_from_the_counts_of_the_report() -> None:
    ratios = by_id("operating_ratios")
    for key, events in (
        ("gpu-interruptions-per-gpu-year", 256),
        ("job-interruptions-any-cause-per-gpu-year", 419),
    ):
        assert ratios[key]["mid"] == pytest.approx(events / 16_384 * 365 / 54, abs=0.001)
        assert ratios[key]["per"] == "card_year"


@pytest.mark.parametrize(
    "table",
    ["price_history", "server_rents", "card_prices", "server_prices", "colocation_prices"],
)
def test_every_row_is_dated_and_none_in_the_future(table: str) -> None:
    for row in rows(table):
        assert row["date"] is not None and row["date"] <= catalog().newest, row["id"]
        assert row["date_precision"] is not None, row["id"]


def test_a_series_of_prices_does_not_leap() -> None:
    series: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows("price_history"):
        series[row["series"]].append((row["date"], row["usd_per_card_hour"]))
    assert len(series) >= 20
    for name, found in series.items():
        prices = [price for _, price in sorted(found)]
        for before, after in pairwise(prices):
            assert 0.4 <= after / before <= 2.5, name


def test_what_one_provider_cut_is_told() -> None:
    # AWS lowered its H100 machine from 98.32 to 55.04 USD an hour on 2025-06-23.
    found = sorted(
        (row["date"], row["usd_per_card_hour"])
        for row in rows("price_history")
        if row["provider"] == "aws" and row["accelerator"] == "h100-sxm"
    )
    assert found[0][1] == pytest.approx(98.32 / 8, abs=0.01)
    assert found[1][1] == pytest.approx(55.04 / 8, abs=0.01)
