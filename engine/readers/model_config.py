"""Reads the `config.json` of a published model, or the header of its weights, into facts.

The names in `config.json` are those of Hugging Face. What a file does not say (`config.json`: the
number of parameters, for one) stays open; nothing is estimated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.book.yaml_reader import Located
from engine.language.problems import Position
from engine.readers.document import InputError, read_document
from engine.readers.messages import problem

_WEIGHTS = (".gguf", ".safetensors")

# The table of the catalog with what a file leaves to its family, and the row of all other families.
FAMILIES = "model_families"
OTHER_FAMILY = "other"

# our field: names it has in published files, the first one present counts
FIELDS: dict[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model"),
    "heads": ("num_attention_heads", "n_head", "num_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "multi_query_group_num"),
    "head_dim": ("head_dim", "kv_channels"),
    "intermediate_size": ("intermediate_size", "ffn_hidden_size", "n_inner"),
    "vocab_size": ("vocab_size", "padded_vocab_size"),
    "tied_embeddings": ("tie_word_embeddings",),
    "max_context": ("max_position_embeddings", "seq_length", "n_positions"),
    "experts": ("num_experts", "n_routed_experts", "num_local_experts"),
    "experts_per_token": ("num_experts_per_tok", "num_experts_per_token", "moe_top_k"),
    "shared_experts": ("n_shared_experts", "num_shared_experts"),
    "moe_intermediate_size": ("moe_intermediate_size",),
    "dense_layers": ("first_k_dense_replace",),
    "kv_lora_rank": ("kv_lora_rank",),
    "q_lora_rank": ("q_lora_rank",),
    "rope_dim": ("qk_rope_head_dim",),
    "sliding_window": ("sliding_window",),
}


def read_model_config(
    path: Path, place: Located, language: str, families: Mapping[str, int]
) -> list[tuple[str, Located]]:
    """(path of a fact, value) for everything the file states; raises InputError.

    `place` is where the profile names the file. `families`: matrices of a feed-forward block by
    family (`OTHER_FAMILY`: of those it does not name).
    """
    if path.suffix not in (".json", *_WEIGHTS):
        raise InputError(problem("config_kind", place.position, language, name=path.name))
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe may never end
        raise InputError(problem("not_a_file", place.position, language, name=path.name))
    if path.suffix in _WEIGHTS:
        return _header(path, place, language, families)
    return [(f"model.{field}", value) for field, value in _config(path, language, families)]


def _header(
    path: Path, place: Located, language: str, families: Mapping[str, int]
) -> list[tuple[str, Located]]:
    from engine.readers.model_headers import DamagedError, gguf_facts, safetensors_facts

    try:
        stated = gguf_facts(path) if path.suffix == ".gguf" else safetensors_facts(path)
    except FileNotFoundError as error:
        name = Path(error.filename).name
        raise InputError(problem("no_part", place.position, language, name=name)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            problem("unreadable", place.position, language, name=path.name, reason=reason)
        ) from None
    except DamagedError:
        raise InputError(
            problem("config_damaged", place.position, language, name=path.name)
        ) from None
    if not any(name.startswith("model.") for name in stated):
        raise InputError(problem("config_empty", place.position, language))
    # A header has no lines: what is wrong in it is shown where the profile names the file.
    where = place.position
    found = {name: Located(value, where, raw=str(value)) for name, value in stated.items()}
    if path.suffix == ".safetensors":
        for name, value in _beside(path, language, families):
            found.setdefault(f"model.{name}", value)
    model = {name[6:]: value for name, value in found.items() if name.startswith("model.")}
    attention = _attention(model)
    if attention:
        found.setdefault("model.attention", Located(attention, where))
    return list(found.items())


def _beside(path: Path, language: str, families: Mapping[str, int]) -> list[tuple[str, Located]]:
    """What the `config.json` next to a file of weights says, if there is one that describes it."""
    config = path.with_name("config.json")
    if not config.is_file():
        return []
    try:
        return _config(config, language, families)
    except InputError:
        return []


def _config(path: Path, language: str, families: Mapping[str, int]) -> list[tuple[str, Located]]:
    document = read_document(str(path), language)
    root = document.root.value
    if not isinstance(root, dict):
        raise InputError(problem("config_empty", Position(str(path)), language))
    inner = root.get("text_config")  # models that also see or hear keep the language model here
    content: dict[str, Located] = inner.value if _is_mapping(inner) else root  # type: ignore[union-attr]
    found: list[tuple[str, Located]] = []
    for field, names in FIELDS.items():
        entry = next((content[name] for name in names if name in content), None)
        if entry is not None and entry.value is not None:
            found.append((field, entry))
    if not _uses_window(content):
        found = [(field, entry) for field, entry in found if field != "sliding_window"]
    found += _left_out(content, dict(found), Position(str(path)), families)
    if not found:
        raise InputError(problem("config_empty", Position(str(path)), language))
    attention = _attention(dict(found))
    if attention:
        found.append(("attention", Located(attention, Position(str(path)))))
    return found


def _left_out(
    content: dict[str, Located],
    found: dict[str, Located],
    position: Position,
    families: Mapping[str, int],
) -> list[tuple[str, Located]]:
    """What `config.json` leaves out when it is as usual: the defaults of the library that reads it.

    Nothing is added to a file that states no layers: it describes no language model.
    """
    sizes = {field: entry.value for field, entry in found.items()}
    if not all(_whole(sizes.get(field)) for field in ("layers", "hidden_size", "heads")):
        return []
    usual: dict[str, object] = {"kv_heads": sizes["heads"], "experts": 0, "tied_embeddings": True}
    rotary, plain = (content.get(name) for name in ("qk_rope_head_dim", "qk_nope_head_dim"))
    if "kv_lora_rank" in sizes:
        if rotary and plain and _whole(rotary.value) and _whole(plain.value):
            usual["head_dim"] = rotary.value + plain.value
    elif sizes["hidden_size"] % sizes["heads"] == 0:
        usual["head_dim"] = sizes["hidden_size"] // sizes["heads"]
    family = content.get("model_type")
    if family is not None and isinstance(family.value, str):
        matrices = families.get(family.value, families.get(OTHER_FAMILY))
        if matrices is not None:
            usual["mlp_matrices"] = matrices
    if "experts" in sizes:
        usual |= {"shared_experts": 0, "dense_layers": 0}
        if "moe_intermediate_size" not in sizes and "intermediate_size" in sizes:
            usual["moe_intermediate_size"] = sizes["intermediate_size"]
    return [
        (field, Located(value, position)) for field, value in usual.items() if field not in sizes
    ]


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_mapping(entry: Located | None) -> bool:
    return entry is not None and isinstance(entry.value, dict)


def _uses_window(content: dict[str, Located]) -> bool:
    switch = content.get("use_sliding_window")
    return switch is None or switch.value is True


def _attention(found: dict[str, Located]) -> str:
    """The kind of attention that the stated sizes amount to; "" when they do not say."""
    if "kv_lora_rank" in found:
        return "mla"
    if "sliding_window" in found:
        return "sliding_window"
    if "heads" not in found or "kv_heads" not in found:
        return ""
    heads, kv_heads = found["heads"].value, found["kv_heads"].value
    if kv_heads == heads:
        return "mha"
    return "mqa" if kv_heads == 1 else "gqa"
