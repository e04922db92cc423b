"""Speech and embedding: published measurements, and arithmetic on published models."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

GIB = 2**30
WHISPER: dict[str, Any] = {
    "task": "speech",
    "model": {"name": "whisper-large-v2"},
    "precision": {"weights": "fp16"},
}
TEXTS: dict[str, Any] = {
    "task": "embedding",
    "model": {"name": "bge-large-en-v1.5"},
    "precision": {"weights": "fp16"},
    "serving": {"input_tokens": 512},
}


@pytest.mark.parametrize(
    ("weights", "batch", "measured"),
    [("fp16", 1, 4.4189), ("fp16", 8, 5.9473), ("int8", 1, 2.8574), ("int8", 8, 4.3945)],
)
def test_whisper_takes_what_faster_whisper_published(
    weights: str, batch: int, measured: float
) -> None:
    answer = Answer({**WHISPER, "precision": {"weights": weights}, "speech": {"batch": batch}})
    assert answer.decision("needs.speech.process") == pytest.approx(measured, rel=0.05)
    assert answer.decision("needs.speech.process_cautious") > measured


def test_whisper_is_about_as_fast_as_faster_whisper_published() -> None:
    """Thirteen minutes on an RTX 3070 Ti: 63 s one by one, 17 s in batches of eight.

    The RTX 3090 has 1.54 times the bandwidth and 1.64 times the compute of that card.
    """
    for batch, seconds in ((1, 63), (8, 17)):
        answer = Answer({**WHISPER, "speech": {"batch": batch}})
        rows = {row["card_id"]: row for row in answer.rows("hardware.speech.transcribed")}
        hours_per_second = 13 / 60 / seconds
        assert 0.9 < rows["rtx3090"]["rate_p50"] / hours_per_second < 2


def test_an_encoder_holds_its_parameters_once() -> None:
    answer = Answer(TEXTS)
    assert answer.decision("needs.embedding.weights") == pytest.approx(0.335e9 * 2 / GIB)
    assert answer.decision("needs.embedding.process") < 2.5


def test_a_text_costs_two_operations_for_each_parameter_of_the_layers() -> None:
    """24 layers of twelve squared widths of 1,024, and attention over 512 tokens."""
    layers = 0.335e9 - 30522 * 1024
    operations = 2 * 512 * (layers + 2 * 24 * 1024 * 512)
    found = Answer(TEXTS).decision("needs.embedding.text_operations")
    assert found == pytest.approx(operations / 1e12, rel=1e-9)


def test_shorter_texts_go_faster_and_take_less() -> None:
    short = Answer({**TEXTS, "serving": {"input_tokens": 128}})
    long = Answer(TEXTS)
    fast = {row["card_id"]: row for row in short.rows("hardware.embedding.embedded")}
    slow = {row["card_id"]: row for row in long.rows("hardware.embedding.embedded")}
    assert 2 < fast["l4"]["rate_p50"] / slow["l4"]["rate_p50"] < 6
    assert fast["l4"]["memory_p50_gib"] < slow["l4"]["memory_p50_gib"]
