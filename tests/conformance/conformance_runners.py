"""The runtimes that conformance cases run on, each as one function.

A runner takes a book, its catalog and questions, and answers each with the target's value
(None is unknown, a list comes as a tuple). To add a runtime, write one more such function and
name it in `runners`.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.book.model import Book, Catalog
from engine.reference import Reference
from engine.reference.values import plain


class Question(NamedTuple):
    given: Mapping[str, Any]
    decision: str
    output: str = ""

    @property
    def key(self) -> str:
        return f"{self.decision}.{self.output}" if self.output else self.decision


Runner = Callable[[Book, Catalog, Sequence[Question]], list[Any]]


def run_reference(book: Book, catalog: Catalog, questions: Sequence[Question]) -> list[Any]:
    return [
        plain(Reference(book, catalog, given).collected(decision, output))
        for given, decision, output in questions
    ]


class TableView:
    """A catalog table as the generated Python reads it."""

    def __init__(self, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        self.names, self.rows = list(names), list(rows)

    def index(self, columns: tuple[str, ...]) -> dict[Any, list[int]]:
        found: dict[Any, list[int]] = {}
        places = [self.names.index(name) for name in columns]
        for number, row in enumerate(self.rows):
            key = tuple(row[place] for place in places)
            found.setdefault(key[0] if len(key) == 1 else key, []).append(number)
        return found


def _views(book: Book, catalog: Catalog) -> dict[str, TableView]:
    return {
        name: TableView([column.name for column in book.tables[name].columns], data.rows)
        for name, data in catalog.tables.items()
    }


def _parameters(book: Book) -> dict[str, Any]:
    return {name: item.value for name, item in book.parameters.items() if not item.steps}


def run_python(book: Book, catalog: Catalog, questions: Sequence[Question]) -> list[Any]:
    from engine.targets.python import compile_python

    module: dict[str, Any] = {}
    exec(compile(compile_python(book), "<compiled book>", "exec"), module)
    tables, parameters = _views(book, catalog), _parameters(book)
    answers = []
    for question in questions:
        outcome = module["evaluate"](dict(question.given), parameters, tables)
        answers.append(outcome["decisions"][question.key])
    return answers


def run_javascript(book: Book, catalog: Catalog, questions: Sequence[Question]) -> list[Any]:
    from py_mini_racer import MiniRacer

    from engine.targets.javascript import compile_javascript

    racer = MiniRacer()
    racer.eval(compile_javascript(book))
    tables = {
        name: {"rows": [list(row) for row in data.rows]} for name, data in catalog.tables.items()
    }
    racer.eval(
        f"var tables = {json.dumps(tables)}; var parameters = {json.dumps(_parameters(book))};"
    )
    # JSON has no -0; a target that leaves one must not pass unseen.
    racer.eval(
        "function answer(given, key) { var value = gpuwise.evaluate(given, parameters, tables)"
        ".decisions[key]; return JSON.stringify(Object.is(value, -0) ? '-0' : value); }"
    )
    answers = []
    for question in questions:
        text = racer.eval(f"answer({json.dumps(dict(question.given))}, {json.dumps(question.key)})")
        # Read every number as a double, as the target has it.
        value = json.loads(text, parse_int=float)
        answers.append(tuple(value) if isinstance(value, list) else value)
    return answers


def run_sql(book: Book, catalog: Catalog, questions: Sequence[Question]) -> list[Any]:
    from engine.targets.sql import compile_sql
    from engine.targets.sql_run import connect, outcomes

    profiles = [question.given for question in questions]
    found = outcomes(connect(threads=1), book, compile_sql(book), profiles, tables=catalog.tables)
    pairs = zip(questions, found, strict=True)
    return [outcome["decisions"][question.key] for question, outcome in pairs]


def runners() -> dict[str, Runner]:
    """The runtimes whose targets are there."""
    found: dict[str, Runner] = {"reference": run_reference}
    if importlib.util.find_spec("engine.targets.python"):
        found["python"] = run_python
    if importlib.util.find_spec("engine.targets.javascript"):
        found["javascript"] = run_javascript
    if importlib.util.find_spec("engine.targets.sql") and importlib.util.find_spec("duckdb"):
        found["sql"] = run_sql
    return found
