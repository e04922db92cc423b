"""Lessons about memory from calculators that were wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.catalog import shelf
from tests.rules.ask import Answer, book

GIB = 2**30
GB = 1e9
BYTES = {"bf16": 2, "fp16": 2, "fp8": 1}
LANGUAGE_MODELS = [
    row["id"] for row in shelf.rows("models") if str(row["kind"]).startswith("llm")
]  # fmt: skip


def stated(**groups: Any) -> Answer:
    return Answer({"task": "inference", **groups})


def on(card: str, count: int = 1, **groups: Any) -> Answer:
    """The answer for a stated machine."""
    return Answer({"hardware": {"gpu": card, "count": count}, **groups})


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_weights_are_never_less_than_parameters_times_bytes(precision: str) -> None:
    """accelerate said 64.73 GB for a 70B model in FP16; 140 GB are right: a number of bytes was
    halved twice. https://github.com/huggingface/accelerate/issues/3379"""
    checked = 0
    for name in LANGUAGE_MODELS:
        answer = stated(model={"name": name}, precision={"weights": precision})
        weights = answer.decision("needs.memory.weights")
        listed = shelf.by_id("models")[name]["parameters_b"]
        if weights is None or listed is None:  # of no published size: counted by its architecture
            continue
        parameters = listed * 1e9
        assert weights * GIB >= 0.999 * parameters * BYTES[precision], name
        checked += 1
    assert checked > 50
    llama = stated(model={"name": "llama-2-70b"}, precision={"weights": "fp16"})
    assert llama.decision("needs.memory.weights") * GIB / GB == pytest.approx(138, rel=0.02)


def test_weights_cache_and_reserve_are_told_apart() -> None:
    """A user compared accelerate's figure, weights alone, with what a server reserves.
    https://github.com/huggingface/accelerate/issues/3297"""
    profile = {
        "task": "inference", "model": {"name": "llama-3.1-8b"}, "precision": {"weights": "fp8"},
        "hardware": {"gpu": "l40s"},
        "data": {"may_leave_premises": True, "may_leave_country": True, "sensitivity": "public"},
        "place": {"distance_km": 10, "round_trip_budget_ms": 500},
    }  # fmt: skip
    memory = book().recommend(profile).to_dict()["needs"]["memory"]
    parts = {name: memory[name]["value"] for name in ("weights", "kv_cache", "reserve", "total")}
    assert all(value is not None and value > 0 for value in parts.values())
    assert parts["weights"] * GIB / GB == pytest.approx(8.6, rel=0.1)  # 8 GB and two embeddings
    assert parts["total"] > parts["weights"] + parts["kv_cache"]


def test_all_experts_take_memory() -> None:
    """llmfit called 122B-A10B in four bits a perfect fit for 48 GB, at 33 GB; 70 to 75 GB are
    right. https://github.com/AlexsJones/llmfit/issues/230"""
    mixture = on(
        "l40s", task="inference",
        model={"name": "qwen3.5-122b-a10b", "dense_layers": 0, "shared_experts": 1},
        precision={"weights": "int4"},
    )  # fmt: skip
    assert 61 < mixture.decision("needs.memory.weights") * GIB / GB < 76
    assert mixture.decision("hardware.machine.fit") == "does_not_fit"


def test_the_context_is_an_input_and_not_the_longest_possible() -> None:
    """llmfit took the advertised window of 262,144 tokens and refused 8 GB to a 9B model.
    https://github.com/AlexsJones/llmfit/issues/302"""
    profile: dict[str, Any] = {"task": "inference", "model": {"name": "gemma-2-9b"}}
    found = book().recommend(profile).to_dict()
    shown = found["profile"]["serving"]["context_tokens"]
    assert shown == 1024 + 512 < shelf.by_id("models")["gemma-2-9b"]["max_context"]
    assert "serving.context_tokens" in {one["field"] for one in found["assumed"]}
    short, long = (
        Answer({**profile, "serving": {"context_tokens": tokens}}).decision(
            "needs.memory.kv_cache_per_request"
        )
        for tokens in (2048, 4096)
    )
    assert long > short


def test_experts_are_counted_and_tied_heads_are_not_counted_twice() -> None:
    """vllm-fit counted Mixtral-8x7B as about 13B; 47B are right.
    https://github.com/jranaraki/vllm-fit/issues/27"""
    models = shelf.by_id("models")
    mixtral = models["mixtral-8x7b"]
    layer = 4096 * 128 * (32 + 8) * 2 + 8 * 3 * 4096 * 14336 + 8 * 4096 + 2 * 4096
    total = 32 * layer + 2 * 32000 * 4096 + 4096
    assert mixtral["parameters_b"] * 1e9 == pytest.approx(total, rel=1e-4)
    assert stated(model={"name": "mixtral-8x7b"}).decision(
        "needs.memory.weights"
    ) * GIB == pytest.approx(2 * total, rel=0.001)
    shape = {"parameters_b": 2, "hidden_size": 2048, "vocab_size": 256000, "layers": 18}
    tied, untied = (
        stated(model={**shape, "tied_embeddings": one}).decision(
            "needs.architecture.embedding_parameters"
        )
        for one in (True, False)
    )
    assert untied == pytest.approx(2 * tied)


def test_layers_with_a_window_cache_no_more_than_the_window() -> None:
    """llama-toolchest said 58 GB for a 12B model at 128k tokens; it fits 24 GB, for 40 of 48
    layers cache 1,024 tokens. https://github.com/tmac1973/llama-toolchest/pull/58"""
    answer = stated(
        model={"name": "gemma-3-12b-it"}, serving={"context_tokens": 131072, "concurrency": 1}
    )
    token_of_a_layer = 2 * 8 * 256 * 2  # keys and values, 8 heads of 256 (not 3840 / 16), bf16
    expected = token_of_a_layer * (8 * 131072 + 40 * 1024)
    assert answer.decision("needs.memory.kv_cache_per_request") * GIB == pytest.approx(
        expected, rel=0.02
    )
    small = on(
        "rtx4090", task="inference", model={"name": "gemma-3-12b-it"},
        precision={"weights": "int4"}, serving={"context_tokens": 131072, "concurrency": 1},
    )  # fmt: skip
    assert small.decision("hardware.machine.fit") in ("fits", "tight")


def test_a_model_of_windows_is_not_sized_as_if_it_had_none() -> None:
    """gguf-parser said 139 GB for a 27B model; about 32 GB were used at 85k tokens.
    https://github.com/gpustack/gpustack/issues/2101"""
    answer = stated(
        model={"name": "gemma-3-27b-it"}, precision={"format": "gguf", "gguf_type": "q4_k_m"},
        serving={"context_tokens": 85000, "concurrency": 1, "engine": "llama_cpp"},
    )  # fmt: skip
    whole = sum(
        answer.decision(f"needs.memory.{part}") for part in ("weights", "kv_cache_per_request")
    )
    assert whole * GIB / GB < 32


def test_buffers_grow_with_the_micro_batch() -> None:
    """gguf-parser said 954 MiB for a micro-batch of 8,192; 4,158 MiB were used.
    https://github.com/gpustack/gpustack/issues/2443"""
    small, large = (
        stated(
            model={"name": "qwen3-4b"},
            precision={"format": "gguf", "gguf_type": "q8_0"},
            serving={"engine": "llama_cpp", "micro_batch_tokens": tokens},
        ).decision("needs.memory.llama_buffer")
        for tokens in (512, 8192)
    )
    assert large > 8 * small


def test_the_room_for_caches_depends_on_what_the_engine_may_take_and_how_it_stores() -> None:
    """Two capacities of the same engine differed by their definition.
    https://github.com/redhat-performance/configiq/issues/112"""

    def room(**changes: Any) -> float:
        serving = {"engine": "vllm", "memory_utilisation": changes.pop("share", 0.9)}
        found = on("h200-sxm", task="inference", model={"name": "llama-3.1-8b"},
                   serving=serving, precision={"weights": "bf16", **changes})  # fmt: skip
        tokens: float = found.decision("hardware.machine.kv_pool_tokens")
        return tokens

    assert room(kv_cache="fp8") == pytest.approx(2 * room(), rel=0.01)
    assert room(share=0.8) < room() < room(share=0.95)
    found = book().recommend({"task": "inference", "model": {"name": "llama-3.1-8b"}}).to_dict()
    assert "serving.engine" in {one["field"] for one in found["assumed"]}


OFFLOADED = {
    "task": "full_finetune", "model": {"name": "llama-2-7b"},
    "parallelism": {"sharding": "zero3", "offload": "all"}, "training": {"micro_batch": 1},
}  # fmt: skip


def test_what_offloading_leaves_on_a_card_is_more_than_states() -> None:
    """DeepSpeed's estimate said 0.49 GB a card for 6.8B parameters on four; 14.7 GB were used after
    the start. https://github.com/deepspeedai/DeepSpeed/issues/4527"""
    answer = on("a100-sxm-80", 4, **OFFLOADED)
    cautious = answer.decision("hardware.machine.memory_p95_gib")
    assert cautious * GIB / GB >= 14.7
    assert answer.decision("hardware.machine.activations_gib") > 0


def test_what_does_not_shrink_with_the_cards_is_counted() -> None:
    """DeepSpeed's estimate said 0.77 GB a card for 6B; about 13 GB were used, on two cards as on
    four. https://github.com/deepspeedai/DeepSpeed/issues/4093"""
    two, four = (
        on("a100-sxm-80", count, **OFFLOADED).decision("hardware.machine.memory_p50_gib")
        for count in (2, 4)
    )
    assert four > 0.6 * two
    assert four * GIB / GB > 5


def test_a_gigabyte_is_no_gibibyte() -> None:
    """hf-mem printed GB where the value was GiB, and a tool showed a card of 48 GB as 45.
    https://github.com/alvarobartt/hf-mem/issues/33
    https://github.com/unslothai/unsloth/pull/9570"""
    answer = stated(model={"name": "llama-2-7b"}, precision={"weights": "bf16"})
    weights = answer.decision("needs.memory.weights")
    assert weights == pytest.approx(2 * 6_738_415_616 / GIB, rel=1e-6)
    decision = book().bundle.book.decisions["needs.memory.weights"]
    assert str(decision.type.unit.symbol) == "GiB"
    columns = [name for name in shelf.columns("accelerators") if "memory" in name]
    assert "memory_gib" in columns and not [name for name in columns if name.endswith("_gb")]


def test_attention_that_keeps_its_scores_grows_with_the_square_of_the_length() -> None:
    """A tool said 23.3 GB for a 774M model on a V100, which has no flash attention; it ran out at
    31.7 GB. https://github.com/NVIDIA/Megatron-LM/issues/525"""

    def working_set(kernel: str, tokens: int) -> float:
        found = Answer({
            "task": "full_finetune", "model": {"name": "gpt2-large"},
            "training": {"attention_kernel": kernel, "sequence_length": tokens,
                         "gradient_checkpointing": "none"},
        })  # fmt: skip
        value: float = found.decision("needs.memory.stored_activations")
        return value

    assert working_set("eager", 4096) > 3 * working_set("eager", 2048)
    assert working_set("sdpa", 4096) == pytest.approx(2 * working_set("sdpa", 2048), rel=0.01)
    assumed = {
        one["field"]: one["value"]
        for one in book()
        .recommend({"task": "full_finetune", "model": {"name": "gpt2-large"}})
        .to_dict()["assumed"]
    }
    assert assumed["training.attention_kernel"] == "sdpa"  # runs on every card, flash does not
