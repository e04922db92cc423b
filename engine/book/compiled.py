"""Books and catalogs in compiled form: bytes that load without parsing a rule.

A file is a checksum of the rest, how long the parts are, what is where, and the parts: one per
entry, decoded when the entry is first read, so that a run pays for what it uses. Parts are numbers,
texts, lists and mappings as `marshal` writes them in the version without references, which every
Python reads and which always gives the same bytes; they are read in a fifth of the time of JSON.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from zlib import crc32

from engine.book.rows import TableRows

TYPE_CHECKING = False  # of typing, which a first decision should not wait for
if TYPE_CHECKING:
    from typing import Any

    from engine.book.decoder import Decoder
    from engine.book.model import Book, Catalog, TableData

FORMAT = 13  # changes with the classes of `model` and `tree`, and with what a file holds
_SECTIONS = (
    "facts", "parameters", "decisions", "relations", "rankings", "advice", "tables", "sources",
    "titles",
)  # fmt: skip
_WHOLE = ("report", "validation")  # plain mappings, read at once when something of them is

_FEW = 256  # values of a column that one byte tells apart
_END = 4  # bytes of a number that says where a part ends
from_bytes = int.from_bytes

Value = float | bool | str


def book_to_bytes(book: Book) -> bytes:
    """A book in compiled form."""
    from engine.book.encoder import Encoder, compact

    pool = Encoder()
    lines: list[bytes] = []
    index: dict[str, Any] = {}
    for section in _SECTIONS:
        entries: Mapping[str, Any] = getattr(book, section)
        index[section] = [len(lines), list(entries)]
        lines.extend(compact(pool.entry(entry)) for entry in entries.values())
    for section in _WHOLE:
        index[section] = [len(lines), None]
        lines.append(compact(getattr(book, section)))
    head = {
        "format": FORMAT,
        "version": book.version,
        "digest": book.digest,
        "order": tuple((kind, name) for kind, name in book.order),
        "values": {one.id: one.value for one in book.parameters.values() if not one.steps},
        "columns": {
            name: [column.name for column in schema.columns] for name, schema in book.tables.items()
        },
        "index": index,
        "types": [len(lines), len(pool.types)],
        "files": pool.files,
    }
    return _packed(compact(head), [*lines, *map(compact, pool.types), *pool.parts])


def book_from_bytes(data: bytes, checked: bool = False) -> Book:
    """The book of a compiled file, decoded as it is read. Raises ValueError on other data."""
    return book_for_run(data, checked)[0]


def book_for_run(
    data: bytes, checked: bool = False
) -> tuple[Book, dict[str, Value], dict[str, tuple[str, ...]]]:
    """The book, and what compiled decisions need of it (see `run_data`). Raises ValueError."""
    from engine.book.model import Book

    head, lines = _unpacked(data, checked)
    pool = _LazyDecoder(head["files"], lines, *head["types"])
    parts: dict[str, Any] = {}
    for section in _SECTIONS:
        start, names = head["index"][section]
        parts[section] = _Entries(lines, start, names, pool.decode)
    for section in _WHOLE:
        parts[section] = _Whole(lines, head["index"][section][0])
    book = Book(
        version=head["version"],
        digest=head["digest"],
        order=head["order"],
        **parts,
    )
    columns = {name: tuple(names) for name, names in head["columns"].items()}
    return book, head["values"], columns


def run_data(
    data: bytes, checked: bool = False
) -> tuple[dict[str, Value], dict[str, tuple[str, ...]]]:
    """From a compiled book, what compiled decisions need: parameter values by id, and the
    columns of the catalog tables. Imports no class of the book. Raises ValueError."""
    head, _ = _unpacked(data, checked)
    return head["values"], {name: tuple(names) for name, names in head["columns"].items()}


def catalog_to_bytes(catalog: Catalog) -> bytes:
    """A catalog in compiled form."""
    from engine.book.encoder import compact

    lines = [
        compact([_by_columns(data.rows), dict(data.aliases), dict(data.flags)])
        for data in catalog.tables.values()
    ]
    head = {
        "format": FORMAT,
        "digest": catalog.digest,
        "newest": catalog.newest,
        "oldest": catalog.oldest,
        "tables": list(catalog.tables),
    }
    return _packed(compact(head), lines)


def catalog_from_bytes(data: bytes, checked: bool = False) -> Catalog:
    """The catalog of a compiled file, tables decoded as they are read. Raises ValueError."""
    from engine.book.model import Catalog

    head, lines = _unpacked(data, checked)
    tables = _Entries(lines, 0, head["tables"], _table)
    return Catalog(tables, head["digest"], head["newest"], head["oldest"])


def _table(line: bytes) -> TableData:
    from engine.book.model import TableData

    rows, aliases, flags = value_of(line)
    return TableData(_by_rows(rows), aliases, flags)


def run_tables_from_bytes(
    data: bytes, columns: Mapping[str, tuple[str, ...]], checked: bool = False
) -> dict[str, TableRows]:
    """From a compiled catalog, the tables compiled decisions read. Raises ValueError."""
    head, lines = _unpacked(data, checked)
    return {
        name: TableRows(columns[name], _rows_of(lines, number))
        for number, name in enumerate(head["tables"])
        if name in columns
    }


def _rows_of(lines: Lines, number: int) -> Callable[[], tuple[tuple[Any, ...], ...]]:
    return lambda: _by_rows(value_of(lines[number])[0])


def _by_columns(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Rows as columns: of many rows with few values those, and which of them stands where."""
    columns: list[Any] = []
    for column in zip(*rows, strict=True):
        kinds = {(type(value), str(value)): value for value in column}
        if len(kinds) > min(_FEW, len(column) // 2):
            columns.append(column)
            continue
        places = {kind: place for place, kind in enumerate(kinds)}
        numbers = bytes([places[type(value), str(value)] for value in column])
        columns.append([tuple(kinds.values()), numbers])
    return columns


def _by_rows(columns: list[Any]) -> tuple[tuple[Any, ...], ...]:
    whole = [
        map(column[0].__getitem__, column[1]) if type(column) is list else column
        for column in columns
    ]
    return tuple(zip(*whole, strict=True))


class Lines:
    """Lines of a file, each cut out when it is asked for: a run asks for a tenth of them."""

    __slots__ = ("_data", "_ends", "_start")

    def __init__(self, data: bytes, start: int, ends: bytes) -> None:
        self._data, self._start = data, start
        self._ends = ends

    def __getitem__(self, number: int) -> bytes:
        place = number * _END
        first = from_bytes(self._ends[place - _END : place], "little") if number else 0
        last = from_bytes(self._ends[place : place + _END], "little")
        return self._data[self._start + first : self._start + last]

    def __len__(self) -> int:
        return len(self._ends) // _END


def value_of(part: bytes) -> Any:
    """What a part holds. Raises ValueError, EOFError or TypeError on other data."""
    return marshal.loads(part)


def _packed(head: bytes, lines: list[bytes]) -> bytes:
    ends = b"".join(end.to_bytes(_END, "little") for end in accumulate(map(len, lines)))
    sizes = f"{len(head)} {len(ends)}\n".encode()
    body = b"".join((sizes, head, ends, *lines))
    return f"{crc32(body):08x}\n".encode() + body


def _unpacked(data: bytes, checked: bool = False) -> tuple[dict[str, Any], Lines]:
    """`checked`: whoever has read the file has found it as it was written."""
    # Megabytes are not copied to look at a part of them.
    view, start = memoryview(data), data.find(b"\n") + 1
    if not checked and data[:start] != f"{crc32(view[start:]):08x}\n".encode():
        raise ValueError("not a compiled file, or a damaged one")
    first = data.index(b"\n", start) + 1
    size, ends = map(int, data[start:first].split())
    head: dict[str, Any] = value_of(data[first : first + size])
    if head.get("format") != FORMAT:
        raise ValueError("a compiled file of another version")
    first += size
    return head, Lines(data, first + ends, data[first : first + ends])


# -------------------------------------------------------------------- decoding on demand


class _LazyDecoder:
    """The decoder of a book, made when the first entry is read."""

    def __init__(self, files: list[str], lines: Lines, types: int, count: int) -> None:
        self._files, self._lines = files, lines
        self._types, self._parts = types, types + count
        self._decoder: Decoder | None = None

    def decode(self, line: bytes) -> Any:
        if self._decoder is None:
            from engine.book.decoder import Decoder

            self._decoder = Decoder(self._files, self._lines, self._types, self._parts)
        return self._decoder.decode(value_of(line))


class _Entries(Mapping):  # type: ignore[type-arg]
    """Entries or tables by name; each is decoded when first read."""

    def __init__(
        self, lines: Lines, start: int, names: list[str], decode: Callable[[bytes], Any]
    ) -> None:
        self._lines = lines
        self._numbers = {name: start + place for place, name in enumerate(names)}
        self._decode = decode
        self._done: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        found = self._done.get(key)
        if found is None:
            found = self._done[key] = self._decode(self._lines[self._numbers[key]])
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class _Whole(Mapping):  # type: ignore[type-arg]
    """A plain mapping that is read at once when something of it is."""

    def __init__(self, lines: Lines, number: int) -> None:
        self._lines, self._number = lines, number
        self._values: dict[str, Any] | None = None

    @property
    def _done(self) -> dict[str, Any]:
        if self._values is None:
            self._values = value_of(self._lines[self._number])
        return self._values

    def __getitem__(self, key: str) -> Any:
        return self._done[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._done)

    def __len__(self) -> int:
        return len(self._done)
