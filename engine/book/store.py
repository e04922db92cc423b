"""The compiled form: books and catalogs that load without parsing a rule.

A file is lines of JSON. The first holds a SHA-256 of the rest, the second what is where; then one
line per entry, decoded when the entry is first read, so that a run pays for what it uses.

Compiled files lie in the package (`data/compiled`) when it ships with them, else in the user's
cache directory under the digest of what they were made from. A file that does not fit its
digest is made anew; a directory that cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

from engine.book.files import book_files, catalog_files, default_root, digest_of

if TYPE_CHECKING:
    from engine.book.codec import Pool
    from engine.book.model import Book, Catalog

FORMAT = 1  # of compiled files; changes with the classes of `model` and `tree`
_SECTIONS = ("facts", "parameters", "decisions", "relations", "rankings", "advice", "tables")
_WHOLE = ("sources", "report", "titles")  # mappings decoded at once when first read
_SHIPPED = Path(__file__).resolve().parents[1] / "data" / "compiled"

T = TypeVar("T")


# -------------------------------------------------------------------- to and from bytes


def book_to_bytes(book: Book) -> bytes:
    """A book in compiled form."""
    from engine.book.codec import Pool

    pool = Pool()
    lines: list[Any] = []
    index: dict[str, Any] = {}
    for section in _SECTIONS:
        entries: Mapping[str, Any] = getattr(book, section)
        index[section] = [len(lines), list(entries)]
        lines.extend(pool.encode(entry) for entry in entries.values())
    for section in _WHOLE:
        index[section] = [len(lines), None]
        lines.append(pool.encode(getattr(book, section)))
    head = {
        "format": FORMAT,
        "version": book.version,
        "digest": book.digest,
        "order": [list(pair) for pair in book.order],
        "index": index,
        "types": len(lines),
        "files": pool.files,
    }
    return _packed(head, [*lines, pool.types])


def book_from_bytes(data: bytes) -> Book:
    """The book of a compiled file, decoded as it is read. Raises ValueError on other data."""
    from engine.book.model import Book

    head, lines = _unpacked(data)
    pool = _LazyPool(head["files"], lines, head["types"])
    parts: dict[str, Any] = {}
    for section in _SECTIONS:
        start, names = head["index"][section]
        own = lines[start : start + len(names)]
        parts[section] = _Entries(dict(zip(names, own, strict=True)), pool)
    for section in _WHOLE:
        parts[section] = _Whole(lines[head["index"][section][0]], pool)
    return Book(
        version=head["version"],
        digest=head["digest"],
        order=tuple((kind, name) for kind, name in head["order"]),
        **parts,
    )


def catalog_to_bytes(catalog: Catalog) -> bytes:
    """A catalog in compiled form."""
    lines = [
        [[list(row) for row in data.rows], dict(data.aliases), dict(data.flags)]
        for data in catalog.tables.values()
    ]
    head = {
        "format": FORMAT,
        "digest": catalog.digest,
        "newest": catalog.newest,
        "oldest": catalog.oldest,
        "tables": list(catalog.tables),
    }
    return _packed(head, lines)


def catalog_from_bytes(data: bytes) -> Catalog:
    """The catalog of a compiled file, tables decoded as they are read. Raises ValueError."""
    from engine.book.model import Catalog

    head, lines = _unpacked(data)
    tables = _Tables(dict(zip(head["tables"], lines, strict=True)))
    return Catalog(tables, head["digest"], head["newest"], head["oldest"])


def _packed(head: dict[str, Any], lines: list[Any]) -> bytes:
    texts = [
        json.dumps(one, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        for one in (head, *lines)
    ]
    body = "\n".join(texts).encode("utf-8")
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _unpacked(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    check, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != check:
        raise ValueError("not a compiled file, or a damaged one")
    first, *lines = body.split(b"\n")
    head: dict[str, Any] = json.loads(first)
    if head.get("format") != FORMAT:
        raise ValueError("a compiled file of another version")
    return head, lines


# -------------------------------------------------------------------- decoding on demand


class _LazyPool:
    """The pool of shared types, read when the first entry is."""

    def __init__(self, files: list[str], lines: list[bytes], types_line: int) -> None:
        self._files = files
        self._line = lines[types_line]
        self._pool: Pool | None = None

    def decode(self, line: bytes) -> Any:
        if self._pool is None:
            from engine.book.codec import Pool

            self._pool = Pool(json.loads(self._line), self._files)
        return self._pool.decode(json.loads(line))


class _Entries(Mapping[str, Any]):
    """Entries by id; each is decoded when first read."""

    def __init__(self, lines: dict[str, bytes], pool: _LazyPool) -> None:
        self._lines = lines
        self._pool = pool
        self._done: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        found = self._done.get(key)
        if found is None:
            found = self._done[key] = self._pool.decode(self._lines[key])
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class _Whole(Mapping[str, Any]):
    """A mapping that is decoded at once when first read."""

    def __init__(self, line: bytes, pool: _LazyPool) -> None:
        self._line = line
        self._pool = pool
        self._values: dict[str, Any] | None = None

    @property
    def _done(self) -> dict[str, Any]:
        if self._values is None:
            self._values = self._pool.decode(self._line)
        return self._values

    def __getitem__(self, key: str) -> Any:
        return self._done[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._done)

    def __len__(self) -> int:
        return len(self._done)


class _Tables(Mapping[str, Any]):
    """Tables of a catalog; each is decoded when first read."""

    def __init__(self, lines: dict[str, bytes]) -> None:
        self._lines = lines
        self._done: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        found = self._done.get(key)
        if found is None:
            from engine.book.model import TableData

            rows, aliases, flags = json.loads(self._lines[key])
            found = self._done[key] = TableData(tuple(map(tuple, rows)), aliases, flags)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


# -------------------------------------------------------------------- where compiled files lie


def cache_directory() -> Path:
    """The user's cache directory for compiled files, by the platform's custom."""
    chosen = os.environ.get("GPUWISE_CACHE")
    if chosen:
        return Path(chosen)
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "gpuwise"


def cached(digest: str, name: str, build: Callable[[], bytes]) -> bytes:
    """The bytes made by `build` for a digest: from the package, the cache, or made now.

    What is read fits the checksum it was written with; anything else is made anew.
    """
    place = f"{digest[:32]}-{FORMAT}"
    if not _SHIPPED.is_dir():
        place += _made_by()
    for folder in (_SHIPPED, cache_directory()):
        with suppress(OSError):
            data = _checked((folder / place / name).read_bytes())
            if data is not None:
                return data
    made = build()
    with suppress(OSError):
        _write(cache_directory() / place / name, made)
    return made


@lru_cache(maxsize=1)
def _made_by() -> str:
    """In a repository the compilers change too: a digest of names, sizes and times of their files."""
    total = hashlib.sha256()
    engine = _SHIPPED.parents[1]
    for part in ("book", "language", "targets"):
        for entry in sorted(os.scandir(engine / part), key=lambda entry: entry.name):
            if entry.is_file():
                found = entry.stat()
                total.update(f"{entry.name} {found.st_size} {found.st_mtime_ns}\n".encode())
    return f"-{total.hexdigest()[:16]}"


def cached_code(digest: str, name: str, build: Callable[[], str]) -> CodeType:
    """The code object of generated source; the source is kept beside it as `name`."""
    version = sys.implementation.cache_tag or "python"

    def compiled() -> bytes:
        source = cached(digest, name, lambda: build().encode("utf-8")).decode("utf-8")
        return marshal.dumps(compile(source, f"<{name}>", "exec"))

    data = cached(digest, f"{name}.{version}-{sys.hexversion:x}", compiled)
    try:
        code = marshal.loads(data)
    except (EOFError, ValueError, TypeError):
        code = marshal.loads(compiled())
    assert isinstance(code, CodeType)
    return code


def _checked(data: bytes) -> bytes | None:
    check, _, body = data.partition(b"\n")
    return body if hashlib.sha256(body).hexdigest().encode() == check else None


def _write(path: Path, body: bytes) -> None:
    """Writes a file in one step: other processes see the old one, none, or all of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def ship(folder: Path, digest: str, name: str, body: bytes) -> None:
    """Writes a compiled file where the package ships it: `folder` is its `data/compiled`."""
    _write(folder / f"{digest[:32]}-{FORMAT}" / name, body)


# -------------------------------------------------------------------- books and catalogs


def open_book(root: Path | None = None) -> Book:
    """The book under a root, compiled when it must be. Raises ProblemError on a faulty book."""
    root = root or default_root()
    files = book_files(root)

    def build() -> bytes:
        from engine.book.load import load_book_from, require_rules

        require_rules(files, root)
        return book_to_bytes(load_book_from(files))

    return _opened(digest_of(files), "book.jsonl", build, book_from_bytes)


def open_catalog(root: Path | None = None) -> Catalog:
    """The catalog under a root, compiled when it must be. Raises ProblemError on a faulty one."""
    files = catalog_files(root or default_root())

    def build() -> bytes:
        from engine.book.catalog import load_catalog_from

        return catalog_to_bytes(load_catalog_from(files))

    return _opened(digest_of(files), "catalog.jsonl", build, catalog_from_bytes)


def _opened(digest: str, name: str, build: Callable[[], bytes], read: Callable[[bytes], T]) -> T:
    data = cached(digest, name, build)
    try:
        return read(data)
    except (ValueError, LookupError, TypeError):
        return read(build())
