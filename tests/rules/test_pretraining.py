"""Pre-training against published runs, and against arithmetic anybody can redo."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer, book

LLAMA_3_70B: dict[str, Any] = {
    "task": "pretrain",
    "model": {"name": "llama-3-70b"},
    "training": {"tokens_b": 15000, "sequence_length": 8192, "tuning": "whole_run"},
    "precision": {"compute": "bf16"},
    "hardware": {"gpu": "h100-sxm"},
}


def test_llama_3_70b_takes_about_the_card_hours_of_its_model_card() -> None:
    """6.4 million H100 hours for 15 trillion tokens, restarts included."""
    hours = Answer(LLAMA_3_70B).decision("hardware.machine.training_card_hours")
    assert hours == pytest.approx(6.4e6, rel=0.15)


def test_the_operations_of_a_token_are_six_for_a_parameter_and_those_of_attention() -> None:
    """6 x 70.55e9 and, over half of 8192 tokens, 6 x 80 layers x 8192 wide x 8192."""
    found = Answer(LLAMA_3_70B).decision("needs.compute.flops_per_token")
    assert found == pytest.approx((6 * 70.6e9 + 6 * 80 * 8192 * 8192) / 1e12, rel=0.002)


def test_the_states_of_a_parameter_are_eighteen_bytes_before_sharding() -> None:
    """Megatron: weights in 16 bits, gradients in 32, a master copy and two moments in 32."""
    answer = Answer({**LLAMA_3_70B, "hardware": {"gpu": "h100-sxm", "count": 64}})
    parts = ("weights", "gradients", "optimizer")
    total = sum(answer.decision(f"needs.memory.{part}") for part in parts)
    assert total == pytest.approx(18 * 70.6e9 / 2**30, rel=0.002)


def test_a_pre_training_without_its_tokens_asks_for_them() -> None:
    profile = {"task": "pretrain", "model": {"name": "llama-3-70b"}}
    found = book().recommend(profile).to_dict()
    assert Answer(profile).decision("needs.compute.training_tokens") is None
    assert "training.tokens_b" in [question["field"] for question in found["questions"]]


@pytest.mark.parametrize(
    ("sequence", "batch", "checkpoints", "published"),
    [(2048, 96, "none", 4636), (8192, 128, "full", 3206), (32768, 32, "full", 1672)],
)
def test_a_7b_model_trains_on_a_board_of_a100_as_published(
    sequence: int, batch: int, checkpoints: str, published: float
) -> None:
    """MPT-7B on eight A100-80GB, the trainer's own table; tokens a second and card."""
    answer = Answer(
        {
            "task": "pretrain",
            "model": {"parameters_b": 6.66},
            "training": {
                "sequence_length": sequence,
                "global_batch": batch,
                "gradient_checkpointing": checkpoints,
                "framework": "llm_foundry",
            },
            "parallelism": {"sharding": "fsdp"},
            "precision": {"compute": "bf16"},
            "hardware": {"gpu": "a100-sxm-80", "count": 8},
        }
    )
    found = answer.decision("hardware.machine.training_rate_per_card")
    assert found == pytest.approx(published, rel=0.15)


def test_work_on_few_cards_never_pays_for_the_layouts_of_pre_training() -> None:
    small = Answer({"task": "lora", "model": {"name": "llama-2-7b"}, "training": {"samples": 9}})
    large = Answer({**LLAMA_3_70B, "hardware": {}})
    most = {row["cards"] for row in small.layouts(card_id="h100-sxm")}
    assert max(most) <= 32
    assert max(row["cards"] for row in large.layouts(card_id="h100-sxm")) == 512
