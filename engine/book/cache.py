"""Where compiled files lie: in the package, or in the user's cache directory.

Files lie under the digest of what they were made from. A file that does not fit the checksum it
was written with is made anew; a directory that cannot be written is no error.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from types import CodeType
from zlib import adler32, crc32

from engine.book.compiled import FORMAT
from engine.book.files import Folder
from engine.language.patterns import late
from engine.version import __version__

_OWN = late(r"[0-9a-f]{32}-\d+-")
_BETWEEN, _PIECE = "\n\n\ndef ", 30_000  # characters
_KEPT = 24  # folders in the user's cache, a few MB each
_ENGINE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_SHIPPED: Folder = os.path.join(_ENGINE, "data", "compiled")


def cache_directory() -> str:
    """The user's cache directory for compiled files, by the platform's custom."""
    chosen = os.environ.get("GPUWISE_CACHE")
    if chosen:
        return chosen
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "gpuwise")


def cached(digest: str, name: str, build: Callable[[], bytes]) -> bytes:
    """The bytes made by `build` for a digest: from the package, the cache, or made now.

    What is read fits the checksum it was written with; anything else is made anew.
    """
    place = _place(digest)
    if not os.path.isdir(_SHIPPED):
        place += _made_by()
    for folder in (_SHIPPED, cache_directory()):
        with suppress(OSError):
            data = read_checked(os.path.join(folder, place, name))
            if data is not None:
                return data
    made = build()
    with suppress(OSError):
        own = os.path.join(cache_directory(), place)
        new = not os.path.isdir(own)
        write_checked(os.path.join(own, name), made)
        if new:
            _prune(cache_directory())
    return made


def _place(digest: str) -> str:
    """The folder of a digest; other versions of the program have others."""
    return f"{digest[:32]}-{FORMAT}-{__version__}"


def _prune(folder: str) -> None:
    """Keeps the newest folders: every change of a book or policy makes a new one."""
    import shutil

    own = [entry for entry in os.scandir(folder) if _OWN.match(entry.name)]
    for entry in sorted(own, key=lambda entry: entry.stat().st_mtime, reverse=True)[_KEPT:]:
        shutil.rmtree(entry.path, ignore_errors=True)


@lru_cache(maxsize=1)
def _made_by() -> str:
    """In a repository the compilers change too: a checksum of their names, sizes and times."""
    total = list[str]()
    parts = ("book", "language", "reference", "run", "targets")
    schema = os.path.join(os.path.dirname(_ENGINE), "catalog", "schema")
    for folder in (*[os.path.join(_ENGINE, part) for part in parts], schema):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.is_file():
                found = entry.stat()
                total.append(f"{entry.name} {found.st_size} {found.st_mtime_ns}")
    listing = "\n".join(total).encode()
    return f"-{crc32(listing):08x}{adler32(listing):08x}"


def cached_code(digest: str, name: str, build: Callable[[], str]) -> CodeType:
    """The code object of generated source; the source is kept beside it as `name`.

    A package ships the source as a module, which installers compile for the Python at hand.
    """
    version = sys.implementation.cache_tag or "python"
    folder = os.path.join(_SHIPPED, _place(digest))
    shipped = os.path.join(folder, name)
    if os.path.isfile(shipped):
        stem = name.removesuffix(".py")
        kept = os.path.join(folder, "__pycache__", f"{stem}.{version}.pyc")
        if os.path.isfile(kept) or os.access(folder, os.W_OK):
            return _module_code(shipped)

    def compiled() -> bytes:
        if os.path.isfile(shipped):
            with open(shipped, encoding="utf-8") as stream:
                source = stream.read()
        else:
            source = cached(digest, name, lambda: build().encode("utf-8")).decode("utf-8")
        return marshal.dumps(_compiled(source, f"<{name}>"))

    data = cached(digest, f"{name}.{version}-{sys.hexversion:x}", compiled)
    try:
        code = marshal.loads(data)
    except (EOFError, ValueError, TypeError):
        code = marshal.loads(compiled())
    assert isinstance(code, CodeType)
    return code


def _compiled(source: str, name: str) -> CodeType:
    """The code of a module, made in pieces that end between functions.

    All at once the syntax tree of a book takes more memory than anything else in a run. The code
    runs the pieces one after the other in the names of whoever runs it.
    """
    cuts = [0]
    while (cut := source.find(_BETWEEN, cuts[-1] + _PIECE)) >= 0:
        cuts.append(cut)
    pieces = tuple(
        compile("\n" * source.count("\n", 0, start) + source[start:end], name, "exec")
        for start, end in zip(cuts, [*cuts[1:], len(source)], strict=True)
    )
    if len(pieces) == 1:
        return pieces[0]
    whole = compile("for piece_ in 'pieces': exec(piece_)", name, "exec")
    constants: list[object] = [
        pieces if constant == "pieces" else constant for constant in whole.co_consts
    ]
    return whole.replace(co_consts=tuple(constants))


def _module_code(path: str) -> CodeType:
    """The code of a module, from the bytecode Python keeps beside it where that is right."""
    from importlib.machinery import SourceFileLoader

    name = os.path.basename(path).removesuffix(".py")
    code = SourceFileLoader(name, path).get_code(name)
    assert code is not None  # a source file always has code
    return code


def read_checked(path: str) -> bytes | None:
    """What `write_checked` wrote; None where the file is damaged. Raises OSError.

    Read in two pieces, as megabytes are not to be copied or read through a buffer.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        check = os.read(handle, 32).partition(b"\n")[0] + b"\n"
        size = os.fstat(handle).st_size - len(check)
        os.lseek(handle, len(check), os.SEEK_SET)
        body = os.read(handle, size) if size > 0 else b""
    finally:
        os.close(handle)
    return body if _check(body) == check else None


def _check(body: bytes) -> bytes:
    """What tells a damaged file, in a quarter of the time of a digest."""
    return f"{crc32(body):08x} {len(body)}\n".encode()


def write_checked(path: str, body: bytes) -> None:
    """Writes a file in one step: other processes see the old one, none, or all of it."""
    import tempfile  # slow to import, and rarely needed

    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(_check(body) + body)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def ship(folder: Folder, digest: str, name: str, body: bytes) -> None:
    """Writes a compiled file where the package ships it: `folder` is its `data/compiled`."""
    write_checked(os.path.join(folder, _place(digest), name), body)


def ship_source(folder: Folder, digest: str, name: str, source: str) -> None:
    """Writes generated source as a module, which `cached_code` finds there."""
    path = os.path.join(folder, _place(digest), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(source)
