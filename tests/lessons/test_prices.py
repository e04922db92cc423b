"""Lessons about prices and bills from tools that were wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from tests.catalog import shelf
from tests.rules.ask import Answer, book

ROOT = Path(__file__).resolve().parents[2]
JOB: dict[str, Any] = {
    "task": "lora", "model": {"name": "llama-2-7b"}, "training": {"tokens_b": 0.02},
    "data": {"may_leave_premises": True, "may_leave_country": True, "sensitivity": "public"},
    "usage": {"months": 1, "hours_per_day": 2, "sustained_utilisation": 0.02},
}  # fmt: skip


def offers(profile: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The rented options that qualify, best first."""
    return [row for row in Answer(profile or JOB).ranked() if row["offer_kind"] == "rent"]


def test_a_price_is_that_of_one_machine_in_one_region() -> None:
    """SkyPilot took the cheapest instance and the cheapest card from different regions: 34.62 USD
    an hour shown, 35.50 in the best region. https://github.com/skypilot-org/skypilot/pull/10199"""
    sold = {
        (row["provider"], row["instance"], row["region"], row["accelerator"]): row
        for row in shelf.rows("offers")
    }
    checked = 0
    for option in offers()[:200]:
        key = (option["provider"], option["instance"], option["region"], option["card_id"])
        row = sold[key]
        if row["currency"] == "USD" and option["price_used"] == "on_demand":
            price = row["on_demand_per_hour"] * option["nodes"]
            assert option["price_per_hour_usd"] == pytest.approx(price)
            checked += 1
    assert checked > 20


def test_no_price_is_zero_and_none_that_is_missing_ranks() -> None:
    """SkyPilot offered a machine at 0.00 USD an hour.
    https://github.com/skypilot-org/skypilot/issues/2496"""
    kinds = ("on_demand_per_hour", "spot_per_hour", "reserved_1y_per_hour", "reserved_3y_per_hour")
    assert all(row[kind] is None or row[kind] > 0 for row in shelf.rows("offers") for kind in kinds)
    ranked = offers()
    assert ranked
    assert all(option["price_per_hour_usd"] and option["cost_total_usd"] for option in ranked)


def test_a_share_of_a_card_is_no_card() -> None:
    """SkyPilot listed a sixth of an A10 with 4 GB as one A10 with 24.
    https://github.com/skypilot-org/skypilot/issues/3708"""
    shares = [row for row in shelf.rows("offers") if row["cards"] is not None and row["cards"] < 1]
    assert any("A10_v5" in row["instance"] and row["cards"] < 0.35 for row in shares)
    sold = {(row["provider"], row["instance"], row["region"]) for row in shares}
    every = Answer(JOB).rows("hardware.options.options")
    assert not [row for row in every if (row["provider"], row["instance"], row["region"]) in sold]


def test_the_price_of_a_machine_is_whole() -> None:
    """A catalog showed 0.94 USD an hour for a machine with an A100, the price without the card.
    https://github.com/skypilot-org/skypilot-catalog/issues/31"""
    prices = [row["on_demand_per_hour"] for row in shelf.rows("offers")
              if row["instance"] == "a2-highgpu-1g" and row["on_demand_per_hour"]]  # fmt: skip
    assert prices and min(prices) > 2 * 0.94


def test_a_record_keeps_the_prices_of_its_day(tmp_path: Path) -> None:
    """SkyPilot recomputed past costs from today's catalog and failed where an instance was gone.
    https://github.com/skypilot-org/skypilot/issues/2780"""
    profile, record = tmp_path / "job.json", tmp_path / "record.json"
    profile.write_text(json.dumps(JOB), encoding="utf-8")
    assert main(["recommend", str(profile), "--format", "json", "--record", str(record)]) in (0, 3)
    kept = record.read_text("utf-8")
    best = offers()[0]
    assert book().bundle.catalog.digest in kept
    assert best["instance"] in kept and '"price_date"' in kept and '"price_per_hour"' in kept


def test_every_price_says_what_it_is_a_price_of() -> None:
    """dstack showed 1.28 USD an hour for eight cards, and 10.24 were charged: a total was taken as
    the bid per card. https://github.com/dstackai/dstack/issues/1890"""
    relation = book().bundle.book.relations["hardware.options.options"]
    units = {column.decision.id: column.decision.type.unit for column in relation.columns}
    assert units["price_per_hour_usd"].symbol == "USD/hour"
    assert units["own_price_per_card_hour"].symbol == "USD/card/hour"
    eight = offers({**JOB, "hardware": {"gpu": "h100-sxm", "count": 8}})
    sold = {(row["provider"], row["instance"], row["region"]): row["cards"]
            for row in shelf.rows("offers") if row["accelerator"] == "h100-sxm"}  # fmt: skip
    assert eight
    for option in eight:
        machines = option["cards"] / sold[option["provider"], option["instance"], option["region"]]
        assert option["nodes"] == pytest.approx(machines)


def test_each_tier_of_hosting_is_an_offer_of_its_own() -> None:
    """dstack promised 0.98 USD an hour, the price of a community host, and started a secure one at
    1.52. https://github.com/dstackai/dstack/issues/1886"""
    tiers = [row["instance"] for row in shelf.rows("offers") if row["provider"] == "runpod"]
    assert any("community" in name for name in tiers) and any("secure" in name for name in tiers)
    assert not [name for name in tiers if "community" in name and "secure" in name]
    prices = {row["instance"]: row["on_demand_per_hour"] for row in shelf.rows("offers")
              if row["provider"] == "runpod" and row["accelerator"] == "rtx4090"}  # fmt: skip
    community = [price for name, price in prices.items() if "community" in name]
    secure = [price for name, price in prices.items() if "secure" in name]
    assert community and secure and max(community) < min(secure)


def test_the_way_of_paying_is_explicit() -> None:
    """infracost priced reclaimable nodes on demand.
    https://github.com/infracost/infracost/issues/477"""
    whole = offers()
    assert {option["price_used"] for option in whole} == {"on_demand"}
    tolerant = offers({**JOB, "usage": {**JOB["usage"], "interruptible": True}})
    assert "spot" in {option["price_used"] for option in tolerant}
    for option in tolerant:
        if option["price_used"] != "spot":
            continue
        row = next(one for one in shelf.rows("offers")
                   if one["instance"] == option["instance"] and one["region"] == option["region"]
                   and one["provider"] == option["provider"]
                   and one["accelerator"] == option["card_id"])  # fmt: skip
        if row["currency"] == "USD":
            expected = row["spot_per_hour"] * option["nodes"]
            assert option["price_per_hour_usd"] == pytest.approx(expected)


def test_a_missing_price_is_replaced_in_sight_and_its_age_is_shown() -> None:
    """infracost showed an empty reclaimable price for new instances.
    https://github.com/infracost/infracost/issues/3397"""
    tolerant = {**JOB, "usage": {**JOB["usage"], "interruptible": True}}
    found = book().recommend(tolerant, top=40).to_dict()
    kept = [option["offer"] for option in found["options"] if option["rank"] is not None]
    assert kept
    for offer in kept:
        assert offer["price_kind"] in ("spot", "on_demand") and offer["age_days"] is not None
        assert offer["price_date"] and offer["price_band"] in ("fresh", "aging", "stale")


def test_the_parts_make_the_whole() -> None:
    """kubecost divided hourly costs by 20 to 38 when a node had a card.
    https://github.com/opencost/opencost/issues/2029"""
    for option in offers()[:100]:
        assert (
            option["cost_total_usd"]
            == pytest.approx(option["price_per_hour_usd"] * option["hours"], rel=0.01)
            or option["hours"] is None
        )
    memory = book().recommend(JOB).to_dict()["needs"]["memory"]
    parts = sum(memory[part]["value"] for part in memory if part not in ("total", "host"))
    assert parts == pytest.approx(memory["total"]["p95"])


def test_a_run_that_checked_nothing_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """A policy suite passed for long because it ran no rules of the namespace in question.
    https://github.com/ministryofjustice/modernisation-platform/pull/12968"""
    assert main(["rules", "test", "no.such.entry"]) == 1
    assert "nothing was checked" in capsys.readouterr().err
