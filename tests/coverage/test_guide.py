"""Every statement of the guide is told on a page, and what rules make of it is tested.

The table: `python -m tests.coverage.guide`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engine.book.contents import citations
from engine.book.sources import MOST_GUIDE_SECTIONS
from tests.coverage.guide import (
    LANGUAGES,
    ROOT,
    book,
    by_name,
    cited_on,
    citing,
    example_of,
    listed,
    page_file,
    read_by,
    says_something,
    statements,
    table,
    to_write,
)

FACTS = ROOT.parent / "shared" / "guide-facts.md"


def test_the_list_is_the_guide() -> None:
    assert set(listed()) == set(statements())
    if not FACTS.is_file():
        pytest.skip("the list the statements were read from is not part of the repository")
    rows = re.findall(r"^\| ([AB][\d.]+[a-z]?) \|", FACTS.read_text("utf-8"), re.MULTILINE)
    assert set(rows) == set(statements())


@pytest.mark.parametrize("name", sorted(statements()))
def test_every_statement_is_told_in_both_languages(name: str) -> None:
    says = statements()[name]
    assert says["en"] and says["zh"] and says["en"] != says["zh"]


@pytest.mark.parametrize("name", sorted(statements()))
def test_every_statement_stands_on_its_page(name: str) -> None:
    page = listed()[name]["page"]
    for language in LANGUAGES:
        if not page_file(page, language).is_file():
            assert page in to_write(), f"{page} is neither there nor to be written"
        else:
            assert name in cited_on(page, language)


def test_what_is_to_be_written_is_not_there_yet() -> None:
    there = [
        page for page in to_write() if all(page_file(page, one).is_file() for one in LANGUAGES)
    ]
    assert not there, "take them off the list"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_tells_what_the_guide_does_not_say(language: str) -> None:
    folder = ROOT / "docs" / language
    for path in folder.rglob("*.md"):
        page = path.relative_to(folder).with_suffix("").as_posix()
        assert cited_on(page, language) <= set(statements()), page


def test_an_entry_leans_on_three_statements_at_most() -> None:
    for owner, cited, _ in citations(book()):
        assert sum(one in statements() for one in cited) <= MOST_GUIDE_SECTIONS, owner


@pytest.mark.parametrize("name", sorted(statements()))
def test_what_rules_make_of_a_statement_is_tested(name: str) -> None:
    """Where a rule, parameter or fact cites it, more than a page must notice its loss."""
    noticed = listed()[name]["noticed_by"]
    if "page" in noticed:
        assert noticed["page"] == listed()[name]["page"]
    if citing()[name]:
        assert "example" in noticed or "test" in noticed, citing()[name]


@pytest.mark.parametrize(
    "name", [name for name in sorted(listed()) if "example" in listed()[name]["noticed_by"]]
)
def test_the_example_named_reads_the_statement(name: str) -> None:
    noticed = listed()[name]["noticed_by"]
    assert noticed["of"] in by_name(), f"there is no {noticed['of']}"
    entry = by_name()[noticed["of"]]
    found = example_of(entry, noticed["example"])
    assert found is not None, f"{noticed['of']} has no example “{noticed['example']}”"
    example, row = found
    assert says_something(example)
    assert name in read_by(entry, example, row)


@pytest.mark.parametrize(
    "name", [name for name in sorted(listed()) if "test" in listed()[name]["noticed_by"]] or [None]
)
def test_the_test_named_names_the_statement(name: str | None) -> None:
    if name is None:
        return  # every statement is noticed by an example or a page
    file, _, function = listed()[name]["noticed_by"]["test"].partition("::")
    source = (ROOT / file).read_text("utf-8")
    found = [node for node in ast.parse(source).body
             if isinstance(node, ast.FunctionDef) and node.name == function]  # fmt: skip
    assert found, f"{file} has no {function}"
    told = ast.get_source_segment(source, found[0]) or ""
    assert re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", told)


def test_the_table_lists_every_statement(capsys: pytest.CaptureFixture[str]) -> None:
    print("\n".join(table()))
    told = capsys.readouterr().out
    assert all(f"\n{name} " in told for name in statements())


def test_a_page_elsewhere_is_no_page() -> None:
    assert cited_on("guide/no-such-page", "en") == set()
    assert not Path(page_file("guide/no-such-page", "zh")).exists()
