"""What the examples of work counted in results must say, worked out by hand from sources."""

from __future__ import annotations

import pytest

from tests.examples.ask import answer, check, memory, ranked

FARM, CHANNELS = "render-farm", "transcoding-farm"
SOLVES, FLOW, QUEUE = "fp64-simulation", "lattice-flow", "university-queue"
TREES, NOTEBOOK = "gradient-boosting", "development-notebook"


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


def test_solves_in_double_precision_run_on_cards_made_for_it() -> None:
    found = answer(SOLVES, top=40)
    assert found["needs"]["work"]["binding_metric"]["value"] == "fp64_rate"  # A1.2c
    # Vector FP64 at half of FP32 or more: A100, H100, H200, B200, V100, MI200, MI300.
    families = (
        "a100",
        "a800",
        "a30",
        "h100",
        "h200",
        "gh200",
        "b200",
        "gb200",
        "v100",
        "mi2",
        "mi3",
    )
    assert ranked(found)
    assert all(option["gpu"].startswith(families) for option in ranked(found))
    assert found["billing"]["value"] == "spot"


def test_a_flow_of_half_a_billion_cells() -> None:
    found = answer(FLOW, top=60)
    assert found["needs"]["work"]["binding_metric"]["value"] == "memory_bandwidth"
    assert memory(found)["working_set"] == pytest.approx(500e6 * 93 / 2**30)  # 43.3 GiB
    assert all(option["hours"] <= 24 for option in ranked(found))
    # One A100 PCIe of 80 GB: 1,935 GB/s × 0.79 over 153 bytes and 500 million cells are 19.98
    # steps a second; 200,000 steps at the cautious 0.8 of it take 3.48 hours.
    a100 = next(option for option in ranked(found) if option["gpu"] == "a100-pcie-80")
    assert a100["hours"] == pytest.approx(200_000 / (1935e9 * 0.79 / 153 / 500e6 * 0.8) / 3600)


def test_idle_cards_of_the_laboratory_cover_its_queue() -> None:
    found = answer(QUEUE)
    queue = found["needs"]["idle_cards"]
    assert queue["idle"]["value"] == pytest.approx(8 * 0.7 * 168)  # 940.8 card-hours a week
    assert queue["wanted"]["value"] == 20 * 30 and queue["missing"]["value"] == 0
    assert queue["answer"]["value"] == "idle_covers"
    told = check(found, "schedule_before_buying")
    assert told is not None and "941" in told["message"] and told["verdict"] == "warn"
    busy = answer(QUEUE, {"usage.jobs_per_week": 60})
    assert busy["needs"]["idle_cards"]["missing"]["value"] == pytest.approx(60 * 30 - 8 * 0.7 * 168)
    assert check(busy, "rent_the_rest") is not None


def test_forty_million_rows_of_two_hundred_columns() -> None:
    found = answer(TREES, top=60)
    table = 40e6 * 200 * 4 / 2**30  # 29.8 GiB in 32 bits
    assert memory(found)["working_set"] == pytest.approx(0.75 * table)
    assert found["needs"]["memory"]["total"]["p95"] == pytest.approx(2.5 * table + 0.5)
    one = [option for option in ranked(found) if option["count"] == 1 and option["fit"] == "fits"]
    assert one and all(option["memory_per_gpu_gib"]["usable"] >= 75 for option in one)


def test_notebooks_take_one_cheap_card() -> None:
    found = answer(NOTEBOOK)
    best = ranked(found)[0]
    assert best["count"] == 1 and best["fit"] == "fits"
    assert best["memory_per_gpu_gib"]["p95"] <= 16
    assert found["needs"]["work"]["binding_metric"]["value"] == "price"
