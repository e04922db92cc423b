"""Catalog files are read strictly: an empty cell is missing, never 0, and faults have a place."""

from __future__ import annotations

import pytest

from engine.book.catalog import catalog_from, load_catalog, load_catalog_from
from engine.book.dates import date_text, day_number
from engine.book.rows import run_tables
from engine.language.problems import ProblemError
from tests.unit.book_samples import SAMPLE, sample_book, sample_catalog_files


def problems(path: str, text: str) -> list[tuple[str, str, int, int]]:
    files = sample_catalog_files()
    files[path] = text
    _, found = catalog_from(files)
    return [
        (one.code, one.position.file, one.position.line, one.position.column)
        for one in found
        if one.severity == "error"
    ]


MODELS = "id,parameters_b,active_parameters_b,experts,experts_per_token,notes\n"


def models(*rows: str) -> list[tuple[str, str, int, int]]:
    aliases = sample_catalog_files()
    aliases["catalog/models_aliases.csv"] = "alias,id\n"
    aliases["catalog/models.csv"] = MODELS + "\n".join(rows)
    _, found = catalog_from(aliases)
    return [
        (one.code, one.position.file, one.position.line, one.position.column)
        for one in found
        if one.severity == "error"
    ]


def test_the_sample_is_read_with_missing_values_missing():
    catalog = load_catalog(SAMPLE)
    rows = {row[0]: row for row in catalog.tables["accelerators"].rows}
    assert rows["s99"][5] is None and rows["n80"][7] is None
    assert rows["n80"][1] == "North 80, server"
    assert list(rows) == ["n24", "n80", "s16", "s64", "s99"]
    assert catalog.tables["models"].rows[0] == ("dense-7b", 7.0, 7.0, None, None)


def test_aliases_lead_to_keys():
    catalog = load_catalog(SAMPLE)
    assert catalog.tables["accelerators"].aliases["north-24"] == "n24"
    assert catalog.tables["models"].aliases["org/MoE-8x7B"] == "moe-8x7b"


def test_figures_in_conflict_or_unseen_count_and_are_flagged():
    catalog, found = catalog_from(sample_catalog_files())
    assert catalog.tables["accelerators"].flags == {
        "n24": {"power": "conflict"},
        "s16": {"bandwidth": "unseen"},
    }
    assert {one.severity for one in found} == {"warning"}
    rows = {row[0]: row for row in catalog.tables["accelerators"].rows}
    assert rows["n24"][7] == 350.0


def test_the_dates_of_the_catalog_are_those_of_its_observations():
    catalog = load_catalog(SAMPLE)
    assert date_text(catalog.newest) == "2026-11-20"
    assert date_text(catalog.oldest) == "2025-03-01"


@pytest.mark.parametrize("text", ["2026-02-29", "2026-1-01", "20260101", "2026-01-01T00", "x"])
def test_only_iso_days_are_dates(text):
    assert day_number(text) is None


def test_days_count_from_1970():
    assert day_number("1970-01-01") == 0 and day_number("2026-11-30") == 20787
    assert date_text(20787) == "2026-11-30"


PATH = "catalog/models.csv"


@pytest.mark.parametrize(
    ("row", "code", "column"),
    [
        ("a,NaN,1,,,", "C007", 3),
        ("a,inf,1,,,", "C007", 3),
        ("a,1e999,1,,,", "C008", 3),
        ('"a","1,5",1,,,', "C007", 6),
        ("a,6000,1,,,", "C008", 3),
        ("a,1,1,1.5,,", "C007", 7),
        ("a,１,1,,,", "C007", 3),
        ("a,,1,,,", "C006", 3),
        (",1,1,,,", "C005", 1),
        ("ä,1,1,,,", "C005", 1),
        ("a,1,1,,", "C003", 1),
    ],
)
def test_a_faulty_cell_is_told_with_line_and_column(row, code, column):
    assert (code, PATH, 3, column) in models("good,1,1,,,", row)


def test_a_duplicate_key_names_the_first():
    assert models("a,1,1,,,", "a,2,2,,,") == [("C005", PATH, 3, 1)]


def test_columns_that_nobody_declared_are_refused():
    found = problems(PATH, "id,parameters_b,active_parameters_b,parameter\na,1,1,1\n")
    assert ("C004", PATH, 1, 37) in found


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "C002"),
        ("id,id\n", "C002"),
        ('id,parameters_b\n"a', "C001"),
        ("parameters_b,active_parameters_b\n1,1\n", "C004"),
        ("id,experts\na,1\n", "C004"),
    ],
)
def test_a_file_that_is_no_table_is_refused(text, code):
    assert code in [one[0] for one in problems(PATH, text)]


OFFERS = "id,accelerator,cards,price,price_date,confidential,source\n"


@pytest.mark.parametrize(
    ("row", "code", "column"),
    [
        ("a,n25,1,1,,true,sample-paper", "C010", 3),
        ("a,n24,1,1,,yes,sample-paper", "C007", 12),
        ("a,n24,1,1,,True,sample-paper", "C007", 12),
        ("a,n24,1,1,2026-13-01,true,sample-paper", "C007", 11),
        ("a,n24,1,1,,true,nowhere", "C010", 17),
        ("a,n24,1,0,,true,sample-paper", "C008", 9),
    ],
)
def test_references_booleans_and_dates_are_checked(row, code, column):
    found = problems("catalog/offers/all.csv", OFFERS + row + "\n")
    assert found == [(code, "catalog/offers/all.csv", 2, column)]


FIGURES = "id,figure,value,unit,status\n"


@pytest.mark.parametrize(
    ("row", "code", "column"),
    [
        ("n25,memory_gib,1,,", "C013", 1),
        ("n24,memory,1,,", "C013", 5),
        ("n24,memory_gib,24,GB/card,", "C013", 19),
        ("n24,memory_gib,24,gallon,", "B104", 19),
        ("n24,memory_gib,24,,sure", "C009", 20),
        ("n24,memory_gib,0,,", "C008", 16),
    ],
)
def test_figures_are_checked(row, code, column):
    path = "catalog/figures.csv"
    found = problems(path, FIGURES + row + "\n")
    assert (code, path, 2, column) in found


def test_two_values_for_one_figure_are_refused():
    path = "catalog/figures.csv"
    found = problems(path, FIGURES + "n24,memory_gib,24,,\nn24,memory_gib,48,,\n")
    assert ("C013", path, 3, 5) in found


def test_an_alias_with_two_meanings_is_refused():
    path = "catalog/models_aliases.csv"
    text = "alias,id\nx,dense-7b\nx,moe-8x7b\ny,nothing\nmoe-671b,dense-7b\n"
    assert [(one[0], one[2]) for one in problems(path, text)] == [
        ("C011", 3),
        ("C011", 4),
        ("C011", 5),
    ]


def test_more_rows_than_the_proofs_hold_for_are_refused():
    rows = [f"m{index},1,1,,," for index in range(51)]
    assert [one[0] for one in models(*rows)] == ["C012"]


def test_a_quoted_field_over_lines_keeps_its_place():
    path = "catalog/accelerators/north.csv"
    text = 'id,name,vendor,family,generation,aliases\nn24,"North\n, 24",west,flat,old,\n'
    assert ("C009", path, 3, 7) in problems(path, text)


def test_all_problems_come_together():
    files = sample_catalog_files()
    files["catalog/formats.csv"] = "id,bytes\na,x\nb,9\n"
    with pytest.raises(ProblemError) as caught:
        load_catalog_from(files)
    assert [str(one.position) for one in caught.value.problems] == [
        "catalog/formats.csv:2:3",
        "catalog/formats.csv:3:3",
    ]


def test_indexes_leave_out_rows_with_missing_values():
    tables = run_tables(sample_book(), load_catalog(SAMPLE))
    offers = tables["offers"]
    assert offers.index(("accelerator",))["n80"] == [2, 3, 4]
    assert offers.index(("accelerator", "cards"))["n80", 8.0] == [2, 3]
    assert None not in tables["models"].index(("experts",))
    assert offers.index(("accelerator",)) is offers.index(("accelerator",))
