"""Providers: terms that agree with one another, bills that come out as the pages say."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest

from tests.catalog.shelf import by_id, rows

MAIN_SPOT = {
    "spot_pricing": "pricing", "spot_offered": "offered", "spot_ratio_median": "ratio_median",
    "spot_ratio_n": "ratio_n", "reclaim_notice_seconds": "notice_seconds",
    "spot_protection_minutes": "protection_minutes",
}  # fmt: skip


def offers() -> list[dict[str, Any]]:
    return [row for row in rows("offers") if row["provider"] != "own"]


def test_every_provider_of_an_offer_has_its_terms() -> None:
    assert not {row["provider"] for row in offers()} - set(by_id("providers"))


def test_kind_and_billing_unit_agree_with_the_offers() -> None:
    units: dict[str, Counter[str]] = defaultdict(Counter)
    for row in offers():
        assert by_id("providers")[row["provider"]]["kind"] == row["provider_kind"], row["id"]
        if row["billing_unit"]:
            units[row["provider"]][row["billing_unit"]] += 1
    for provider, counted in units.items():
        assert by_id("providers")[provider]["billing_unit"] in counted, provider


def test_the_main_spot_product_is_the_one_the_provider_is_described_by() -> None:
    products: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for term in rows("spot_terms"):
        products[term["provider"]].append(term)
    for row in rows("providers"):
        if row["spot_offered"] is None:
            assert row["id"] not in products, row["id"]
            continue
        assert any(
            all(row[own] == term[other] for own, other in MAIN_SPOT.items())
            for term in products[row["id"]]
        ), row["id"]


@pytest.mark.parametrize(
    ("table", "prefix"), [("providers", "spot_ratio"), ("spot_terms", "ratio")]
)
def test_the_median_lies_between_the_quartiles(table: str, prefix: str) -> None:
    for row in rows(table):
        low, middle, high = (row[f"{prefix}_{part}"] for part in ("low", "median", "high"))
        if low is not None:
            assert low <= middle <= high, row["id"]
            assert row[f"{prefix}_n"] >= 5, row["id"]
            assert row[f"{prefix}_date"] is not None, row["id"]


@pytest.mark.parametrize(("provider", "spread"), [("azure", 0.1), ("gcp", 0.1)])
def test_the_measured_ratio_agrees_with_the_offers_of_the_shelf(
    provider: str, spread: float
) -> None:
    found = [
        row["spot_per_hour"] / row["on_demand_per_hour"]
        for row in offers()
        if row["provider"] == provider and row["spot_per_hour"] and row["on_demand_per_hour"]
    ]
    assert len(found) >= 20
    told = by_id("providers")[provider]["spot_ratio_median"]
    assert statistics.median(found) == pytest.approx(told, abs=spread)


def test_no_spot_means_no_terms_of_reclaim() -> None:
    for row in rows("spot_terms"):
        assert row["offered"] == (row["pricing"] != "none"), row["id"]
        if not row["offered"]:
            assert row["ratio_median"] is None and row["notice_seconds"] is None, row["id"]


def test_shares_of_pools_make_a_whole_and_the_band_is_the_middle_one() -> None:
    parts = ("below_5", "5_to_10", "10_to_15", "15_to_20", "above_20")
    floors = (0, 0.05, 0.10, 0.15, 0.20)
    for row in rows("interruption_bands"):
        shares = [row[f"share_{part}"] for part in parts]
        assert sum(shares) == pytest.approx(1, abs=0.003), row["id"]
        below = sum(
            share
            for share, floor in zip(shares, floors, strict=True)
            if floor < row["interruption_low_per_month"]
        )
        assert below < 0.5 + 1e-6, row["id"]
    assert sum(row["pools"] for row in rows("interruption_bands")) == 754


def bill(provider: str, gigabytes: float, kind: str = "internet", place: str = "all") -> float:
    """What a month's traffic costs when each tier prices what lies above its threshold."""
    tiers = sorted(
        (row["from_gb_per_month"], row["price_per_gb"])
        for row in rows("traffic_fees")
        if (row["provider"], row["kind"], row["place"]) == (provider, kind, place)
    )
    total = 0.0
    for (start, price), (end, _) in pairwise([*tiers, (float("inf"), 0.0)]):
        total += max(0.0, min(gigabytes, end) - start) * price
    return total


@pytest.mark.parametrize(
    ("provider", "gigabytes", "usd"),
    [("aws", 50_000, 4_291), ("oci", 50_000, 340), ("gcp", 1_000, 120), ("runpod", 50_000, 0)],
)
def test_a_months_traffic_costs_what_the_tiers_say(
    provider: str, gigabytes: float, usd: float
) -> None:
    assert bill(provider, gigabytes) == pytest.approx(usd)


def test_more_traffic_is_never_dearer_a_gigabyte_beyond_the_free_part() -> None:
    groups: dict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
    for row in rows("traffic_fees"):
        key = (row["provider"], row["kind"], row["place"], row["hours"] or "")
        groups[key].append((row["from_gb_per_month"], row["price_per_gb"]))
    for key, tiers in groups.items():
        prices = [price for _, price in sorted(tiers) if price]
        assert prices == sorted(prices, reverse=True), key


@pytest.mark.parametrize(
    ("provider", "mbit", "cny"),
    [("ucloud", 100, 9_625), ("ucloud", 5, 125), ("aliyun", 100, 7_725), ("tencent", 5, 115)],
)
def test_a_line_costs_what_the_provider_computes(provider: str, mbit: float, cny: float) -> None:
    tiers = sorted(
        (row["from_mbit_per_s"], row["price_per_mbit_month"])
        for row in rows("bandwidth_fees")
        if row["provider"] == provider
        and row["place"] == "mainland"
        and row["price_per_mbit_month"] is not None
    )
    total = 0.0
    for (start, price), (end, _) in pairwise([*tiers, (float("inf"), 0.0)]):
        total += max(0.0, min(mbit, end) - start) * price
    assert total == pytest.approx(cny, rel=0.001)


def test_a_longer_package_is_cheaper() -> None:
    hours: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows("packages"):
        if row["id"] != "aliyun/model-unit-month":
            hours[row["provider"]].append((row["hours"], row["price_to_hourly"]))
    for provider, found in hours.items():
        ratios = [ratio for _, ratio in sorted(found)]
        assert ratios == sorted(ratios, reverse=True), provider


def test_soft_sharing_is_not_offered_to_strangers() -> None:
    for row in rows("isolation_options"):
        if row["memory_isolation"] in ("none", "interception"):
            assert row["fit_for"] != "strangers", row["id"]
    assert by_id("isolation_options")["mig"]["fit_for"] == "strangers"


def test_known_traps() -> None:
    provider = by_id("providers")
    assert provider["azure"]["stop_rule"] == "must_deallocate"
    assert provider["lambda"]["stop_rule"] == "cannot_stop"
    assert provider["autodl"]["release_after_stopped_days"] == 15
    assert provider["runpod"]["spot_ratio_median"] is None  # the published ones contradict
    assert by_id("spot_terms")["gcp/spot"]["max_runtime_hours"] is None  # only the legacy one
    assert by_id("spot_terms")["gcp/preemptible"]["max_runtime_hours"] == 24
