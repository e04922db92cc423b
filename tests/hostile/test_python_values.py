"""A profile given as Python values goes through the same door."""

# A case stays on its line where that is longer than usual.
# ruff: noqa: E501

from __future__ import annotations

import array
import datetime
import decimal
import enum
import fractions
import pathlib
from typing import Any

import pytest

import engine
from engine.language.problems import ProblemError

BOOK = engine.load()


class Broken:
    def __float__(self) -> float:
        raise RuntimeError("broken")


class NumberLike:
    """As the booleans of numerical libraries: it can be read as a number, and is no `bool`."""

    def __float__(self) -> float:
        return 1.0


class Colour(enum.Enum):
    RED = "lora"


def endless_mapping() -> dict[str, Any]:
    found: dict[str, Any] = {"task": "lora"}
    found["model"] = found
    return found


def endless_list() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def shared_parts() -> list[Any]:
    """Lists of lists of lists: a few objects that stand for 50¹² values."""
    found: list[Any] = [1] * 50
    for _ in range(12):
        found = [found] * 50
    return found


def layers(value: Any) -> dict[str, Any]:
    return {"task": "lora", "model": {"layers": value}}


def lists(value: Any) -> dict[str, Any]:
    return {"task": "lora", "constraints": {"gpus": value}}


REFUSED: dict[str, Any] = {
    "none": None, "a list": [1], "a text": "task: lora", "a number": 3, "nothing stated": {},
    "a set": {"task"}, "a generator": (part for part in ()), "a number as key": {1: 2},
    "none as key": {None: 1}, "bytes as key": {b"task": "lora"}, "bytes": {"task": b"lora"},
    "bytes that look like a number": layers(b"32"), "a decimal NaN": layers(decimal.Decimal("NaN")),
    "a signalling NaN": layers(decimal.Decimal("sNaN")), "a huge decimal": layers(decimal.Decimal("1e400")),
    "an infinite decimal": layers(decimal.Decimal("Infinity")), "a fraction": layers(fractions.Fraction(7, 2)),
    "a number that breaks": layers(Broken()), "NaN": layers(float("nan")), "infinity": layers(float("inf")),
    "a huge integer": layers(10**400), "an integer of 6000 digits": layers(10**6000),
    "a complex number": layers(3j), "a boolean as number": layers(True), "none as value": layers(None),
    "a number as boolean": {"task": "lora", "data": {"may_leave_premises": 0}},
    "a number-like boolean": {"task": "lora", "data": {"may_leave_premises": NumberLike()}},
    "a set as list": lists({"l4"}), "keys as list": lists({"l4": 1}.keys()),
    "an array as list": lists(array.array("i", [1])), "an endless mapping": endless_mapping(),
    "an endless list": lists(endless_list()), "shared parts": lists(shared_parts()),
    "an enumeration": {"task": Colour.RED}, "a class": {"task": str}, "a function": {"task": "lora", "name": len},
    "a path": {"task": "lora", "usage": {"load_curve": pathlib.Path("x")}},
    "a moment": {"task": "lora", "as_of": datetime.datetime(2026, 1, 1)},
    "a time": {"task": "lora", "as_of": datetime.time(1)},
    "a surrogate": {"task": "lora", "name": "\ud800x"}, "an escape": {"task": "lora", "name": "\x1b[31m"},
    "a field in two ways": {"task": "lora", "model.layers": 32, "model": {"layers": 32}},
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    for language in ("en", "zh"):
        with pytest.raises(ProblemError) as caught:
            BOOK.recommend(REFUSED[name], language=language)
        for problem in caught.value.problems:
            assert problem.code.startswith("E") and problem.message
            assert problem.expected and problem.suggestion
        assert len(str(caught.value)) < 3000 and "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "profile",
    [
        layers(decimal.Decimal("32")),
        layers(fractions.Fraction(32)),
        {"task": "lora", "as_of": datetime.date(2026, 11, 1)},
        lists(("l4",)),
        {"task": "lora", "model.layers": 32},
        {"task": "lora", "name": "🚀 名 عربى"},
    ],
)
def test_what_is_meant_as_a_plain_value_passes(profile: dict[str, Any]) -> None:
    assert BOOK.validate(profile) == []


@pytest.mark.parametrize("policy", [[1], "x", {"nothing": 1}, {1: 2}, {"slow_upload_hours": None}])
def test_a_policy_of_another_form_is_refused(policy: Any) -> None:
    with pytest.raises(ProblemError):
        BOOK.recommend({"task": "lora"}, policy=policy)


@pytest.mark.parametrize(
    "options", [{"language": "fr"}, {"language": None}, {"top": 0}, {"top": "x"}]
)
def test_options_outside_their_values_are_told(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="language is en or zh"):
        BOOK.recommend({"task": "lora"}, **options)
