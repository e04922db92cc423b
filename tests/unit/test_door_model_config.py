"""A published config.json fills in the architecture of a profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.book.model import Fact, TableData
from engine.language.types import BOOLEAN, TEXT, enumeration, number
from engine.readers.document import InputError, parse_document
from engine.readers.profile import Profile, admit

KINDS = enumeration(("mha", "gqa", "mqa", "mla", "sliding_window"))
COUNTS = ("layers", "hidden_size", "heads", "kv_heads", "head_dim", "vocab_size", "mlp_matrices",
          "experts", "shared_experts", "dense_layers", "kv_lora_rank")  # fmt: skip
FACTS = {
    "model.config": Fact("model.config", "text", TEXT),
    "model.attention": Fact("model.attention", "enumeration", KINDS),
    "model.tied_embeddings": Fact("model.tied_embeddings", "boolean", BOOLEAN),
    "model.sliding_window": Fact("model.sliding_window", "integer", number(low=1, high=1e6)),
    **{
        f"model.{name}": Fact(f"model.{name}", "integer", number(low=low, high=1e6, integer=True))
        for name in COUNTS
        for low in ((0,) if name.endswith("experts") or name == "dense_layers" else (1,))
    },
}
FAMILIES = TableData((("gpt2", 2.0, "here"), ("other", 3.0, "here")))
TABLES = {"model_families": FAMILIES}
LLAMA = {
    "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
    "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": False,
}  # fmt: skip


def read(folder: Path, config: Any, more: str = "") -> Profile:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    text = f"model: {{config: config.json{more}}}"
    return admit(parse_document(text, "p.yaml", "en", folder), FACTS, TABLES)


def test_the_architecture_is_read(tmp_path: Path) -> None:
    given = read(tmp_path, LLAMA).given
    assert given["model.layers"] == 32 and given["model.kv_heads"] == 8
    assert given["model.attention"] == "gqa" and given["model.tied_embeddings"] is False


@pytest.mark.parametrize(
    ("left_out", "field", "value"),
    [
        ("num_key_value_heads", "kv_heads", 32),  # a key head for each head
        ("head_dim", "head_dim", 128),  # 4096 / 32
        ("tie_word_embeddings", "tied_embeddings", True),  # the library's default
        ("num_experts", "experts", 0),
    ],
)
def test_what_a_config_leaves_out_is_as_the_library_takes_it(
    tmp_path: Path, left_out: str, field: str, value: object
) -> None:
    shorter = {name: entry for name, entry in LLAMA.items() if name != left_out}
    assert read(tmp_path, shorter).given[f"model.{field}"] == value


@pytest.mark.parametrize(("family", "matrices"), [("llama", 3), ("gpt2", 2), ("gemma3_text", 3)])
def test_the_family_says_whether_blocks_have_a_gate(
    tmp_path: Path, family: str, matrices: int
) -> None:
    found = read(tmp_path, {**LLAMA, "model_type": family}).given
    assert found["model.mlp_matrices"] == matrices


def test_without_a_table_of_families_the_blocks_stay_open(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "model_type": "gpt2"}), "utf-8")
    document = parse_document("model: {config: config.json}", "p.yaml", "en", tmp_path)
    assert "model.mlp_matrices" not in admit(document, FACTS, {}).given


@pytest.mark.parametrize(
    ("family", "matrices"),
    [("nemotron", 2), ("starcoder2", 2), ("stablelm_alpha", 3), ("qwen3", 3)],
)
def test_families_of_the_catalog(tmp_path: Path, family: str, matrices: int) -> None:
    # Nemotron squares one projection up; StableLM-Alpha splits one of twice the width for its gate.
    tables = engine.load().bundle.catalog.tables
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "model_type": family}), "utf-8")
    document = parse_document("model: {config: config.json}", "p.yaml", "en", tmp_path)
    assert admit(document, FACTS, tables).given["model.mlp_matrices"] == matrices


def test_heads_of_compressed_attention_have_two_parts(tmp_path: Path) -> None:
    latent = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64}
    facts = {**FACTS, "model.rope_dim": Fact("model.rope_dim", "integer", number(low=1, high=1e6))}
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, **latent}), encoding="utf-8")
    profile = parse_document("model: {config: config.json}", "p.yaml", "en", tmp_path)
    assert admit(profile, facts, {}).given["model.head_dim"] == 192


def test_what_the_profile_states_counts(tmp_path: Path) -> None:
    assert read(tmp_path, LLAMA, ", layers: 16").given["model.layers"] == 16


def test_a_language_model_inside_a_larger_one_is_found(tmp_path: Path) -> None:
    assert read(tmp_path, {"text_config": LLAMA}).given["model.hidden_size"] == 4096


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"num_key_value_heads": 32}, "mha"),
        ({"num_key_value_heads": 1}, "mqa"),
        ({"kv_lora_rank": 512}, "mla"),
        ({"sliding_window": 4096}, "sliding_window"),
        ({"sliding_window": 4096, "use_sliding_window": False}, "gqa"),
        ({"sliding_window": None}, "gqa"),
    ],
)
def test_the_kind_of_attention_follows_from_the_sizes(
    tmp_path: Path, change: dict[str, Any], kind: str
) -> None:
    assert read(tmp_path, {**LLAMA, **change}).given["model.attention"] == kind


def test_a_wrong_value_points_into_the_config(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json:1:\d+: E104 model\.layers = 0"):
        read(tmp_path, {**LLAMA, "num_hidden_layers": 0})


@pytest.mark.parametrize("config", [{}, {"model_type": "x"}, [1]])
def test_a_file_without_an_architecture_is_refused(tmp_path: Path, config: Any) -> None:
    with pytest.raises(InputError, match="E115"):
        read(tmp_path, config)


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    document = parse_document("model: {config: weights.pt}", "p.yaml", "en", tmp_path)
    with pytest.raises(InputError, match=r"p\.yaml:1:17: E115 weights\.pt"):
        admit(document, FACTS, {})


def test_a_missing_config_is_refused(tmp_path: Path) -> None:
    document = parse_document("model: {config: config.json}", "p.yaml", "en", tmp_path)
    with pytest.raises(InputError, match="E012"):
        admit(document, FACTS, {})
