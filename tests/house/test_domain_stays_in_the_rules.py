"""The engine is a compiler of rule books: it must not know what a rule book is about."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine"

DOMAIN = re.compile(
    r"\b(gpus?|vram|nvlink|spot|hybrid|cloud|cuda|lora|qlora|h100|a100|geforce|tensor_parallel|"
    r"kv_cache|inference|on_demand|subscription|private|edge_inference|bare_metal|nvidia|radeon|"
    r"tpus?|llama|vllm|deepspeed|infiniband|diffusion|pretrain|reclaimable|marketplace|rendering|"
    r"transcoding|accelerators?|checkpoints?|fp16|bf16|memory_gib)\b",
    re.IGNORECASE,
)
# Outside formats speak the domain's language, and so do the names of commands.
EXCUSED = ("readers", "cli")


def python_files() -> list[Path]:
    files = [
        path
        for path in sorted(ENGINE.rglob("*.py"))
        if path.relative_to(ENGINE).parts[0] not in EXCUSED
    ]
    assert files, "no file of the engine was read"
    return files


def code_words(path: Path) -> list[tuple[int, str]]:
    """Every token but comments and docstrings, with its line."""
    source = path.read_text(encoding="utf-8")
    words = []
    previous = tokenize.INDENT
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.NL):
            continue
        docstring = token.type == tokenize.STRING and previous in (
            tokenize.INDENT,
            tokenize.NEWLINE,
            tokenize.DEDENT,
        )
        if not docstring:
            words.append((token.start[0], token.string))
        previous = token.type
    return words


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_domain_word_in_code(path: Path) -> None:
    found = [
        f"{path.name}:{line}: {word}" for line, word in code_words(path) if DOMAIN.search(word)
    ]
    assert not found, found
