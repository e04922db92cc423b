"""A finance reader can add the printed bill by hand: of every example, line by line.

What is checked is arithmetic that anybody can repeat with the printed figures; prices come from the
rows of the catalog that the lines name.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

import pytest

from tests.examples import ask
from tests.examples.ask import EXAMPLES, ROOT, ranked

ALL = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))
CENT = Decimal("0.01")
SUM = {"en": r"Sum: (?:\S+ )?\w{3} ([\d,.]+\d)", "zh": r"合计：\S* ?\w{3} ([\d,.]+\d)"}
TITLE = {"en": "The bill of the first option", "zh": "首选方案的账单"}


@cache
def plain(name: str) -> dict[str, Any]:
    return ask.answer(name)


def answer(name: str, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return ask.answer(name, changes) if changes else plain(name)


def bill(name: str, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = answer(name, changes)["money"]["bill"]
    return found


def counted(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [line for line in found["lines"] if line["state"] == "counted"]


def cents(value: float) -> Decimal:
    return Decimal(repr(value)).quantize(CENT, ROUND_HALF_UP)


def rented(name: str) -> bool:
    kept = ranked(answer(name))
    return bool(kept) and kept[0]["kind"] == "rent"


# ---------------------------------------------------------------- every example


@pytest.mark.parametrize("name", ALL)
def test_there_is_a_bill_exactly_where_the_first_option_is_rented(name: str) -> None:
    found = bill(name)
    assert bool(found["lines"]) == rented(name)
    assert (found["total"]["value"] is not None) == rented(name)


@pytest.mark.parametrize("name", ALL)
def test_each_amount_is_quantity_times_price_to_the_cent(name: str) -> None:
    for line in counted(bill(name)):
        exact = Decimal(repr(line["quantity"]["value"])) * Decimal(
            repr(line["unit_price"]["value"])
        )
        assert abs(cents(line["amount"]["value"]) - exact) <= Decimal("0.0051"), line["part"]


@pytest.mark.parametrize("name", ALL)
def test_the_lines_add_up_to_the_sum(name: str) -> None:
    found = bill(name)
    if not found["lines"]:
        return
    monthly = sum(cents(line["amount"]["value"]) for line in counted(found) if not line["once"])
    once = sum(cents(line["amount"]["value"]) for line in counted(found) if line["once"])
    assert cents(found["monthly"]["value"]) == monthly
    assert cents(found["once"]["value"]) == once
    months = Decimal(repr(float(answer(name)["profile"]["usage"]["months"])))
    total = (monthly * months).quantize(CENT, ROUND_HALF_UP) + once
    assert cents(found["total"]["value"]) == total


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ALL)
def test_the_printed_lines_add_up_to_the_printed_sum(name: str, language: str) -> None:
    said = ask.printed(name, "--lang", language, "--format", "markdown")
    assert (TITLE[language] in said) == rented(name)
    if not rented(name):
        return
    section = said.split(TITLE[language])[1].split("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| ")]
    amounts = [Decimal(row[4].strip().replace(",", "")) for row in rows[1:] if "--" not in row[1]]
    printed = re.search(SUM[language], section)
    assert printed is not None and amounts
    monthly = Decimal(printed[1].replace(",", ""))
    once = re.search(r"(?:and |一次性 )([\d,.]+\d)(?: once|；)", section)
    assert sum(amounts) == monthly + (Decimal(once[1].replace(",", "")) if once else 0)


@pytest.mark.parametrize("name", ALL)
def test_the_machines_cost_what_the_option_costs(name: str) -> None:
    found = bill(name)
    if not found["lines"]:
        return
    offer = answer(name)["options"][0]
    lines = [line for line in counted(found) if line["part"] in ("use", "rework")]
    spent = sum(line["amount"]["value"] for line in lines)
    rate = 1.0 if found["currency"]["value"] == answer(name)["currency"] else None
    if rate is None:
        rate = found["total_in_answer"]["value"] / found["total"]["value"]
    expected = offer["cost"]["per_month" if found["period"]["value"] == "month" else "total"]
    assert spent * rate == pytest.approx(expected, rel=2e-4, abs=0.02)


@pytest.mark.parametrize("name", ALL)
def test_a_missing_price_is_named_and_never_zero(name: str) -> None:
    for line in bill(name)["lines"]:
        if line["state"] == "price_missing":
            assert line["unit_price"]["value"] is None and line["amount"]["value"] is None
            assert line["least"] <= line["most"]
        if line["state"] == "amount_missing":
            assert line["quantity"]["value"] is None and line["amount"]["value"] is None


# ---------------------------------------------------------------- by hand

SERVICE = "serve-2000-tokens-per-second"


def test_ten_terabytes_out_of_aws_pass_through_the_steps_of_its_price() -> None:
    found = bill(SERVICE, {"constraints.providers": ["aws"], "data.egress_gb_per_month": 12000})
    steps = [line for line in counted(found) if line["part"] == "traffic"]
    # 100 GB free, 9,900 at 0.09 and 2,000 at 0.085 (published on 2026-05-06).
    assert [line["amount"]["value"] for line in steps] == [0, 891, 170]
    assert {line["price_date"] for line in steps} == {"2026-05-06"}


def test_traffic_without_an_amount_is_missing_and_not_nothing() -> None:
    found = bill(SERVICE, {"constraints.providers": ["aws"], "data.egress_gb_per_month": None})
    (line,) = [line for line in found["lines"] if line["part"] == "traffic"]
    assert line["state"] == "amount_missing" and line["unit_price"]["value"] == 0.09
    assert found["open_amounts"]["value"] >= 1


def test_a_disk_costs_on_while_its_machine_is_stopped() -> None:
    changes = {
        "constraints.providers": ["aws"], "costs.disk_gb": 500,
        "usage.hours_per_day": 8, "usage.days_per_month": 22, "usage.steady": False,
    }  # fmt: skip
    found = bill(SERVICE, changes)
    machines = answer(SERVICE, changes)["options"][0]["nodes"]
    disks = [line for line in counted(found) if line["part"].startswith("disk_")]
    # 0.08 a GB and month at AWS, 176 of 730 hours in use.
    running, stopped = (line["amount"]["value"] for line in disks)
    assert running == pytest.approx(machines * 500 * 0.08 * 176 / 730, abs=0.01)
    assert running + stopped == pytest.approx(machines * 500 * 0.08, abs=0.02)


def test_hours_are_rounded_up_to_the_hour_where_it_is_the_unit() -> None:
    offers = list(csv.DictReader((ROOT / "catalog/offers/vultr.csv").open(encoding="utf-8")))
    assert {offer["billing_unit"] for offer in offers} == {"hour"}
    changes = {"constraints.providers": ["vultr"], "usage.hours_per_day": 7.5,
               "usage.days_per_month": 22, "usage.steady": False}  # fmt: skip
    found = bill(SERVICE, changes)
    lines = {line["part"]: line for line in counted(found)}
    machines = answer(SERVICE, changes)["options"][0]["nodes"]
    assert lines["use"]["quantity"]["value"] == 165 * machines
    assert lines["rounding"]["quantity"]["value"] == 11 * machines


def test_data_in_another_region_is_copied_once_and_paid_for() -> None:
    changes = {"constraints.providers": ["aws"], "data.location": "ap-south-1", "data.size_gb": 500,
               "data.may_leave_country": True, "constraints.countries": ["US"]}  # fmt: skip
    found = bill(SERVICE, changes)
    (line,) = [line for line in counted(found) if line["part"] == "first_copy"]
    assert line["once"] and line["amount"]["value"] == 10  # 500 GB at 0.02
    assert found["once"]["value"] == 10


def test_a_bill_in_yuan_is_answered_in_dollars_at_the_stated_rate() -> None:
    changes = {"constraints.providers": ["aliyun"], "currency": "USD",
               "exchange_rate.cny_per_usd": 8, "exchange_rate.date": "2026-11-30"}  # fmt: skip
    found = bill(SERVICE, changes)
    if found["lines"]:
        assert found["currency"]["value"] == "CNY"
        assert found["total_in_answer"]["value"] == pytest.approx(
            found["total"]["value"] / 8, abs=0.006
        )


# ---------------------------------------------------------------- other ways to pay

BATCH = "nightly-batch-on-spot"


def ways(name: str, changes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["way"]: row for row in bill(name, changes)["ways"]}


def test_a_derived_commitment_is_marked_and_ranks_nothing() -> None:
    changes = {"constraints.providers": ["gcp"], "as_of": "2026-08-10"}
    found, listed = ways(BATCH, changes), answer(BATCH, changes)["options"][0]
    # Measured at Google: a year at 0.69 and three years at 0.44 of the list price.
    for way, ratio in (("year_committed", 0.69), ("three_years_committed", 0.44)):
        row = found[way]
        assert row["basis"] == "derived"
        assert row["price"]["value"] == pytest.approx(found["list"]["price"]["value"] * ratio)
        assert row["pays_from_hours"] == pytest.approx(730 * ratio)
    assert listed["offer"]["price_kind"] == "spot"  # the dated price, not a derived one


def test_without_reclaimable_machines_the_work_costs_the_list_price() -> None:
    changes = {"constraints.providers": ["gcp"], "as_of": "2026-08-10"}
    found, other = bill(BATCH, changes), ways(BATCH, changes)
    assert other["spot_absent"]["amount"]["value"] == other["list"]["amount"]["value"]
    machines = sum(
        line["amount"]["value"] for line in counted(found) if line["part"] in ("use", "rework")
    )
    more = (other["list"]["amount"]["value"] - machines) * answer(BATCH)["profile"]["usage"][
        "months"
    ]
    high = found["no_capacity_total"]["value"]
    assert high == pytest.approx(found["total"]["value"] + more, abs=0.01)


def test_reclaimed_work_is_done_twice_and_paid_twice() -> None:
    changes = {"constraints.providers": ["gcp"], "as_of": "2026-08-10"}
    found = bill(BATCH, changes)
    lines = {line["part"]: line for line in counted(found)}
    share = lines["rework"]["quantity"]["value"] / lines["use"]["quantity"]["value"]
    # Half of an interval lost and a restart, once in the 168 hours assumed between interruptions.
    usage = answer(BATCH, changes)["profile"]["usage"]
    minutes = usage["checkpoint_minutes"] / 2 + usage.get("restart_minutes", 15)
    written = usage.get("checkpoint_gb", 0) / 60 / usage["checkpoint_minutes"]
    assert share == pytest.approx(minutes / (168 * 60) + written, rel=1e-3)


def test_a_month_of_a_service_for_hire_is_no_package_of_machines() -> None:
    packages = (ROOT / "catalog/providers/packages.csv").open(encoding="utf-8")
    sold = {row["id"]: row["sold"] for row in csv.DictReader(packages)}
    assert sold["aliyun/model-unit-month"] == "model_unit"
    assert "month_package" not in ways(SERVICE, {"constraints.providers": ["aliyun"]})


def test_a_rate_stands_beside_every_converted_bill() -> None:
    stated = ["--set", "constraints.providers=[aliyun]", "--set", "exchange_rate.cny_per_usd=8"]
    stated += ["--set", "exchange_rate.date=2026-11-30", "--set", "data.location=CN"]
    said = ask.printed(SERVICE, *stated, "--format", "markdown")
    native = re.search(r"; ([\d,.]+\d) over", said)
    converted = re.search(r"currency of the answer: USD ([\d,.]+\d), at 8 CNY per USD of", said)
    assert native is not None and converted is not None
    yuan, dollars = (float(found[1].replace(",", "")) for found in (native, converted))
    assert dollars == pytest.approx(yuan / 8, abs=0.006)
