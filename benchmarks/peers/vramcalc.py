"""vramcalc 0.1.2: full fine-tuning, LoRA and inference of Llama-shaped models in 16 or 32 bits.

Its total counts tensors; its overhead comes on top where a whole process was measured.
"""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks.peers.asked import PEAKS, SIXTEEN, Answer, OutOfScopeError, Row

GIB = 2.0**30
# Parts of catalog ids that say which `model_type` the config.json has.
TYPES = (("gemma-2-", "gemma2"), ("gemma-2b", "gemma"), ("gemma-7b", "gemma"), ("llama", "llama"),
         ("smollm2", "llama"), ("mistral", "mistral"), ("qwen2", "qwen2"))  # fmt: skip


def answer(row: Row) -> Answer:
    vramcalc = importlib.import_module("vramcalc")
    row.one_card()
    weights = str(row.fact("precision.weights"))
    if weights not in (*SIXTEEN, "fp32") or row.fact("precision.format") != "native":
        raise OutOfScopeError("no quantised weights")
    try:
        if row.kind in ("train_lora", "train_full") and row.metric in PEAKS:
            return _training(row, weights, vramcalc)
        if row.kind in ("inference", "kv_cache_tokens"):
            return _serving(row, weights, vramcalc)
    except ValueError as error:
        raise OutOfScopeError(str(error)) from None
    raise OutOfScopeError(f"no estimate of {row.metric} of {row.kind}")


def _config(row: Row) -> dict[str, Any]:
    name = str(row.fact("model.name") or "").lower()
    kind = next((kind for part, kind in TYPES if part in name), None)
    if kind is None:
        raise OutOfScopeError(f"model type of {name or 'an unnamed model'}")
    if not row.dense:
        raise OutOfScopeError("a mixture of experts or special attention")
    return {
        "model_type": kind,
        "hidden_size": row.whole("model.hidden_size"),
        "num_hidden_layers": row.whole("model.layers"),
        "num_attention_heads": row.whole("model.heads"),
        "num_key_value_heads": row.whole("model.kv_heads"),
        "head_dim": row.whole("model.head_dim"),
        "intermediate_size": row.whole("model.intermediate_size"),
        "vocab_size": row.whole("model.vocab_size"),
        "tie_word_embeddings": bool(row.fact("model.tied_embeddings")),
    }


def _training(row: Row, weights: str, vramcalc: Any) -> Answer:
    full = row.kind == "train_full"
    unsaid = row.unsaid(
        loss_kernel=("full",), gradient_checkpointing=("none", "full"), adapter=("lora",),
        compiled=("False", "None"), optimizer_in_backward=("False", "None"),
        trainable_embeddings=("False", "None"), mixed_precision=("amp", "pure"),
        **({} if full else {"lora_targets": ("attention",)}),
    )  # fmt: skip
    found = vramcalc.estimate(
        _config(row), mode="train", dtype=weights,
        batch=row.whole("training.micro_batch"), seq_len=row.whole("training.sequence_length"),
        lora_rank=None if full else row.whole("training.lora_rank"),
        grad_checkpoint=row.fact("training.gradient_checkpointing") in ("full", "offloaded"),
        optimizer=row.one_of("training.optimizer", {"adamw": "adamw", "sgd_momentum": "sgd"}),
        precision="amp" if row.fact("training.mixed_precision") == "amp" else "pure",
        attn_impl=str(row.fact("training.attention_kernel")),
    )  # fmt: skip
    return Answer(_of(row, found), unsaid)


def _serving(row: Row, weights: str, vramcalc: Any) -> Answer:
    found = vramcalc.estimate(
        _config(row), mode="inference", dtype=weights,
        batch=row.sequences, seq_len=row.whole("serving.context_tokens"),
    )  # fmt: skip
    if row.metric in ("weights", "weights_reserved"):
        return Answer(found.weights / GIB)
    if row.metric == "kv_cache_gib":
        if row.fact("precision.kv_cache") not in (weights, *SIXTEEN):
            raise OutOfScopeError("no word for a quantised cache")
        return Answer(found.kv_cache / GIB)
    if row.metric in PEAKS:
        return Answer(_of(row, found))
    raise OutOfScopeError(f"no estimate of {row.metric}")


def _of(row: Row, found: Any) -> float:
    process = row.metric in ("peak_process", "peak_process_rounded")
    return float(found.total + (found.overhead if process else 0)) / GIB
