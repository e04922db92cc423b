"""The files a book and a catalog consist of, and their digests. Needs nothing but the disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

VERSION = "rules/version.txt"
REPORT = "rules/report.yaml"
VALIDATION = "rules/validation/"  # how published measurements are read
TABLES = "catalog/tables.yaml"
SOURCES = "catalog/sources.yaml"


def default_root() -> Path:
    """The folder with the rules and the catalog of this installation.

    The repository when run from one, else the data inside the installed package.
    """
    here = Path(__file__).resolve()
    repository, package = here.parents[2], here.parents[1] / "data"
    return repository if (repository / VERSION).is_file() else package


def book_files(root: Path) -> dict[str, bytes]:
    """The files of a book by path under the root: rules and the declaration of the catalog."""
    return _below(root, "rules", ".yaml") | _named(root, (VERSION, TABLES, SOURCES))


def catalog_files(root: Path) -> dict[str, bytes]:
    """The files of the catalog by path under the root: its declaration and all of its CSV."""
    return _named(root, (TABLES, SOURCES)) | _below(root, "catalog", ".csv")


def digest_of(files: Mapping[str, str | bytes]) -> str:
    """SHA-256 over paths and contents; line ends and byte order marks do not count."""
    total = hashlib.sha256()
    for path in sorted(files):
        content = files[path]
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        data = data.removeprefix(b"\xef\xbb\xbf")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        total.update(f"{path}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()


def _below(root: Path, folder: str, ending: str) -> dict[str, bytes]:
    """The files below a folder in the order of their paths. Every start of a program waits for
    this; `Path.rglob` would take five times as long."""
    found: dict[str, bytes] = {}
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            entries = list(os.scandir(root / here))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in entries:
            name = f"{here}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                pending.append(name)
            elif name.endswith(ending) and entry.is_file():
                with open(entry.path, "rb") as stream:
                    found[name] = stream.read()
    return {name: found[name] for name in sorted(found, key=lambda name: name.split("/"))}


def _named(root: Path, paths: Iterable[str]) -> dict[str, bytes]:
    return {path: (root / path).read_bytes() for path in paths if (root / path).is_file()}
