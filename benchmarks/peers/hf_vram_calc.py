"""hf-vram-calc 1.0.9: factors on the weights, for inference, LoRA and full fine-tuning.

At import it asks for torch, accelerate and transformers, gigabytes that it needs to count the
parameters of a model by building it from the hub. The count is known here and handed over, so
empty modules stand in for them: its formulas use none of the three.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from benchmarks.peers.asked import PEAKS, Answer, OutOfScopeError, Row

STANDING_IN = {
    "torch": (), "accelerate": ("init_empty_weights",),
    "transformers": ("AutoConfig", "AutoModel", "AutoModelForCausalLM"),
}  # fmt: skip
TYPES = {"fp32": "fp32", "bf16": "bf16", "fp16": "fp16", "fp8": "fp8", "int8": "int8",
         "int4": "int4", "nf4": "int4", "mxfp4": "mxfp4", "nvfp4": "nvfp4"}  # fmt: skip


def answer(row: Row) -> Answer:
    for name, members in STANDING_IN.items():
        if name not in sys.modules:
            module = sys.modules[name] = ModuleType(name)
            for member in members:
                setattr(module, member, None)
    package = importlib.import_module("hf_vram_calc")
    calculator = package.VRAMCalculator(package.ConfigManager())
    kind = row.one_of("precision.weights", TYPES)
    weights = calculator.calculate_model_memory(row.parameters, kind)
    if row.kind == "train_full" and row.metric in PEAKS:
        return Answer(calculator.calculate_training_memory(weights) / row.cards)
    if row.kind in ("train_lora", "train_qlora") and row.metric in PEAKS:
        rank = row.whole("training.lora_rank")
        return Answer(calculator.calculate_lora_memory(weights, row.parameters, rank) / row.cards)
    if row.kind in ("inference", "kv_cache_tokens"):
        if row.metric in ("weights", "weights_reserved"):
            return Answer(weights / row.cards)
        if row.metric in PEAKS:
            return Answer(calculator.calculate_inference_memory(weights) / row.cards)
        if row.metric == "kv_cache_gib":
            return Answer(_cache(row, kind, calculator, package) / row.cards)
    raise OutOfScopeError(f"no estimate of {row.metric} of {row.kind}")


def _cache(row: Row, kind: str, calculator: object, package: ModuleType) -> float:
    row.ordinary_attention()
    config = package.ModelConfig(
        model_name="model", vocab_size=row.whole("model.vocab_size"),
        hidden_size=row.whole("model.hidden_size"), num_layers=row.whole("model.layers"),
        num_attention_heads=row.whole("model.heads"),
        num_key_value_heads=row.whole("model.kv_heads"),
    )  # fmt: skip
    calculate = getattr(calculator, "calculate_kv_cache_memory")  # noqa: B009
    found = calculate(config, kind, row.sequences, row.whole("serving.context_tokens"))
    return float(found)
