"""ftuneai 0.4.1: full fine-tuning, LoRA and QLoRA, also sharded over cards.

Its total holds a fifth for the driver and the allocator, which a peak of tensors does not count.
"""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks.peers.asked import PEAKS, SIXTEEN, Answer, OutOfScopeError, Row

METHODS = {"train_full": "full", "train_lora": "lora", "train_qlora": "qlora"}
OPTIMIZERS = {
    "adamw": "adamw", "adamw_8bit": "adam_8bit", "paged_adamw_8bit": "adam_8bit",
    "sgd_momentum": "sgd", "adafactor": "adafactor",
}  # fmt: skip
TARGETS = {"attention_qv": "attention", "attention": "attention_all", "all_linear": "all_linear"}
SHARDING = {"none": "none", "ddp": "none", "zero1": "zero_1", "zero2": "zero_2",
            "zero3": "zero_3", "fsdp": "fsdp"}  # fmt: skip


def answer(row: Row) -> Answer:
    core = importlib.import_module("ftuneai.core.models")
    memory = importlib.import_module("ftuneai.core.memory")
    if row.kind not in METHODS or row.metric not in (*PEAKS, "peak_total_all_cards"):
        raise OutOfScopeError(f"no estimate of {row.metric} of {row.kind}")
    if (row.fact("parallelism.tensor") or 1) > 1 or (row.fact("parallelism.pipeline") or 1) > 1:
        raise OutOfScopeError("no word for tensor or pipeline parallelism")
    method = METHODS[row.kind]
    cards = round(float(row.fact("parallelism.data") or 1))
    model = core.ModelSpec(
        name="model", parameters=row.parameters, hidden_size=row.whole("model.hidden_size"),
        num_layers=row.whole("model.layers"), num_attention_heads=row.whole("model.heads"),
        num_kv_heads=row.whole("model.kv_heads"),
        intermediate_size=row.whole("model.intermediate_size"),
        vocab_size=row.whole("model.vocab_size"), max_seq_length=2**24,
        is_moe=bool(row.fact("model.experts")),
        num_experts=row.whole("model.experts") if row.fact("model.experts") else None,
        num_active_experts=row.whole("model.experts_per_token")
        if row.fact("model.experts") else None,
    )  # fmt: skip
    config = core.TrainingConfig(
        method=core.FineTuneMethod(method),
        quantization=core.Quantization(_quantization(row)),
        batch_size=row.whole("training.micro_batch"),
        seq_length=row.whole("training.sequence_length"),
        gradient_checkpointing=row.fact("training.gradient_checkpointing") in ("full", "offloaded"),
        optimizer=core.OptimizerType(row.one_of("training.optimizer", OPTIMIZERS)),
        lora_rank=16 if method == "full" else row.whole("training.lora_rank"),
        lora_target=core.LoRATarget(
            "attention" if method == "full" else row.one_of("training.lora_targets", TARGETS)
        ),
        flash_attention=row.fact("training.attention_kernel") in ("flash", "sdpa"),
        sharding=core.ShardingStrategy(row.one_of("parallelism.sharding", SHARDING)),
        num_gpus=cards,
    )
    try:
        found = memory.MemoryEstimator(model, config).estimate()
    except ValueError as error:
        raise OutOfScopeError(str(error)) from None
    unsaid = row.unsaid(
        loss_kernel=("full",), gradient_checkpointing=("none", "full"), adapter=("lora",),
        mixed_precision=("pure",), optimizer_in_backward=("False", "None"),
    )  # fmt: skip
    return Answer(_of(row, found, cards), unsaid)


def _quantization(row: Row) -> str:
    weights = str(row.fact("precision.weights"))
    if weights in SIXTEEN:
        return "none"
    if weights in ("nf4", "int4", "fp4"):
        return "4bit"
    if weights == "int8":
        return "8bit"
    raise OutOfScopeError(f"no word for weights in {weights}")


def _of(row: Row, found: Any, cards: int) -> float:
    if row.metric == "peak_allocated":
        return float(found.total_gb - found.overhead_gb)
    return float(found.total_gb) * (cards if row.metric == "peak_total_all_cards" else 1)
