"""The 40-row table of the benchmarks: right on all cases, small, and fast enough to say so."""

from __future__ import annotations

import gzip
import json
from typing import Any

from benchmarks import table40
from engine.targets.javascript import compile_javascript
from engine.targets.python import compile_python
from tests.differential.runtimes import JavaScriptRuntime, PythonRuntime
from tests.generators.choices import Seeded
from tests.unit.target_books import EMPTY

DATA = table40.load()
CASES = table40.cases(DATA)
BOOK = table40.book(DATA)


def _facts(case: dict[str, Any]) -> dict[str, Any]:
    return {
        name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in case.items()
    }


def test_python_answers_all_cases() -> None:
    namespace: dict[str, Any] = {}
    exec(compile_python(BOOK), namespace)
    assert namespace["READS"]["table"] == tuple(DATA["inputs"])
    decide = namespace["DECISIONS"]["table"]
    for case, row in CASES:
        assert decide(*_facts(case).values()) == tuple(DATA["rules"][row]["then"].values())


def test_javascript_answers_all_cases_and_those_with_missing_inputs_as_python_does() -> None:
    choices = Seeded(3)
    profiles = [_facts(case) for case, _ in CASES]
    profiles += [
        {name: value for name, value in case.items() if not choices.chance(0.2)}
        for case in profiles
    ]
    python = PythonRuntime(BOOK, EMPTY)
    with JavaScriptRuntime(BOOK, EMPTY) as javascript:
        assert javascript.packed(profiles) == python.packed(profiles)


def test_the_table_is_at_most_ten_kilobytes_of_javascript() -> None:
    assert len(gzip.compress(compile_javascript(BOOK).encode(), 9)) <= 10_000


def test_the_data_say_what_they_are() -> None:
    assert len(CASES) == 3000
    assert json.dumps(DATA["outputs"]) == '["placement", "billing", "gpu_class", "score"]'
