"""Lessons about speed from calculators that were wrong."""

from __future__ import annotations

import pytest

from tests.catalog import shelf
from tests.rules.ask import Answer, book

SERVICE = {
    "task": "inference", "model": {"name": "llama-3.1-8b"},
    "data": {"may_leave_premises": True, "may_leave_country": True, "sensitivity": "public"},
    "place": {"distance_km": 10, "round_trip_budget_ms": 500},
}  # fmt: skip
GIB = 2**30


def test_a_token_reads_the_experts_it_uses() -> None:
    """llmfit said 34.7 tokens a second where 77.6 were measured: it read all experts for each
    token. https://github.com/AlexsJones/llmfit/issues/474"""
    answer = Answer({
        "task": "inference", "model": {"name": "qwen3.5-35b-a3b", "dense_layers": 0},
        "precision": {"format": "gguf", "gguf_type": "q2_k"},
        "serving": {"engine": "llama_cpp", "mode": "single_stream"},
    })  # fmt: skip
    weights = answer.decision("needs.memory.weights") * GIB / 1e9
    assert answer.decision("needs.bandwidth.read_per_step") < weights / 4
    assert weights > 35e9 * 2 / 8 / 1e9  # memory holds all of them


def test_no_speed_is_shown_without_its_band() -> None:
    """aiconfigurator predicted 883.7 tokens a second and card; 192.4 were measured.
    https://github.com/ai-dynamo/aiconfigurator/issues/1396"""
    found = book().recommend(SERVICE).to_dict()
    shown = [option["throughput"] for option in found["options"] if option["throughput"]["p50"]]
    assert shown
    assert all(0 < one["p10"] < one["p50"] for one in shown)
    assert found["needs"]["compute"]["throughput"]["basis"] == "measured"


def test_training_never_uses_more_of_a_card_than_runs_have_reached() -> None:
    """OLMo-core halved a figure that was dense already, and its utilisation doubled; more than
    0.75 is an alarm. https://github.com/allenai/OLMo-core/pull/614"""
    assert shelf.by_id("accelerators")["a100-sxm-80"]["bf16_tflops"] == 312
    answer = Answer({"task": "full_finetune", "model": {"name": "llama-2-7b"}})
    flops = answer.decision("needs.compute.flops_per_token")
    cards = shelf.by_id("accelerators")
    checked = 0
    for row in answer.layouts():
        nominal = cards[row["card_id"]]["bf16_tflops"]
        if row["speed_known"] and row["throughput_p50"] and nominal:
            used = row["throughput_p50"] * flops / 1e3 / (row["cards"] * nominal)
            assert used <= 0.75, (row["card_id"], row["layout_id"], used)
            checked += 1
    assert checked > 20


def test_figures_are_dense_and_their_ratios_say_so() -> None:
    """inference-sim held 1,466 TFLOPS for the FP8 of an L40S; 733 are dense.
    https://github.com/inference-sim/inference-sim/issues/1738"""
    assert shelf.by_id("accelerators")["l40s"]["fp8_tflops"] == 733
    # Matrix units of these makers double at half the width; others may not (Trainium3: 3.75).
    rows = [row for row in shelf.rows("accelerators") if row["vendor"] in ("NVIDIA", "AMD")
            and row["bf16_tflops"] and row["fp8_tflops"]]  # fmt: skip
    assert len(rows) > 20
    sparse = [row["id"] for row in rows if row["fp8_tflops"] / row["bf16_tflops"] > 2.2]
    assert not sparse


def test_the_label_says_that_a_figure_is_dense() -> None:
    """A user wanted 1,513 TFLOPS for the H100 PCIe, the sparse headline; 756 are dense.
    https://github.com/qoofyk/LLM_Sizing_Guide/issues/3"""
    assert shelf.by_id("accelerators")["h100-pcie"]["bf16_tflops"] == pytest.approx(756.5, abs=1)
    schema = book().bundle.book.tables["accelerators"]
    labels = {column.name: column.label for column in schema.columns}
    for figure in ("fp16_tflops", "bf16_tflops", "fp8_tflops", "fp4_tflops"):
        assert "dense" in labels[figure].en and "稠密" in labels[figure].zh
