"""What formulas and cells may look like, and how the parser refuses what they may not."""

from __future__ import annotations

import pytest

from engine.language.parse import DEEPEST_TREE, parse_cell, parse_expression
from engine.language.problems import Position, Problem, ProblemError
from engine.language.render import render, render_cell
from engine.language.tree import Arithmetic, Cell, If, In, Literal, Name, Node, Or
from engine.language.walk import walk

START = Position("rules/a.yaml", 12, 10)


def shape(text: str) -> str:
    """The formula with every operation in parentheses."""
    return grouped(parse_expression(text))


def grouped(node: Node) -> str:
    if isinstance(node, Arithmetic):
        return f"({grouped(node.left)} {node.operator} {grouped(node.right)})"
    return render(node)


def problem_of(text: str, *, cell: bool = False) -> Problem:
    with pytest.raises(ProblemError) as caught:
        (parse_cell if cell else parse_expression)(text, START)
    assert len(caught.value.problems) == 1
    return caught.value.problems[0]


def test_products_bind_more_than_sums_and_equals_run_left_to_right() -> None:
    assert shape("1 + 2 * 3 - 4 - 5 / 6 / 7") == "(((1 + (2 * 3)) - 4) - ((5 / 6) / 7))"


def test_a_minus_sign_binds_more_than_a_product() -> None:
    assert render(parse_expression("-a * b")) == "-a * b"
    assert isinstance(parse_expression("-a * b"), Arithmetic)


def test_and_binds_more_than_or_and_not_more_than_and() -> None:
    tree = parse_expression("a or not b and c")
    assert isinstance(tree, Or)
    assert render(tree) == "a or not b and c"
    assert render(parse_expression("(a or not b) and c")) == "(a or not b) and c"


def test_not_reaches_over_a_comparison() -> None:
    assert render(parse_expression("not a = b")) == "not a = b"
    assert render(parse_expression("not (a = b)")) == "not a = b"


def test_else_reaches_as_far_as_it_can() -> None:
    tree = parse_expression("if a then 1 else if b then 2 else 3 + 4")
    assert isinstance(tree, If) and isinstance(tree.otherwise, If)
    assert render(tree.otherwise.otherwise) == "3 + 4"


def test_between_keeps_its_own_and() -> None:
    tree = parse_expression("a between 1 and 2 and b")
    assert render(tree) == "a in ([1..2]) and b"


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("x in (1, 2)", "1, 2"),
        ("x in [1..8)", "[1..8)"),
        ("x in (1..8]", "(1..8]"),
        ("x in ((1..8], 9)", "(1..8], 9"),
        ("x in (< 5, >= 9)", "< 5, >= 9"),
        ("x in (a.b..c.d)", "(a.b..c.d)"),
    ],
)
def test_in_takes_values_tests_and_ranges(text: str, tests: str) -> None:
    tree = parse_expression(text)
    assert isinstance(tree, In)
    assert render_cell(tree.cell) == tests


@pytest.mark.parametrize(
    "text",
    ["-", "< 5", ">= threshold", "[1..8)", "1, 2", "not(x)", "true", "lora, qlora", '"lora"',
     'not("a", "b")', "-5", "[-5..-1]", "> a.b + 2"],
)  # fmt: skip
def test_cells_read_as_they_are_written(text: str) -> None:
    assert render_cell(parse_cell(text)) == text


def test_a_dash_is_any_value_and_a_signed_number_is_not() -> None:
    assert parse_cell("-") == Cell((), position=Position("<book>", 1, 1))
    minus_five = parse_cell("-5").tests[0].low
    assert isinstance(minus_five, Literal) and minus_five.value == -5.0


@pytest.mark.parametrize(
    "text",
    ["sum(for o in options where o.ok return o.price)", "count(for o in options)",
     "any(for v in constraints.gpus return v.value = card.id)", "best(recommended).price",
     "lookup(models, model.name).layers", "interpolate(efficiency, mode, x)",
     "first_at_least(card_counts, x)", "power(2, n)", "round_half_up(x, 2)",
     "max(0, 1 - k / e)", 'contains(name, "a\\"b\\\\c")', "a - (b - c)", "(a + b) * -c",
     "if a then b else c", "(if a then b else c) + 1"],
)  # fmt: skip
def test_rendering_gives_the_formula_back(text: str) -> None:
    tree = parse_expression(text)
    assert render(tree) == text
    assert parse_expression(render(tree)) == tree


def test_comments_run_to_the_end_of_their_line() -> None:
    assert render(parse_expression("a # one\n+ b # two")) == "a + b"


def test_names_that_start_with_a_word_of_the_language_are_names() -> None:
    assert parse_expression("interest").path == "interest"  # type: ignore[attr-defined]
    assert parse_expression("in_use + orders").left.path == "in_use"  # type: ignore[attr-defined]


def test_minus_zero_does_not_exist() -> None:
    zero = parse_expression("-0")
    assert isinstance(zero, Literal) and str(zero.value) == "0.0"


def test_positions_count_within_the_yaml_file() -> None:
    tree = parse_expression("a +\n  bb * c", START)
    found = {node.path: node.position for node in walk(tree) if isinstance(node, Name)}
    assert found["a"] == Position("rules/a.yaml", 12, 10)
    assert found["bb"] == Position("rules/a.yaml", 13, 12)
    assert found["c"] == Position("rules/a.yaml", 13, 17)


def test_raw_source_has_a_margin_of_its_own() -> None:
    tree = parse_expression("a +\n      bb", START, margin=1)
    assert tree.right.position == Position("rules/a.yaml", 13, 7)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "column", "hint"),
    [
        ("a == b", 13, "single ="),
        ("a <> b", 13, "!="),
        ("a && b", 12, "write and"),
        ("x ^ 2", 12, "power(x, n)"),
        ("x ** 2", 13, "power(x, n)"),
        ("'lora'", 10, "double quotes"),
        ("if a then b", 21, "every if needs an else"),
        ("a < b < c", 16, "do not chain"),
        ("in + 1", 10, "word of the language"),
        ("flor(x)", 10, 'did you mean "floor"?'),
        ("log(x)", 10, "curve"),
        ("lookup(t, k)", 10, "after a dot"),
        ("sum(for a in b)", 10, "after return"),
        ("sum(a)", 10, "for row in relation"),
    ],
)
def test_an_error_says_where_and_what_to_write(text: str, column: int, hint: str) -> None:
    problem = problem_of(text)
    assert problem.position == Position("rules/a.yaml", 12, column)
    assert hint in problem.suggestion


def test_an_unfinished_text_is_reported_at_its_end() -> None:
    assert problem_of("a +\n  ").position == Position("rules/a.yaml", 12, 13)
    assert problem_of("").message == "the text is empty"
    assert problem_of("(1 + 2").expected == "`)`"


def test_a_cell_says_what_it_can_hold() -> None:
    assert "not(value)" in problem_of("= 5", cell=True).suggestion
    assert "[1..8)" in problem_of("<", cell=True).expected


def test_numbers_beyond_binary64_are_refused() -> None:
    assert "1e999" in problem_of("1e999").message


@pytest.mark.parametrize(
    "text",
    [
        "-(" * 600 + "a" + ")" * 600,
        "not " * 900 + "a",
        "a" + "+a" * 900,
        "if a then b else " * 300 + "c",
    ],
)
def test_hostile_nesting_is_refused_and_does_not_overflow(text: str) -> None:
    assert problem_of(text).code == "B102"


def test_parentheses_alone_cost_no_depth() -> None:
    assert render(parse_expression("(" * 5000 + "a" + ")" * 5000)) == "a"


def test_what_is_within_the_limit_is_read() -> None:
    parse_expression("a" + " + a" * (DEEPEST_TREE - 2))


def test_a_text_of_a_book_length_is_refused() -> None:
    assert problem_of("a + " * 10000 + "a").code == "B102"


def test_values_can_be_put_in() -> None:
    tree = parse_expression("a - b * c")
    values = {"a": "12 GiB", "b": "-3"}
    shown = render(tree, lambda node: values.get(node.path) if isinstance(node, Name) else None)
    assert shown == "12 GiB - -3 * c"


@pytest.mark.parametrize("text", ["a", "a.b_1", "_x", "trueish", "For", "not_x", "count"])
def test_a_lone_name_is_what_it_is_among_others(text: str) -> None:
    place = Position("rules.yaml", 3, 7)
    spaced = Position("rules.yaml", 3, 6)  # a blank in front goes through the grammar
    assert parse_expression(text, place) == parse_expression(f" {text}", spaced)
    assert parse_cell(text, place) == parse_cell(f" {text}", spaced)


def test_words_of_the_grammar_are_no_names() -> None:
    assert parse_expression("true") == Literal(True, position=Position("<book>", 1, 1))
    for text in ("not", "in", "then", "return"):
        with pytest.raises(ProblemError):
            parse_expression(text)
