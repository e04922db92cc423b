"""The runtimes under comparison, each turning profiles into outcomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from py_mini_racer import MiniRacer

from engine.book.model import Book, Catalog
from engine.book.rows import run_tables
from engine.reference.evaluator import Reference
from engine.targets.javascript import compile_javascript
from engine.targets.python import compile_python
from tests.differential.packed import JAVASCRIPT, all_packed
from tests.generators.parameters import Parameters, defaults

Given = Mapping[str, Any]
Outcome = dict[str, Any]


class PythonRuntime:
    """The Python target; with `coverage` it notes the rows and branches it comes through."""

    def __init__(self, book: Book, catalog: Catalog, *, coverage: bool = False) -> None:
        self.book, self.coverage = book, coverage
        self.namespace: dict[str, Any] = {}
        exec(compile(compile_python(book, coverage=coverage), "<book>", "exec"), self.namespace)
        self.use(catalog, defaults(book))

    def use(self, catalog: Catalog, parameters: Parameters) -> None:
        self.tables, self.parameters = run_tables(self.book, catalog), parameters

    def outcome(self, given: Given) -> dict[str, Any]:
        found: dict[str, Any] = self.namespace["evaluate"](given, self.parameters, self.tables)
        return found

    def packed(self, profiles: Sequence[Given]) -> bytes:
        return all_packed(self.outcome(given) for given in profiles)

    def marks(self) -> list[tuple[str, ...]]:
        """Everything that can be come through."""
        return list(self.namespace["MARKS"])

    def hits(self) -> bytes:
        """One byte per mark: whether it was."""
        return bytes(self.namespace["hits_"])

    def forget(self) -> None:
        """Nothing has been come through."""
        self.namespace["hits_"][:] = bytes(len(self.namespace["hits_"]))

    def missed(self) -> set[tuple[str, ...]]:
        """The marks that were not come through so far."""
        return {mark for mark, hit in zip(self.marks(), self.hits(), strict=True) if not hit}


class JavaScriptRuntime:
    """The JavaScript target in V8; profiles go in as one JSON text, bytes come out.

    A `context` may serve several books one after another; whoever made it closes it.
    """

    def __init__(self, book: Book, catalog: Catalog, context: MiniRacer | None = None) -> None:
        self.book = book
        self.owned = context is None
        self.context = MiniRacer() if context is None else context
        self.context.eval(compile_javascript(book))
        self.context.eval(JAVASCRIPT)
        widths = {id: len(relation.sources) for id, relation in book.relations.items()}
        self.context.eval(f"var parameters_={{}},tables_={{}},widths_={json.dumps(widths)};")
        self.use(catalog, defaults(book))

    def __enter__(self) -> JavaScriptRuntime:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An open context keeps the interpreter from ending.
        if self.owned:
            self.context.close()

    def use(self, catalog: Catalog, parameters: Parameters) -> None:
        tables = {name: {"rows": data.rows} for name, data in catalog.tables.items()}
        self.context.eval(f"tables_={json.dumps(tables)};parameters_={json.dumps(parameters)};0")

    def outcome(self, given: Given) -> dict[str, Any]:
        text = f"JSON.stringify(gpuwise.evaluate({json.dumps(given)},parameters_,tables_))"
        found: dict[str, Any] = json.loads(str(self.context.eval(text)))
        return found

    def packed(self, profiles: Sequence[Given]) -> bytes:
        self.context.eval(f"run_({json.dumps(profiles)})")
        # A global keeps the buffer: one that only the view of it holds may be collected while it
        # is copied, and the process ends.
        return bytes(self.context.eval("sent_=buffer_.slice(0,at_).buffer"))  # type: ignore[arg-type]


class SqlRuntime:
    """The SQL target in DuckDB on one thread; compiled once, loaded anew for each batch."""

    def __init__(self, book: Book) -> None:
        from engine.targets.sql import compile_sql
        from engine.targets.sql_run import connect

        self.book, self.program, self.connection = book, compile_sql(book), connect(1)

    def outcomes(
        self, catalog: Catalog, parameters: Parameters, profiles: Sequence[Given]
    ) -> list[dict[str, Any]]:
        from engine.targets.sql_run import outcomes

        return outcomes(
            self.connection, self.book, self.program, profiles, parameters, catalog.tables
        )


def reference_outcome(
    book: Book, catalog: Catalog, parameters: Parameters, given: Given
) -> dict[str, Any]:
    return Reference(book, catalog, given, parameters).outcome()
