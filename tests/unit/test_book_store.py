"""Compiled books equal what they were compiled from, load fast and heal themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import engine.book.cache as cache
from engine.book.cache import ship_source
from engine.book.catalog import load_catalog
from engine.book.compiled import (
    book_from_bytes,
    book_to_bytes,
    catalog_from_bytes,
    catalog_to_bytes,
)
from engine.book.store import (
    cached,
    cached_code,
    open_book,
    open_catalog,
    open_run_data,
    ship_compiled,
)
from tests.unit.book_samples import SAMPLE, sample_book

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUWISE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def files_in(folder: Path) -> list[Path]:
    """What is compiled: the digests of files seen before lie in a folder of their own."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in found if path.parent.name != "seen"]


def test_a_book_survives_the_compiled_form():
    assert book_from_bytes(book_to_bytes(sample_book())) == sample_book()


def test_a_catalog_survives_the_compiled_form():
    catalog = load_catalog(SAMPLE)
    assert catalog_from_bytes(catalog_to_bytes(catalog)) == catalog


def test_the_compiled_form_is_always_the_same_bytes():
    assert book_to_bytes(sample_book()) == book_to_bytes(sample_book())


@pytest.mark.parametrize("damage", [b"", b"x", b"x\n{}", None])
def test_other_data_is_refused(damage):
    data = book_to_bytes(sample_book())
    with pytest.raises(ValueError):
        book_from_bytes(data[:-1] if damage is None else damage)


def test_a_book_is_compiled_once_and_read_from_the_cache_after(own_cache, monkeypatch):
    assert open_book(SAMPLE) == sample_book()
    assert len(files_in(own_cache)) == 1
    monkeypatch.setattr(
        "engine.book.load.load_book_from", lambda files: pytest.fail("compiled again")
    )
    assert open_book(SAMPLE) == sample_book()


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 100])
def test_a_damaged_cache_is_rebuilt(own_cache, damage):
    open_book(SAMPLE)
    (path,) = files_in(own_cache)
    good = path.read_bytes()
    path.write_bytes(damage)
    assert open_book(SAMPLE) == sample_book()
    assert path.read_bytes() == good


def test_a_cut_file_is_rebuilt(own_cache):
    open_catalog(SAMPLE)
    (path,) = files_in(own_cache)
    path.write_bytes(path.read_bytes()[:-10])
    assert open_catalog(SAMPLE) == load_catalog(SAMPLE)


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("GPUWISE_CACHE", str(blocked / "cache"))
    assert open_book(SAMPLE) == sample_book()
    assert cached("0" * 64, "x", lambda: b"made") == b"made"


def test_old_folders_of_the_cache_are_dropped_and_foreign_ones_are_not(own_cache, monkeypatch):
    monkeypatch.setattr(cache, "_KEPT", 2)
    (own_cache / "notes").mkdir(parents=True)
    for number in range(4):
        cached(f"{number}".ljust(64, "0"), "x", lambda: b"made")
    assert len([path for path in own_cache.iterdir() if path.name != "notes"]) == 2
    assert (own_cache / "notes").is_dir()


def test_nothing_half_written_is_left(own_cache, monkeypatch):
    def refuse(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    assert cached("0" * 64, "x", lambda: b"made") == b"made"
    assert files_in(own_cache) == []


def test_a_shipped_book_is_used_when_it_fits_the_rules(tmp_path, monkeypatch, own_cache):
    shipped = tmp_path / "shipped"
    ship_compiled(SAMPLE, shipped)
    monkeypatch.setattr(cache, "_SHIPPED", shipped)
    monkeypatch.setattr("engine.book.load.load_book_from", lambda files: pytest.fail("compiled"))
    assert open_book(SAMPLE) == sample_book()
    assert open_catalog(SAMPLE) == load_catalog(SAMPLE)
    assert files_in(own_cache) == []


def test_generated_code_is_kept_compiled_and_runs():
    made = []

    def source() -> str:
        made.append(1)
        return "def evaluate(x):\n    return x + 1\n"

    for _ in range(3):
        names: dict[str, object] = {}
        exec(cached_code("1" * 64, "book.py", source), names)
        assert names["evaluate"](2) == 3  # type: ignore[operator]
    assert made == [1]


def test_a_long_program_is_compiled_in_pieces_that_keep_names_and_lines(monkeypatch):
    monkeypatch.setattr(cache, "_PIECE", 40)
    parts = [f"def step{n}(x):\n    return x + ONE if x < 9 else x / 0" for n in range(9)]
    last = "def evaluate(x):\n    return step0(step8(x))"
    source = "\n\n\n".join(["ONE = 1", *parts, last, "NAMES = {'evaluate': evaluate}\n"])
    names: dict = {}
    exec(cached_code("4" * 64, "book.py", lambda: source), names)
    assert names["NAMES"]["evaluate"](2) == 4
    with pytest.raises(ZeroDivisionError) as failed:
        names["step8"](9)
    line = 2 + source[: source.index("def step8")].count("\n")
    assert failed.traceback[-1].lineno + 1 == line


@pytest.mark.parametrize("writable", [True, False])
def test_a_shipped_program_runs_without_being_made(tmp_path, monkeypatch, own_cache, writable):
    shipped = tmp_path / "shipped"
    ship_source(shipped, "2" * 64, "book.py", "def evaluate(x):\n    return x + 1\n")
    monkeypatch.setattr(cache, "_SHIPPED", shipped)
    monkeypatch.setattr(os, "access", lambda path, mode: writable)
    names: dict[str, object] = {}
    exec(cached_code("2" * 64, "book.py", lambda: pytest.fail("made")), names)
    assert names["evaluate"](2) == 3  # type: ignore[operator]
    assert bool(files_in(own_cache)) is not writable


def test_run_data_is_what_compiled_decisions_take():
    data = open_run_data(SAMPLE)
    book, catalog = sample_book(), load_catalog(SAMPLE)
    assert data.digest == book.digest
    assert data.parameters["memory_usable_ratio"] == 0.9 and "card_counts" not in data.parameters
    assert data.tables["models"].rows == catalog.tables["models"].rows
    assert data.tables["models"].index(("id",))["moe-671b"] == [2]


def test_a_run_of_compiled_files_imports_neither_yaml_nor_grammar_nor_units(tmp_path):
    # Shipped files count for themselves; those of the cache also depend on the compilers' files,
    # which somebody may be editing.
    ship_compiled(SAMPLE, tmp_path / "shipped")
    code = (
        "import sys; from pathlib import Path; from engine.book import cache, store; "
        f"cache._SHIPPED = Path({str(tmp_path / 'shipped')!r}); root = Path({str(SAMPLE)!r}); "
        "run = store.open_run_data(root); assert run.tables['models'].rows; "
        "slow = {'engine.book.model', 'engine.language.tree', 'dataclasses'}; "
        "assert not slow & set(sys.modules); "
        "book = store.open_book(root); list(book.facts.values()); list(book.decisions.values()); "
        "print(sorted({'yaml', 'lark', 'pint', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
