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


def test_a_machine_can_serve_the_same_however_little_it_is_asked_for() -> None:
    """The load decides how long answers take, not how much the machine could take."""
    little, more = (serve(target_tokens_per_s=tokens) for tokens in (100, 1000))
    most, same = (answer.layouts()[0]["throughput_p50"] for answer in (little, more))
    assert most == pytest.approx(same)
    (_, first, each), (_, later, slower) = figures(little), figures(more)
    assert first <= later and each < slower


def test_a_machine_is_expected_to_serve_what_it_is_asked_for_as_long_as_it_can() -> None:
    answers = {tokens: serve(target_tokens_per_s=tokens) for tokens in (100, 1000, 10**6)}
    most = answers[100].layouts()[0]["throughput_p50"]
    served = {tokens: figures(answer)[0] for tokens, answer in answers.items()}
    assert served == pytest.approx({100: 100, 1000: 1000, 10**6: most})


def test_one_card_that_is_fast_enough_is_not_counted_thrice() -> None:
    """An H100 reads a model of 15 GB 200 times a second: 500 tokens take 3 requests at once."""
    best = serve(target_tokens_per_s=500).ranked()[0]
    assert best["cards"] == 1


@pytest.mark.parametrize("serving", [{"target_requests_per_s": 4}, {"concurrency": 400}])
def test_a_load_that_shows_no_capacity_is_held_to_no_promise(serving: dict[str, Any]) -> None:
    """An arrival rate shows itself; a crowd that all finds a place runs the machine empty."""
    answer = serve("h200-sxm", **serving)
    assert answer.decision(f"{MACHINE}.capacity_p10") is None
    assert answer.decision(f"{MACHINE}.throughput_p10") > 0


def test_users_who_queue_show_what_a_machine_can_do() -> None:
    answer = serve("l4", concurrency=1000)
    assert answer.decision(f"{MACHINE}.capacity_p10") == answer.decision(
        f"{MACHINE}.throughput_p10"
    )


def test_gaming_cards_read_prompts_nearer_to_their_restricted_rate() -> None:
    """An RTX 4090 computes 165 of 330 nominal TFLOPS by its vendor's limit: a prompt of 4,096
    tokens, 64 TFLOP of matrices for an 8B model, cannot take less than 0.39 s, nor twice that."""
    _, first, _ = figures(serve("rtx4090", concurrency=1, input_tokens=4096))
    assert 0.39 < first < 0.78


def test_layers_with_a_window_do_not_look_back_over_a_whole_prompt() -> None:
    """Half of gpt-oss' layers see 128 tokens. Of a prompt of sixteen windows they count 31 windows
    squared, the other half 256; of a prompt of one window both count one."""
    short, long = (
        Answer(
            {
                "task": "inference", "model": {"name": "gpt-oss-120b"},
                "serving": {"input_tokens": tokens},
            }
        ).decision("needs.compute.prompt_attention")
        for tokens in (128, 2048)
    )  # fmt: skip
    assert long == pytest.approx(short * (256 / 2 + 31 / 2))
