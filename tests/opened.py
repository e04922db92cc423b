"""Rule books that stay open between the commands of one test process, while their files stay as
they are. What opening one takes, and that changed files are seen, is tested where it is done."""

from __future__ import annotations

import os
from typing import Any

from engine.book.files import book_files, catalog_files, default_root, digest_of
from engine.run.bundle import Bundle, open_bundle

MOST = 8

_opened: dict[tuple[Any, ...], Bundle] = {}


def kept_open(folder: str | None = None) -> Bundle:
    """`open_bundle`, for the same files once."""
    root = folder if folder is not None else default_root()
    if not all(os.path.isdir(os.path.join(root, part)) for part in ("rules", "catalog")):
        return open_bundle(folder)
    digests = digest_of(book_files(root)), digest_of(catalog_files(root))
    key = (root, *digests, os.environ.get("GPUWISE_CACHE"))
    if key not in _opened:
        found = open_bundle(folder)
        while len(_opened) >= MOST:
            del _opened[next(iter(_opened))]
        _opened[key] = found
    return _opened[key]
