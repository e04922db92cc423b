"""What was gathered before the project began is carried over whole: every former id is understood.

Reads the folder of gathered data beside a checkout; a fresh clone has none and skips.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.catalog.shelf import ROOT, by_id, catalog

GATHERED = ROOT.parent / "shared" / "data" / "catalog"


def gathered(name: str) -> list[dict[str, str]]:
    path: Path = GATHERED / name
    if not path.is_file():
        pytest.skip("the data gathered before the project is not beside this checkout")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("name", "column", "table"),
    [
        ("gpus.csv", "id", "accelerators"),
        ("accelerators_cn.csv", "id", "accelerators"),
        ("models.csv", "key", "models"),
    ],
)
def test_every_former_id_is_understood(name: str, column: str, table: str) -> None:
    known = set(by_id(table)) | set(catalog().tables[table].aliases)
    assert not {row[column] for row in gathered(name)} - known


def test_prices_are_the_gathered_ones() -> None:
    """An instance's price is the gathered one, which is cards times the price of a card."""
    prices: dict[tuple[str, str, str], set[float]] = {}
    for row in gathered("offers.csv"):
        if row["ship"] == "yes" and row["on_demand_per_h"]:
            key = (row["provider"], row["instance"], row["region"])
            prices.setdefault(key, set()).add(float(row["on_demand_per_h"]))
    compared = 0
    for offer in by_id("offers").values():
        found = prices.get((offer["provider"], offer["instance"], offer["region"]))
        if found and offer["on_demand_per_hour"] is not None:
            compared += 1
            assert min(abs(offer["on_demand_per_hour"] - price) for price in found) < 1e-6, offer
    assert compared > 1_000


def test_only_rows_that_may_ship_are_shipped() -> None:
    kept = {
        (row["provider"], row["instance"], row["region"])
        for row in gathered("offers.csv")
        if row["ship"] == "no"
    }
    may = {
        (row["provider"], row["instance"], row["region"])
        for row in gathered("offers.csv")
        if row["ship"] == "yes"
    }
    shipped = {(o["provider"], o["instance"], o["region"]) for o in by_id("offers").values()}
    assert not shipped & (kept - may)
