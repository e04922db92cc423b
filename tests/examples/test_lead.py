"""The answer leads with what it costs, and with what way of paying that price is of."""

from __future__ import annotations

import json

import pytest

from tests.examples.ask import EXAMPLES, printed

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_a_list_price_is_not_passed_off_as_that_of_spot_or_of_a_contract(name: str) -> None:
    answer = json.loads(printed(name, "--format", "json"))
    way, best = answer["billing"].get("value"), answer["options"][0]
    stands_in = (
        way in {"spot", "subscription"}
        and best["kind"] == "rent"
        and best["offer"]["price_kind"] == "on_demand"
    )
    for language, words in (
        ("en", "That is the list price by the hour"),
        ("zh", "以上是按量目录价"),
    ):
        lead = printed(name, "--lang", language).split("\n\n")[0]
        assert (words in lead) == stands_in


def test_spot_is_not_advised_at_a_provider_that_sells_none() -> None:
    # Lambda sells no spot machines (its instances page); nobody has read whether AutoDL does.
    lead = printed("weeks-of-training").split("\n\n")[0].replace("\n", " ")
    assert "from Lambda" in lead and "by the hour; this provider sells no spot machines" in lead
    lead = printed("render-farm").split("\n\n")[0].replace("\n", " ")
    assert "from AutoDL" in lead and "if sold there, by the hour if not" in lead


def test_some_examples_pay_in_a_way_nobody_has_priced() -> None:
    # Without these the test above would hold for an answer that never says it.
    for name in ("nightly-batch-on-spot", "serve-2000-tokens-per-second"):
        assert "That is the list price by the hour" in printed(name)
