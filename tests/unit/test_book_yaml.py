"""YAML is read as people mean it, and what surprises people is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.book.yaml_reader import expression_text, plain, read_yaml
from engine.language.problems import Position, ProblemError


def refusal(text: str | bytes) -> list[tuple[str, int, int]]:
    with pytest.raises(ProblemError) as caught:
        read_yaml(text, "a.yaml")
    return [(one.code, one.position.line, one.position.column) for one in caught.value.problems]


def test_scalars_are_those_of_yaml_1_2():
    text = """
    number: 1e5
    whole: -3
    half: .5
    hexadecimal: 0x1F
    octal: 0o17
    date: 2026-11-30
    time: 12:30:45
    version: 1.2.3
    thousands: 1_000
    yes_in_quotes: "yes"
    nothing: ~
    truth: true
    """
    assert plain(read_yaml(text)) == {
        "number": 100000.0,
        "whole": -3,
        "half": 0.5,
        "hexadecimal": 31,
        "octal": 15,
        "date": "2026-11-30",
        "time": "12:30:45",
        "version": "1.2.3",
        "thousands": "1_000",
        "yes_in_quotes": "yes",
        "nothing": None,
        "truth": True,
    }


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("country: NO", "E008", 1, 10),
        ("a: [on, 1]", "E008", 1, 5),
        ("a: 1\nb: 2\na: 3", "E005", 3, 1),
        ("a: &x 1", "E006", 1, 4),
        ("a: [*x]", "E006", 1, 5),
        ("<<: {a: 1}", "E006", 1, 1),
        ("a: !!python/object:os.system 1", "E007", 1, 4),
        ("a: .inf", "E010", 1, 4),
        ("a: .nan", "E010", 1, 4),
        ("a: 1e999", "E010", 1, 4),
        ("a: " + "9" * 400, "E010", 1, 4),
        ("a: 1\n---\nb: 2", "E009", 2, 1),
        ("? [a, b]\n: 1", "E011", 1, 3),
        ("? {a: b}\n: 1", "E011", 1, 3),
        ("a: [1, 2", "E001", 2, 1),
        ("a: b: c", "E001", 1, 5),
        ("a: 1\nb: \x01", "E001", 2, 4),
        ("a: \ud800", "E002", 1, 4),
        (b"a: 1\nb: \xff", "E002", 2, 4),
    ],
)
def test_what_surprises_people_is_refused_where_it_stands(text, code, line, column):
    assert (code, line, column) in refusal(text)


def test_every_problem_of_a_file_is_reported_at_once():
    assert refusal("a: NO\nb: .inf\nb: 1\nc: !x 2") == [
        ("E008", 1, 4),
        ("E010", 2, 4),
        ("E005", 3, 1),
        ("E007", 4, 4),
    ]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_without_recursion(opening):
    closing = {"[": "]", "{a: ": "}", "- ": ""}[opening]
    assert refusal(opening * 90 + "1" + closing * 90)[0][0] == "E004"
    # The scanner itself gives up on this one.
    assert refusal(opening * 100_000 + "1" + closing * 100_000)[0][0] in ("E001", "E004")
    plain(read_yaml(opening * 50 + "1" + closing * 50))


def test_large_files_are_refused():
    assert refusal("a: " + "x" * 2_000_000) == [("E003", 1, 1)]


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(ProblemError, match=r"missing\.yaml: E012 cannot read the file"):
        read_yaml(Path("missing.yaml"))


def test_a_byte_order_mark_does_not_shift_columns():
    assert refusal(b"\xef\xbb\xbfa: NO") == [("E008", 1, 4)]


def test_positions_point_at_the_first_character():
    located = read_yaml("a: 'x'\nb: |\n  text\nc:\n  - y\n", "f").value
    assert located["a"].position == Position("f", 1, 5)
    assert located["b"].position == Position("f", 3, 3)
    assert located["c"].value[0].position == Position("f", 5, 5)
    assert located["c"].key == Position("f", 4, 1)


def test_an_expression_over_several_lines_is_taken_as_written():
    located = read_yaml("a: >-\n  x +   # comment\n  y\nb: x +\n    y\nc: |\n  z\n", "f").value
    text, position = expression_text(located["a"])
    assert (text.split("\n")[1], position) == ("  y", Position("f", 2, 1))
    assert expression_text(located["b"]) == ("   x +\n    y", Position("f", 4, 1))
    assert expression_text(located["c"])[1] == Position("f", 7, 1)


def test_an_empty_file_is_nothing():
    assert plain(read_yaml("")) is None
    assert plain(read_yaml("# only a comment\n")) is None


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20),
    lambda children: (
        st.lists(children, max_size=4)
        | st.dictionaries(
            st.text(st.characters(categories=("Ll", "Nd")), min_size=1, max_size=8),
            children,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON_VALUES.filter(lambda value: isinstance(value, (dict, list))))
def test_json_is_read_as_json_reads_it(value):
    assert plain(read_yaml(json.dumps(value))) == value
    assert plain(read_yaml(json.dumps(value, ensure_ascii=False, indent=2))) == value


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_with_a_position(text):
    try:
        read_yaml(text, "f")
    except ProblemError as error:
        assert error.problems
        assert all(one.position.file == "f" and one.code for one in error.problems)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    try:
        read_yaml(data, "f")
    except ProblemError as error:
        assert error.problems
