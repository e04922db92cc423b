"""Asks the rule book of this repository, the way the library does, and gives plain values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.readers.document import document_of
from engine.readers.profile import admit
from engine.run.facade import RuleBook
from engine.run.pipeline import decide

Row = dict[str, Any]

# Work for one rented card for a month, of data that may go anywhere.
ONE_CARD: dict[str, Any] = {
    "task": "lora",
    "model": {"name": "llama-3.1-8b"},
    "training": {"tokens_b": 0.05},
    "usage": {"sustained_utilisation": 0.02, "months": 1},
    "data": {
        "may_leave_premises": True,
        "may_leave_country": True,
        "sensitivity": "public",
        "size_gb": 1,
    },
}


@lru_cache(maxsize=1)
def book() -> RuleBook:
    return RuleBook.load()


class Answer:
    """What the compiled book says about one profile."""

    def __init__(self, profile: Mapping[str, Any], **parameters: float) -> None:
        bundle = book().bundle
        facts = bundle.book.facts
        admitted = admit(document_of(profile), facts, bundle.catalog.tables)
        self.outcome = decide(bundle, admitted, parameters).outcome
        self.relations = bundle.book.relations

    def decision(self, id: str) -> Any:
        return self.outcome["decisions"][id]

    def advice(self, id: str) -> dict[str, bool | None]:
        """What each row of an advice table says: it holds, it does not, or a fact is missing."""
        rows = book().bundle.book.advice[id].rows
        states = self.outcome["advice"][id]
        return {row.id: state for row, state in zip(rows, states, strict=True)}

    def rows(self, id: str) -> list[Row]:
        """The rows of a relation, columns by name."""
        relation = self.relations[id]
        names = [column.decision.id for column in relation.columns]
        skipped = len(relation.sources)
        return [
            dict(zip(names, row[skipped:], strict=True)) for row in self.outcome["relations"][id]
        ]

    def layouts(self, **wanted: Any) -> list[Row]:
        return _matching(self.rows("hardware.layouts.layouts"), wanted)

    def ranked(self, id: str = "hardware.options.recommended", **wanted: Any) -> list[Row]:
        """The options of a ranking in its order."""
        rows = self.rows("hardware.options.options")
        return _matching([rows[at] for at in self.outcome["rankings"][id]["order"]], wanted)


def _matching(rows: list[Row], wanted: Mapping[str, Any]) -> list[Row]:
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]
