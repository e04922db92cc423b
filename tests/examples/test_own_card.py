"""One gaming card out of memory on a 7B model (guide A0): why, what fits it, what to rent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.examples.ask import answer, book, check, memory, profile, ranked

NAME = "one-consumer-card"


def figure(id: str, stated: dict[str, Any]) -> float:
    """A decision's value for a profile."""
    found = book().explain(id, stated).value
    assert isinstance(found, (int, float)), found
    return float(found)


def test_it_says_why_the_card_runs_out_of_memory() -> None:
    found = answer(NAME)
    said = check(found, "does_not_hold")
    assert said is not None and said["verdict"] == "warn"
    # 6.74 billion weights of two bytes are 12.55 GiB: more than a 12 GB card shows.
    assert memory(found)["weights"] == pytest.approx(6.738415616e9 * 2 / 2**30, abs=0.01)
    assert "12.55" not in said["message"] and "11.6 GiB usable" in said["message"]


def test_it_says_what_fits_the_card() -> None:
    said = check(answer(NAME), "four_bits_hold")
    assert said is not None
    assert "QLoRA fits" in said["message"]


def test_it_rents_a_card_that_holds_the_work() -> None:
    found = answer(NAME)
    best = ranked(found)[0]
    assert found["placement"]["value"] == "public_cloud"
    assert best["fit"] == "fits"
    assert best["memory_per_gpu_gib"]["p95"] <= best["memory_per_gpu_gib"]["usable"]
    assert best["cost"]["total"] < 100  # ten million tokens take hours, not weeks


def test_in_four_bits_the_own_card_is_enough() -> None:
    found = answer(NAME, {"task": "qlora", "precision": None})
    assert check(found, "holds") is not None
    assert check(found, "does_not_hold") is None


def test_a_larger_card_of_ones_own_is_enough() -> None:
    changes = {"owned": [{"gpu": "RTX 4090", "count": 1}]}
    assert check(answer(NAME, changes), "holds") is not None


def test_a_70b_model_fits_it_in_no_way() -> None:
    found = answer(NAME, {"model.name": "llama-2-70b"})
    assert check(found, "four_bits_do_not_hold") is not None


def test_four_bit_weights_are_what_was_measured() -> None:
    # unsloth's notebook on Qwen2.5-7B: 5.393 GiB reserved by the weights in NF4.
    stated = profile(NAME, {"model.name": "qwen2.5-7b"})
    assert figure("hardware.own_card.four_bit_weights", stated) == pytest.approx(5.393, rel=0.05)


def test_training_in_four_bits_holds_what_was_measured() -> None:
    # litgpt's table: Mistral-7B, QLoRA, 512 tokens by two, nothing recomputed: 13.31 GiB.
    changes = {
        "model.name": "mistral-7b-v0.1",
        "training.sequence_length": 512,
        "training.micro_batch": 2,
        "training.gradient_checkpointing": "none",
        "training.lora_rank": 32,
        "training.lora_targets": "attention_qv",
        "training.framework": "litgpt",
    }
    cautious = figure("hardware.own_card.with_four_bits", profile(NAME, changes))
    assert 13.31 <= cautious <= 1.6 * 13.31


def test_a_card_named_as_the_machine_is_judged_the_same_way() -> None:
    found = answer(NAME, {"owned": None, "hardware": {"gpu": "rtx-3060-12gb"}})
    assert check(found, "does_not_hold") is not None
    assert check(found, "four_bits_hold") is not None
