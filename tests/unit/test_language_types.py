"""Kinds, units and closed lists: what the language refuses to mix, and what it knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.language.check import typed_cell
from engine.language.parse import parse_cell
from engine.language.problems import ProblemError
from engine.language.tree import Aggregate, Literal, Lookup
from engine.language.types import BOOLEAN, DIMENSIONLESS, TEXT, enumeration
from engine.language.units import parse_unit
from tests.unit.language_book import BOOK, START, TASK, amount, checked, problems_of, type_of


def codes(text: str) -> list[str]:
    return [problem.code for problem in problems_of(text, BOOK)]


# ---------------------------------------------------------------- units


def test_values_in_one_unit_add_up() -> None:
    found = type_of("memory.weights + memory.cache", BOOK)
    assert found.unit.same_as(parse_unit("GiB/card"))
    assert (found.low, found.high) == (0, 2000)


def test_per_card_is_not_per_node() -> None:
    (problem,) = problems_of("memory.weights + memory.host", BOOK)
    assert problem.code == "B121"
    assert "GiB/card and GiB/node" in problem.message
    assert problem.position == replace_column(31)


def replace_column(column: int) -> object:
    return START._replace(column=column)


def test_gb_is_not_gib() -> None:
    (problem,) = problems_of("data.size + data.size * gib_per_gb", BOOK)
    assert "GB and GiB" in problem.message
    assert "factor 1.073741824" in problem.suggestion


def test_gigabits_are_not_gigabytes_a_second() -> None:
    (problem,) = problems_of("link < bandwidth", BOOK)
    assert "Gbit/second and GB/second" in problem.message
    assert "factor 8" in problem.suggestion


def test_cards_cancel_out() -> None:
    found = type_of("memory.weights * usage.cards", BOOK)
    assert found.unit.same_as(parse_unit("GiB"))
    assert found.unit.symbol == "GiB"


def test_billions_of_bytes_are_gb() -> None:
    found = type_of("model.parameters * bytes_per_weight", BOOK)
    assert found.unit.same_as(parse_unit("GB"))
    assert not found.unit.same_as(parse_unit("GiB"))


def test_a_bare_number_has_no_unit_but_nought_fits_any() -> None:
    assert codes("memory.weights > 5") == ["B121"]
    assert type_of("max(0, memory.weights - memory.cache)", BOOK).low == 0
    assert type_of("if share > 0.5 then 0 else memory.weights", BOOK).unit.symbol == "GiB/card"
    assert type_of("memory.weights > 0", BOOK) == BOOLEAN


def test_a_declared_unit_must_be_the_computed_one() -> None:
    assert type_of("memory.weights", BOOK, amount("GiB/card")).unit.symbol == "GiB/card"
    (problem,) = problems_of("memory.weights * usage.cards", BOOK, amount("GB"))
    assert problem.code == "B121"


def test_square_roots_halve_the_exponents() -> None:
    assert type_of("sqrt(data.size * data.size)", BOOK).unit.same_as(parse_unit("GB"))
    assert codes("sqrt(data.size)") == ["B121"]


def test_powers_take_plain_numbers() -> None:
    assert codes("power(data.size, 2)") == ["B121"]
    assert type_of("power(share, model.layers)", BOOK).high <= 1


# ---------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    "text",
    ["task + 1", "true + 1", "share and true", "not share", "if share then 1 else 2",
     "if true then 1 else \"a\"", "share = true", "task < \"lora\"", "true < false",
     "name in ([1..2])", "min(true)", "contains(share, name)", "any(for o in options return 1)",
     "sum(for o in options return o.ok)", "lookup(models, share).layers"],
)  # fmt: skip
def test_kinds_do_not_mix(text: str) -> None:
    assert "B120" in codes(text)


def test_a_value_outside_the_closed_list_is_refused_with_the_nearest_one() -> None:
    (problem,) = problems_of('task = "lorra"', BOOK)
    assert (problem.code, problem.suggestion) == ("B122", 'did you mean "lora"?')
    assert problem.position == START._replace(column=21)
    assert codes('task in ("lora", "other")') == ["B122"]
    assert codes("task = precision.mode") == ["B122", "B122", "B122"]


def test_a_bare_word_in_a_formula_is_no_value() -> None:
    (problem,) = problems_of("task = lora", BOOK)
    assert problem.code == "B110"
    assert '"lora" in double quotes' in problem.suggestion


def test_an_if_gives_the_values_of_both_branches() -> None:
    found = type_of('if share > 0.5 then "a" else "b"', BOOK)
    assert found == enumeration(("a", "b"))
    expected = enumeration(("b", "a", "c"))
    assert type_of('if share > 0.5 then "a" else "b"', BOOK, expected) == expected
    assert problems_of('"d"', BOOK, expected)[0].code == "B122"


def test_a_whole_number_can_be_asked_for() -> None:
    assert type_of("ceiling(share)", BOOK, amount(integer=True)).integer
    assert problems_of("share", BOOK, amount(integer=True))[0].code == "B120"


def test_every_problem_of_a_formula_is_reported_once() -> None:
    found = problems_of("(nothing + memory.weights * share) + (link + bandwidth)", BOOK)
    assert [problem.code for problem in found] == ["B110", "B121"]


# ---------------------------------------------------------------- names


def test_a_misspelt_name_gets_a_suggestion() -> None:
    (problem,) = problems_of("memory.wieghts + 1", BOOK)
    assert problem.suggestion == 'did you mean "memory.weights"?'


def test_row_variables_see_the_columns_of_their_rows() -> None:
    node = checked("sum(for o in options where o.ok return o.price)", BOOK)
    assert isinstance(node, Aggregate)
    assert node.relation == "hardware.options"
    assert node.type is not None and node.type.unit.symbol == "USD/hour"
    (problem,) = problems_of("sum(for o in options return o.prise)", BOOK)
    assert problem.suggestion == 'did you mean "o.price"?'


def test_row_variables_never_hide_another_name() -> None:
    assert codes("sum(for card in options return card.price)") == ["B111"]
    assert codes("sum(for o in options return sum(for o in options return o.price))") == ["B111"]
    assert codes("count(for model in options)") == ["B111"]


def test_lookups_and_best_name_a_column_that_exists() -> None:
    node = checked("lookup(models, name).layers", BOOK)
    assert isinstance(node, Lookup)
    assert codes("lookup(models, name).layer") == ["B112"]
    assert codes("lookup(model, name).layers") == ["B110"]
    assert codes("best(recommended).cost") == ["B112"]
    assert codes("best(ranked).price") == ["B110"]
    assert codes("count(for o in option)") == ["B110"]
    assert codes("first_at_least(counts, usage.cards)") == ["B110"]


def test_known_reads_catalog_columns_and_optional_facts_only() -> None:
    assert type_of("known(place.distance)", BOOK) == BOOLEAN
    assert type_of("known(card.memory)", BOOK) == BOOLEAN
    assert type_of("any(for o in options return known(o.memory))", BOOK) == BOOLEAN
    assert codes("known(usage.hours)") == ["B123"]
    assert codes("known(lookup(models, name).layers)") == ["B123"]


# ---------------------------------------------------------------- what may be unknown


@pytest.mark.parametrize(
    ("text", "nullable"),
    [
        ("share + 1", False),
        ("maybe + 1", True),
        ("if maybe > 0.5 then 1 else 2", True),
        ("if share > 0.5 then maybe else 2", True),
        ("usage.flag or share > 0.5", True),
        ("lookup(models, name).layers", True),
        ("best(recommended).price", True),
        ("interpolate(efficiency, 1)", True),  # needs tokens: see the curve tests
        ("count(for o in options)", False),
        ("count(for o in owned)", True),
        ("sum(for o in options return o.price)", False),
        ("sum(for o in options return o.memory)", True),
        ("min(for o in options return o.price)", True),
        ("any(for o in options return o.ok)", False),
        ("every(for o in options return o.memory > 0)", True),
        ("first_at_least(card_counts, min(first_at_least(card_counts, usage.cards), usage.cards))",
         True),
        ("task in (\"lora\")", False),
    ],
)  # fmt: skip
def test_what_may_be_unknown_is_known(text: str, nullable: bool) -> None:
    if text.startswith("interpolate"):
        text = "interpolate(efficiency, tokens)"
        book = replace(BOOK, facts={**BOOK.facts, "tokens": amount("token", 0, 100)})
        assert type_of(text, book).nullable
        return
    assert type_of(text, BOOK).nullable is nullable


def test_what_was_asked_to_be_known_is_known() -> None:
    book = replace(BOOK, parameters={"far": amount("km", 1, 99)})
    assert not type_of("if known(place.distance) then place.distance else far", book).nullable
    assert not type_of("known(place.distance) and place.distance > far", book).nullable
    assert not type_of("known(place.distance) and place.distance in (> far)", book).nullable
    assert type_of("place.distance > far", book).nullable
    nullable = replace(book, decisions={"far_away": amount("km", 1, 99, nullable=True)})
    assert type_of("known(place.distance) and place.distance in (> far_away)", nullable).nullable


# ---------------------------------------------------------------- curves and ladders


def test_a_curve_stays_within_its_heights() -> None:
    book = replace(BOOK, facts={"tokens": amount("token", 1, 64), "more": amount("token", 1, 65)})
    found = type_of("interpolate(efficiency, tokens)", book)
    assert (found.low, found.high, found.nullable) == (0.2, 0.8, False)
    assert type_of("interpolate(efficiency, more)", book).nullable
    assert problems_of("interpolate(efficiency, share)", BOOK)[0].code == "B121"


def test_every_value_of_a_key_needs_a_curve() -> None:
    found = type_of("interpolate(by_mode, precision.mode, usage.cards)", BOOK)
    assert (found.low, found.high) == (1.0, 3.0)
    (problem,) = problems_of("interpolate(by_mode, task, usage.cards)", BOOK)
    assert problem.code == "B134" and "inference, lora, qlora" in problem.message
    assert codes("interpolate(by_mode, usage.cards)") == ["B134"]
    assert codes("interpolate(by_mode, name, usage.cards)") == ["B134"]


def test_a_ladder_ends() -> None:
    found = type_of("first_at_least(card_counts, usage.cards)", BOOK)
    assert (found.low, found.high, found.nullable, found.integer) == (1, 8, True, True)
    book = replace(BOOK, facts={"cards": amount("card", 1, 3)})
    found = type_of("first_at_least(card_counts, cards)", book)
    assert (found.high, found.nullable) == (4, False)


# ---------------------------------------------------------------- cells


def test_bare_words_of_a_cell_are_values_of_the_column() -> None:
    cell = typed_cell(parse_cell("lora, qlora"), TASK, BOOK)
    first = cell.tests[0].low
    assert isinstance(first, Literal) and first.value == "lora"
    assert typed_cell(parse_cell('not("lora")'), TASK, BOOK).negated


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("lorra", "B122"),
        ('"lorra"', "B122"),
        ("< 5", "B120"),
        ("5", "B120"),
        ("true", "B120"),
    ],
)
def test_a_cell_holds_what_its_column_can_be(text: str, code: str) -> None:
    with pytest.raises(ProblemError) as caught:
        typed_cell(parse_cell(text, START), TASK, BOOK)
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].position.line == START.line


def test_cells_check_units_and_bounds() -> None:
    price = amount("USD/hour", 0, 10)
    typed_cell(parse_cell("< smallest"), price, BOOK)
    for text, code in (("< 5", "B121"), ("[smallest..share]", "B121"), ("lora", "B110")):
        with pytest.raises(ProblemError) as caught:
            typed_cell(parse_cell(text), price, BOOK)
        assert caught.value.problems[0].code == code
    for text in ("[8..1]", "(1..1]"):
        with pytest.raises(ProblemError) as caught:
            typed_cell(parse_cell(text), amount(), BOOK)
        assert caught.value.problems[0].code == "B124"


def test_open_texts_are_quoted_in_cells() -> None:
    typed_cell(parse_cell('"a", "b"'), TEXT, BOOK)
    with pytest.raises(ProblemError, match="double quotes"):
        typed_cell(parse_cell("word"), TEXT, BOOK)
    typed_cell(parse_cell("true"), BOOLEAN, BOOK)


def test_dimensionless_is_the_default() -> None:
    assert type_of("1 + 2", BOOK).unit.same_as(DIMENSIONLESS)
