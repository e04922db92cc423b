"""Policies override parameters within their ranges and declared orders, and nowhere else."""

from __future__ import annotations

import pytest

from engine.readers.document import InputError, parse_document
from engine.run.policy import read_policy
from tests.unit.book_samples import sample_book


def overrides(*policies: str) -> dict[str, object]:
    documents = [
        parse_document(text, f"policy-{number}.yaml") for number, text in enumerate(policies, 1)
    ]
    return read_policy(documents, sample_book().parameters)


def refusals(*policies: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        overrides(*policies)
    return [str(problem) for problem in caught.value.problems]


def test_an_override_within_its_range_is_taken():
    text = """
name: ours
notes: {en: Agreed., zh: 已定。}
parameters:
  memory_usable_ratio: 0.8
  rented_price_per_hour: 3
  prefer_private: true
  strictest_verdict: warn
"""
    found = overrides(text)
    assert found == {
        "memory_usable_ratio": 0.8,
        "rented_price_per_hour": 3.0,
        "prefer_private": True,
        "strictest_verdict": "warn",
    }
    assert type(found["rented_price_per_hour"]) is float


def test_a_later_policy_has_the_last_word():
    assert overrides("parameters: {busy_rate: 300}", "parameters: {busy_rate: 400}") == {
        "busy_rate": 400.0
    }


@pytest.mark.parametrize(
    ("value", "code", "says"),
    [
        ("memory_usable_ration: 0.8", "E140", "did you mean memory_usable_ratio?"),
        ("needs: {memory_usable_ratio: 0.8}", "E140", "no parameter needs"),
        ("bytes_per_gib: 1000", "E140", "is fixed"),
        ("seconds_per_hour: 3600", "E140", "is fixed"),
        ("card_counts: 4", "E140", "is fixed"),
        ("memory_usable_ratio: 0.99", "E104", "a value from 0.5 to 0.98"),
        ("memory_usable_ratio: '0.8'", "E102", "write 0.8 without quotes"),
        ("memory_usable_ratio: true", "E102", "memory_usable_ratio"),
        ("memory_usable_ratio: {low: 0.8}", "E102", "memory_usable_ratio"),
        ("memory_usable_ratio:", "E108", "memory_usable_ratio"),
        ("memory_usable_ratio: .nan", "E010", "not a finite number"),
        ("prefer_private: 1", "E102", "prefer_private"),
        ("strictest_verdict: ask", "E105", "one of deny, warn"),
        ("memory_usable_ratio: 0.97", "E142", "at or below memory_tight_ratio"),
        ("{busy_rate: 200, hasty_rate: 300}", "E142", "hasty_rate = 300"),
    ],
)
def test_any_other_override_is_refused(value, code, says):
    (found,) = refusals(f"parameters:\n  {value}\n")
    assert f" {code} " in found and says in found


def test_two_overrides_may_move_together():
    found = overrides("parameters: {busy_rate: 250, hasty_rate: 240}")
    assert found["hasty_rate"] == 240.0


def test_an_order_holds_over_all_policies_together():
    (found,) = refusals("parameters: {hasty_rate: 240}", "parameters: {busy_rate: 200}")
    assert found.startswith("policy-1.yaml:1:14: E142")


def test_a_policy_file_is_told_where_it_is_wrong_and_everything_at_once():
    first, second, third = refusals(
        "limits: 3\nparameters:\n  busy_rate: 1\n  prefer_privat: true\n"
    )
    assert first.startswith("policy-1.yaml:1:1: E101")
    assert second.startswith("policy-1.yaml:3:14: E104")
    assert third.startswith("policy-1.yaml:4:3: E140")


@pytest.mark.parametrize("text", ["[1, 2]", "parameters: 3", "name: nothing"])
def test_a_policy_is_a_mapping_of_parameters(text):
    (found,) = refusals(text)
    assert "parameters: {name: value}" in found
