"""Broken rule books: every command says what is wrong with them, and none answers from them."""

# A case stays on its line where that is longer than usual.
# ruff: noqa: E501

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine.cli.main import main

SAMPLE = Path(__file__).resolve().parents[1] / "books" / "sample"
FILE = "rules/sourcing/placement.yaml"
TITLE = "title: {en: a, zh: b}"
PROFILE = "task: inference\nmodel: {parameters_b: 13}\n"


def rule(formula: str) -> bytes:
    """A rule file with one formula."""
    written = json.dumps(formula, ensure_ascii=False)
    return (
        f"id: sourcing.placement\n{TITLE}\ndecisions:\n"
        f"  x: {{{TITLE}, unit: ratio, formula: {written}}}\n"
    ).encode()


def cell(text: str) -> bytes:
    """A rule file with one table of one cell."""
    return (
        f"id: sourcing.placement\n{TITLE}\ndecisions:\n"
        f"  x: {{{TITLE}, unit: ratio, hit: first, inputs: ['1'],"
        f" rows: [{{id: a, when: [{json.dumps(text)}], then: 1}}], otherwise: 0}}\n"
    ).encode()


FORMULAS = (
    "(((", "1" + "+1" * 20_000, "1/0", "1 % 2", "__import__('os').system('id')", "a.__class__",
    '"a" + 1', '"abc', "nan", "1e999", "x", "1 \u202e+ 1", "not " * 3000 + "true", "power(10, 99999)",
    "best(nope).x", "lookup(nope, 1).x", "1 = true", "1 < 2 < 3", "", "# only a comment", "min()",
    "if true then " * 2000 + "1" + " else 2" * 2000, ".".join(["a"] * 5000),
)  # fmt: skip
CELLS = (">= >= 10", "[1..", "[5..1]", ">= nope", "nan", "not(", "true", "not(" * 3000 + ")" * 3000)
FILES = {
    **{f"formula {text[:30]}": rule(text) for text in FORMULAS},
    **{f"cell {text[:30]}": cell(text) for text in CELLS},
    "empty": b"", "null": b"null", "a list": b"- 1", "latin-1": b"id: caf\xe9", "a zero byte": b"id: a\0b",
    "bytes that are no text": bytes(range(256)), "an alias bomb": b"a: &a [1]\nb: [*a,*a]",
    "deep": b"[" * 50_000, "a tag": b"id: !!python/object:os.system x", "huge": b"#" * 3_000_000,
    "another id": rule("1").replace(b"sourcing.placement", b"sourcing.other"),
    "an unknown key": rule("1") + b"foo: 1\n", "two documents": rule("1") + b"---\nid: x\n",
    "a unit that is none": rule("1").replace(b"unit: ratio", b"unit: 'GiB//card'"),
}  # fmt: skip


def book(tmp_path: Path, name: str, content: bytes | None) -> str:
    """The sample book with one file replaced, or removed."""
    root = tmp_path / "book"
    shutil.copytree(SAMPLE, root)
    if content is None:
        (root / name).unlink()
    else:
        (root / name).write_bytes(content)
    return str(root)


def refused(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, object]]:
    path = tmp_path / "p.yaml"
    path.write_text(PROFILE, encoding="utf-8")
    assert main(["recommend", str(path), "--book", root, "--format", "json"]) == 2
    out, err = capsys.readouterr()
    errors: list[dict[str, object]] = json.loads(out)["errors"]
    assert err == "" and errors and all(error["code"] != "E900" for error in errors)
    return errors


@pytest.mark.parametrize("name", FILES)
def test_a_broken_rule_file_is_refused_with_its_place(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = refused(book(tmp_path, FILE, FILES[name]), tmp_path, capsys)
    assert any(str(error["file"]).startswith("rules/") and error["line"] for error in errors)
    assert not any("\u202e" in str(error["message"]) for error in errors)


@pytest.mark.parametrize(
    "content", [b"", b"- 1", b"answer: 3", b"headline: 3\nanswer: {}\n", b"title: {en: a}", None]
)
def test_a_report_that_names_nothing_or_has_no_form_is_refused(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = refused(book(tmp_path, "rules/report.yaml", content), tmp_path, capsys)
    assert {error["code"] for error in errors} <= {"B003", "B500"}


def test_a_report_whose_decision_is_gone_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = refused(book(tmp_path, FILE, rule("1")), tmp_path, capsys)
    assert any("sourcing.placement.placement" in str(error["message"]) for error in errors)
