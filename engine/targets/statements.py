"""Statements that both script targets share; a syntax renders them.

Expressions inside are already text of the target. Lists of statements are built while
emitting, so they are plain mutable lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True)
class Assign:
    target: str
    code: str


@dataclass(slots=True)
class Do:
    """An expression evaluated for its effect."""

    code: str


@dataclass(slots=True)
class If:
    condition: str
    then: list[Statement]
    otherwise: list[Statement] = field(default_factory=list)


@dataclass(slots=True)
class Each:
    """For each item of a list; `index` "" when its number is not needed."""

    index: str
    item: str
    items: str
    body: list[Statement]


@dataclass(slots=True)
class While:
    condition: str
    body: list[Statement]


@dataclass(slots=True)
class Leave:
    """`break` or `continue`."""

    word: str


@dataclass(slots=True)
class Return:
    code: str


Statement: TypeAlias = "Assign | Do | If | Each | While | Leave | Return"
