"""The files a book and a catalog consist of, and their digests. Needs nothing but the disk.

Paths are texts here and wherever a short run passes: `pathlib` would be the largest module it
imports.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TypeAlias

Folder: TypeAlias = "str | os.PathLike[str]"

VERSION = "rules/version.txt"
REPORT = "rules/report.yaml"
VALIDATION = "rules/validation/"  # how published measurements are read
TABLES = "catalog/tables.yaml"
SOURCES = "catalog/sources.yaml"


def default_root() -> str:
    """The folder with the rules and the catalog of this installation.

    The repository when run from one, else the data inside the installed package.
    """
    engine = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    repository = os.path.dirname(engine)
    is_repository = os.path.isfile(os.path.join(repository, VERSION))
    return repository if is_repository else os.path.join(engine, "data")


def book_paths(root: Folder) -> dict[str, str]:
    """Where the files of a book lie, by path under the root: rules and the declaration of the
    catalog."""
    return _below(root, "rules", ".yaml") | _named(root, (VERSION, TABLES, SOURCES))


def catalog_paths(root: Folder) -> dict[str, str]:
    """Where the files of the catalog lie, by path under the root: its declaration and its CSV."""
    return _named(root, (TABLES, SOURCES)) | _below(root, "catalog", ".csv")


def book_files(root: Folder) -> dict[str, bytes]:
    """The files of a book by path under the root."""
    return contents(book_paths(root))


def catalog_files(root: Folder) -> dict[str, bytes]:
    """The files of the catalog by path under the root."""
    return contents(catalog_paths(root))


def contents(paths: Mapping[str, str]) -> dict[str, bytes]:
    """What stands in files; those that have gone meanwhile are left out."""
    found: dict[str, bytes] = {}
    for name, path in paths.items():
        with suppress(FileNotFoundError), open(path, "rb") as stream:
            found[name] = stream.read()
    return found


def digest_of(files: Mapping[str, str | bytes]) -> str:
    """SHA-256 over paths and contents; line ends and byte order marks do not count."""
    import hashlib  # slow to import, and not needed where the digest is known

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


def _below(root: Folder, folder: str, ending: str) -> dict[str, str]:
    """The files below a folder in the order of their paths. Every start of a program waits for
    this; `Path.rglob` would take five times as long."""
    found: dict[str, str] = {}
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            entries = list(os.scandir(os.path.join(root, here)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in entries:
            name = f"{here}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                pending.append(name)
            elif name.endswith(ending) and entry.is_file():
                found[name] = entry.path
    return {name: found[name] for name in sorted(found, key=lambda name: name.split("/"))}


def _named(root: Folder, paths: Iterable[str]) -> dict[str, str]:
    found = {path: os.path.join(root, path) for path in paths}
    return {path: whole for path, whole in found.items() if os.path.isfile(whole)}
