"""Figures anybody can check: published measurements and arithmetic on published models."""

from __future__ import annotations

import pytest

from tests.rules.ask import Answer

LORA_7B = {
    "task": "lora",
    "model": {"name": "llama-2-7b"},
    "training": {
        "sequence_length": 512,
        "micro_batch": 2,
        "lora_rank": 32,
        "lora_targets": "attention_qv",
        "gradient_checkpointing": "none",
    },
}
FULL_7B = {
    "task": "full_finetune",
    "model": {"name": "llama-2-7b"},
    "training": {
        "sequence_length": 512,
        "micro_batch": 2,
        "mixed_precision": "master_fp32",
        "optimizer": "adamw",
    },
}


def test_lora_of_a_7b_model_takes_what_was_measured() -> None:
    answer = Answer(LORA_7B)
    single = answer.layouts(card_id="rtx4090", layout_id="1")[0]
    assert single["memory_p50_gib"] == pytest.approx(18.4, rel=0.15)
    assert answer.decision("needs.memory.weights") == pytest.approx(12.55, rel=0.001)
    assert single["adapters_gib"] == pytest.approx(32 * 32 * 2 * 8192 * 4 / 2**30)
    assert single["kv_cache_gib"] == 0, "training keeps no cache"


def test_lora_of_a_7b_model_is_tight_on_24_gb_and_comfortable_on_40() -> None:
    answer = Answer(LORA_7B)
    for card in ("rtx4090", "rtx3090", "a10", "l4"):
        assert answer.layouts(card_id=card, layout_id="1")[0]["fit"] in ("fits", "tight")
    for card in ("a100-sxm-40", "a100-sxm-80", "h100-sxm"):
        assert answer.layouts(card_id=card, layout_id="1")[0]["fit"] == "fits"


def test_full_fine_tuning_of_a_7b_model_fits_no_single_80_gb_card() -> None:
    answer = Answer(FULL_7B)
    for card in ("a100-sxm-80", "a100-pcie-80", "h100-sxm", "h100-pcie"):
        assert answer.layouts(card_id=card, layout_id="1")[0]["fit"] == "does_not_fit"
        assert answer.layouts(card_id=card, layout_id="8-copies")[0]["fit"] == "does_not_fit"


def test_the_rules_say_how_full_fine_tuning_of_a_7b_model_fits() -> None:
    answer = Answer(FULL_7B)
    assert answer.decision("hardware.fit.remedies") == (
        "eight_bit_optimizer",
        "pure_16_bit",
        "offload_optimizer",
        "shard_over_2",
        "shard_over_4",
        "shard_over_8",
        "adapters",
    )
    for cards in (2, 4, 8):
        sharded = answer.layouts(card_id="a100-sxm-80", layout_id=f"{cards}-sharded")[0]
        assert sharded["fit"] == "fits"


@pytest.mark.parametrize(
    "change",
    [
        {"parallelism": {"offload": "optimizer"}},
        {"training": FULL_7B["training"] | {"optimizer": "adamw_8bit"}},
        {"training": FULL_7B["training"] | {"mixed_precision": "pure"}},
    ],
)
def test_each_remedy_really_fits_one_80_gb_card(change: dict[str, object]) -> None:
    answer = Answer(FULL_7B | change)
    assert answer.layouts(card_id="h100-sxm", layout_id="1")[0]["fit"] in ("fits", "tight")


def test_mixed_precision_adam_takes_sixteen_bytes_a_parameter() -> None:
    answer = Answer(FULL_7B)
    states = sum(
        answer.decision(f"needs.memory.{part}") for part in ("weights", "gradients", "optimizer")
    )
    assert states * 2**30 == pytest.approx(16 * 6.7384e9, rel=0.001)


def test_llama_3_1_8b_caches_131072_bytes_a_token() -> None:
    answer = Answer(
        {"task": "inference", "model": {"name": "llama-3.1-8b"}, "precision": {"kv_cache": "fp16"}}
    )
    assert answer.decision("needs.memory.kv_cache_per_token") == 131_072


def test_deepseek_v3_caches_70272_bytes_a_token_on_every_card() -> None:
    answer = Answer(
        {"task": "inference", "model": {"name": "deepseek-v3"}, "precision": {"weights": "fp8"}}
    )
    assert answer.decision("needs.memory.kv_cache_per_token") == 70_272
    one, eight = (
        next(row for row in answer.rows("hardware.layouts.shapes") if row["layout_id"] == layout)
        for layout in ("1", "8-tensor")
    )
    assert one["kv_full_gib"] == eight["kv_full_gib"], "a compressed cache is not divided"


def test_deepseek_v3_weighs_by_all_its_parameters_and_runs_by_the_active_ones() -> None:
    answer = Answer(
        {"task": "inference", "model": {"name": "deepseek-v3"}, "precision": {"weights": "bf16"}}
    )
    weights = answer.decision("needs.memory.weights")
    assert weights * 2**30 == pytest.approx(2 * 671.026e9, rel=1e-5)
    per_token = answer.decision("needs.compute.flops_per_token")
    assert per_token * 1e12 == pytest.approx(2 * 37.552e9, rel=1e-4)


def test_quantisation_leaves_the_embeddings_in_16_bits() -> None:
    answer = Answer({"task": "qlora", "model": {"name": "qwen2.5-7b"}})
    kept = answer.decision("needs.architecture.embedding_parameters")
    quantised = answer.decision("needs.memory.quantised_parameters")
    assert kept == pytest.approx(2 * 152064 * 3584 / 1e9)
    assert quantised == pytest.approx(7.6156 - kept, rel=1e-4)


def test_fp8_arithmetic_needs_a_card_that_has_it_but_4_bit_weights_run_anywhere() -> None:
    eight = Answer(
        {"task": "inference", "model": {"name": "llama-3.1-8b"}, "precision": {"weights": "fp8"}}
    )
    assert not eight.layouts(card_id="a100-sxm-80", layout_id="1")[0]["precision_supported"]
    assert eight.layouts(card_id="h100-sxm", layout_id="1")[0]["precision_supported"]
    assert all(row["card_id"] != "a100-sxm-80" for row in eight.ranked())
    four = Answer(
        {
            "task": "inference",
            "model": {"name": "llama-3.1-8b"},
            "precision": {"weights": "int4", "format": "awq"},
        }
    )
    for card in ("t4", "a100-sxm-80", "rtx4090"):
        row = four.layouts(card_id=card, layout_id="1")[0]
        assert row["precision_supported"] and row["fit"] == "fits"


@pytest.mark.parametrize(
    ("card", "usable"),
    [
        ("t4", 14.6),
        ("l4", 22.0),
        ("a10", 22.3),
        ("l40s", 44.4),
        ("h100-sxm", 79.2),
        ("rtx4090", 23.6),
    ],
)
def test_usable_memory_is_near_what_the_driver_shows(card: str, usable: float) -> None:
    answer = Answer({"task": "inference", "model": {"name": "llama-3.1-8b"}})
    shown = answer.layouts(card_id=card, layout_id="1")[0]["memory_usable_gib"]
    assert shown == pytest.approx(usable, rel=0.03)
