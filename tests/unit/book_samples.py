"""The sample book of tests/books/sample, whole or with changes, for the tests of the book."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from engine.book.files import book_files, catalog_files
from engine.book.load import load_book_from
from engine.book.model import Book
from engine.language.problems import Problem, ProblemError

SAMPLE = Path(__file__).resolve().parents[1] / "books" / "sample"
TITLE = "title: {en: A title, zh: 标题}"


@lru_cache(maxsize=1)
def sample_book() -> Book:
    return load_book_from(sample_files())


def sample_files() -> dict[str, str | bytes]:
    return {path: data.decode() for path, data in book_files(SAMPLE).items()}


def sample_catalog_files() -> dict[str, str | bytes]:
    return {path: data.decode() for path, data in catalog_files(SAMPLE).items()}


def with_rules(text: str, path: str = "rules/extra/rules.yaml") -> dict[str, str | bytes]:
    """The sample with one more rule file; `text` starts below id and title."""
    files = sample_files()
    file_id = path.removeprefix("rules/").removesuffix(".yaml").replace("/", ".")
    files[path] = f"id: {file_id}\n{TITLE}\n{text}"
    return files


def changed(path: str, before: str, after: str) -> dict[str, str | bytes]:
    """The sample with one text replaced."""
    files = sample_files()
    text = files[path]
    assert isinstance(text, str) and before in text, (path, before)
    files[path] = text.replace(before, after, 1)
    return files


def problems_of(files: dict[str, str | bytes]) -> list[Problem]:
    with pytest.raises(ProblemError) as caught:
        load_book_from(files)
    return caught.value.problems


def problem_of(files: dict[str, str | bytes]) -> Problem:
    problems = problems_of(files)
    assert len(problems) == 1, "\n".join(map(str, problems))
    return problems[0]
