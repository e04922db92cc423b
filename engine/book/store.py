"""Opens books and catalogs: compiled when they can be, built from their files when they must.

A run that finds everything compiled imports neither YAML nor grammar nor units.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.book.cache import cached, cached_code, ship
from engine.book.compiled import (
    book_for_run,
    book_from_bytes,
    book_to_bytes,
    catalog_from_bytes,
    catalog_to_bytes,
    run_data,
    run_tables_from_bytes,
)
from engine.book.files import (
    Folder,
    book_paths,
    catalog_paths,
    contents,
    default_root,
    digest_of,
)
from engine.book.rows import TableRows, rows_of
from engine.book.seen import digest_seen

TYPE_CHECKING = False  # of typing, which a first decision should not wait for
if TYPE_CHECKING:
    from typing import TypeVar

    from engine.book.compiled import Value
    from engine.book.model import Book, Catalog

    T = TypeVar("T")
    Compiled = tuple[str, str, Callable[[], bytes]]  # digest, name, how to make it

__all__ = [
    "RunData",
    "book_from_bytes",
    "book_to_bytes",
    "cached",
    "cached_code",
    "catalog_from_bytes",
    "catalog_to_bytes",
    "open_book",
    "open_catalog",
    "open_for_run",
    "open_run_data",
    "ship_compiled",
]

BOOK, CATALOG = "book.data", "catalog.data"


class RunData:
    """What compiled decisions run on: `parameters` by id, `tables` by name."""

    __slots__ = ("digest", "parameters", "tables")

    def __init__(
        self, digest: str, parameters: dict[str, Value], tables: dict[str, TableRows]
    ) -> None:
        self.digest = digest
        self.parameters = parameters
        self.tables = tables


def open_book(root: Folder | None = None) -> Book:
    """The book under a root, compiled when it must be. Raises ProblemError on a faulty book."""
    return _open(*_book(root or default_root()), book_from_bytes)


def open_for_run(root: Folder | None = None) -> tuple[Book, Catalog, RunData]:
    """Book and catalog under a root with what compiled decisions run on, each file read once."""
    root = root or default_root()
    made: list[Book] = []
    book, parameters, columns = _open(*_book(root, made), book_for_run)
    if made:  # all of it is at hand, and everything that is still to be compiled will read it
        book = made[0]
    catalog = open_catalog(root)
    tables = {
        name: TableRows(names, rows_of(catalog, name))
        for name, names in columns.items()
        if name in catalog.tables
    }
    return book, catalog, RunData(book.digest, parameters, tables)


def open_catalog(root: Folder | None = None) -> Catalog:
    """The catalog under a root, compiled when it must be. Raises ProblemError on a faulty one."""
    return _open(*_catalog(root or default_root()), catalog_from_bytes)


def open_run_data(root: Folder | None = None) -> RunData:
    """Parameters and tables without the book itself: the shortest way to a first decision.

    `digest` is that of the book. Raises ProblemError on a faulty book or catalog.
    """
    root = root or default_root()
    digest, name, build = _book(root)
    parameters, columns = _open(digest, name, build, run_data)
    tables = _open(*_catalog(root), partial(run_tables_from_bytes, columns=columns))
    return RunData(digest, parameters, tables)


def ship_compiled(root: Folder, folder: Folder) -> Book:
    """Writes the compiled book and catalog of a root to a package's `data/compiled`.

    Returns the book. Raises ProblemError on a faulty book or catalog.
    """
    digest, name, build = _catalog(root)
    ship(folder, digest, name, build())
    digest, name, build = _book(root)
    data = build()
    ship(folder, digest, name, data)
    return book_from_bytes(data)


def _book(root: Folder, made: list[Book] | None = None) -> Compiled:
    """`made`: where a book that had to be compiled is left."""
    paths = book_paths(root)
    read: dict[str, bytes] = {}

    def files() -> dict[str, bytes]:
        return read or contents(paths)

    def digest() -> str:
        read.update(contents(paths))
        return digest_of(read)

    def build() -> bytes:
        from engine.book.load import load_book_from, require_rules

        require_rules(files(), root)
        book = load_book_from(files())
        read.clear()
        if made is not None:
            made.append(book)
        return book_to_bytes(book)

    return digest_seen("book", paths, digest), BOOK, build


def _catalog(root: Folder) -> Compiled:
    paths = catalog_paths(root)

    def build() -> bytes:
        from engine.book.catalog import load_catalog_from

        return catalog_to_bytes(load_catalog_from(contents(paths)))

    return digest_seen("catalog", paths, lambda: digest_of(contents(paths))), CATALOG, build


def _open(digest: str, name: str, build: Callable[[], bytes], read: Callable[..., T]) -> T:
    data = cached(digest, name, build)
    try:
        return read(data, checked=True)
    except (ValueError, LookupError, TypeError, EOFError):
        return read(build())
