"""Images and video: published measurements, and arithmetic on published models."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

GIB = 2**30
SDXL: dict[str, Any] = {
    "task": "diffusion_inference",
    "model": {"name": "sdxl"},
    "precision": {"weights": "fp16"},
    "image": {"width": 1024, "height": 1024, "steps": 20},
}
CLIP: dict[str, Any] = {
    "task": "diffusion_training",
    "model": {"name": "cogvideox-5b"},
    "image": {"width": 720, "height": 480, "frames": 49},
    "training": {"micro_batch": 4, "lora_rank": 16, "gradient_checkpointing": "full"},
}


def changed(profile: dict[str, Any], **groups: dict[str, Any]) -> dict[str, Any]:
    return {**profile, **{name: {**profile.get(name, {}), **new} for name, new in groups.items()}}


def decided(profile: dict[str, Any], name: str) -> Any:
    return Answer(profile).decision(f"needs.pictures.{name}")


def test_the_parts_of_sdxl_are_the_published_ones() -> None:
    """U-Net 2.567, CLIP L 0.123 and CLIP bigG 0.695, VAE 0.084 billion, two bytes each."""
    weights = (2.56746 + 0.12306 + 0.69466 + 0.08365) * 1e9 * 2 / GIB
    assert decided(SDXL, "weights") == pytest.approx(weights, rel=1e-6)


@pytest.mark.parametrize(
    ("model", "precision", "side", "batch", "measured"),
    [
        ("sdxl", "fp16", 1024, 1, 10.47), ("kolors", "fp16", 1024, 1, 20.62),
        ("pixart-alpha-xl-1024", "fp16", 1024, 1, 14.447), ("sd-2.1", "fp16", 512, 1, 3.02),
        ("sd-2.1", "fp16", 768, 1, 3.77), ("sd3.5-large", "bf16", 1024, 1, 28.525),
        ("flux.1-dev", "bf16", 1024, 1, 33.851), ("flux.1-dev", "bf16", 1024, 16, 61.548),
    ],
)  # fmt: skip
def test_peaks_of_making_pictures_are_the_published_ones(
    model: str, precision: str, side: int, batch: int, measured: float
) -> None:
    profile = changed(
        SDXL,
        model={"name": model},
        precision={"weights": precision},
        image={"width": side, "height": side, "batch": batch},
    )
    assert decided(profile, "peak") == pytest.approx(measured, rel=0.03)
    assert decided(profile, "peak_cautious") > measured


def test_a_size_alone_tells_16_bits_and_not_8() -> None:
    stated = changed({**SDXL, "model": {"parameters_b": 3.47}}, image={"kind": "image"})
    assert decided(stated, "peak") == pytest.approx(10.47, rel=0.03)
    assert decided(changed(stated, precision={"weights": "int8"}), "peak") is None


def test_offloading_leaves_the_largest_part() -> None:
    profile = changed(SDXL, model={"name": "flux.1-dev"}, precision={"weights": "bf16"})
    whole = decided(profile, "held_weights")
    largest = decided(changed(profile, image={"component_offload": "model"}), "held_weights")
    assert whole == pytest.approx(31.44, rel=0.003)
    assert largest == pytest.approx(11.90141e9 * 2 / GIB)


def test_tiles_bound_what_the_decoder_needs() -> None:
    large = changed(SDXL, image={"width": 4096, "height": 4096})
    tiled = changed(large, image={"vae_tiling": True})
    assert decided(large, "decoding") > 60
    assert decided(tiled, "decoding") == pytest.approx(decided(SDXL, "decoding") / 4, rel=0.15)


def test_training_on_clips_takes_what_was_measured() -> None:
    assert decided(CLIP, "peak") == pytest.approx(46.49, rel=0.02)
    everything = changed(CLIP, training={"method": "full", "optimizer": "adamw_8bit"})
    assert decided(everything, "peak") == pytest.approx(66.65, rel=0.02)
    one = changed(everything, training={"micro_batch": 1})
    assert decided(one, "peak") == pytest.approx(52.83, rel=0.02)


def test_full_training_of_a_5b_video_model_with_adamw_fits_no_80_gb_card() -> None:
    """16 bytes for each of 5.57 billion parameters are 83 GiB before any clip is seen."""
    everything = changed(CLIP, training={"method": "full", "micro_batch": 1})
    assert decided(everything, "peak") > 5.57e9 * 16 / GIB * 0.99


def test_operations_follow_tokens_and_guidance() -> None:
    """FLUX.1: 4,608 tokens through 57 blocks of twelve squared widths, and attention."""
    flux = changed(SDXL, model={"name": "flux.1-dev"})
    tokens, width, blocks = 4096 + 512, 3072, 57
    operations = 2 * tokens * (12 * width**2 * blocks) + 4 * blocks * tokens**2 * width
    assert decided(flux, "step_operations") == pytest.approx(operations / 1e12, rel=0.01)
    once = decided(changed(SDXL, image={"guidance": False}), "step_operations")
    assert decided(SDXL, "step_operations") == pytest.approx(2 * once)


def test_cards_make_pictures_about_as_fast_as_published() -> None:
    rows = {row["card_id"]: row for row in Answer(SDXL).rows("hardware.pictures.pictures")}
    assert 0.084 < rows["a100-sxm-80"]["step_seconds"] < 0.116
    assert 0.046 < rows["h100-sxm"]["step_seconds"] < 0.068
    assert 0.7 < rows["t4"]["step_seconds"] < 1.0
    assert all(row["memory_p50_gib"] < row["memory_p95_gib"] for row in rows.values())
    assert rows["h100-sxm"]["rate_p10"] < rows["h100-sxm"]["rate_p50"]
