"""Random rule books: facts, tables of every hit policy, curves, relations, rankings, advice.

They are valid as far as meaning goes (typed, acyclic, no division by zero, filters that are
never unknown) but not proven: tables overlap, have gaps and rows that cannot be reached.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.book.model import (
    Advice,
    AdviceRow,
    Book,
    Catalog,
    Curve,
    Decision,
    Fact,
    Field,
    Formula,
    Output,
    Parameter,
    Ranking,
    Relation,
    RelationColumn,
    Row,
    Source,
    Table,
    TableColumn,
    TableData,
    TableSchema,
    Text,
    Unknown,
)
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import BOOLEAN, TEXT, Type, enumeration, number
from engine.language.walk import walk
from tests.generators import trees
from tests.generators.choices import Choices, Seeded
from tests.generators.expressions import Expressions, Rows, Scope, operands

COLOURS = ("red", "green", "blue")
SIZES = ("small", "large")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a random book is."""

    depth: int = 3
    decisions: int = 8
    tables: int = 4
    relations: int = 2
    long_tables: bool = True


@dataclass(slots=True)
class Draft:
    facts: dict[str, Fact] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    rankings: dict[str, Ranking] = field(default_factory=dict)
    advice: dict[str, Advice] = field(default_factory=dict)
    order: list[tuple[str, str]] = field(default_factory=list)


def random_book(choices: Choices | int, sizes: Sizes = Sizes()) -> tuple[Book, Catalog]:
    """A book and a catalog for it, from a seed or from drawn choices."""
    return BookMaker(Seeded(choices) if isinstance(choices, int) else choices, sizes).make()


def books(sizes: Sizes = Sizes()) -> Any:
    """A Hypothesis strategy of (book, catalog)."""
    from hypothesis import strategies as st

    from tests.generators.choices import Drawn

    @st.composite
    def strategy(draw: Any) -> tuple[Book, Catalog]:
        return random_book(Drawn(draw), sizes)

    return strategy()


class BookMaker:
    def __init__(self, choices: Choices, sizes: Sizes) -> None:
        self.choices, self.sizes = choices, sizes
        self.draft = Draft()
        self.expressions = Expressions(choices)
        self.scope = Scope()

    def make(self) -> tuple[Book, Catalog]:
        tables, catalog = self._catalog()
        self._facts()
        self._parameters()
        for number_ in range(2):
            self._curve(f"b.curve{number_}")
        jobs = ["decision"] * self.sizes.decisions + ["table"] * self.sizes.tables
        jobs += ["relation"] * self.sizes.relations + ["advice"]
        while jobs:
            job = jobs.pop(self.choices.integer(0, len(jobs) - 1))
            getattr(self, f"_{job}")(f"b.{job}{len(jobs)}", tables)
        draft = self.draft
        book = Book(
            version="0",
            digest="",
            facts=draft.facts,
            parameters=draft.parameters,
            decisions=draft.decisions,
            relations=draft.relations,
            rankings=draft.rankings,
            advice=draft.advice,
            tables=tables,
            order=tuple(draft.order),
            sources={},
            report={},
            titles={},
        )
        return book, catalog

    # ------------------------------------------------------------ inputs

    def _catalog(self) -> tuple[dict[str, TableSchema], Catalog]:
        cards = (
            TableColumn("id", TEXT),
            TableColumn("colour", enumeration(COLOURS, nullable=True)),
            TableColumn("speed", number(low=0.5, high=1000.0)),
            TableColumn("memory", number(low=-5.0, high=1e4, nullable=True)),
            TableColumn("old", BOOLEAN.with_nullable(True)),
            TableColumn("size", enumeration(SIZES)),
        )
        offers = (
            TableColumn("id", TEXT),
            TableColumn("card", TEXT.with_nullable(True)),
            TableColumn("size", enumeration(SIZES)),
            TableColumn("price", number(low=0.0, high=1e3, nullable=True)),
            TableColumn("count", number(low=0.0, high=16.0, integer=True)),
        )
        schemas = {
            "cards": TableSchema("cards", "id", cards, 20),
            "offers": TableSchema("offers", "id", offers, 20),
        }
        names = [f"card {letter}" for letter in "abcdef"[: self.choices.integer(1, 5)]]
        rows = [(name, *(self._value(column.type) for column in cards[1:])) for name in names]
        priced = [
            (f"offer {n}", self._or_none(self.choices.one_of(names)), *self._values(offers[2:]))
            for n in range(self.choices.integer(0, 6))
        ]
        data = {"cards": TableData(tuple(rows)), "offers": TableData(tuple(priced))}
        self.scope.rows.extend(
            Rows(f"catalog.{name}", {column.name: column.type for column in schema.columns})
            for name, schema in schemas.items()
        )
        return schemas, Catalog(data, "", 0, 0)

    def _or_none(self, value: Any) -> Any:
        return None if self.choices.chance(0.2) else value

    def _values(self, columns: tuple[TableColumn, ...]) -> list[Any]:
        return [self._value(column.type) for column in columns]

    def _value(self, kind: Type) -> Any:
        if kind.nullable and self.choices.chance(0.25):
            return None
        if kind.kind == "boolean":
            return self.choices.chance(0.5)
        if kind.kind == "text":
            return self.choices.one_of(kind.values or ("",))
        if kind.integer or self.choices.chance(0.5):
            low, high = int(-(-kind.low // 1)), int(min(kind.high, 12))
            return float(self.choices.integer(low, high))
        return self.choices.real(kind.low, kind.high)

    def _facts(self) -> None:
        enum = enumeration(COLOURS)
        kinds: list[tuple[str, str, Type]] = [
            ("n.count", "integer", number(low=0.0, high=64.0, integer=True)),
            ("n.positive", "number", number(low=0.25, high=1e4)),
            ("n.signed", "number", number(low=-100.0, high=100.0)),
            ("n.share", "number", number(low=0.0, high=1.0)),
            ("flag", "boolean", BOOLEAN),
            ("other.flag", "boolean", BOOLEAN),
            ("colour", "enumeration", enum),
            ("size", "enumeration", enumeration(SIZES)),
            ("words", "text", TEXT),
            ("card", "key", TEXT),
        ]
        for path, kind, type_ in kinds:
            self._fact(path, kind, type_)
        columns = {name: kind.type for name, kind in self.list_fields().items()}
        self._list("lines", "records", tuple(self.list_fields().values()))
        self._list("colours", "list", (Field("value", enum),))
        asked = self.draft.facts
        self.scope.rows.append(Rows("lines", columns, asked["lines"].asked))
        self.scope.rows.append(Rows("colours", {"value": enum}, asked["colours"].asked))

    @staticmethod
    def list_fields() -> dict[str, Field]:
        return {
            "amount": Field("amount", number(low=-10.0, high=1e3)),
            "weight": Field("weight", number(low=0.0, high=10.0, nullable=True)),
            "colour": Field("colour", enumeration(COLOURS)),
            "sure": Field("sure", BOOLEAN.with_nullable(True)),
        }

    def _list(self, path: str, kind: str, fields: tuple[Field, ...]) -> None:
        asked = self.choices.chance(0.3)
        self.draft.facts[path] = Fact(path, kind, TEXT, asked=asked, fields=fields, max_rows=5)

    def _fact(self, path: str, kind: str, type_: Type) -> None:
        default: Node | None = None
        derive: Node | None = None
        if self.choices.chance(0.35):
            default = self._of_type(type_)
        if type_.kind == "number" and self.scope.lookups and self.choices.chance(0.4):
            derive = self._limited(self.expressions._lookup(self.scope, 0), type_)
        unknown = (default is None or trees.nullable(default)) and (
            derive is None or trees.nullable(derive)
        )
        declared = type_.with_nullable(unknown)
        self.draft.facts[path] = Fact(
            path,
            kind,
            declared,
            asked=default is None,
            default=default,
            derive=derive,
            key_of="cards" if kind == "key" else "",
        )
        if default is not None or derive is not None:
            self.draft.order.append(("fact", path))
        leaf = tree.Fact(path, type=declared)
        self.scope.leaves.append(leaf)
        if type_.kind == "text" and type_.values is None:
            cards = {"speed": number(low=0.5, high=1e3), "memory": number(low=-5.0, high=1e4)}
            self.scope.lookups.append(("cards", leaf, cards))

    def _of_type(self, kind: Type) -> Node:
        """An expression of a type, over the facts so far."""
        if kind.kind == "number":
            return self._limited(self.expressions.number(self.scope, 1), kind)
        if kind.kind == "boolean":
            return self.expressions.boolean(self.scope, 1)
        if kind.values is not None:
            return self.expressions.closed(self.scope, 1, kind.values)
        return trees.literal("card a")

    @staticmethod
    def _limited(node: Node, kind: Type) -> Node:
        node = trees.call("max", trees.call("min", node, trees.literal(kind.high)),
                          trees.literal(kind.low))  # fmt: skip
        return trees.call("floor", node) if kind.integer else node

    def _parameters(self) -> None:
        values: list[tuple[str, Any, Type]] = [
            ("p.limit", 7.0, number(low=0.5, high=100.0)),
            ("p.offset", 0.0, number(low=-1.0, high=1.0)),
            ("p.strict", True, BOOLEAN),
            ("p.colour", "green", enumeration(COLOURS)),
        ]
        for name, value, kind in values:
            self.draft.parameters[name] = Parameter(name, value, kind)
            self.scope.leaves.append(tree.Parameter(name, type=kind))
        steps = (1.0, 2.0, 4.0, 10.0, 100.0)
        self.draft.parameters["p.ladder"] = Parameter("p.ladder", 0.0, number(), steps=steps)
        self.scope.ladders.append(("p.ladder", steps[-1]))

    def _curve(self, name: str) -> None:
        keys = self.choices.one_of([("",), COLOURS, COLOURS[:2]])
        segments = []
        for key in keys:
            xs = sorted({self.choices.one_of([0.0, 1.0, 2.5, 7.0, 64.0]) for _ in range(4)})
            if len(xs) < 2:
                xs = [0.0, 10.0]
            if self.choices.chance(0.2):
                xs = [0.3 * step for step in range(12)]
            points = tuple((x, self.choices.one_of([0.0, 0.1, 0.7, 3.0, -2.0])) for x in xs)
            segments.append((key, points))
        ends = [self.choices.one_of(["hold", "refuse"]) for _ in range(2)]
        kinds = (number(low=0.0, high=64.0), number(low=-2.0, high=3.0))
        curve = Curve(tuple(segments), ends[0], ends[1], *kinds)  # type: ignore[arg-type]
        self.draft.decisions[name] = Decision(name, curve, kinds[1])
        self.draft.order.append(("decision", name))
        self.scope.curves.append((name, curve))

    # ------------------------------------------------------------ decisions

    def _decision(self, name: str, tables: Any) -> None:
        kind = self.choices.one_of(["number", "number", "boolean", "text"])
        node = self._any(self.scope, kind)
        self._add(name, Formula(node), trees.kind_of(node))
        self.scope.leaves.append(tree.DecisionValue(name, type=trees.kind_of(node)))

    def _any(self, scope: Scope, kind: str) -> Node:
        if kind == "number":
            return self.expressions.number(scope, self.sizes.depth)
        if kind == "boolean":
            return self.expressions.boolean(scope, self.sizes.depth)
        return self.expressions.closed(scope, 2, COLOURS)

    def _add(self, name: str, body: Formula | Table, kind: Type) -> None:
        self.draft.decisions[name] = Decision(name, body, kind)
        self.draft.order.append(("decision", name))

    def _table(self, name: str, tables: Any) -> None:
        body = self._table_body(self.scope, many=True)
        self._add(name, body, body.outputs[0].type)
        if body.hit == "collect" and not body.aggregate:
            return
        single = len(body.outputs) == 1
        self.scope.leaves.extend(
            tree.DecisionValue(name, "" if single else output.name, type=output.type)
            for output in body.outputs
        )

    def _table_body(self, scope: Scope, *, many: bool) -> Table:
        """A table of any hit policy; `many`: several outputs and lists are allowed."""
        choices = self.choices
        inputs = tuple(self._input(scope) for _ in range(choices.integer(1, 4)))
        hits = ["first", "first", "unique", "any", "priority", "collect"]
        hit = choices.one_of(hits)
        aggregate = ""
        if hit == "collect":
            ways = ["sum", "min", "max", "count", *([""] if many else [])]
            aggregate = choices.one_of(ways)
        kinds = [self.choices.one_of(["number", "boolean", "text"])]
        if aggregate:
            kinds = ["number"]
        elif many and hit != "collect" and choices.chance(0.3):
            kinds.append(choices.one_of(["number", "text"]))
        count = choices.integer(1, 7)
        if self.sizes.long_tables and choices.chance(0.15):
            count = choices.integer(28, 40)
        rows = tuple(
            Row(
                f"r{number_}",
                tuple(self.expressions.cell_for(subject, scope) for subject in inputs),
                self._then(scope, kinds),
            )
            for number_ in range(count)
        )
        otherwise = None
        if choices.chance(0.6):
            otherwise = Row("otherwise", (), self._then(scope, kinds))
        total = otherwise is not None and aggregate not in ("min", "max")
        every = [*rows, *([otherwise] if otherwise else [])]
        outputs = self._outputs(inputs, every, kinds, total=total)
        return Table(hit, inputs, outputs, rows, otherwise, aggregate)  # type: ignore[arg-type]

    def _input(self, scope: Scope) -> Node:
        kind = self.choices.one_of(["number", "number", "boolean", "text"])
        if kind == "text":
            texts = scope.of_kind("text", closed=True)
            return self.choices.one_of(texts) if texts else self.expressions.boolean(scope, 1)
        if kind == "boolean":
            return self.expressions.boolean(scope, 1)
        return self.expressions.number(scope, 1)

    def _then(self, scope: Scope, kinds: list[str]) -> tuple[Node, ...] | Unknown:
        if self.choices.chance(0.06):
            return Unknown(("flag",))
        return tuple(self._cell_output(scope, kind) for kind in kinds)

    def _cell_output(self, scope: Scope, kind: str) -> Node:
        plain = self.choices.chance(0.7)
        if kind == "number":
            depth = 0 if plain else 2
            return self.expressions.number(Scope() if plain else scope, depth)
        if kind == "boolean":
            if plain:
                return trees.literal(self.choices.chance(0.5))
            return self.expressions.boolean(scope, 1)
        return self.expressions.closed(Scope() if plain else scope, 0, COLOURS)

    @staticmethod
    def _outputs(
        inputs: tuple[Node, ...], rows: list[Row], kinds: list[str], *, total: bool
    ) -> tuple[Output, ...]:
        cells = [part for row in rows for cell in row.when for part in operands(cell)]
        unknown = not total or trees.nullable(*inputs, *cells)
        outputs = []
        for index, kind in enumerate(kinds):
            values = [row.then[index] for row in rows if isinstance(row.then, tuple)]
            may = unknown or len(values) < len(rows) or trees.nullable(*values)
            if kind == "number":
                lows, highs = (
                    zip(*(trees.interval(value) for value in values), strict=True)
                    if (values)
                    else ((0.0,), (0.0,))
                )
                span = max(map(abs, (*lows, *highs))) * max(1, len(rows)) + len(rows)
                type_ = number(low=-span, high=span)
            else:
                type_ = BOOLEAN if kind == "boolean" else enumeration(COLOURS)
            name = "" if len(kinds) == 1 else f"out{index}"
            outputs.append(Output(name, type_.with_nullable(may)))
        return tuple(outputs)

    def _advice(self, name: str, tables: Any) -> None:
        inputs = tuple(self._input(self.scope) for _ in range(self.choices.integer(1, 3)))
        rows = tuple(
            AdviceRow(
                f"r{number_}",
                tuple(self.expressions.cell_for(subject, self.scope) for subject in inputs),
                "warn",
                "low",
                Text(),
            )
            for number_ in range(self.choices.integer(1, 4))
        )
        self.draft.advice[name] = Advice(name, inputs, rows)
        self.draft.order.append(("advice", name))

    # ------------------------------------------------------------ relations

    def _relation(self, name: str, tables: dict[str, TableSchema]) -> None:
        from tests.generators.relations import RelationMaker

        RelationMaker(self, name, tables).make()


def levels_of(node: Node, sources: list[Source], columns: dict[str, int]) -> int:
    """How many leading sources a tree needs."""
    needed = 0
    for part in walk(node):
        if isinstance(part, tree.Column):
            if not part.alias:
                needed = max(needed, columns[part.name])
            for place, source in enumerate(sources):
                if source.alias == part.alias:
                    needed = max(needed, place + 1)
        elif isinstance(part, tree.Aggregate) and part.relation == "members":
            needed = max(needed, 1)
    return needed


__all__ = ["BookMaker", "RelationColumn", "Sizes", "books", "levels_of", "random_book"]
