"""Laws of money: what no rule of cost may do, whatever is stated."""

from __future__ import annotations

from typing import Any

import pytest

from engine.book.rows import TableRows
from engine.readers.profile import Profile
from engine.run.pipeline import decide
from engine.run.recommendation import recommend
from tests.generators.choices import Choices, Seeded
from tests.properties.worlds import OPTIONS, Given, answer, book, decision, profile, rows

PROFILES = 40
# What is a difference of two costs, and may be a loss.
DIFFERENCES = {
    "money.payback.saving_per_card_month", "money.payback.saving_of_owning_per_hour",
    "money.payback.saving_of_renting", "money.statement.saved_per_used_hour",
    "money.api.saving_per_month",
    "money.payback.scenarios.saved_per_used_hour", "money.terms.terms.saved_per_month",
}  # fmt: skip
# What somebody asks for a thing; what is got back for one is no price.
PRICES = sorted(
    path
    for path, fact in book().bundle.book.facts.items()
    if path.startswith("costs.")
    and fact.type.kind == "number"
    and fact.type.unit is not None
    and fact.type.unit.symbol.startswith("money")
    and path != "costs.residual_value"
)
# Shares that make owning dearer, as a price does.
LOADINGS = ("costs.pue", "costs.maintenance_ratio_per_year", "costs.discount_rate",
            "costs.spares_ratio")  # fmt: skip
TOTALS = (
    "money.break_even.purchase_price_per_card", "money.break_even.own_fixed_per_card_hour",
    "money.break_even.own_energy_per_card_hour", "money.payback.fixed_per_card_month",
    "money.payback.own_cost_per_used_hour", "money.payback.own_total_over_life",
    "money.payback.year_one_cash", "money.cloud.compute_per_month", "money.cloud.compute_total",
    "money.cloud.api_total", "money.api.bill_per_month", "money.api.running_per_month",
    "money.api.cost_per_request", "money.mix.cost_per_month", "money.mix.all_on_demand_per_month",
    "money.mix.all_own_per_month", "money.mix.servers_cost_per_month",
    "money.worked_example.stated_electricity_per_month",
    "money.worked_example.our_electricity_per_month", "money.statement.purchase",
    "money.statement.per_used_hour", "money.own_storage.counted_month",
    "money.statement.fixed_month", "money.statement.year_one", "money.statement.rent_while_waiting",
    "money.api.input_bill_per_month", "money.api.output_bill_per_month",
)  # fmt: skip
# What is stated as one sum, and then no longer follows from a share or a tariff.
STANDS_IN = {
    "costs.maintenance_ratio_per_year": "costs.maintenance_per_month",
    "costs.pue": "costs.electricity_per_month",
    "costs.electricity_per_kwh": "costs.electricity_per_month",
}
# Sums of floats, and quotients of them: equal within this.
TINY = 1e-9


def priced(choices: Choices) -> Given:
    """A profile of an example with some of its prices, its load and its hours stated."""
    given = {
        path: value
        for path, value in profile(choices).items()
        if not path.startswith(("costs.", "usage.load_curve"))
    }
    sizes = {"card_price": 3e5, "server_price": 1e5, "network_price": 1e5, "facility_price": 1e5}
    rates = {"electricity_per_kwh": 0.5, "cloud_price_per_gpu_hour": 12.0,
             "reserved_price_per_gpu_hour": 8.0, "spot_price_per_gpu_hour": 5.0,
             "api_price_per_mtok_in": 5.0, "api_price_per_mtok_out": 15.0,
             "api_price_per_request": 0.1, "disk_price_per_gb_month": 0.2, "opex_per_hour": 20.0,
             "colocation_per_kw_month": 300.0}  # fmt: skip
    for name in (path.removeprefix("costs.") for path in PRICES):
        if choices.chance(0.25 if name in ("opex_per_hour",) else 0.5):
            most = sizes.get(name) or rates.get(name) or 5000.0
            given[f"costs.{name}"] = choices.real(0.0, most)
    given["costs.currency"] = choices.one_of(("USD", "CNY"))
    given["costs.cards"] = float(choices.integer(1, 64))
    given["costs.facility_recurs"] = choices.chance(0.5)
    if choices.chance(0.7):  # whether the data may leave is known, so every cost is
        given.update({"data.may_leave_premises": True, "data.may_leave_country": True,
                      "data.sensitivity": "internal"})  # fmt: skip
    given["usage.months"] = choices.real(1, 72)
    given["usage.sustained_utilisation"] = choices.real(0.01, 1)
    given["usage.mtok_per_month"] = choices.real(0, 5000)
    given["usage.input_share"] = choices.real(0, 1)
    given["usage.requests_per_hour"] = choices.real(1, 5000)
    given["usage.escalated_share"] = choices.real(0, 1)
    for name, low, high in (("costs.power_kw", 0.3, 80), ("costs.discount_rate", 0, 0.2),
                            ("costs.residual_ratio", 0, 0.5), ("costs.pue", 1, 2),
                            ("costs.life_years", 1, 6), ("costs.spares_ratio", 0, 0.2),
                            ("costs.residual_value", 0, 5e4),
                            ("costs.disk_gb", 10, 1e4)):  # fmt: skip
        if choices.chance(0.5):
            given[name] = choices.real(low, high)
    if choices.chance(0.6):
        levels = sorted({float(choices.integer(1, 200)) for _ in range(choices.integer(1, 6))})
        given["usage.load_curve"] = [(level, choices.real(1, 400)) for level in levels]
    if choices.chance(0.5):
        given["usage.interruptible"] = True
        given["usage.checkpoint_minutes"] = choices.real(5, 300)
    return given


def money_decisions() -> list[str]:
    return [
        id
        for id, found in book().bundle.book.decisions.items()
        if found.type.kind == "number"
        and found.type.unit is not None
        and found.type.unit.symbol.partition("/")[0] in ("USD", "CNY", "money")
        and id not in DIFFERENCES
    ]


def money_columns() -> list[tuple[str, str]]:
    return [
        (id, column.decision.id)
        for id, relation in book().bundle.book.relations.items()
        for column in relation.columns
        if column.decision.type.kind == "number"
        and column.decision.type.unit is not None
        and column.decision.type.unit.symbol.partition("/")[0] in ("USD", "CNY", "money")
        and f"{id}.{column.decision.id}" not in DIFFERENCES
    ]


def test_no_cost_is_negative() -> None:
    decisions, columns = money_decisions(), money_columns()
    assert len(decisions) > 60
    seen = 0
    for seed in range(PROFILES):
        outcome = answer(priced(Seeded(f"negative {seed}")))
        for name in decisions:
            value = decision(outcome, name)
            seen += value is not None
            assert value is None or value >= 0, (seed, name, value)
        found = {relation: rows(outcome, relation) for relation in {one for one, _ in columns}}
        for relation, column in columns:
            values = [row[column] for row in found[relation]]
            assert all(one is None or one >= -TINY for one in values), (seed, relation, column)
    assert seen > 20 * PROFILES


@pytest.mark.parametrize("price", [*PRICES, *LOADINGS])
def test_a_higher_price_never_lowers_a_total(price: str) -> None:
    moved = 0
    for seed in range(24):
        if seed >= 6 and moved:  # some prices are part of few profiles
            break
        choices = Seeded(f"{price} {seed}")
        given = priced(choices)
        low = given.get(price, choices.real(1.0, 1.5) if price == "costs.pue" else 0.1)
        given = {**given, price: low}
        if price != "costs.opex_per_hour":  # one figure for everything leaves nothing to raise
            given.pop("costs.opex_per_hour", None)
        given.pop(STANDS_IN.get(price, ""), None)
        high = min(low * choices.real(1.1, 3) + 1e-3, book().bundle.book.facts[price].type.high)
        before, after = answer(given), answer({**given, price: high})
        for name in TOTALS:
            less, more = decision(before, name), decision(after, name)
            if less is None or more is None:
                assert less is more, (seed, name, less, more)  # a price hides nothing
                continue
            moved += more > less
            assert more >= less - TINY * max(1.0, abs(less)), (seed, name, less, more)
    assert moved > 0


def test_higher_prices_of_every_offer_never_lower_a_rent() -> None:
    """The list prices of the catalog, all a half higher."""
    bundle = book().bundle
    names = tuple(column.name for column in bundle.book.tables["offers"].columns)
    prices = [place for place, name in enumerate(names) if name.endswith("per_hour")]
    raised = tuple(
        tuple(
            cell * 1.5 if place in prices and cell is not None else cell
            for place, cell in enumerate(row)
        )
        for row in bundle.tables["offers"].rows
    )
    tables = {**bundle.tables, "offers": TableRows(names, lambda: raised)}
    for seed in range(12):
        given = {
            path: value
            for path, value in profile(Seeded(f"offers {seed}")).items()
            if not path.startswith(("costs.", "budget."))
        }
        given["as_of"] = float(bundle.catalog.newest)
        before = answer(given)
        after = bundle.evaluate(given, bundle.parameters, tables)
        for name in ("money.break_even.rent_price_per_card_hour", "money.cloud.compute_per_month"):
            less, more = decision(before, name), decision(after, name)
            assert (less is None) == (more is None)
            assert less is None or more >= less * (1 - TINY), (seed, name)


@pytest.mark.parametrize("times", [0.5, 2.0, 3.0])
def test_what_is_paid_by_the_hour_is_linear_in_hours(times: float) -> None:
    for seed in range(10):
        given = priced(Seeded(f"linear {seed}"))
        given["usage.sustained_utilisation"] = 0.3
        more = {**given, "usage.sustained_utilisation": 0.3 * times}
        longer = {**given, "usage.months": given["usage.months"] * times}
        first, second, third = answer(given), answer(more), answer(longer)
        rent = decision(first, "money.cloud.compute_per_month")
        if rent is None:
            continue
        assert decision(second, "money.cloud.compute_per_month") == pytest.approx(rent * times)
        total = decision(first, "money.cloud.compute_total")
        assert decision(third, "money.cloud.compute_total") == pytest.approx(total * times)
        energy = decision(first, "money.break_even.own_energy_per_card_hour")
        cash = decision(first, "money.payback.year_one_cash")
        if cash is not None:
            used = decision(first, "money.payback.used_hours_per_month") * 12
            grown = decision(second, "money.payback.year_one_cash")
            assert grown - cash == pytest.approx(
                energy * used * (times - 1), abs=TINY * max(1, cash)
            )


def test_a_load_that_lasts_twice_as_long_costs_the_same_an_hour() -> None:
    for seed in range(20):
        given = priced(Seeded(f"scale {seed}"))
        if "usage.load_curve" not in given:
            continue
        twice = [(level, 2 * hours) for level, hours in given["usage.load_curve"]]
        first = answer(given)
        second = answer({**given, "usage.load_curve": twice})
        for name in ("cost_per_month", "all_on_demand_per_month", "all_own_per_month"):
            cost = decision(first, f"money.mix.{name}")
            found = decision(second, f"money.mix.{name}")
            assert found == (None if cost is None else pytest.approx(cost))


def test_costs_stated_in_another_currency_are_the_same_costs() -> None:
    compared = 0
    for seed in range(PROFILES // 2):
        given = priced(Seeded(f"currency {seed}"))
        rate = 7.25
        given.update({"exchange_rate.cny_per_usd": rate, "costs.currency": "USD"})
        yuan = {
            path: value * rate if path in (*PRICES, "costs.residual_value") else value
            for path, value in given.items()
        }
        yuan["costs.currency"] = "CNY"
        first, second = answer(given), answer(yuan)
        for name in TOTALS:
            symbol = book().bundle.book.decisions[name].type.unit.symbol
            dollars, same = decision(first, name), decision(second, name)
            if dollars is None:
                assert same is None
                continue
            compared += 1
            factor = rate if symbol.startswith("money") else 1.0
            assert same == pytest.approx(dollars * factor, rel=1e-9, abs=1e-9), (seed, name)
    assert compared > 100


MONEY_KEYS = ("per_hour", "per_month", "total", "purchase", "per_thousand_results")


def shown(given: Given, currency: str) -> Any:
    bundle = book().bundle
    stated = {"as_of": float(bundle.catalog.newest), **given, "currency": currency}
    run = decide(bundle, Profile(stated, {}, "a test"), {})
    return recommend(run).to_dict()


def test_an_answer_in_yuan_is_the_answer_in_dollars_times_the_rate() -> None:
    compared = 0
    for seed in range(6):
        # Costs without a currency are in that of the answer: theirs is stated, to be the same.
        stated = {"costs.currency": "USD", "exchange_rate.cny_per_usd": 7.25}
        given = {**profile(Seeded(f"shown {seed}")), **stated}
        dollars, yuan = shown(given, "USD"), shown(given, "CNY")
        for one, other in zip(dollars["options"], yuan["options"], strict=True):
            assert (one["gpu"], one["count"]) == (other["gpu"], other["count"])
            for key in MONEY_KEYS:
                cost = (one.get("cost") or {}).get(key)
                if cost:
                    compared += 1
                    assert other["cost"][key] == pytest.approx(cost * 7.25, rel=1e-9)
        for part in ("cloud", "ownership", "mix"):
            for key, figure in dollars["money"][part].items():
                if not isinstance(figure, dict) or "unit" not in figure:
                    continue
                if isinstance(figure["value"], float) and figure["unit"].startswith("USD"):
                    compared += 1
                    assert yuan["money"][part][key]["value"] == pytest.approx(
                        figure["value"] * 7.25, rel=1e-9
                    )
        lines, same = dollars["money"]["ownership"]["lines"], yuan["money"]["ownership"]["lines"]
        for key, amount in lines.items():
            if isinstance(amount, float) and key != "priced_cards":
                compared += 1
                assert same[key] == pytest.approx(amount * 7.25, rel=1e-9), key
        for one, other in zip(dollars["providers"], yuan["providers"], strict=True):
            assert one["provider"] == other["provider"]
            assert one["traffic"] == other["traffic"]  # in the provider's own currency
    assert compared > 50


HOURS = ("usage.sustained_utilisation", "usage.hours_per_day", "usage.days_per_month")


@pytest.mark.parametrize("path", HOURS)
def test_more_use_never_favours_renting(path: str) -> None:
    compared = 0
    for seed in range(15):
        choices = Seeded(f"use {path} {seed}")
        given = priced(choices) if choices.chance(0.7) else profile(choices)
        for one in HOURS:
            given.pop(one, None)
        fact = book().bundle.book.facts[path]
        low = choices.real(0.02, 0.5) * fact.type.high
        high = min(fact.type.high, low * choices.real(1.1, 4))
        before, after = answer({**given, path: low}), answer({**given, path: high})
        for name in ("anywhere", "at_home"):
            owning = f"sourcing.placement.owning_pays_{name}"
            if decision(before, owning) is True:
                assert decision(after, owning) is True, seed
        cost = decision(before, "money.payback.own_cost_per_used_hour")
        if path == HOURS[0] and cost is not None:
            compared += 1
            found = decision(after, "money.payback.own_cost_per_used_hour")
            assert found <= cost * (1 + TINY)
        if path == HOURS[0] and decision(before, "sourcing.placement.supply") == "own":
            assert decision(after, "sourcing.placement.supply") == "own"
    assert compared > 5 or path != HOURS[0]


def test_a_busier_load_never_owns_fewer_cards() -> None:
    """Hours move from a lower level of the load to a higher one."""
    compared = 0
    for seed in range(40):
        choices = Seeded(f"busier {seed}")
        given = priced(choices)
        levels = sorted({float(choices.integer(1, 120)) for _ in range(choices.integer(2, 6))})
        curve = [(level, choices.real(10, 400)) for level in levels]
        if len(curve) < 2:
            continue
        place = choices.integer(0, len(curve) - 2)
        moved = curve[place][1] * choices.real(0.1, 0.9)
        busier = list(curve)
        busier[place] = (curve[place][0], curve[place][1] - moved)
        busier[place + 1] = (curve[place + 1][0], curve[place + 1][1] + moved)
        first = decision(answer({**given, "usage.load_curve": curve}), "money.mix.own_cards")
        second = decision(answer({**given, "usage.load_curve": busier}), "money.mix.own_cards")
        if first is not None and second is not None:
            compared += 1
            assert second >= first - TINY
    assert compared > 15


def test_a_run_costs_the_price_of_its_machines_times_the_hours_they_are_held() -> None:
    compared = 0
    for seed in range(10):
        outcome = answer(profile(Seeded(f"run {seed}")))
        for row in rows(outcome, OPTIONS):
            if row["reason"] != "none" or row["offer_kind"] != "rent":
                continue
            if decision(outcome, "needs.work.lasts") is False and row["hours"] is not None:
                compared += 1
                held = row["price_per_hour_usd"] * row["hours"]
                assert row["cost_total_usd"] == pytest.approx(held)
    assert compared > 20
