"""Laws of the memory estimate: what is claimed for a card and layout, and sums by hand."""

from __future__ import annotations

from typing import Any

import pytest

from engine.book.model import Decision
from tests.rules.ask import Answer, book

SHAPES = "hardware.layouts.shapes"
# More of these never needs less; the checker proves every claim of the book.
GROWING = {
    "model.parameters_b", "precision.bits_per_weight", "training.micro_batch",
    "training.sequence_length", "training.lora_rank", "serving.batch", "serving.concurrency",
    "serving.input_tokens", "serving.max_batched_tokens",
}  # fmt: skip
PICTURES = {
    "model.parameters_b", "image.batch", "image.width", "image.height", "image.frames",
    "training.micro_batch",
}  # fmt: skip


def column(name: str) -> Decision:
    columns = book().bundle.book.relations[SHAPES].columns
    return next(one.decision for one in columns if one.decision.id.split(".")[-1] == name)


@pytest.mark.parametrize("name", ["allocated_gib", "fixed_gib", "fixed_p95_gib"])
def test_more_work_is_claimed_never_to_need_less(name: str) -> None:
    assert set(column(name).increasing) >= GROWING


def test_a_longer_context_is_claimed_never_to_need_less() -> None:
    assert "serving.context_tokens" in column("kv_full_gib").increasing


@pytest.mark.parametrize("name", ["peak", "peak_cautious", "process", "process_cautious"])
def test_more_pictures_are_claimed_never_to_need_less(name: str) -> None:
    found = book().bundle.book.decisions[f"needs.pictures.{name}"].increasing
    assert set(found) >= PICTURES


def seen(profile: dict[str, Any]) -> dict[str, Any]:
    """The stated layout of a profile."""
    answer = Answer(profile)
    found = [row for row in answer.rows(SHAPES) if row["is_stated"]]
    return found[0]


FULL = {
    "task": "full_finetune",
    "model": {"name": "llama-2-7b"},
    "precision": {"weights": "bf16"},
    "hardware": {"gpu": "a100-sxm-40", "count": 4},
    "parallelism": {"sharding": "fsdp"},
    "training": {"sequence_length": 2048, "micro_batch": 1, "gradient_checkpointing": "full",
                 "mixed_precision": "master_fp32", "framework": "transformers"},
}  # fmt: skip


def test_the_components_make_the_sum() -> None:
    for profile in (FULL, {**FULL, "parallelism": {"sharding": "zero3"}}, {**FULL, "task": "lora"}):
        row = seen(profile)
        parts = ("weights", "adapters", "gradients", "optimizer", "activations", "logits",
                 "framework", "context")  # fmt: skip
        assert row["fixed_gib"] == pytest.approx(sum(row[f"{part}_gib"] for part in parts))


def test_gathered_weights_are_gone_when_the_optimizer_steps() -> None:
    """16 bytes each of 6.7384 billion over four cards, and a 32-bit temporary of the share."""
    states = 16 * 6.7384e9 / 4 / 2**30
    temporary = 4 * 6.7384e9 / 4 / 2**30
    assert seen(FULL)["allocated_gib"] == pytest.approx(states + temporary, rel=1e-3)


def test_zero_sets_its_bucket_aside_and_fsdp_does_not() -> None:
    zero = seen({**FULL, "parallelism": {"sharding": "zero3"}})
    assert zero["allocated_gib"] - seen(FULL)["allocated_gib"] == pytest.approx(1)


def test_plain_copies_hold_their_gradients_twice() -> None:
    """PyTorch measured about 1 GB less for 1 GB of parameters once both were one."""
    copies = seen({**FULL, "parallelism": {"sharding": "ddp", "data": 4}})
    assert copies["bucket_gib"] == pytest.approx(2 * 6.7384e9 / 2**30, rel=1e-3)
    one = seen({**FULL, "hardware": {"gpu": "a100-sxm-40", "count": 1}, "parallelism": {"data": 1}})
    assert copies["allocated_gib"] - one["allocated_gib"] == pytest.approx(copies["bucket_gib"])


def test_litgpt_over_two_cards_was_measured_at_a_half_and_a_whole_copy() -> None:
    """stablelm-alpha-3b by LoRA over two A100: 11.87 GiB at one sequence of 1,034 tokens."""
    row = seen({
        "task": "lora",
        "model": {"parameters_b": 3.6366, "layers": 16, "hidden_size": 4096, "heads": 32,
                  "kv_heads": 32, "head_dim": 128, "vocab_size": 50432, "intermediate_size": 16384,
                  "mlp_matrices": 2, "tied_embeddings": False, "experts": 0, "attention": "mha"},
        "precision": {"weights": "bf16"},
        "hardware": {"gpu": "a100-sxm-40", "count": 2},
        "parallelism": {"data": 2, "sharding": "fsdp"},
        "training": {"framework": "litgpt", "sequence_length": 1034, "micro_batch": 1,
                     "mixed_precision": "pure", "gradient_checkpointing": "full",
                     "attention_kernel": "sdpa", "loss_kernel": "chunked", "lora_rank": 8,
                     "lora_targets": "attention_qv", "optimizer": "adamw",
                     "optimizer_state": "bf16"},
    })  # fmt: skip
    assert row["allocated_gib"] == pytest.approx(11.87, rel=0.05)


def test_a_batch_of_a_step_is_named() -> None:
    training = {"sequence_length": 4096, "micro_batch": 1024}
    spread = "needs.spread.checks"
    assert Answer({**FULL, "training": training}).advice(spread)["batch_of_a_step"] is True
    assert Answer(FULL).advice(spread)["batch_of_a_step"] is False
