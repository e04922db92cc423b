"""The function of a whole book in pieces: whatever their length, the same answers."""

from __future__ import annotations

from typing import Any

import pytest

from engine.book.rows import run_tables
from engine.targets import pieces
from engine.targets.python import compile_python
from tests.generators.books import random_book
from tests.generators.choices import Seeded
from tests.generators.profiles import profile, vocabulary


def program(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    return names


@pytest.mark.parametrize("length", [1, 400])
def test_pieces_of_any_length_give_the_same_answers(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(12):
        book, catalog = random_book(seed)
        whole = program(compile_python(book))
        with monkeypatch.context() as patched:
            patched.setattr(pieces, "_LONGEST", length)
            parts = program(compile_python(book))
        assert "run_1_" in parts and "run_1_" not in whole
        words, choices = vocabulary(book, catalog), Seeded(seed)
        tables = run_tables(book, catalog)
        values = {one.id: one.value for one in book.parameters.values() if not one.steps}
        for _ in range(5):
            given = profile(words, choices)
            expected = whole["evaluate"](given, values, tables)
            assert parts["evaluate"](given, values, tables) == expected, f"book {seed}"
