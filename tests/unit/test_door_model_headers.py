"""The header of a GGUF or safetensors file fills in the architecture of a profile."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from engine.readers.document import InputError, document_of
from engine.readers.model_headers import DamagedError, gguf_facts, safetensors_facts
from engine.readers.profile import Given, admit
from tests.rules.ask import book


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, value: Any) -> bytes:
    """A metadata pair as the format writes it: whole numbers as uint32, lists of texts."""
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list) and value and isinstance(value[0], str):
        items = b"".join(map(text, value))
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + items
    if isinstance(value, list):
        return text(key) + struct.pack(f"<IIQ{len(value)}I", 9, 4, len(value), *value)
    return text(key) + struct.pack("<II", 4, value)


def gguf(
    folder: Path, pairs: dict[str, Any], tensors: dict[str, tuple[tuple[int, ...], int]]
) -> Path:
    data = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs))
    data += b"".join(pair(key, value) for key, value in pairs.items())
    for name, (shape, kind) in tensors.items():
        data += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, 0)
    path = folder / "model.gguf"
    path.write_bytes(data + b"weights nobody reads")
    return path


SMALL = {
    "general.architecture": "llama",
    "llama.block_count": 2,
    "llama.embedding_length": 256,
    "llama.attention.head_count": 8,
    "llama.attention.head_count_kv": [2, 2],
    "llama.attention.key_length": 32,
    "llama.feed_forward_length": 512,
    "llama.context_length": 4096,
    "llama.rope.dimension_count": 32,
    "tokenizer.ggml.tokens": ["a", "b", "c", "d"],
}
TENSORS = {
    "token_embd.weight": ((256, 4), 8),  # q8_0: 34 bytes for 32 values
    "blk.0.ffn_gate.weight": ((256, 512), 12),  # q4_k: 144 bytes for 256 values
}


def safetensors(path: Path, tensors: dict[str, tuple[str, tuple[int, ...]]]) -> Path:
    header = {"__metadata__": {"format": "pt"}} | {
        name: {"dtype": kind, "shape": list(shape), "data_offsets": [0, 0]}
        for name, (kind, shape) in tensors.items()
    }
    data = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(data)) + data)
    return path


LAYERS = {
    "model.embed_tokens.weight": ("BF16", (1000, 64)),
    "model.layers.0.mlp.gate_proj.weight": ("BF16", (128, 64)),
    "model.layers.0.mlp.up_proj.weight": ("BF16", (128, 64)),
    "model.layers.1.mlp.up_proj.weight": ("BF16", (128, 64)),
}


def given(path: Path, **model: Any) -> Given:
    bundle = book().bundle
    profile = {"task": "inference", "model": {"config": str(path), **model}}
    return admit(document_of(profile), bundle.book.facts, bundle.catalog.tables).given


def test_a_gguf_header_states_the_architecture(tmp_path: Path) -> None:
    found = given(gguf(tmp_path, SMALL, TENSORS))
    expected = {
        "model.layers": 2, "model.hidden_size": 256, "model.heads": 8, "model.kv_heads": 2,
        "model.head_dim": 32, "model.intermediate_size": 512, "model.vocab_size": 4,
        "model.max_context": 4096, "model.mlp_matrices": 3, "model.experts": 0,
        "model.tied_embeddings": True, "model.attention": "gqa", "precision.format": "gguf",
    }  # fmt: skip
    assert {path: found.get(path) for path in expected} == expected
    assert "model.rope_dim" not in found, "a part of compressed attention alone"


def test_bits_are_those_of_the_tensors_in_the_file(tmp_path: Path) -> None:
    found = gguf_facts(gguf(tmp_path, SMALL, TENSORS))
    values = 256 * 4 + 256 * 512
    held = 256 * 4 / 32 * 34 + 256 * 512 / 256 * 144
    assert found["model.parameters_b"] == pytest.approx(values / 1e9)
    assert found["precision.bits_per_weight"] == pytest.approx(8 * held / values)


def test_bits_of_an_unknown_type_stay_open(tmp_path: Path) -> None:
    found = gguf_facts(gguf(tmp_path, SMALL, {"output.weight": ((256, 4), 250)}))
    assert "precision.bits_per_weight" not in found
    assert found["model.tied_embeddings"] is False


def test_layers_that_differ_state_no_common_number(tmp_path: Path) -> None:
    mixed = SMALL | {"llama.attention.head_count_kv": [2, 4]}
    assert "model.kv_heads" not in gguf_facts(gguf(tmp_path, mixed, TENSORS))


def test_what_the_profile_states_counts(tmp_path: Path) -> None:
    assert given(gguf(tmp_path, SMALL, TENSORS), layers=16)["model.layers"] == 16


def test_a_safetensors_header_states_sizes_and_format(tmp_path: Path) -> None:
    found = given(safetensors(tmp_path / "model.safetensors", LAYERS))
    assert found["model.parameters_b"] == pytest.approx((64_000 + 3 * 128 * 64) / 1e9)
    assert found["model.layers"] == 2 and found["model.experts"] == 0
    assert (found["model.vocab_size"], found["model.hidden_size"]) == (1000, 64)
    assert (found["model.intermediate_size"], found["model.mlp_matrices"]) == (128, 3)
    assert found["model.tied_embeddings"] is True and found["precision.weights"] == "bf16"


def test_all_files_of_a_model_are_read(tmp_path: Path) -> None:
    first = safetensors(tmp_path / "m-00001-of-00002.safetensors", LAYERS)
    with pytest.raises(InputError) as error:
        given(first)
    assert "m-00002-of-00002.safetensors" in error.value.problems[0].message
    safetensors(tmp_path / "m-00002-of-00002.safetensors", {"lm_head.weight": ("BF16", (1000, 64))})
    found = safetensors_facts(first)
    assert found["model.parameters_b"] == pytest.approx((128_000 + 3 * 128 * 64) / 1e9)
    assert found["model.tied_embeddings"] is False


def test_packed_weights_state_no_number_of_parameters(tmp_path: Path) -> None:
    packed = {"model.layers.0.mlp.up_proj.qweight": ("I32", (128, 64))}
    found = safetensors_facts(safetensors(tmp_path / "q.safetensors", packed))
    assert "model.parameters_b" not in found and "precision.weights" not in found


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGUF",
        b"ZIP!" + bytes(40),
        b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62),
        b"GGUF" + struct.pack("<IQQ", 9, 0, 0),
    ],
)
def test_a_damaged_gguf_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(DamagedError):
        gguf_facts(path)
    with pytest.raises(InputError) as error:
        given(path)
    assert error.value.problems[0].code == "E115"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        struct.pack("<Q", 2**60),
        struct.pack("<Q", 100) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 9) + b'{"a": {}}',
    ],
)
def test_a_damaged_safetensors_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(data)
    with pytest.raises(DamagedError):
        safetensors_facts(path)


@pytest.mark.parametrize("name", ["none.gguf", "none.safetensors"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as error:
        given(tmp_path / name)
    assert name in error.value.problems[0].message
