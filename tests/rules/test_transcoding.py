"""Transcoding: encoder engines, session limits and frame rates; FLOPS play no part."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

CHANNELS: dict[str, Any] = {
    "task": "transcoding",
    "transcode": {
        "codec_in": "h264", "codec_out": "hevc", "width": 1920, "height": 1080,
        "frames_per_s": 30, "bit_depth": 8, "streams": 40, "preset": "medium",
    },
}  # fmt: skip
COMPUTE_CARDS = ("a100-sxm-80", "a100-pcie-40", "a30", "h100-sxm", "h200-sxm", "b200", "mi300x")


def channels(**changes: Any) -> Answer:
    return Answer({**CHANNELS, "transcode": {**CHANNELS["transcode"], **changes}})


@pytest.mark.parametrize("codec", ["h264", "hevc", "av1"])
def test_a_card_without_encoder_engines_is_never_an_option(codec: str) -> None:
    answer = channels(codec_out=codec)
    able = {row["card_id"]: row["able"] for row in answer.rows("hardware.transcoding.encoded")}
    assert {able[card] for card in COMPUTE_CARDS} == {"no_encoder"}
    assert answer.ranked() and not {row["card_id"] for row in answer.ranked()} & set(COMPUTE_CARDS)


def test_av1_is_encoded_from_ada_on() -> None:
    able = {
        row["card_id"]: row["able"]
        for row in channels(codec_out="av1").rows("hardware.transcoding.encoded")
    }
    assert able["l4"] == able["l40s"] == able["rtx5090"] == "able"
    assert able["t4"] == able["a10"] == able["rtx3090"] == "no_av1_encoder"


def test_streams_of_an_l4_follow_from_its_engines() -> None:
    # Two engines; HEVC on Ada midway between P3 (706) and P5 (411) makes 558.5 frames of 1080p;
    # at the cautious 0.7 that is 390.95: 13 streams of 30 an engine, 26 a card, 780 frames.
    row = next(
        row for row in channels().rows("hardware.transcoding.encoded") if row["card_id"] == "l4"
    )
    assert row["streams_per_engine"] == 13
    assert row["rate_p10"] == 780
    four_k = channels(width=3840, height=2160).rows("hardware.transcoding.encoded")
    assert next(row for row in four_k if row["card_id"] == "l4")["streams_per_engine"] == 3


def test_forty_streams_need_two_of_them() -> None:
    assert channels().ranked(card_id="l4")[0]["cards"] == 2
    assert channels(streams=26).ranked(card_id="l4")[0]["cards"] == 1
    assert channels(streams=27).ranked(card_id="l4")[0]["cards"] == 2


def test_gaming_cards_of_a_machine_share_the_session_limit() -> None:
    # 8 streams a machine (driver, January 2024 on), whatever the number of cards in it.
    for row in channels().layouts(card_id="rtx4090"):
        assert row["results_p10"] == pytest.approx(min(8, 26 * row["cards"]) * 30)
    best = channels().ranked(card_id="rtx4090")[0]
    assert best["nodes"] == 5
    none = Answer(CHANNELS, consumer_encode_sessions=32)
    assert none.ranked(card_id="rtx4090")[0]["nodes"] == 2


def test_flops_play_no_part() -> None:
    rates = {
        row["card_id"]: row["rate_p10"] for row in channels().rows("hardware.transcoding.encoded")
    }
    # Both have two engines of the same generation; the RTX 4090 has 2.7 times the FP32 rate.
    assert rates["l4"] == rates["rtx4090"]


def test_a_stream_faster_than_an_engine_is_not_able() -> None:
    # 4K at 120 frames a second: 558.5 / 4 × 0.7 = 97.7 on Ada.
    able = {
        row["card_id"]: row["able"]
        for row in channels(width=3840, height=2160, frames_per_s=120).rows(
            "hardware.transcoding.encoded"
        )
    }
    assert able["l4"] == "stream_too_fast"


@pytest.mark.parametrize("fact", ["codec_out", "width", "frames_per_s", "streams", "preset"])
def test_what_is_not_said_is_not_guessed(fact: str) -> None:
    said = {name: value for name, value in CHANNELS["transcode"].items() if name != fact}
    assert Answer({**CHANNELS, "transcode": said}).ranked() == []
