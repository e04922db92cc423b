"""A rule book ready to run: typed book, catalog and compiled program, cached where possible."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from engine.book.files import Folder, default_root
from engine.book.model import Book, Catalog
from engine.book.rows import TableRows
from engine.book.store import cached, cached_code, open_for_run, ship_compiled
from engine.language.frozen import factory, frozen
from engine.language.problems import Position, Problem, ProblemError
from engine.reference.packed import Bodies

PROGRAM, DEPENDENCIES, READ = "book.py", "dependencies.json", "read.json"
BODIES = "bodies.data"

Evaluate = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, TableRows]], dict[str, Any]]


class NoBookError(Exception):
    """A folder without a rule book."""


@frozen
class Bundle:
    """`parameters`: the values of all parameters by id (ladders excluded); `kept`: see `_kept`.

    `decide` gives what `evaluate` does, but computes columns that no rule reads when asked for.
    """

    root: str
    book: Book
    catalog: Catalog
    parameters: Mapping[str, Any]
    tables: Mapping[str, TableRows]
    evaluate: Evaluate
    decide: Evaluate
    kept: dict[str, Any] = factory(default_factory=dict)


def facts_behind(bundle: Bundle) -> dict[str, list[str]]:
    """See `dependencies.facts_behind`; kept with the compiled book."""

    def build() -> dict[str, list[str]]:
        from engine.run.dependencies import facts_behind

        return facts_behind(bundle.book)

    found: dict[str, list[str]] = _kept(bundle, DEPENDENCIES, build)
    return found


def facts_read(bundle: Bundle) -> list[str]:
    """See `dependencies.facts_read`; kept with the compiled book."""

    def build() -> list[str]:
        from engine.run.dependencies import facts_read

        return facts_read(bundle.book)

    found: list[str] = _kept(bundle, READ, build)
    return found


def bodies(bundle: Bundle) -> Bodies:
    """The decisions of a book in the form that is read faster; kept with the compiled book."""

    def build() -> bytes:
        from engine.reference.packing import packed_book

        return packed_book(bundle.book)

    if BODIES not in bundle.kept:
        bundle.kept[BODIES] = Bodies(cached(bundle.book.digest, BODIES, build))
    found: Bodies = bundle.kept[BODIES]
    return found


def _kept(bundle: Bundle, name: str, build: Callable[[], Any]) -> Any:
    """What `build` gives for a book, from its compiled files; read once for all its answers."""
    if name not in bundle.kept:
        data = cached(bundle.book.digest, name, lambda: json.dumps(build()).encode())
        bundle.kept[name] = json.loads(data)
    return bundle.kept[name]


def open_bundle(folder: str | None = None) -> Bundle:
    """The bundle of the book in `folder` (default: of this installation).

    Reading and compiling a book takes seconds; the result is kept under the digest of the files.
    Raises NoBookError, and ProblemError when the book or the catalog is not right.
    """
    root = folder if folder is not None else default_root()
    if not all(os.path.isdir(os.path.join(root, part)) for part in ("rules", "catalog")):
        raise NoBookError(root)
    book, catalog, data = open_for_run(root)

    def source() -> str:
        from engine.run.layout import check_report
        from engine.targets.python import compile_python

        named = [found for found in check_report(book) if found.code == "B500"]
        if named:  # an answer could not be put together
            raise ProblemError(named)
        return compile_python(book)

    namespace: dict[str, Any] = {"__name__": "compiled_rule_book"}
    try:
        code = cached_code(book.digest, PROGRAM, source)
    except (SyntaxError, RecursionError, MemoryError) as error:
        said = f"a formula is too long or too deeply nested to compile ({error})"
        where = Position(root)
        raise ProblemError(Problem("B502", said, where, "", "divide it into decisions")) from None
    exec(code, namespace)
    programs = namespace["evaluate"], namespace["decide"]
    return Bundle(root, book, catalog, data.parameters, data.tables, *programs)


def ship_bundle(root: Folder, folder: Folder) -> None:
    """Writes all that a run of the book under `root` reads to a package's `data/compiled`."""
    from engine.book.cache import ship, ship_source
    from engine.reference.packing import packed_book
    from engine.run import dependencies
    from engine.targets.python import compile_python

    book = ship_compiled(root, folder)
    ship_source(folder, book.digest, PROGRAM, compile_python(book))
    behind, read = dependencies.facts_behind(book), dependencies.facts_read(book)
    ship(folder, book.digest, DEPENDENCIES, json.dumps(behind).encode())
    ship(folder, book.digest, READ, json.dumps(read).encode())
    ship(folder, book.digest, BODIES, packed_book(book))
