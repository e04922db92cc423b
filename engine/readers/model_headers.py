"""Reads the headers of GGUF and safetensors files into the facts they state.

Only the header is read, never a weight, and never more than `LARGEST_HEADER` bytes of it (of a
model in several files: in all). What a header does not say stays open; one that says something
twice, or what cannot be, is damaged.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

LARGEST_HEADER = 64_000_000  # three times the largest one published
MOST_THINGS = 2_000_000  # keys, texts and tensors: empty ones would take hours in few bytes
_LONGEST_NAME = 65_535
_MOST_DIMENSIONS = 8

Stated = dict[str, Any]


class DamagedError(Exception):
    """A header that is cut off or not of the format its name promises."""


# ------------------------------------------------------------------------------ GGUF

# field of the group model: the key after the name of the architecture
_KEYS = {
    "layers": "block_count",
    "hidden_size": "embedding_length",
    "heads": "attention.head_count",
    "kv_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "intermediate_size": "feed_forward_length",
    "max_context": "context_length",
    "experts": "expert_count",
    "experts_per_token": "expert_used_count",
    "shared_experts": "expert_shared_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "dense_layers": "leading_dense_block_count",
    "kv_lora_rank": "attention.kv_lora_rank",
    "q_lora_rank": "attention.q_lora_rank",
    "rope_dim": "rope.dimension_count",
    "sliding_window": "attention.sliding_window",
}
_SCALARS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
# type of a tensor: (values of a block, bytes of a block)
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 36), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip


def gguf_facts(path: Path) -> Stated:
    """Facts by path (`model.layers`, `precision.bits_per_weight` …). Raises DamagedError."""
    with path.open("rb") as stream:
        reader = _Gguf(stream)
        values, tensors = reader.values, reader.tensors
    name = values.get("general.architecture", "")
    found: Stated = {}
    for field, key in _KEYS.items():
        value = values.get(f"{name}.{key}")
        if isinstance(value, list):  # one for each layer: stated where all layers agree
            value = value[0] if len(set(value)) == 1 else None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found[f"model.{field}"] = value
    if "model.kv_lora_rank" not in found:
        found.pop("model.rope_dim", None)
    _usual_heads(found, f"{name}.{_KEYS['kv_heads']}" in values)
    words = values.get("tokenizer.ggml.tokens", values.get(f"{name}.vocab_size"))
    if isinstance(words, int) and words > 0:
        found["model.vocab_size"] = words
    if tensors:
        names = {tensor for tensor, _, _ in tensors}
        found["model.tied_embeddings"] = "output.weight" not in names
        found["model.mlp_matrices"] = 3 if any("ffn_gate" in tensor for tensor in names) else 2
        found.setdefault("model.experts", 0)
        count = sum(size for _, size, _ in tensors)
        found["model.parameters_b"] = count / 1e9
        found["precision.format"] = "gguf"
        if count and all(kind in _BLOCKS for _, _, kind in tensors):
            held = sum(size / _BLOCKS[kind][0] * _BLOCKS[kind][1] for _, size, kind in tensors)
            found["precision.bits_per_weight"] = 8 * held / count
    return found


def _usual_heads(found: Stated, states_keys: bool) -> None:
    """What a GGUF file leaves out when it is as usual: a key head for each head, heads that
    together are as wide as the hidden values. `states_keys`: it says how many key heads."""
    width, heads = found.get("model.hidden_size"), found.get("model.heads")
    if not heads:
        return
    if not states_keys:
        found.setdefault("model.kv_heads", heads)
    if width and width % heads == 0 and "model.kv_lora_rank" not in found:
        found.setdefault("model.head_dim", width // heads)


class _Gguf:
    """`values`: metadata by key, an array of texts as its length; `tensors`: name, size, type."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.left, self.things = stream, LARGEST_HEADER, MOST_THINGS
        if self.take(4) != b"GGUF":
            raise DamagedError
        version = self.number("I")
        if not 2 <= version <= 3:
            raise DamagedError
        tensors, pairs = self.number("Q"), self.number("Q")
        self.values: dict[str, Any] = {}
        for _ in range(self.bounded(pairs)):
            key = self.text()
            if key in self.values:
                raise DamagedError
            self.values[key] = self.value(self.number("I"))
        self.tensors = [self.tensor() for _ in range(self.bounded(tensors))]
        if len({name for name, _, _ in self.tensors}) < tensors:
            raise DamagedError

    def take(self, count: int) -> bytes:
        self.left -= count
        if self.left < 0:
            raise DamagedError
        data = self.stream.read(count)
        if len(data) < count:
            raise DamagedError
        return data

    def bounded(self, count: int) -> int:
        """A count of things that can still follow."""
        self.things -= count
        if self.things < 0:
            raise DamagedError
        return count

    def number(self, code: str) -> int:
        (found,) = struct.unpack("<" + code, self.take(struct.calcsize(code)))
        return int(found)

    def text(self) -> str:
        return self.take(self.number("Q")).decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            inner, count = self.number("I"), self.number("Q")
            if inner == _STRING:
                for _ in range(self.bounded(count)):
                    self.take(self.number("Q"))
                return count
            if inner not in _SCALARS:
                raise DamagedError
            size = struct.calcsize(_SCALARS[inner])
            data = self.take(count * size)
            if count > 10_000:  # scores of a tokenizer: nobody reads them
                return None
            return list(struct.unpack(f"<{count}{_SCALARS[inner]}", data))
        if kind not in _SCALARS:
            raise DamagedError
        code = _SCALARS[kind]
        (found,) = struct.unpack("<" + code, self.take(struct.calcsize(code)))
        return found

    def tensor(self) -> tuple[str, int, int]:
        name = self.text()
        dimensions = self.number("I")
        if len(name) > _LONGEST_NAME or dimensions > _MOST_DIMENSIONS:
            raise DamagedError
        size = math.prod(self.number("Q") for _ in range(dimensions))
        kind = self.number("I")
        self.number("Q")  # where it stands
        return name, size, kind


# ------------------------------------------------------------------------------ safetensors

_PARTS = re.compile(r"(.*-)(\d+)-of-(\d+)(\.safetensors)\Z")
_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks)\.(\d{1,9})\.")
_EXPERT = re.compile(r"\.experts\.(\d{1,9})\.")
_FORMATS = {"F32": "fp32", "F16": "fp16", "BF16": "bf16", "F8_E4M3": "fp8", "F8_E5M2": "fp8"}


def safetensors_facts(path: Path) -> Stated:
    """Facts by path; of a model in several files all of them are read. Raises DamagedError."""
    tensors: dict[str, tuple[str, tuple[int, ...]]] = {}
    left = LARGEST_HEADER
    for part in _parts(path):
        found_in, size = _safetensors(part, left)
        left -= size
        if tensors.keys() & found_in.keys():
            raise DamagedError
        tensors.update(found_in)
    shapes = {name: shape for name, (_, shape) in tensors.items()}
    found: Stated = {"model.parameters_b": sum(map(math.prod, shapes.values())) / 1e9}
    layers = [int(hit[1]) for name in shapes if (hit := _LAYER.search(name))]
    if layers:
        found["model.layers"] = max(layers) + 1
    experts = [int(hit[1]) for name in shapes if (hit := _EXPERT.search(name))]
    if layers:
        found["model.experts"] = max(experts) + 1 if experts else 0
    embedding = _shape(shapes, "embed_tokens.weight", "wte.weight")
    if len(embedding) == 2:
        found["model.vocab_size"], found["model.hidden_size"] = embedding
        found["model.tied_embeddings"] = not _shape(shapes, "lm_head.weight")
    gate, up = _shape(shapes, "mlp.gate_proj.weight"), _shape(shapes, "mlp.up_proj.weight")
    if gate and up:
        found["model.intermediate_size"], found["model.mlp_matrices"] = up[0], 3
    found |= _heads(shapes)
    formats: dict[str, int] = {}
    for kind, shape in tensors.values():
        formats[kind] = formats.get(kind, 0) + math.prod(shape)
    common = max(formats, key=lambda kind: formats[kind], default="")
    if common in _FORMATS:
        found["precision.weights"] = _FORMATS[common]
    else:  # packed integers hold several weights each: their number says nothing
        del found["model.parameters_b"]
    return found


def _heads(shapes: Mapping[str, tuple[int, ...]]) -> Stated:
    """Heads, where a norm of the heads or their rotary frequencies tell how wide one is."""
    norm, turns = _shape(shapes, "self_attn.q_norm.weight"), _shape(shapes, "rotary_emb.inv_freq")
    width = norm[0] if len(norm) == 1 else 2 * turns[0] if len(turns) == 1 else 0
    query = _shape(shapes, "self_attn.q_proj.weight")
    key = _shape(shapes, "self_attn.k_proj.weight")
    if not (width and query and key) or query[0] % width or key[0] % width:
        return {}
    return {
        "model.head_dim": width,
        "model.heads": query[0] // width,
        "model.kv_heads": key[0] // width,
    }


def _parts(path: Path) -> list[Path]:
    parts = _PARTS.fullmatch(path.name)
    if parts is None:
        return [path]
    head, digits, of, end = parts.groups()
    if not 1 <= int(of) <= 10_000:
        raise DamagedError
    names = [f"{head}{number:0{len(digits)}}-of-{of}{end}" for number in range(1, int(of) + 1)]
    return [path.with_name(name) for name in names]


def _safetensors(path: Path, most: int) -> tuple[dict[str, tuple[str, tuple[int, ...]]], int]:
    """(type and shape of every tensor by name, bytes of the header)."""
    if path.is_fifo():  # a pipe may never end
        raise DamagedError
    with path.open("rb") as stream:
        size = stream.read(8)
        length = int.from_bytes(size, "little")
        if len(size) < 8 or not 2 <= length <= most:
            raise DamagedError
        data = stream.read(length)
    if len(data) < length:
        raise DamagedError
    try:
        header = json.loads(data, object_pairs_hook=_once)
        found = {
            name: (_kind(entry["dtype"]), _sides(entry["shape"]))
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DamagedError from None
    return found, length


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("something stands twice")
    return found


def _kind(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _sides(value: object) -> tuple[int, ...]:
    """The sides of a tensor, which the format counts in 64 bits."""
    if not isinstance(value, list) or len(value) > _MOST_DIMENSIONS:
        raise TypeError
    if not all(type(side) is int and 0 <= side < 2**64 for side in value):
        raise ValueError
    return tuple(value)


def _shape(shapes: Mapping[str, tuple[int, ...]], *ends: str) -> tuple[int, ...]:
    return next((shape for name, shape in shapes.items() if name.endswith(ends)), ())
