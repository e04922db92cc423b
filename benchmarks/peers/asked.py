"""What a calculator is asked, and what it may answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PEAKS = ("peak_allocated", "peak_reserved", "peak_process", "peak_process_rounded")
SIXTEEN = ("bf16", "fp16")


class OutOfScopeError(Exception):
    """The calculator says that it does not cover a row, or has no word for what the row is."""


@dataclass(frozen=True)
class Answer:
    """GiB on one card. `unsaid`: settings of the row for which the calculator has no word."""

    gib: float
    unsaid: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """A measured row: its facts are completed the way the rule book completes them."""

    kind: str
    metric: str
    facts: Mapping[str, Any]

    def fact(self, path: str) -> Any:
        return self.facts.get(path)

    def whole(self, path: str) -> int:
        """A fact as a whole number; without it no calculator can answer."""
        value = self.facts.get(path)
        if value is None:
            raise OutOfScopeError(f"{path} is not stated")
        return round(float(value))

    @property
    def parameters(self) -> int:
        value = self.facts.get("model.parameters_b")
        if value is None:
            raise OutOfScopeError("model.parameters_b is not stated")
        return round(float(value) * 1e9)

    @property
    def cards(self) -> int:
        """Cards among which one copy of the model is divided."""
        tensor, pipeline = self.fact("parallelism.tensor"), self.fact("parallelism.pipeline")
        divided = round(float(tensor or 1) * float(pipeline or 1))
        if self.fact("parallelism.sharding") in ("zero1", "zero2", "zero3", "fsdp"):
            divided *= round(float(self.fact("parallelism.data") or 1))
        return divided

    @property
    def dense(self) -> bool:
        return not self.fact("model.experts") and self.fact("model.attention") in (
            "mha", "gqa", "mqa", None,
        )  # fmt: skip

    @property
    def sequences(self) -> int:
        """Caches of `serving.context_tokens` that are set aside; llama.cpp's requests share one."""
        if self.fact("serving.engine") in ("llama_cpp", "ik_llama_cpp"):
            return 1
        return self.whole("serving.concurrency")

    def ordinary_attention(self) -> None:
        """For caches: only whole keys and values of every layer are common to all calculators."""
        if self.fact("model.attention") not in ("mha", "gqa", "mqa", None):
            raise OutOfScopeError(f"no word for {self.fact('model.attention')} attention")

    def one_card(self) -> None:
        if self.cards > 1 or self.metric == "peak_total_all_cards":
            raise OutOfScopeError("one card only")

    def one_of(self, path: str, words: Mapping[str, Any]) -> Any:
        """The calculator's word for a value, or out of scope."""
        value = str(self.fact(path))
        if value not in words:
            raise OutOfScopeError(f"no word for {path} = {value}")
        return words[value]

    def unsaid(self, **usual: Sequence[str]) -> list[str]:
        """Settings of a training row that differ from what the calculator takes for granted.

        Names are facts of `training` and the values that the calculator does describe.
        """
        return [
            f"training.{name} = {self.fact(f'training.{name}')}"
            for name, values in usual.items()
            if str(self.fact(f"training.{name}")) not in values
        ]
