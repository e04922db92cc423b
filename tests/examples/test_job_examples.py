"""What the examples of work counted in results must say, worked out by hand from sources."""

from __future__ import annotations

import pytest

from tests.examples.ask import answer, memory, ranked

FARM, CHANNELS = "render-farm", "transcoding-farm"


def test_the_film_is_rendered_in_three_days_on_cards_with_ray_tracing_cores() -> None:
    found = answer(FARM)
    assert found["needs"]["work"]["binding_metric"]["value"] == "ray_tracing"  # B.4
    assert found["needs"]["work"]["results"]["value"] == 7200
    best = ranked(found)[0]
    assert best["hours"] <= 72
    # 480 hours on the reference card, 600 at the cautious speed.
    assert best["gpu"] == "rtx4090" and best["hours"] == pytest.approx(600 / best["count"])
    assert found["billing"]["value"] == "spot"  # A4.2a: it may be interrupted
    assert memory(found)["working_set"] == 18


def test_a_scene_of_forty_gib_leaves_the_gaming_cards() -> None:
    found = answer(FARM, {"render.scene_memory_gib": 36}, top=40)
    assert {option["gpu"] for option in ranked(found)}.isdisjoint({"rtx4090", "rtx3090", "rtx5090"})


def test_forty_channels_to_av1_take_engines_not_flops() -> None:
    found = answer(CHANNELS, top=40)
    assert found["needs"]["work"]["binding_metric"]["value"] == "encoder_engines"  # B.4
    assert found["needs"]["work"]["results_per_second"]["value"] == 40 * 30
    options = ranked(found)
    assert options[0]["gpu"] == "l4" and options[0]["count"] == 2
    assert all(option["results"]["p10"] >= 1200 for option in options)
    without = {"a100-sxm-80", "h100-sxm", "h200-sxm", "b200", "t4", "a10", "rtx3090"}
    assert without.isdisjoint({option["gpu"] for option in options})


def test_a_card_without_encoders_says_why() -> None:
    found = answer(CHANNELS, {"hardware.gpu": "h100-sxm"})
    assert {option["why_not"]["reason"] for option in found["options"]} == {"no_encoder"}
