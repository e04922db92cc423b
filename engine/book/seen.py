"""Digests of files seen before: a run need not read them all to know that they are the same.

A digest is kept with the list of the files it was made of: path, size, times of change of content
and of the entry, and number on the disk, as version control systems keep them. What was changed a
moment ago is never kept: a second change within a tick of the disk's clock would go unnoticed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from zlib import crc32

from engine.book.cache import cache_directory, read_checked, write_checked

_SETTLED = 2_000_000_000  # nanoseconds; the coarsest clock of a disk in use ticks every 2 s
_LENGTH = 64  # of a digest


def digest_seen(name: str, paths: Mapping[str, str], make: Callable[[], str]) -> str:
    """The digest of files (path under their root → where they lie): as kept, or made and kept.

    `name`: what the files are, for the name of what is kept.
    """
    lines, newest = list[str](), 0
    for path, place in paths.items():
        state = os.stat(place)
        changed = (state.st_mtime_ns, state.st_ctime_ns)
        newest = max(newest, *changed)
        lines.append(f"{path}\t{place}\t{state.st_size}\t{changed}\t{state.st_ino}")
    listing = "\n".join(lines).encode("utf-8", "surrogateescape")
    first = next(iter(paths.values()), "").encode("utf-8", "surrogateescape")
    kept_at = os.path.join(cache_directory(), "seen", f"{name}-{crc32(first):08x}")
    with suppress(OSError):
        kept = read_checked(kept_at)
        if kept is not None and kept[_LENGTH:] == listing:
            return kept[:_LENGTH].decode()
    settled = time.time_ns() - newest > _SETTLED
    digest = make()
    if settled:
        with suppress(OSError):
            write_checked(kept_at, digest.encode() + listing)
    return digest
