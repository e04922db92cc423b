"""Policies override parameters within their ranges and declared orders, and nowhere else."""

from __future__ import annotations

import pytest

from engine.book.parameters import apply_policy, own_parameters
from engine.book.yaml_reader import read_yaml
from engine.language.problems import ProblemError
from tests.unit.book_samples import sample_book


def refusals(overrides: object) -> list[tuple[str, str]]:
    with pytest.raises(ProblemError) as caught:
        apply_policy(sample_book(), overrides)  # type: ignore[arg-type]
    return [(one.code, one.message) for one in caught.value.problems]


def test_without_overrides_the_book_speaks():
    values = own_parameters(sample_book())
    assert values == apply_policy(sample_book(), {})
    assert values["bytes_per_gib"] == 1073741824.0 and "card_counts" not in values


def test_an_override_within_its_range_is_taken():
    values = apply_policy(
        sample_book(),
        {"memory_usable_ratio": 0.8, "prefer_private": True, "strictest_verdict": "warn"},
    )
    assert values["memory_usable_ratio"] == 0.8
    assert values["prefer_private"] is True and values["strictest_verdict"] == "warn"


@pytest.mark.parametrize(
    ("overrides", "code", "says"),
    [
        ({"memory_usable_ration": 0.8}, "E140", "no parameter"),
        ({"bytes_per_gib": 1000}, "E140", "is fixed"),
        ({"card_counts": 4}, "E140", "is fixed"),
        ({"memory_usable_ratio": 0.99}, "E141", "out of range"),
        ({"memory_usable_ratio": "0.8"}, "E141", "found 0.8"),
        ({"memory_usable_ratio": True}, "E141", "found True"),
        ({"memory_usable_ratio": float("nan")}, "E141", "out of range"),
        ({"prefer_private": 1}, "E141", "found 1"),
        ({"strictest_verdict": "ask"}, "E141", "not in the list"),
        ({"memory_usable_ratio": 0.97}, "E142", "memory_tight_ratio"),
        ({"busy_rate": 200, "hasty_rate": 300}, "E142", '"hasty_rate" is 300'),
    ],
)
def test_any_other_override_is_refused(overrides, code, says):
    ((found, message),) = refusals(overrides)
    assert found == code and says in message


def test_two_overrides_may_move_together():
    values = apply_policy(sample_book(), {"busy_rate": 250, "hasty_rate": 240})
    assert values["hasty_rate"] == 240.0


def test_a_policy_file_is_told_where_it_is_wrong():
    policy = read_yaml("parameters:\n  busy_rate: 1\n  prefer_privat: true\n", "policy.yaml")
    with pytest.raises(ProblemError) as caught:
        apply_policy(sample_book(), policy.value["parameters"])
    lines = [str(one) for one in caught.value.problems]
    assert lines[0].startswith("policy.yaml:2:14: E141")
    assert lines[1].startswith("policy.yaml:3:3: E140")
    assert 'did you mean "prefer_private"?' in lines[1]
