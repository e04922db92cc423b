"""The same model from four kinds of input: one answer.

Llama-3.1-8B is stated by its published config.json; every expected figure is counted by hand from
it: 32 layers of width 4096, 32 heads of 128 over 8 key heads, 14336 wide, 128256 words.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rules.ask import Answer, book
from tests.unit.test_door_model_headers import gguf, safetensors

LAYERS, WIDTH, HEADS, KEYS, HEAD, INNER, WORDS = 32, 4096, 32, 8, 128, 14336, 128256
PARAMETERS = (
    2 * WORDS * WIDTH  # embedding and head
    + LAYERS * (2 * WIDTH * WIDTH + 2 * WIDTH * KEYS * HEAD + 3 * WIDTH * INNER + 2 * WIDTH)
    + WIDTH
)
CONFIG = {
    "model_type": "llama", "num_hidden_layers": LAYERS, "hidden_size": WIDTH,
    "num_attention_heads": HEADS, "num_key_value_heads": KEYS, "intermediate_size": INNER,
    "vocab_size": WORDS, "tie_word_embeddings": False, "max_position_embeddings": 131072,
}  # fmt: skip
NUMBERS = {
    "parameters_b": PARAMETERS / 1e9, "layers": LAYERS, "hidden_size": WIDTH, "heads": HEADS,
    "kv_heads": KEYS, "head_dim": HEAD, "intermediate_size": INNER, "vocab_size": WORDS,
    "tied_embeddings": False, "mlp_matrices": 3, "experts": 0, "attention": "gqa",
}  # fmt: skip
GIB = 2**30


def tensors() -> dict[str, tuple[int, ...]]:
    """Every matrix of the model as PyTorch shapes it: (out, in)."""
    found: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (WORDS, WIDTH), "lm_head.weight": (WORDS, WIDTH),
        "model.norm.weight": (WIDTH,),
    }  # fmt: skip
    for layer in range(LAYERS):
        found |= {
            f"model.layers.{layer}.{name}.weight": shape
            for name, shape in {
                "self_attn.q_proj": (WIDTH, WIDTH), "self_attn.k_proj": (KEYS * HEAD, WIDTH),
                "self_attn.v_proj": (KEYS * HEAD, WIDTH), "self_attn.o_proj": (WIDTH, WIDTH),
                "mlp.gate_proj": (INNER, WIDTH), "mlp.up_proj": (INNER, WIDTH),
                "mlp.down_proj": (WIDTH, INNER), "input_layernorm": (WIDTH,),
                "post_attention_layernorm": (WIDTH,),
            }.items()
        }  # fmt: skip
    return found


def as_config(folder: Path) -> dict[str, Any]:
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return {"config": str(folder / "config.json")}


def as_safetensors(folder: Path) -> dict[str, Any]:
    as_config(folder)
    path = folder / "model.safetensors"
    safetensors(path, {name: ("BF16", shape) for name, shape in tensors().items()})
    return {"config": str(path)}


def as_safetensors_alone(folder: Path) -> dict[str, Any]:
    """Older files keep the rotary frequencies, half as many as a head is wide."""
    path = folder / "model.safetensors"
    shapes = tensors() | {"model.layers.0.self_attn.rotary_emb.inv_freq": (HEAD // 2,)}
    safetensors(path, {name: ("BF16", shape) for name, shape in shapes.items()})
    return {"config": str(path)}


def as_gguf(folder: Path) -> dict[str, Any]:
    """In 16 bits; a GGUF file names its tensors its own way and states the sizes itself."""
    names = {
        "model.embed_tokens": "token_embd", "lm_head": "output", "model.norm": "output_norm",
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm", "model.layers": "blk",
    }  # fmt: skip
    held: dict[str, tuple[tuple[int, ...], int]] = {}
    for name, shape in tensors().items():
        for theirs, ours in names.items():
            name = name.replace(theirs, ours)
        held[name] = (tuple(reversed(shape)), 1)  # 16 bits
    pairs = {
        "general.architecture": "llama", "llama.block_count": LAYERS,
        "llama.embedding_length": WIDTH, "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": KEYS, "llama.feed_forward_length": INNER,
        "llama.context_length": 131072, "llama.vocab_size": WORDS,
    }  # fmt: skip
    return {"config": str(gguf(folder, pairs, held))}


def as_numbers(folder: Path) -> dict[str, Any]:
    return NUMBERS


INPUTS = [as_config, as_safetensors, as_safetensors_alone, as_gguf, as_numbers]


def needs(model: dict[str, Any], **rest: Any) -> dict[str, float]:
    answer = book().recommend({"model": model, **rest}).to_dict()["needs"]["memory"]
    return {part: leaf["value"] for part, leaf in answer.items() if isinstance(leaf, dict)}


@pytest.mark.parametrize("state", INPUTS)
def test_serving_is_sized_from_each_kind_of_input(state: Any, tmp_path: Path) -> None:
    found = needs(
        state(tmp_path), task="inference",
        serving={"engine": "llama_cpp", "concurrency": 1, "context_tokens": 8192},
    )  # fmt: skip
    assert found["weights"] == pytest.approx(2 * PARAMETERS / GIB, rel=1e-6)
    cache = 2 * LAYERS * KEYS * HEAD * 2 * 8192  # keys and values in 16 bits
    assert found["kv_cache"] == pytest.approx(cache / GIB)


TUNING = {
    "task": "lora",
    "training": {"samples": 1000, "sequence_length": 1024, "micro_batch": 1, "lora_rank": 16,
                 "lora_targets": "attention"},
}  # fmt: skip


@pytest.mark.parametrize("state", [one for one in INPUTS if one is not as_gguf])
def test_tuning_is_sized_from_each_kind_of_input(state: Any, tmp_path: Path) -> None:
    found, named = needs(state(tmp_path), **TUNING), needs({"name": "llama-3.1-8b"}, **TUNING)
    assert found["weights"] == pytest.approx(2 * PARAMETERS / GIB, rel=1e-6)
    assert found["total"] == pytest.approx(named["total"], rel=1e-3)


def test_a_config_that_is_no_model_does_not_spoil_the_weights_beside_it(tmp_path: Path) -> None:
    stated = as_safetensors_alone(tmp_path)
    (tmp_path / "config.json").write_text("[1, 2", encoding="utf-8")
    assert needs(stated, task="inference")["weights"] == pytest.approx(2 * PARAMETERS / GIB)


def test_parameters_of_the_catalog_are_those_of_its_architectures() -> None:
    """The published counts of the catalog, counted again from layers, widths, experts and words."""
    bundle = book().bundle
    columns = [column.name for column in bundle.book.tables["models"].columns]
    stated = ("layers", "hidden_size", "heads", "kv_heads", "head_dim", "intermediate_size",
              "vocab_size", "tied_embeddings", "attention", "mlp_matrices", "experts",
              "experts_per_token", "shared_experts", "moe_intermediate_size", "dense_layers",
              "kv_lora_rank", "q_lora_rank", "rope_dim", "sliding_window")  # fmt: skip
    counted, off = 0, []
    for row in bundle.catalog.tables["models"].rows[::4]:
        model = dict(zip(columns, row, strict=True))
        if model["attention"] in ("hybrid", "none") or model["parameters_b"] is None:
            continue
        given = {name: model[name] for name in stated if model[name] is not None}
        integers = {name: int(value) if isinstance(value, float) else value
                    for name, value in given.items()}  # fmt: skip
        facts = Answer({"task": "inference", "model": integers}).outcome["facts"]
        found = facts["model.parameters_b"]
        if found is not None:
            counted += 1
            off += [model["id"]] if abs(found / model["parameters_b"] - 1) > 0.03 else []
    assert counted > 20 and not off
