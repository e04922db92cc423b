"""What must be read and kept, against arithmetic done by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

TRAINING: dict[str, Any] = {
    "task": "lora",
    "model": {"name": "llama-3.1-8b"},
    "training": {"tokens_b": 0.05},
}


def test_a_language_model_reads_four_bytes_a_token() -> None:
    answer = Answer(TRAINING)
    best = answer.ranked()[0]
    expected = best["throughput_p50"] * 4 / 1e9
    assert answer.decision("needs.storage.read_rate") == pytest.approx(expected)


def test_a_stated_data_set_is_read_in_the_hours_of_the_run() -> None:
    answer = Answer(TRAINING | {"data": {"size_gb": 500}})
    hours = answer.ranked()[0]["hours"]
    # Three epochs, the default of fine-tuning trainers.
    expected = 3 * 500 / (hours * 3600)
    assert answer.decision("needs.storage.read_rate") == pytest.approx(expected)


def test_a_full_checkpoint_holds_weights_and_states() -> None:
    # Llama-2-7B, 6.738 billion parameters: 2 bytes of weights and 12 of AdamW states each.
    answer = Answer({"task": "full_finetune", "model": {"name": "llama-2-7b"}})
    assert answer.decision("needs.storage.checkpoint_gb") == pytest.approx(6.738415616 * 14)


def test_data_that_grows_needs_room_until_the_end() -> None:
    answer = Answer(
        TRAINING | {"data": {"size_gb": 100, "growth_gb_per_month": 10}, "usage": {"months": 12}}
    )
    assert answer.decision("needs.storage.data_at_the_end") == 220


def test_weights_of_140_gb_start_in_minutes_over_a_gigabit() -> None:
    # 70.55 billion parameters in 16 bits: 141.1 GB × 8 / 1 Gbit/s = 1,129 s nominal.
    answer = Answer({"task": "inference", "model": {"name": "llama-3.1-70b"}})
    nominal = 141.1 * 8 / 60
    assert nominal < answer.decision("needs.storage.start_minutes") < 1.25 * nominal
    # From a disk of 3 GB/s: 47 s.
    from_disk = answer.decision("needs.storage.start_minutes_from_disk")
    assert from_disk == pytest.approx(47 / 60, rel=0.01)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"size_gb": 10, "files": 10}, "object_storage"),
        ({"size_gb": 10, "files": 1_000_000}, "local_disk"),
        ({"size_gb": 10, "files": 10, "reads_per_epoch": 2}, "local_disk"),
        ({"size_gb": 100_000, "files": 10}, "local_disk"),
    ],
    ids=["read once", "small files", "read again", "more than the storage gives"],
)
def test_where_a_pass_over_the_data_reads(data: dict[str, Any], place: str) -> None:
    training = {"tokens_b": 0.05, "epochs": 1}
    answer = Answer(TRAINING | {"training": training, "data": data})
    assert answer.decision("needs.storage.read_from") == place


def test_a_service_keeps_its_weights_and_no_checkpoint() -> None:
    # DeepSeek-V3 in 8 bits: 671 GB of weights, whatever states its training once had.
    answer = Answer(
        {
            "task": "inference",
            "model": {"name": "deepseek-v3"},
            "precision": {"weights": "fp8"},
        }
    )
    assert answer.decision("needs.storage.checkpoint_gb") == 0
    room = answer.decision("needs.storage.object_storage")
    assert 671 < room < 690  # embeddings stay in 16 bits
    assert answer.decision("needs.storage.local_disk") == room
