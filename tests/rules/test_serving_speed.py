"""Laws of a serving machine: what is answered adds up, and load or bandwidth move it one way."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

MACHINE = "hardware.machine"


def serve(gpu: str = "h100-sxm", count: int = 1, **serving: Any) -> Answer:
    return Answer(
        {
            "task": "inference",
            "model": {"name": "llama-3.1-8b"},
            "hardware": {"gpu": gpu, "count": count},
            "serving": {
                "engine": "vllm", "mode": "online", "input_tokens": 1024, "output_tokens": 256,
                **serving,
            },
        }
    )  # fmt: skip


def figures(answer: Answer) -> tuple[float, float, float]:
    """Output tokens a second, time to first token and time per token, both in seconds."""
    return (
        answer.decision(f"{MACHINE}.throughput_p50"),
        answer.decision(f"{MACHINE}.ttft_ms") / 1000,
        answer.decision(f"{MACHINE}.tpot_ms") / 1000,
    )


def test_one_user_gets_what_one_answer_takes() -> None:
    rate, first, each = figures(serve(concurrency=1))
    assert rate == pytest.approx(256 / (first + 255 * each), rel=0.01)


@pytest.mark.parametrize("concurrency", [4, 32, 128, 1000])
def test_users_in_flight_are_arrivals_times_the_time_each_takes(concurrency: int) -> None:
    """Little's law: never more requests in flight than were stated."""
    rate, first, each = figures(serve(concurrency=concurrency))
    in_flight = rate / 256 * (first + 255 * each)
    assert in_flight <= concurrency * 1.01


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt_llm"])
def test_more_users_wait_longer_and_are_never_answered_slower_in_all(engine: str) -> None:
    before = figures(serve(engine=engine, concurrency=2))
    for concurrency in (8, 32, 128, 512, 2000):
        now = figures(serve(engine=engine, concurrency=concurrency))
        assert now[0] >= before[0] * (1 - 1e-9), concurrency
        assert now[1] >= before[1] * (1 - 1e-9), concurrency
        before = now


@pytest.mark.parametrize("concurrency", [1, 16])
def test_bandwidth_never_slows_an_answer(concurrency: int) -> None:
    """H100 and H200 differ in their memory alone."""
    slow, fast = (figures(serve(gpu, concurrency=concurrency)) for gpu in ("h100-sxm", "h200-sxm"))
    assert fast[2] <= slow[2]
    assert fast[0] >= slow[0]


def test_a_single_stream_is_bounded_by_the_bandwidth() -> None:
    """An H100 reads 3,350 GB a second, and 15 GB for each token of an 8B model in 16 bits."""
    rate, _, _ = figures(serve(concurrency=1, input_tokens=16))
    assert rate < 3350 / 15


def test_a_step_waits_for_one_pass_of_prompts_at_most() -> None:
    """vLLM on an A100 reads 2,048 prompt tokens a step: 33 TFLOP of an 8B model at 312 a second."""
    long = serve("a100-sxm-80", concurrency=64, input_tokens=32000, output_tokens=64)
    assert figures(long)[2] < 1.0
