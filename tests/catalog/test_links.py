"""Interconnects and layouts: one way against both ways, and cards that multiply out."""

from __future__ import annotations

import pytest

from tests.catalog.shelf import rows


def test_both_ways_are_twice_one_way() -> None:
    for row in rows("interconnects"):
        one, both = row["one_way_gb_per_s"], row["both_ways_gb_per_s"]
        if one is not None and both is not None:
            assert both == pytest.approx(2 * one, rel=0.01), row["id"]


def test_a_network_rate_is_bytes_not_bits() -> None:
    rate = {row["id"]: row["one_way_gb_per_s"] for row in rows("interconnects")}
    assert rate["ib-ndr"] == 50  # 400 Gbit/s
    assert rate["efa-p5"] == 400  # 3,200 Gbit/s a machine


def test_a_layout_uses_every_card_once() -> None:
    for row in rows("layouts"):
        assert row["cards"] == row["tensor"] * row["pipeline"] * row["data"], row["id"]
        assert row["cards"] % row["nodes"] == 0, row["id"]
