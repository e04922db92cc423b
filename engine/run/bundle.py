"""A rule book ready to run: typed book, catalog and compiled program, cached where possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.book.files import default_root
from engine.book.model import Book, Catalog
from engine.book.rows import TableRows, run_tables
from engine.book.store import cached_code, open_book_and_values, open_catalog, ship_compiled
from engine.language.frozen import frozen

PROGRAM = "book.py"

Evaluate = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, TableRows]], dict[str, Any]]


class NoBookError(Exception):
    """A folder without a rule book."""


@frozen
class Bundle:
    """`parameters`: the values of all parameters by id (ladders excluded)."""

    root: Path
    book: Book
    catalog: Catalog
    parameters: Mapping[str, Any]
    tables: Mapping[str, TableRows]
    evaluate: Evaluate


def open_bundle(folder: str | None = None) -> Bundle:
    """The bundle of the book in `folder` (default: of this installation).

    Reading and compiling a book takes seconds; the result is kept under the digest of the files.
    Raises NoBookError, and ProblemError when the book or the catalog is not right.
    """
    root = Path(folder) if folder is not None else default_root()
    if not (root / "rules").is_dir() or not (root / "catalog").is_dir():
        raise NoBookError(str(root))
    book, parameters = open_book_and_values(root)
    catalog = open_catalog(root)

    def source() -> str:
        from engine.targets.python import compile_python

        return compile_python(book)

    namespace: dict[str, Any] = {"__name__": "compiled_rule_book"}
    exec(cached_code(book.digest, PROGRAM, source), namespace)
    tables = run_tables(book, catalog)
    return Bundle(root, book, catalog, parameters, tables, namespace["evaluate"])


def ship_bundle(root: Path, folder: Path) -> None:
    """Writes all that a run of the book under `root` reads to a package's `data/compiled`."""
    from engine.book.cache import ship_source
    from engine.targets.python import compile_python

    book = ship_compiled(root, folder)
    ship_source(folder, book.digest, PROGRAM, compile_python(book))
