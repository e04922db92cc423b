"""iaexplore-llm-profiler 1.0.0: inference on one card, with quantised weights and caches."""

from __future__ import annotations

import importlib

from benchmarks.peers.asked import PEAKS, SIXTEEN, Answer, OutOfScopeError, Row

CACHES = {"bf16": 16.0, "fp16": 16.0, "fp8": 8.0, "int8": 8.0, "q8_0": 8.0, "q4_0": 4.0}
A_CARD = {"vram_gb": 80.0, "bandwidth_gb_s": 1000.0}  # of no effect on the memory it needs


def answer(row: Row) -> Answer:
    package = importlib.import_module("iaexplore_llm_profiler")
    if row.kind not in ("inference", "kv_cache_tokens"):
        raise OutOfScopeError("inference only")
    row.one_card()
    if row.metric not in ("weights", "weights_reserved"):
        row.ordinary_attention()
    model = {
        "total_params_b": row.parameters / 1e9,
        "num_hidden_layers": row.whole("model.layers"),
        "num_attention_heads": row.whole("model.heads"),
        "num_key_value_heads": row.whole("model.kv_heads"),
        "head_dim": row.whole("model.head_dim"),
    }
    found = package.profile_inference(
        model, A_CARD, quant=_weights(row, package),
        context=row.whole("serving.context_tokens"), batch_size=row.sequences,
        kv_bits=row.one_of("precision.kv_cache", CACHES),
    )  # fmt: skip
    if row.metric in ("weights", "weights_reserved"):
        return Answer(float(found.vram_weights_gb))
    if row.metric == "kv_cache_gib":
        return Answer(float(found.vram_kv_gb))
    if row.metric in PEAKS:
        return Answer(float(found.vram_total_required_gb))
    raise OutOfScopeError(f"no estimate of {row.metric}")


def _weights(row: Row, package: object) -> str:
    """Its name of a format, or bits per weight, which it takes too."""
    weights = str(row.fact("precision.weights"))
    if weights in SIXTEEN and row.fact("precision.format") == "native":
        return "BF16"
    bits = row.fact("precision.bits_per_weight")
    if bits:
        return str(float(bits))
    named = str(row.fact("precision.gguf_type") or "").upper()
    if named in getattr(package, "QUANTIZATION_BITS"):  # noqa: B009
        return named
    known = {"fp32": "32", "fp8": "8", "int8": "8", "int4": "4", "nf4": "4"}
    if weights in known:
        return known[weights]
    raise OutOfScopeError(f"no word for weights in {weights}")
