"""Digests of files seen before: never another than that of what the files hold now."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engine.book import seen
from engine.book.seen import digest_seen


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUWISE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A file, and a digest of it that counts how often it is made."""
    monkeypatch.setattr(seen, "_SETTLED", 20_000_000)
    return Made(tmp_path / "a.yaml")


class Made:
    def __init__(self, path: Path) -> None:
        self.path, self.times = path, 0
        self.write("one")

    def write(self, text: str) -> None:
        self.path.write_text(text, encoding="utf-8")
        time.sleep(0.05)  # until what was changed is settled

    def digest(self) -> str:
        def make() -> str:
            self.times += 1
            return self.path.read_text(encoding="utf-8").ljust(64, ".")

        return digest_seen("book", {"a.yaml": str(self.path)}, make).rstrip(".")


def test_files_that_have_not_changed_are_not_read_again(made):
    assert [made.digest() for _ in range(3)] == ["one"] * 3
    assert made.times == 1


def test_another_content_of_the_same_size_is_noticed(made):
    made.digest()
    made.write("two")
    assert made.digest() == "two"


@pytest.mark.skipif(os.name == "nt", reason="that system keeps no time of change of the entry")
def test_another_content_with_the_old_time_is_noticed(made):
    made.digest()
    before = made.path.stat()
    made.write("two")
    os.utime(made.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert made.digest() == "two"


def test_what_was_changed_a_moment_ago_is_not_kept(made, monkeypatch):
    monkeypatch.setattr(seen, "_SETTLED", 60_000_000_000)
    assert [made.digest() for _ in range(2)] == ["one"] * 2
    assert made.times == 2


def test_a_digest_kept_in_a_damaged_file_is_made_again(made, tmp_path):
    made.digest()
    (kept,) = (tmp_path / "cache" / "seen").iterdir()
    kept.write_bytes(b"x" * 200)
    assert made.digest() == "one" and made.times == 2
