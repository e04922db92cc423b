"""Constants are chosen together: two that do the same are not both moved."""

from __future__ import annotations

import pytest

from tests.measurements.joint_fit import Row, loss, together, weights_of

A, B = ("tpot", "a", "1"), ("tpot", "b", "2")
STORED = {"first": 1.0, "second": 1.0}


def both_slow(a: float, b: float) -> dict[str, dict[float, dict[Row, float]]]:
    """Either constant at 2 makes every row slower by 0.4."""
    table = {1.0: {A: a, B: b}, 2.0: {A: a + 0.4, B: b + 0.4}}
    return {"first": table, "second": dict(table)}


def test_what_one_constant_repairs_the_other_leaves_alone() -> None:
    """Both rows 0.4 too fast: one move brings them to 0, a second would miss them as far again."""
    assert together(both_slow(-0.4, -0.4), STORED) == {"first": 2.0, "second": 1.0}
    assert together(both_slow(-0.8, -0.8), STORED) == {"first": 2.0, "second": 2.0}


def test_nothing_moves_without_a_gain() -> None:
    assert together(both_slow(0.1, 0.1), STORED) == STORED


def test_a_group_left_out_has_no_say() -> None:
    """Row a is right and row b 0.4 too fast; in all, a move repairs as much as it spoils."""
    assert together(both_slow(0.0, -0.4), STORED, leaving_out="a")["first"] == 2.0
    assert together(both_slow(0.0, -0.4), STORED, leaving_out="b") == STORED


def test_rows_that_a_constant_does_not_move_stay() -> None:
    """The second constant moves row b alone, and only b is wrong."""
    tables = {
        "first": {1.0: {A: 0.0, B: -0.4}, 2.0: {A: 0.4, B: 0.0}},
        "second": {1.0: {B: -0.4}, 2.0: {B: 0.0}},
    }
    assert together(tables, STORED) == {"first": 1.0, "second": 2.0}


def test_groups_weigh_the_same_however_many_rows_they_have() -> None:
    rows: list[Row] = [("tpot", "a", str(n)) for n in range(3)] + [("tpot", "b", "x")]
    weights = weights_of(rows)
    assert weights["tpot", "b", "x"] == pytest.approx(0.5)
    assert sum(weights.values()) == pytest.approx(1)
    # 0.3 counts half, what is far beyond it hardly more than all
    assert loss(dict.fromkeys(rows, 0.3), weights) == pytest.approx(0.5)
    assert loss(dict.fromkeys(rows, 3.0), weights) < 1
