"""Declared orders between parameters: one is never above the other."""

from __future__ import annotations

from collections.abc import Mapping

from engine.book.model import Parameter
from engine.book.problems import Findings
from engine.language.suggest import did_you_mean


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
