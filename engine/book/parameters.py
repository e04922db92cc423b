"""Values of the parameters at run time: the book's own, or a policy's within their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.book.model import Book, Parameter
from engine.book.problems import Findings
from engine.book.values import scalar
from engine.book.yaml_reader import Located
from engine.language.problems import NOWHERE, Position
from engine.language.suggest import did_you_mean

Value = float | bool | str


def own_parameters(book: Book) -> dict[str, Value]:
    """The value of every parameter as the book states it; ladders are not among them."""
    return {one.id: one.value for one in book.parameters.values() if not one.steps}


def apply_policy(
    book: Book, overrides: Mapping[str, Any] | Located, position: Position = NOWHERE
) -> dict[str, Value]:
    """All parameter values with the overrides of a policy put in.

    `overrides` maps parameter ids to values: plain, or as read from a file (then problems carry
    the place of each). Raises ProblemError: E140 unknown or fixed parameter, E141 value of the
    wrong kind or out of its range, E142 a declared order between parameters is broken.
    """
    findings = Findings()
    values = own_parameters(book)
    places: dict[str, Position] = {}
    entries: Mapping[str, Any] = overrides.value if isinstance(overrides, Located) else overrides
    for name, given in entries.items():
        located = given if isinstance(given, Located) else Located(given, position, raw=str(given))
        parameter = book.parameters.get(name)
        if parameter is None:
            findings.add(
                "E140", f'there is no parameter "{name}"', located.where, "a parameter's id",
                did_you_mean(name, book.parameters),
            )  # fmt: skip
            continue
        if parameter.steps or parameter.type.low == parameter.type.high:
            findings.add(
                "E140", f'the parameter "{name}" is fixed', located.where, "one with a range"
            )
            continue
        before = len(findings.problems)
        with findings.collecting():
            values[name] = scalar(located, parameter.type)
        for index in range(before, len(findings.problems)):
            problem = findings.problems[index]
            text = f"{name}: {problem.message}"
            findings.problems[index] = type(problem)(
                "E141", text, problem.position, problem.expected, problem.suggestion
            )
        places[name] = located.where
    for low, high in orderings(book.parameters):
        if float(values[low]) > float(values[high]):
            findings.add(
                "E142",
                f'"{low}" is {values[low]:g} and "{high}" is {values[high]:g}',
                places.get(low) or places.get(high) or position,
                f"{low} at most {high}",
                "change both, or neither",
            )
    findings.raise_if_any()
    return values


def orderings(parameters: Mapping[str, Parameter]) -> list[tuple[str, str]]:
    """The declared pairs (low, high): low is never above high."""
    return [(one.id, high) for one in parameters.values() for high in one.at_most]


def check_orderings(parameters: Mapping[str, Parameter], findings: Findings) -> None:
    """Declared orders name numbers of the same unit and hold for the book's own values (B025)."""
    for low, high in orderings(parameters):
        first, second = parameters[low], parameters.get(high)
        if second is None:
            findings.add(
                "B110", f'there is no parameter "{high}"', first.position, "",
                did_you_mean(high, parameters),
            )  # fmt: skip
        elif first.type.kind != "number" or second.type.kind != "number" or second.steps:
            findings.add("B025", f'"{low}" and "{high}" have no order', first.position, "numbers")
        elif not first.type.unit.same_as(second.type.unit):
            findings.add("B025", f'"{low}" and "{high}" differ in unit', first.position)
        elif float(first.value) > float(second.value):
            findings.add("B025", f'"{low}" is above "{high}"', first.position, "at most equal")
