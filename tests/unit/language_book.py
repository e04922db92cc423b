"""A small scope to type formulas in: what a loaded book would offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.language.check import typed
from engine.language.parse import parse_expression
from engine.language.problems import Position, Problem, ProblemError
from engine.language.scope import CurveLike, LadderLike, NameKind, Rows, TableLike
from engine.language.tree import Column, DecisionValue, Fact, Node, Parameter
from engine.language.types import Type, enumeration, number
from engine.language.units import parse_unit


def amount(
    unit: str = "ratio",
    low: float = 0,
    high: float = 100,
    *,
    integer: bool = False,
    nullable: bool = False,
) -> Type:
    return number(parse_unit(unit), float(low), float(high), integer=integer, nullable=nullable)


@dataclass(frozen=True)
class Curve:
    segments: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    x_type: Type
    y_type: Type
    below: Literal["hold", "refuse"] = "hold"
    above: Literal["hold", "refuse"] = "hold"


@dataclass(frozen=True)
class Ladder:
    steps: tuple[float, ...]
    type: Type


@dataclass(frozen=True)
class TableColumn:
    name: str
    type: Type


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[TableColumn, ...]


@dataclass
class SmallBook:
    """Implements `Scope` over plain dictionaries; a dotted name `alias.x` may be a column."""

    facts: Mapping[str, Type] = field(default_factory=dict)
    parameters: Mapping[str, Type] = field(default_factory=dict)
    decisions: Mapping[str, Type] = field(default_factory=dict)
    columns: Mapping[str, Type] = field(default_factory=dict)
    relations: Mapping[str, Rows] = field(default_factory=dict)
    rankings: Mapping[str, Rows] = field(default_factory=dict)
    curves: Mapping[str, CurveLike] = field(default_factory=dict)
    ladders: Mapping[str, LadderLike] = field(default_factory=dict)
    tables: Mapping[str, TableLike] = field(default_factory=dict)
    catalog_aliases: tuple[str, ...] = ()
    optional_facts: tuple[str, ...] = ()

    def resolve(self, path: str, position: Position) -> Node | None:
        if path in self.facts:
            return Fact(path, type=self.facts[path], position=position)
        if path in self.columns:
            alias, _, name = path.partition(".")
            return Column(alias, name, type=self.columns[path], position=position)
        if path in self.decisions:
            return DecisionValue(path, type=self.decisions[path], position=position)
        if path in self.parameters:
            return Parameter(path, type=self.parameters[path], position=position)
        return None

    def rows(self, name: str, position: Position) -> Rows | None:
        return self.relations.get(name)

    def ranking(self, name: str, position: Position) -> tuple[str, Rows] | None:
        return (name, self.rankings[name]) if name in self.rankings else None

    def curve(self, name: str, position: Position) -> tuple[str, CurveLike] | None:
        return (name, self.curves[name]) if name in self.curves else None

    def ladder(self, name: str, position: Position) -> tuple[str, LadderLike] | None:
        return (name, self.ladders[name]) if name in self.ladders else None

    def table(self, name: str, position: Position) -> TableLike | None:
        return self.tables.get(name)

    def taken(self, alias: str) -> bool:
        return any(path.partition(".")[0] == alias for path in (*self.facts, *self.columns))

    def is_optional_fact(self, path: str) -> bool:
        return path in self.optional_facts

    def is_catalog_column(self, column: Column) -> bool:
        return column.alias in self.catalog_aliases

    def candidates(self, kind: NameKind) -> Iterable[str]:
        return {
            "name": (*self.facts, *self.columns, *self.decisions, *self.parameters),
            "rows": tuple(self.relations),
            "ranking": tuple(self.rankings),
            "curve": tuple(self.curves),
            "ladder": tuple(self.ladders),
            "table": tuple(self.tables),
        }[kind]


START = Position("rules/needs/memory.yaml", 10, 14)


def checked(text: str, book: SmallBook, expected: Type | None = None) -> Node:
    return typed(parse_expression(text, START), book, expected)


def type_of(text: str, book: SmallBook, expected: Type | None = None) -> Type:
    found = checked(text, book, expected).type
    assert found is not None
    return found


def problems_of(text: str, book: SmallBook, expected: Type | None = None) -> list[Problem]:
    """The problems of a formula that must not type."""
    try:
        checked(text, book, expected)
    except ProblemError as error:
        return error.problems
    raise AssertionError(f"typed without a problem: {text}")


TASK = enumeration(("inference", "lora", "qlora"))

BOOK = SmallBook(
    facts={
        "task": TASK,
        "precision.mode": enumeration(("bf16", "int4")),
        "model.layers": amount("count", 1, 200, integer=True),
        "model.parameters": amount("billion", 0.01, 5000),
        "usage.cards": amount("card", 1, 64, integer=True),
        "usage.nodes": amount("node", 1, 64, integer=True),
        "usage.hours": amount("hour", 0, 10000, nullable=True),
        "usage.flag": Type("boolean", nullable=True),
        "data.size": amount("GB", 0, 1e6),
        "name": Type("text"),
        "place.distance": amount("km", 0, 20000, nullable=True),
    },
    parameters={
        "smallest": amount("USD/hour", 1e-6, 1),
        "never": amount("ratio", 1e6, 1e9),
        "bytes_per_weight": amount("byte", 0.5, 4),
        "gib_per_gb": amount("GiB/GB", 0.9, 0.94),
        "small_ratio": amount("ratio", 1e-6, 0.1),
    },
    decisions={
        "memory.weights": amount("GiB/card", 0, 1000),
        "memory.cache": amount("GiB/card", 0, 1000),
        "memory.host": amount("GiB/node", 0, 1000),
        "link": amount("Gbit/second", 0, 1000),
        "bandwidth": amount("GB/second", 0, 10000),
        "cloud.price": amount("USD/hour", 0, 1000),
        "own.price": amount("USD/hour", 0, 1000),
        "share": amount("ratio", 0, 1),
        "drift": amount("ratio", -1, 1),
        "maybe": amount("ratio", 0, 1, nullable=True),
    },
    columns={"card.memory": amount("GiB/card", 1, 512, nullable=True)},
    relations={
        "options": Rows(
            "hardware.options",
            {
                "price": amount("USD/hour", 0, 100),
                "cards": amount("card", 1, 8, integer=True),
                "memory": amount("GiB/card", 0, 512, nullable=True),
                "ok": Type("boolean"),
            },
            1000,
            catalog=True,
        ),
        "owned": Rows("owned", {"count": amount("card", 1, 8)}, 10, nullable=True),
    },
    rankings={"recommended": Rows("options", {"price": amount("USD/hour", 0, 100)}, 1000)},
    curves={
        "efficiency": Curve(
            (("", ((1.0, 0.2), (64.0, 0.8))),),
            amount("token", 0, 1e6),
            amount("ratio", 0, 1),
            above="refuse",
        ),
        "by_mode": Curve(
            (("bf16", ((1.0, 1.0), (2.0, 2.0))), ("int4", ((1.0, 3.0), (2.0, 2.5)))),
            amount("card", 0, 100),
            amount("ratio", 0, 10),
        ),
    },
    ladders={"card_counts": Ladder((1.0, 2.0, 4.0, 8.0), amount("card", 1, 8, integer=True))},
    tables={
        "models": Table("models", (TableColumn("layers", amount("count", 1, 200, integer=True)),))
    },
    catalog_aliases=("card",),
    optional_facts=("place.distance",),
)
