"""The files a book and a catalog consist of, and their digests. Needs nothing but the disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

VERSION = "rules/version.txt"
REPORT = "rules/report.yaml"
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
    named = [root / one for one in (VERSION, TABLES, SOURCES)]
    return _read(root, [*_below(root / "rules", ".yaml"), *named])


def catalog_files(root: Path) -> dict[str, bytes]:
    """The files of the catalog by path under the root: its declaration and all of its CSV."""
    named = [root / TABLES, root / SOURCES]
    return _read(root, [*named, *_below(root / "catalog", ".csv")])


def digest_of(files: Mapping[str, str | bytes]) -> str:
    """SHA-256 over paths and contents; line ends and byte order marks do not count."""
    total = hashlib.sha256()
    for path in sorted(files):
        content = files[path]
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
        total.update(f"{path}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()


def _below(folder: Path, ending: str) -> Iterable[Path]:
    return sorted(path for path in folder.rglob(f"*{ending}") if path.is_file())


def _read(root: Path, paths: Iterable[Path]) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.is_file()
    }
