"""Where compiled files lie: in the package, or in the user's cache directory.

Files lie under the digest of what they were made from. A file that does not fit the checksum it
was written with is made anew; a directory that cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType
from zlib import crc32

from engine.book.compiled import FORMAT
from engine.version import __version__

_OWN = re.compile(r"[0-9a-f]{32}-\d+-")
_BETWEEN, _PIECE = "\n\n\ndef ", 60_000  # characters
_KEPT = 24  # folders in the user's cache, a few MB each
_SHIPPED = Path(__file__).resolve().parents[1] / "data" / "compiled"


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
    place = _place(digest)
    if not _SHIPPED.is_dir():
        place += _made_by()
    for folder in (_SHIPPED, cache_directory()):
        with suppress(OSError):
            data = _checked(folder / place / name)
            if data is not None:
                return data
    made = build()
    with suppress(OSError):
        path = cache_directory() / place / name
        new = not path.parent.is_dir()
        _write(path, made)
        if new:
            _prune(cache_directory())
    return made


def _place(digest: str) -> str:
    """The folder of a digest; other versions of the program have others."""
    return f"{digest[:32]}-{FORMAT}-{__version__}"


def _prune(folder: Path) -> None:
    """Keeps the newest folders: every change of a book or policy makes a new one."""
    import shutil

    own = [path for path in folder.iterdir() if _OWN.match(path.name)]
    for path in sorted(own, key=lambda path: path.stat().st_mtime, reverse=True)[_KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


@lru_cache(maxsize=1)
def _made_by() -> str:
    """In a repository the compilers change too: a digest of their names, sizes and times."""
    total = hashlib.sha256()
    engine = _SHIPPED.parents[1]
    made = [engine / part for part in ("book", "language", "reference", "run", "targets")]
    for folder in (*made, engine.parent / "catalog" / "schema"):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.is_file():
                found = entry.stat()
                total.update(f"{entry.name} {found.st_size} {found.st_mtime_ns}\n".encode())
    return f"-{total.hexdigest()[:16]}"


def cached_code(digest: str, name: str, build: Callable[[], str]) -> CodeType:
    """The code object of generated source; the source is kept beside it as `name`.

    A package ships the source as a module, which installers compile for the Python at hand.
    """
    version = sys.implementation.cache_tag or "python"
    shipped = _SHIPPED / _place(digest) / name
    if shipped.is_file():
        kept = shipped.parent / "__pycache__" / f"{shipped.stem}.{version}.pyc"
        if kept.is_file() or os.access(shipped.parent, os.W_OK):
            return _module_code(shipped)

    def compiled() -> bytes:
        if shipped.is_file():
            source = shipped.read_text(encoding="utf-8")
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


def _module_code(path: Path) -> CodeType:
    """The code of a module, from the bytecode Python keeps beside it where that is right."""
    from importlib.machinery import SourceFileLoader

    code = SourceFileLoader(path.stem, str(path)).get_code(path.stem)
    assert code is not None  # a source file always has code
    return code


def _checked(path: Path) -> bytes | None:
    with open(path, "rb") as stream:
        check, body = stream.readline(), stream.read()
    return body if _check(body) == check else None


def _check(body: bytes) -> bytes:
    """What tells a damaged file, in a quarter of the time of a digest."""
    return f"{crc32(body):08x} {len(body)}\n".encode()


def _write(path: Path, body: bytes) -> None:
    """Writes a file in one step: other processes see the old one, none, or all of it."""
    import tempfile  # slow to import, and rarely needed

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(_check(body) + body)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def ship(folder: Path, digest: str, name: str, body: bytes) -> None:
    """Writes a compiled file where the package ships it: `folder` is its `data/compiled`."""
    _write(folder / _place(digest) / name, body)


def ship_source(folder: Path, digest: str, name: str, source: str) -> None:
    """Writes generated source as a module, which `cached_code` finds there."""
    path = folder / _place(digest) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8", newline="\n")
