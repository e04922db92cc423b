"""Interruptions of spot machines: shares that add up, their medians, families of offers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.catalog.shelf import by_id, rows

BANDS = ("share_below_5", "share_5_to_10", "share_10_to_15", "share_15_to_20", "share_above_20")
ENDS = (0.0, 0.05, 0.10, 0.15, 0.20, None)


@pytest.mark.parametrize("row", rows("interruption_bands"), ids=lambda row: str(row["id"]))
def test_the_shares_of_a_family_are_all_its_pools(row: dict[str, Any]) -> None:
    assert sum(row[band] for band in BANDS) == pytest.approx(1, abs=0.003)


@pytest.mark.parametrize("row", rows("interruption_bands"), ids=lambda row: str(row["id"]))
def test_the_median_band_is_one_in_which_half_of_the_pools_lie(row: dict[str, Any]) -> None:
    at = ENDS.index(row["interruption_low_per_month"])
    assert row["interruption_high_per_month"] == ENDS[at + 1]
    below = sum(row[band] for band in BANDS[:at])
    assert below <= 0.502 and below + row[BANDS[at]] >= 0.498


def test_an_instance_belongs_to_the_family_its_name_begins_with() -> None:
    for row in rows("spot_families"):
        assert row["id"] == f"{row['provider']}/{row['instance']}"
        assert row["band"] == f"{row['provider']}/{row['instance'].split('.')[0]}", row["id"]
        card = by_id("interruption_bands")[row["band"]]["accelerator"]
        sold = {
            offer["accelerator"]
            for offer in rows("offers")
            if (offer["provider"], offer["instance"]) == (row["provider"], row["instance"])
        }
        assert sold and (card is None or sold == {card}), row["id"]


def test_every_offer_of_a_counted_family_is_listed() -> None:
    counted = set(by_id("interruption_bands"))
    listed = set(by_id("spot_families"))
    for offer in rows("offers"):
        family = f"{offer['provider']}/{offer['instance'].split('.')[0]}"
        if family in counted:
            assert f"{offer['provider']}/{offer['instance']}" in listed, offer["id"]
