"""How much of the DMN Technology Compatibility Kit holds, and why the rest lies outside."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from tests.conformance import conformance_kit as kit
from tests.conformance.conformance_runners import runners

pytestmark = pytest.mark.skipif(
    kit.kit_folder() is None,
    reason="the DMN kit is not at hand: set DMN_KIT to the folder with dmn_tck_tables.json",
)

TABLES_TO_HOLD = 60
EXPRESSIONS_TO_HOLD = 380


def agrees(found: Any, expected: Any) -> bool:
    """Equal; numbers to the kit's precision of eight digits."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            agrees(found.get(name), value) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(
            map(agrees, found, expected)
        )  # fmt: skip
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        number = isinstance(found, float)
        return number and math.isclose(found, expected, rel_tol=1e-8, abs_tol=1e-8)
    return type(found) is type(expected) and found == expected


@pytest.mark.parametrize("runner", runners())
def test_tables(runner: str) -> None:
    checks = kit.table_checks()
    left_out = [check for check in checks if check.policy == "OUTPUT ORDER"]
    wrong = []
    for check in checks:
        if check in left_out:
            continue
        built = kit.built(check)
        found = built.value(runners()[runner](built.book, built.catalog, built.questions))
        if not agrees(found, check.expect):
            wrong.append(f"{check.name}: found {found}, expected {check.expect}")
    held = len(checks) - len(left_out) - len(wrong)
    print(f"\n{runner}: {held} of {len(checks)} table checks of the kit hold")
    print(f"left out: {len(left_out)} with the hit policy OUTPUT ORDER")
    assert not wrong, "\n".join(wrong)
    assert held >= TABLES_TO_HOLD


def test_expressions() -> None:
    cases = kit.load("dmn_tck_exprs_subset.json")["cases"]
    held, outside, wrong = 0, Counter[str](), []
    for case in cases:
        found, expected = kit.answer(case), case["expect"]
        silent = found is None or found == kit.REFUSED
        if silent if expected is None else not silent and agrees(found, expected):
            held += 1
        elif silent and kit.reason(case):
            outside[kit.reason(case)] += 1
        else:
            wrong.append(
                f"{case['suite']} {case['id']}: {case['expr']} gives {found}, not {expected}"
            )
    print(f"\nreference: {held} of {len(cases)} expression cases of the kit hold")
    for why, count in outside.most_common():
        print(f"outside: {count:3} {why}")
    assert not wrong, "\n".join(wrong)
    assert held >= EXPRESSIONS_TO_HOLD
