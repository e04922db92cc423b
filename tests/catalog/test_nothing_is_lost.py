"""Counts: every gathered row is on the shelf, or its absence has a reason.

Reads the folder of gathered data beside a checkout; a fresh clone has none and skips.
"""

from __future__ import annotations

import pytest

from tests.catalog.shelf import by_id, catalog, rows
from tests.catalog.test_carried_over import gathered

# What is not a fact of the catalog, or has no figure.
WITHOUT = {
    "depreciation_years": "a choice of the reader: a fact of the profile with a default",
    "fx_usd_cny": "the exchange rate is a fact of the profile with its own source",
    "demand_charge": "a default of other tools, no tariff was read",
    "aidc_project_capex_zhongbei": "the sum of a whole project, no price of a part of it",
    "colo_retail_mrr_per_cabinet_vnet": "an average of revenue with services, no price of power",
    "dc_capex_per_mw_gds": "the cost of building a site",
    "dc_ebitda_per_mw_year_gds": "the earnings of a site",
    "power_dgx_h100_node": "machine_powers/dgx-h100",
    "power_gb200_nvl72": "machine_powers/gb200-nvl72",
    "power_atlas800t_a3": "machine_powers/atlas-800t-a3",
}
LINES_WITHOUT = {
    ("autodl", "default_public"): "no figure was found",
    ("aliyun-dsw", "default_public"): "no figure, only that it is shared",
    ("flagperf", "multi_node"): "the network of a test bed, not a product",
    ("formula", "transfer_time_h"): "a formula with an assumption of ours: a matter of the rules",
    ("formula", "traffic_vs_bandwidth"): "a formula: a matter of the rules",
    ("ucloud", "inbound_speed"): "a rule of one product, no price",
}
OFFERS_WITHOUT = {
    "a800-sxm-80|a800-pcie-80": "which of two cards it is, is not said",
    "a100-pcie-80|a100-sxm-80": "which of two cards it is, is not said",
    "ascend-910 (variant not stated)": "which card it is, is not said",
}


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("cuda_toolkit_driver.csv", "cuda_toolkits"),
        ("framework_cuda.csv", "framework_builds"),
        ("accelerator_frameworks_cn.csv", "accelerator_frameworks"),
        ("isolation_options.csv", "isolation_options"),
        ("price_history.csv", "price_history"),
        ("server_rent_cn.csv", "server_rents"),
        ("terms_cn.csv", "provider_terms"),
    ],
)
def test_row_for_row(name: str, table: str) -> None:
    assert len(gathered(name)) == len(rows(table))


def test_every_compute_capability() -> None:
    named = {
        capability
        for row in gathered("cuda_compute_capability.csv")
        for capability in row["compute_capability"].split("/")
    }
    assert named == {row["compute_capability"] for row in rows("cuda_architectures")}


def test_every_spot_product_and_every_billed_provider() -> None:
    names = {"vast.ai": "vast-ai", "jarvislabs": "jarvis-labs"}
    told = {row["provider"] for row in rows("spot_terms")}
    for row in gathered("spot_terms.csv"):
        assert names.get(row["provider"], row["provider"]) in told, row["provider"]
    for row in gathered("billing_egress_storage.csv"):
        provider = by_id("providers")[names.get(row["provider"], row["provider"])]
        assert provider["billing_unit"] is not None, row["provider"]


def test_every_pool_of_the_advisor_is_counted() -> None:
    pools = gathered("aws_spot_advisor_gpu_2025-06-28.csv")
    assert len(pools) == sum(row["pools"] for row in rows("interruption_bands"))
    assert {row["family"] for row in pools} == {row["family"] for row in rows("interruption_bands")}


def test_every_ownership_input_with_a_figure() -> None:
    tables = (
        "card_prices", "server_prices", "colocation_prices", "electricity_prices",
        "operating_ratios",
    )  # fmt: skip
    shipped = {row["id"] for table in tables for row in rows(table)}
    for name in ("onprem_assumptions.csv", "onprem_cn.csv"):
        for row in gathered(name):
            if row["mid"] or row["low"]:
                known = row["key"].replace("_", "-") in shipped
                assert known != (row["key"] in WITHOUT), row["key"]


def test_every_line_and_traffic_fee() -> None:
    providers = {"compshare": "compshare-youyun"}
    fees = ("traffic_fees", "bandwidth_fees", "storage_fees")
    told = {row["provider"] for table in fees for row in rows(table)}
    told |= {row["id"] for row in rows("providers") if row["included_bandwidth_mbit_per_s"]}
    for row in gathered("bandwidth_cn.csv"):
        if (row["provider"], row["item"]) not in LINES_WITHOUT:
            assert providers.get(row["provider"], row["provider"]) in told, row


def test_every_chinese_price_that_can_be_placed() -> None:
    """Left out: which card is not said; no day is known; a later price of the same is here."""
    shipped: dict[tuple[str, str], set[float]] = {}
    for offer in rows("offers"):
        if offer["on_demand_per_hour"] is not None:
            key = (offer["provider"], offer["accelerator"])
            shipped.setdefault(key, set()).add(offer["on_demand_per_hour"])
    aliases = catalog().tables["accelerators"].aliases
    for row in gathered("offers_cn.csv"):
        if row["gpu_id"] in OFFERS_WITHOUT or "20" not in row["snapshot_date"][:2]:
            continue
        if "undated" in row["snapshot_date"]:
            continue
        card = aliases.get(row["gpu_id"], row["gpu_id"])
        assert float(row["on_demand_per_h"]) in shipped[row["provider"], card], row


def test_cards_compared_with_other_data_sets_are_all_here() -> None:
    """The comparison itself is no table: where sets disagree, the figure carries a status."""
    known = set(by_id("accelerators")) | set(catalog().tables["accelerators"].aliases)
    assert not {row["gpu_id"] for row in gathered("gpu_crosscheck.csv")} - known
