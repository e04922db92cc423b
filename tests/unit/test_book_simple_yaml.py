"""Simple YAML files are read without the library, and exactly as the library reads them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.book import yaml_reader
from engine.book.simple_yaml import members
from engine.book.yaml_reader import Located, read_yaml
from engine.language.problems import ProblemError

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "docs/examples").glob("*.yaml"))

SIMPLE = [
    "task: lora",
    "# a comment\n\nname: LoRA on a 7B model (guide A0, A4.1a)   # why\ntask: lora\n",
    "model:   # what\n  name: x-2-7b\n\n  # more\n  layers: 32\nusage:\n    months: 2\nx: -1.5e3\n",
    "a:\n   b:\n     c: 1\n     d: .5\n   e: true\nf: null\n",
    "name: 一个模型，两张卡\nn: 1_000\no: 0o17\nh: 0x1F\nd: 2026-11-30\nt: 12 - 3 %\n",
]
OTHERS = [
    "", "# nothing", "a:", "a:\nb: 1", "a: 'x'", "a: [1]", "a: {b: 1}", "- a: 1", "a: 1\n  b: 2",
    "a: x: y", "a: x\n b", "a:\n  b: 1\n c: 2", "  a: 1\nb: 2", "a: 1\na: 2", "a: &x 1", "a: !t 1",
    "a: |\n  b", "a: no", "a: .inf", "a: 1\n---\nb: 2", "a:\t1", "a: 1\r\nb: 2", "a: 1 # \x85 b: 2",
    "a: b#c", "a:b", "a: - b", "a: ? b", "? a", "a: *x", "a: -", "%YAML 1.2\n---\na: 1",
    "a: 1 #\x01", "a: b:", "a: # c", "<<: 1", "a: ~", "a: @x", "a: `x", "a: x\n...\n",
]  # fmt: skip


def by_the_library(text: str, monkeypatch: pytest.MonkeyPatch) -> Located | str:
    with monkeypatch.context() as patch:
        patch.setattr(yaml_reader, "members", lambda text: None)
        return outcome(text)


def outcome(text: str) -> Located | str:
    """The file, or what is wrong with it."""
    try:
        return read_yaml(text, "file.yaml")
    except ProblemError as error:
        return str(error)


@pytest.mark.parametrize("text", [*SIMPLE, *(path.read_text("utf-8") for path in EXAMPLES)])
def test_a_simple_file_is_what_the_library_makes_of_it(text, monkeypatch) -> None:
    assert outcome(text) == by_the_library(text, monkeypatch)


@pytest.mark.parametrize("text", SIMPLE)
def test_simple_files_do_without_the_library(text) -> None:
    assert members(text) is not None


@pytest.mark.parametrize("text", OTHERS)
def test_everything_else_is_as_the_library_makes_it(text, monkeypatch) -> None:
    assert outcome(text) == by_the_library(text, monkeypatch)


PIECES = st.sampled_from(
    ["a", "b", "a:", "b: 1", "c: x y", "  ", " ", "\n", ":", ": ", "#", " # z", "-", "- ", "1", ".",
     "(", ")", ",", "%", "+", "'", '"', "[", "]", "{", "}", "&", "*", "!", "|", ">", "?", "~", "no",
     "true", "\t", "\r", "，", "é", "\u2028", "\ufeff", "---", "..."]
)  # fmt: skip


@settings(max_examples=3000, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_any_text_is_read_alike(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        assert outcome(text) == by_the_library(text, patch)


def test_a_simple_profile_does_not_import_the_library() -> None:
    path = ROOT / "docs/examples/lora-7b-one-card.yaml"
    code = (
        "import sys; from engine.readers.document import read_document;"
        f"read_document({str(path)!r}); print('yaml' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"
