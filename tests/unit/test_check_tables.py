"""Proofs about decision tables: gaps, overlaps and rows that never answer, each with a witness."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.book.model import Table
from engine.check.axes import axis
from engine.check.sweep import Sweep
from engine.check.tables import check_table
from engine.language.parse import parse_cell
from engine.language.problems import NOWHERE
from engine.language.tree import Cell, Fact, Node
from engine.language.types import Type, enumeration, number
from tests.unit.small_book import book_of, codes, findings, table


def test_a_complete_table_without_overlap_passes() -> None:
    rows = """
    low  | < 10      | -     | a
    mid  | [10..50]  | false | b
    mid2 | [10..50]  | true  | c
    high | > 50      | -     | c
    """
    assert codes(book_of(table("load, urgent", rows))) == []


def test_a_gap_is_shown_by_a_profile_that_falls_into_it() -> None:
    rows = """
    low  | < 10     | -     | a
    mid  | (10..50] | false | b
    high | > 50     | -     | c
    """
    (problem,) = findings(book_of(table("load, urgent", rows)))
    assert problem.code == "B201"
    assert problem.message == "no row of needs.test.answer matches load = 10"
    assert (problem.position.file, problem.position.line) == ("rules/needs/test.yaml", 4)


def test_a_gap_at_the_end_of_a_range_is_seen() -> None:
    (problem,) = findings(book_of(table("load", "low | < 100 | a")))
    assert "load = 100" in problem.message
    assert codes(book_of(table("load", "low | <= 100 | a"))) == []


def test_whole_numbers_leave_no_gap_between_neighbours() -> None:
    rows = """
    few  | [1..4]  | a
    many | [5..16] | b
    """
    assert codes(book_of(table("cards", rows))) == []
    assert codes(book_of(table("load", rows))) == ["B201"]


def test_every_value_of_a_list_needs_a_row() -> None:
    rows = """
    one | serve | a
    two | tune  | b
    """
    (problem,) = findings(book_of(table("task", rows)))
    assert "task = draw" in problem.message
    assert codes(book_of(table("task", rows + "three | not(serve, tune) | c"))) == []


def test_open_texts_always_leave_another_text() -> None:
    (problem,) = findings(book_of(table("note", 'one | "x" | a')))
    assert "note = another text" in problem.message


def test_an_otherwise_makes_a_table_total_and_must_be_used() -> None:
    assert codes(book_of(table("load", "low | < 5 | a", "otherwise: b"))) == []
    (problem,) = findings(book_of(table("load", "all | - | a", "otherwise: b")))
    assert (problem.code, problem.severity) == ("B205", "warning")


def test_overlapping_rows_of_a_unique_table_are_shown_together() -> None:
    rows = """
    low  | <= 10 | -     | a
    high | >= 10 | true  | b
    rest | > 10  | false | c
    """
    (problem,) = findings(book_of(table("load, urgent", rows)))
    assert problem.code == "B202"
    assert '"low" and "high"' in problem.message
    assert "load = 10, urgent = true" in problem.message


def test_rows_of_an_any_table_overlap_with_equal_outputs_only() -> None:
    rows = """
    low  | <= 50 | -    | a
    mid  | -     | true | {}
    high | > 50  | -    | a
    """
    assert codes(book_of(table("load, urgent", rows.format("a"), "hit: any"))) == []
    assert codes(book_of(table("load, urgent", rows.format("b"), "hit: any"))) == ["B202", "B202"]


def test_an_unknown_output_equals_nothing() -> None:
    rows = """
    low  | <= 50 | unknown
    high | >= 50 | unknown
    """
    assert codes(book_of(table("load", rows, "hit: any"))) == ["B202"]


def test_a_row_behind_others_never_answers() -> None:
    rows = """
    low    | <= 50    | -     | a
    urgent | -        | true  | b
    hidden | (20..90) | true  | c
    rest   | -        | -     | a
    """
    (problem,) = findings(book_of(table("load, urgent", rows, "hit: first")))
    assert problem.code == "B203"
    assert '"hidden"' in problem.message and '"low", "urgent" comes first' in problem.message
    assert problem.position.line == 12


def test_a_row_that_only_together_with_others_is_hidden_is_found() -> None:
    rows = """
    low    | <= 50 | a
    high   | >= 40 | b
    hidden | > 45  | c
    """
    assert codes(book_of(table("load", rows, "hit: first"))) == ["B203"]


def test_a_cell_outside_the_range_of_its_input_matches_nothing() -> None:
    rows = """
    far  | > 100 | a
    rest | -     | b
    """
    (problem,) = findings(book_of(table("load", rows, "hit: first")))
    assert problem.code == "B204"
    assert "load is never > 100" in problem.message and "[0, 100]" in problem.suggestion


def test_whole_numbers_have_nothing_between_them() -> None:
    rows = """
    half | (3..4) | a
    rest | -      | b
    """
    assert codes(book_of(table("cards", rows, "hit: first"))) == ["B204"]


def test_priority_tables_need_a_row_for_everything() -> None:
    rows = """
    low  | < 60 | a
    high | > 50 | b
    """
    assert codes(book_of(table("load", rows, "hit: priority"))) == []
    assert codes(book_of(table("load", "low | < 60 | a", "hit: priority"))) == ["B201"]


def test_collect_tables_may_find_nothing() -> None:
    assert codes(book_of(table("load", "low | < 60 | a", "hit: collect"))) == []


def test_advice_rows_must_be_able_to_match() -> None:
    advice = """
advice:
  checks:
    title: {en: Checks, zh: 检查}
    inputs: [load]
    rows:
      - {id: never, when: ["> 100"], verdict: warn, severity: low, message: {en: M, zh: 消息}}
"""
    book = book_of(table("load", "all | - | a"), advice)
    assert codes(book) == ["B204"]


# ---------------------------------------------------------------- parameters in cells


def test_a_parameter_cuts_wherever_its_range_allows() -> None:
    rows = """
    low  | < low_cut  | a
    high | >= low_cut | b
    """
    assert codes(book_of(table("load", rows))) == []
    rows = """
    low  | < low_cut | a
    high | > low_cut | b
    """
    (problem,) = findings(book_of(table("load", rows)))
    assert "load = low_cut (for example 10)" in problem.message


def test_a_declared_order_of_parameters_is_used() -> None:
    rows = """
    low  | < low_cut            | a
    mid  | [low_cut..high_cut)  | b
    high | >= high_cut          | c
    """
    assert codes(book_of(table("load", rows))) == []
    # Without a declared order the upper cut may lie below the lower one: rows then overlap.
    assert "B202" in codes(book_of(table("load", rows.replace("high_cut", "free_cut"))))


def test_ranges_of_parameters_order_them_too() -> None:
    rows = """
    low  | <= smallest        | a
    mid  | (smallest..low_cut)| b
    high | >= low_cut         | c
    """
    assert codes(book_of(table("load", rows))) == []


def test_a_parameter_against_a_literal() -> None:
    rows = """
    low  | < 5          | a
    mid  | [5..low_cut) | b
    high | >= low_cut   | c
    """
    assert codes(book_of(table("load", rows))) == []
    rows = rows.replace("5", "6")
    assert codes(book_of(table("load", rows))) == ["B202"]  # a policy may lower the cut to 5


# ---------------------------------------------------------------- brute force and speed


def _table(kinds: list[tuple[Node, list[str]]]) -> tuple[list[Node], list[list[str]]]:
    return [node for node, _ in kinds], [cells for _, cells in kinds]


@pytest.mark.parametrize("seed", range(40))
def test_the_sweep_agrees_with_trying_every_point(seed: int) -> None:
    import random

    chance = random.Random(seed)
    rows, top = chance.randint(1, 7), 6
    subjects: list[Node] = [
        Fact("a", type=number(low=0, high=top, integer=True)),
        Fact("b", type=number(low=0, high=top)),
        Fact("c", type=Type("boolean")),
    ]

    def cell(column: int) -> str:
        if chance.random() < 0.3:
            return "-"
        if column == 2:
            return chance.choice(["true", "false"])
        low = chance.randint(0, top)
        high = chance.randint(low, top)
        return chance.choice([
            f"< {high + 1}", f">= {low}", f"[{low}..{high}]", f"({low - 1}..{high + 1})", str(low),
            f"not({low})", f"{low}, {high}",
        ])  # fmt: skip

    texts = [[cell(column) for column in range(3)] for _ in range(rows)]
    cells = [[parse_cell(text) for text in row] for row in texts]
    axes = [
        axis(subject, [row[column] for row in cells], lambda a, b: a == b)
        for column, subject in enumerate(subjects)
    ]
    found = Sweep(axes, rows).answers()
    expected = 0
    for a in range(top + 1):
        for b in [x / 2 for x in range(2 * top + 1)]:
            for c in (False, True):
                hits = [
                    index for index, row in enumerate(cells)
                    if all(_holds(one, value) for one, value in zip(row, (a, b, c), strict=True))
                ]  # fmt: skip
                expected |= 1 << (hits[0] if hits else rows)
    assert found == expected, texts


def _holds(cell: Cell, value: float | bool) -> bool:
    def one(test: object) -> bool:
        low, high = test.low.value, test.high and test.high.value  # type: ignore[attr-defined]
        match test.kind:  # type: ignore[attr-defined]
            case "equals":
                return value == low
            case "compare":
                sign = test.operator  # type: ignore[attr-defined]
                return {"<": value < low, ">=": value >= low}[sign]
            case _:
                return (low < value or (low == value and not test.low_open)) and (  # type: ignore[attr-defined]
                    value < high or (value == high and not test.high_open)  # type: ignore[attr-defined]
                )

    return not cell.tests or any(map(one, cell.tests)) != cell.negated


BENCH = Path(__file__).parents[2] / "benchmarks" / "data" / "bench40.json"


def test_the_comparison_table_is_complete_with_every_row_in_use() -> None:
    from engine.book.model import Output, Row
    from engine.language.tree import Literal

    bench = json.loads(BENCH.read_text())
    names = list(bench["rules"][0]["when"])
    types: dict[str, Type] = {"interruptible": Type("boolean")}
    types |= {name: enumeration(tuple(values)) for name, values in bench["values"].items()}
    types |= {
        name: number(low=low, high=high, integer=True)
        for name, (low, high) in bench["ranges"].items()
    }

    def cell(wanted: object) -> Cell:
        if wanted is None:
            return Cell()
        if isinstance(wanted, list):
            return parse_cell(", ".join(f'"{value}"' for value in wanted))
        if isinstance(wanted, dict):
            low, high = wanted.get("min"), wanted.get("max")
            if low is None or high is None:
                return parse_cell(f"<= {high}" if low is None else f">= {low}")
            return parse_cell(f"[{low}..{high}]")
        return parse_cell(str(wanted).lower())

    rows = tuple(
        Row(f"r{n}", tuple(cell(rule["when"][name]) for name in names), (Literal(float(n)),))
        for n, rule in enumerate(bench["rules"])
    )
    inputs = tuple(Fact(name, type=types[name]) for name in names)
    whole = Table("first", inputs, (Output("", number()),), rows)
    assert check_table("bench", whole, NOWHERE, lambda a, b: a == b) == []
    broken = Table("first", inputs, whole.outputs, rows[:-1])
    assert any(one.code == "B201" for one in check_table("b", broken, NOWHERE, lambda a, b: a == b))
