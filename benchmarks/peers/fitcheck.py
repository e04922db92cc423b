"""fitcheck-llm 0.3.1: training and serving on one card, from the fields of a config.json.

Its own checks of a config decide what it covers. Peaks of tensors are its total without its
overhead; of the allocator, without its driver context; of a process, its total.
"""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks.peers.asked import PEAKS, SIXTEEN, Answer, OutOfScopeError, Row

CARDS = {
    "t4": "t4", "l4": "l4", "a10": "a10", "rtx3090": "3090", "rtx4090": "4090", "rtx5090": "5090",
    "a6000": "a6000", "l40s": "l40s", "a100-sxm-40": "a100-40", "a100-pcie-40": "a100-40",
    "a100-sxm-80": "a100-80", "a100-pcie-80": "a100-80", "h100-sxm": "h100", "h200": "h200",
}  # fmt: skip
OPTIMIZERS = {
    "adamw": "adamw", "adamw_8bit": "adam8bit", "paged_adamw_8bit": "adam8bit", "sgd": "sgd",
    "sgd_momentum": "sgd-momentum",
}  # fmt: skip
ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
TARGETS = {
    "attention_qv": ["q_proj", "v_proj"],
    "attention": ATTENTION,
    "all_linear": [*ATTENTION, "gate_proj", "up_proj", "down_proj"],
}
MIB = 1024.0


def answer(row: Row) -> Answer:
    estimator = importlib.import_module("fitcheck.estimator")
    gpus = importlib.import_module("fitcheck.gpu_db")
    row.one_card()
    model = _model(row)
    name = CARDS.get(str(row.fact("hardware.gpu")))
    gpu = gpus.get_gpu(name) if name else gpus.get_gpu(vram_mib=81920)
    if row.kind in ("train_lora", "train_qlora", "train_full") and row.metric in PEAKS:
        return _training(row, model, gpu, estimator)
    if row.kind in ("inference", "kv_cache_tokens"):
        return _serving(row, model, gpu, estimator)
    raise OutOfScopeError(f"no estimate of {row.metric}")


def _model(row: Row) -> Any:
    parser = importlib.import_module("fitcheck.config_parser")
    raw = {
        "hidden_size": row.whole("model.hidden_size"),
        "num_hidden_layers": row.whole("model.layers"),
        "num_attention_heads": row.whole("model.heads"),
        "num_key_value_heads": row.whole("model.kv_heads"),
        "intermediate_size": row.whole("model.intermediate_size"),
        "vocab_size": row.whole("model.vocab_size"),
        "head_dim": row.whole("model.head_dim"),
        "tie_word_embeddings": bool(row.fact("model.tied_embeddings")),
    }
    if row.fact("model.experts"):
        raw["num_experts"] = row.whole("model.experts")
    if not row.dense and not row.fact("model.experts"):
        raise OutOfScopeError("a window, latent or hybrid attention")
    try:
        parser._reject_unsupported(raw, "model")
        fields = parser._parse_fields(raw)
        count = parser._reconcile_param_count("model", row.parameters, parser._count_params(fields))
    except ValueError as error:
        raise OutOfScopeError(str(error)) from None
    return parser.ModelConfig(
        "model", count, fields.hidden_size, fields.num_layers, fields.num_attention_heads,
        fields.num_kv_heads, fields.intermediate_size, fields.vocab_size, fields.head_dim,
        fields.tie_word_embeddings,
    )  # fmt: skip


def _quantization(row: Row) -> tuple[str, str]:
    """The format of the weights and the type of the arithmetic."""
    weights, form = str(row.fact("precision.weights")), str(row.fact("precision.format"))
    if weights in (*SIXTEEN, "fp32") and form == "native":
        return "none", weights
    compute = str(row.fact("precision.compute"))
    compute = compute if compute in (*SIXTEEN, "fp32") else "bf16"
    if form == "bitsandbytes" and weights in ("nf4", "int8"):
        return weights, compute
    raise OutOfScopeError(f"no word for {weights} in {form}")


def _training(row: Row, model: Any, gpu: Any, estimator: Any) -> Answer:
    quantization, precision = _quantization(row)
    full = row.kind == "train_full"
    unsaid = row.unsaid(
        loss_kernel=("full",), gradient_checkpointing=("none", "full"),
        adapter=("lora",), compiled=("False", "None"), optimizer_in_backward=("False", "None"),
        trainable_embeddings=("False", "None"),
        mixed_precision=("master_fp32",) if full else ("pure", "amp", "master_fp32"),
    )  # fmt: skip
    training = estimator.TrainingConfig(
        precision=precision,
        quantization=quantization,
        double_quant=quantization == "nf4" and bool(row.fact("precision.double_quantised")),
        optimizer=row.one_of("training.optimizer", OPTIMIZERS),
        optimizer_dtype="bf16" if row.fact("training.optimizer_state") == "bf16" else "fp32",
        batch_size=row.whole("training.micro_batch"),
        seq_len=row.whole("training.sequence_length"),
        lora_rank=None if full else row.whole("training.lora_rank"),
        lora_targets=ATTENTION if full else row.one_of("training.lora_targets", TARGETS),
        grad_checkpoint=row.fact("training.gradient_checkpointing") in ("full", "offloaded"),
        flash_attn=row.fact("training.attention_kernel") in ("flash", "sdpa"),
    )
    try:
        report = estimator.estimate(model, training, gpu)
    except ValueError as error:
        raise OutOfScopeError(str(error)) from None
    return Answer(_of(row, report.total_mib, report.overhead_mib, gpu, training.flash_attn,
                      quantization), unsaid)  # fmt: skip


def _serving(row: Row, model: Any, gpu: Any, estimator: Any) -> Answer:
    quantization, precision = _quantization(row)
    serving = estimator.ServingConfig(
        precision=precision, quantization=quantization,
        seq_len=row.whole("serving.context_tokens"), num_concurrent=row.sequences,
    )  # fmt: skip
    try:
        report = estimator.estimate_inference(model, serving, gpu)
    except ValueError as error:
        raise OutOfScopeError(str(error)) from None
    if row.metric in ("weights", "weights_reserved"):
        return Answer(report.weight_mib / MIB)
    if row.metric == "kv_cache_gib":
        if row.fact("precision.kv_cache") not in (precision, *SIXTEEN):
            raise OutOfScopeError("no word for a quantised cache")
        return Answer(report.kv_cache_mib / MIB)
    if row.metric in PEAKS:
        return Answer(_of(row, report.total_mib, report.overhead_mib, gpu, False, "none"))
    raise OutOfScopeError(f"no estimate of {row.metric}")


def _of(row: Row, total: float, overhead: float, gpu: Any, flash: bool, quantization: str) -> float:
    """GiB of what the metric counts."""
    if row.metric == "peak_allocated":
        return (total - overhead) / MIB
    if row.metric == "peak_reserved":
        profiles = importlib.import_module("fitcheck.overhead_db")
        key = importlib.import_module("fitcheck.gpu_db").gpu_key_for(gpu)
        profile = profiles.get_overhead_profile(key, flash, quantization)
        return (total - float(profile.base_context_mib)) / MIB
    return total / MIB
