"""The cross-validated figures on the pages are those of the rules and the rows as they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.measurements.calibrate import BANDS, CONSTANTS, RESULT
from tests.measurements.cross_validation import Constant, Fit
from tests.measurements.test_measurements import memory
from tests.rules.ask import book

STORED: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8"))


def test_the_constants_are_those_that_were_judged() -> None:
    parameters = book().bundle.parameters
    now = {name: float(parameters[name]) for name in STORED["constants"]}
    assert now == {name: one["stored"] for name, one in STORED["constants"].items()}
    assert set(STORED["bands"]) == set(BANDS)
    assert set(STORED["constants"]) <= {one.name for one in CONSTANTS}


@pytest.mark.parametrize("kind", ["train_lora", "train_qlora", "train_full", "kv_cache_tokens"])
def test_the_errors_are_those_of_today(kind: str) -> None:
    """A hundredth apart, `python -m tests.measurements.calibrate --write` is due."""
    assert STORED["kinds"][kind]["in_sample"] == pytest.approx(
        memory()["kinds"][kind]["mape"], abs=0.01
    )


@pytest.mark.parametrize("kind", ["train_lora", "train_qlora", "train_full", "inference"])
def test_groups_left_out_are_not_far_worse(kind: str) -> None:
    """Constants that only suit the rows they were fitted to would be twice as wrong outside."""
    figure = STORED["kinds"][kind]
    assert figure["held_out"] <= 1.5 * figure["in_sample"]


def test_every_fitted_constant_has_a_date_and_a_reason() -> None:
    parameters = book().bundle.book.parameters
    for name in (*STORED["constants"], *BANDS):
        assert parameters[name].as_of is not None, name
        assert parameters[name].rationale.en and parameters[name].rationale.zh, name


def test_leaving_a_group_out_picks_the_value_of_the_others() -> None:
    """Group a is best at 1, groups b and c at 2: without a nothing speaks for 1."""
    errors = {
        1.0: {("k", "a"): 0.0, ("k", "b"): 0.3, ("k", "c"): 0.3},
        2.0: {("k", "a"): 0.5, ("k", "b"): 0.1, ("k", "c"): 0.1},
    }
    fit = Fit(Constant("x", ("k",), (2.0,)), 1.0, errors)
    assert fit.best() == 1.0  # 0.2 on average against 0.233
    assert fit.best("a") == 2.0
    assert fit.best("b") == 1.0  # (0 + 0.3) / 2 against (0.5 + 0.1) / 2
    assert fit.held_out == pytest.approx((0.5 + 0.3 + 0.3) / 3)
