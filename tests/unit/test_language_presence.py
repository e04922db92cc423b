"""`known(x)` in a condition takes the doubt out of what follows, and out of nothing else."""

from __future__ import annotations

import pytest

from tests.unit.language_book import BOOK, type_of


@pytest.mark.parametrize(
    ("text", "nullable"),
    [
        ("known(card.memory) and card.memory > 0", False),
        ("card.memory > 0 and known(card.memory)", True),
        ("if known(card.memory) then card.memory else 0", False),
        ("if not known(card.memory) then 0 else card.memory", False),
        ("if known(card.memory) then 0 else card.memory", True),
        ("known(card.memory) or card.memory > 0", True),
    ],
)
def test_known_says_what_is_there(text: str, nullable: bool) -> None:
    assert type_of(text, BOOK).nullable is nullable
