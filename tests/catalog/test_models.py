"""Models: sizes agree with the architecture, heads with their labels, names with one model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.catalog.shelf import by_id, catalog, lines, plain, rows

# Printed by the models' own publishers or counted in their weight files.
PUBLISHED = {
    "llama-2-7b": 6.738415616, "llama-2-13b": 13.015864320, "llama-2-70b": 68.976648192,
    "llama-3.1-8b": 8.030261248, "llama-3.1-70b": 70.553706496, "llama-3.1-405b": 405.853388800,
    "qwen2.5-7b": 7.615616512, "qwen2.5-72b": 72.706203648, "qwen3-8b": 8.190735360,
    "qwen3-30b-a3b": 30.532122624, "mistral-7b-v0.1": 7.241732096, "mixtral-8x7b": 46.702792704,
    "gemma-2-9b": 9.241705984, "deepseek-v3": 671.026419200, "gpt2": 0.124439808,
    "opt-125m": 0.125239296, "bert-base-uncased": 0.109482240, "bloom-7b1": 7.069016064,
}  # fmt: skip


def attention_size(row: dict[str, Any]) -> float:
    """Parameters of one attention block."""
    hidden, heads = row["hidden_size"], row["heads"]
    if row["attention"] == "mla":
        rank, query = row["kv_lora_rank"], row["q_lora_rank"]
        nope, rope, value = row["nope_dim"], row["rope_dim"], row["value_head_dim"]
        down = hidden * (query + rank + rope)
        up = query * heads * (nope + rope) + rank * heads * (nope + value)
        return float(down + up + heads * value * hidden)
    return float(2 * hidden * row["head_dim"] * (heads + row["kv_heads"]))


def computed(row: dict[str, Any]) -> float | None:
    """Billions of parameters from the matrices alone; None where columns are missing."""
    needed = ("hidden_size", "layers", "heads", "head_dim", "vocab_size", "mlp_matrices")
    if any(row[name] is None for name in (*needed, "tied_embeddings")):
        return None
    if row["attention"] in (None, "hybrid") or (
        row["attention"] != "mla" and row["kv_heads"] is None
    ):
        return None
    block = row["mlp_matrices"] * row["hidden_size"]
    if row["experts"]:
        if row["moe_intermediate_size"] is None or row["shared_experts"] is None:
            return None
        dense = row["dense_layers"] or 0
        each = block * row["moe_intermediate_size"]
        mlp = (row["layers"] - dense) * (
            each * (row["experts"] + row["shared_experts"]) + row["hidden_size"] * row["experts"]
        ) + dense * block * (row["intermediate_size"] or 0)
    elif row["intermediate_size"] is None:
        return None
    else:
        mlp = row["layers"] * block * row["intermediate_size"]
    embeddings = row["vocab_size"] * row["hidden_size"] * (1 if row["tied_embeddings"] else 2)
    return float(embeddings + row["layers"] * attention_size(row) + mlp) / 1e9


def test_the_size_agrees_with_the_architecture_within_a_percent() -> None:
    """Learned positions, biases and norms are left out, which small old models feel most."""
    checked, wrong = 0, []
    for row in rows("models"):
        size = computed(row)
        if size is None or row["parameters_b"] is None or row["parameters_basis"] == "name":
            continue
        checked += 1
        slack = 0.04 if row["parameters_b"] < 0.1 else 0.015 if row["parameters_b"] < 2 else 0.01
        if abs(size / row["parameters_b"] - 1) > slack:
            wrong.append(f"{row['id']}: {row['parameters_b']} stated, {size:.3f} computed")
    assert checked > 100
    assert not wrong


@pytest.mark.parametrize(("model", "size"), PUBLISHED.items())
def test_the_size_is_the_published_one(model: str, size: float) -> None:
    assert by_id("models")[model]["parameters_b"] == pytest.approx(size, rel=1e-4)


@pytest.mark.parametrize(
    ("model", "active"),
    [
        ("mixtral-8x7b", 12.88), ("qwen3-30b-a3b", 3.35), ("deepseek-v3", 37.55),
        ("llama-4-scout", 17.2),
    ],
)  # fmt: skip
def test_activated_parameters_are_those_of_one_token(model: str, active: float) -> None:
    assert by_id("models")[model]["active_parameters_b"] == pytest.approx(active, rel=0.005)


def test_activated_parameters_are_never_more_than_all() -> None:
    for row in rows("models"):
        if row["parameters_b"] is not None:
            assert row["active_parameters_b"] is not None, row["id"]
            assert row["active_parameters_b"] <= row["parameters_b"], row["id"]
        if row["kind"] == "llm_dense" and row["parameters_b"] is not None:
            assert row["active_parameters_b"] == row["parameters_b"], row["id"]


def test_experts_are_where_the_kind_says() -> None:
    for row in rows("models"):
        if "moe" in row["kind"]:
            assert row["experts"] and row["experts"] > 1, row["id"]
        elif row["kind"].startswith("llm"):
            assert row["experts"] == 0, row["id"]
        if row["experts"] and row["experts_per_token"] is not None:
            assert 1 <= row["experts_per_token"] < row["experts"], row["id"]


def test_heads_agree_with_the_kind_of_attention() -> None:
    for row in rows("models"):
        kind, heads, shared = row["attention"], row["heads"], row["kv_heads"]
        if kind == "mha":
            assert shared == heads, row["id"]
        elif kind == "mqa":
            assert shared == 1, row["id"]
        elif kind == "gqa":
            assert 1 < shared < heads, row["id"]
        if kind == "mla":
            assert row["kv_lora_rank"] and row["rope_dim"] and row["value_head_dim"], row["id"]
            assert row["head_dim"] == row["nope_dim"] + row["rope_dim"], row["id"]
        elif shared is not None:
            assert heads % shared == 0, row["id"]


def test_windows_and_full_layers_agree() -> None:
    for row in rows("models"):
        full = row["full_attention_layers"]
        if row["attention"] in ("mha", "gqa", "mqa", "mla"):
            assert full == row["layers"], row["id"]
            assert row["sliding_window"] is None, row["id"]
        if row["attention"] == "sliding_window":
            assert row["sliding_window"] is not None, row["id"]
            assert full is None or full < row["layers"], row["id"]


def test_aliases_are_unique_however_they_are_written() -> None:
    seen: dict[str, str] = {}
    for row in rows("models"):
        assert seen.setdefault(plain(row["id"]), row["id"]) == row["id"]
    for line in lines("models/aliases.csv"):
        assert seen.setdefault(plain(line["alias"]), line["id"]) == line["id"], line["alias"]
        assert line["id"] in by_id("models"), line["id"]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"), ("Qwen/Qwen3-8B", "qwen3-8b"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-r1"), ("llama-2-7b-hf", "llama-2-7b"),
        ("la:gpt2-xl", "gpt2-xl"), ("fit:llama-3.2-1b-instruct", "llama-3.2-1b"),
        ("gm:flux_schnell", "flux.1-schnell"), ("qwen3-32b-hfcfg", "qwen3-32b"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
    ],
)  # fmt: skip
def test_hub_ids_and_former_keys_are_understood(name: str, model: str) -> None:
    assert catalog().tables["models"].aliases[name] == model
