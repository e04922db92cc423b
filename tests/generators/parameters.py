"""Random values of a book's parameters, each within its range and in the declared order."""

from __future__ import annotations

import math
from typing import Any

from engine.book.model import Book, Parameter
from tests.generators.choices import Choices

Parameters = dict[str, Any]


def defaults(book: Book) -> Parameters:
    """The values a book itself gives; ladders are no inputs."""
    return {name: _plain(item.value) for name, item in book.parameters.items() if not item.steps}


def random_parameters(book: Book, choices: Choices, share: float = 0.2) -> Parameters:
    """Defaults, `share` of them replaced as a policy could."""
    values = defaults(book)
    for name in values:
        if choices.chance(share):
            values[name] = _value(book.parameters[name], values[name], choices)
    return _ordered(book, values)


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | str) else float(value)


def _value(parameter: Parameter, default: Any, choices: Choices) -> Any:
    kind = parameter.type
    if kind.kind == "boolean":
        return choices.chance(0.5)
    if kind.kind == "text":
        return choices.one_of(kind.values) if kind.values else default
    if not (math.isfinite(kind.low) and math.isfinite(kind.high)):
        return default
    value = choices.one_of([kind.low, kind.high, choices.real(kind.low, kind.high)])
    if kind.integer:
        value = float(round(value))
    return min(max(value, kind.low), kind.high)


def _ordered(book: Book, values: Parameters) -> Parameters:
    """Where a declared order is broken, both sides return to their defaults."""
    plain = defaults(book)
    broken = True
    while broken:
        broken = False
        for name, item in book.parameters.items():
            for other in item.at_most:
                if name in values and values[name] > values[other]:
                    values[name], values[other] = plain[name], plain[other]
                    broken = True
    return values
