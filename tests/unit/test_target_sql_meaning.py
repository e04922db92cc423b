"""The SQL target means what the reference means: every construct, with and without facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.sql_compare import book_of, constructs, differences, random_profiles

pytest.importorskip("duckdb")


def large_table(rows: int) -> str:
    """A table of more rows than a word has bits, with constants, tests of facts and gaps."""
    lines = []
    for number in range(rows):
        cells = [
            f"[{number % 60}..{number % 60 + 3})" if number % 3 else f"> {number % 50}",
            ["-", "true", "false"][number % 3],
            f"<= work.batch + {number % 40}" if number % 4 == 0 else "-",
        ]
        then = f"work.layers + {number}" if number % 7 == 0 else str(number % 11)
        lines.append(f"      - {{id: r{number}, when: {cells!r}, then: {then}}}".replace("'", '"'))
    return "\n".join(
        [
            "id: needs.case",
            "title: {en: Case, zh: 例}",
            "decisions:",
            "  large:",
            "    title: {en: L, zh: 大}",
            "    unit: count",
            "    hit: first",
            "    inputs: [work.cards, work.urgent, work.layers]",
            "    rows:",
            *lines,
            "    otherwise: 99",
        ]
    )


BOOKS = {
    **{name: constructs(name) for name in ("numbers", "lists", "relations", "tables")},
    "62 rows": large_table(61),
    "63 rows": large_table(62),
    "150 rows": large_table(150),
}


@pytest.mark.parametrize("staged", [True, False], ids=["in stages", "single queries"])
@pytest.mark.parametrize("text", BOOKS.values(), ids=BOOKS)
def test_sql_equals_the_reference_bit_for_bit(text: str, staged: bool) -> None:
    book, catalog = book_of(text)
    profiles = random_profiles(book, catalog, 150, seed=11)
    found = differences(book, catalog, profiles, staged=staged)
    assert not found, "\n".join(found[:5])


@pytest.mark.parametrize("staged", [True, False], ids=["in stages", "single queries"])
def test_rows_that_cannot_be_known_stay_unknown(staged: bool) -> None:
    """Loading refuses such books; should one arise, SQL answers as the reference does."""
    book, catalog = book_of(constructs("unknown_rows"))
    asked = {
        path: replace(book.facts[path], asked=True, default=None)
        for path in ("work.levels", "work.batch")
    }
    book = replace(book, facts={**book.facts, **asked})
    profiles = random_profiles(book, catalog, 150, seed=11)
    assert any("work.levels" not in given for given in profiles)
    found = differences(book, catalog, profiles, staged=staged)
    assert not found, "\n".join(found[:5])
