"""What can be said of a tree from wishes alone, without running the book."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.book.model import Book, Catalog, Curve, Decision, Formula, Row, Table, Unknown
from engine.language import tree
from engine.language.tree import Cell, Node
from engine.language.walk import children
from engine.reference.expressions import compare
from tests.generators.choices import Choices
from tests.generators.profiles import LIST_KINDS, Vocabulary
from tests.generators.wishes import Binding, Wishes, between

OPERATIONS: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else math.inf,
}
SHALLOW = 6  # decisions that lead to decisions


def limits(operator: str, value: float, choices: Choices) -> tuple[float, float]:
    """The closed interval in which a comparison with the value holds."""
    below, above = math.nextafter(value, -math.inf), math.nextafter(value, math.inf)
    if operator == "!=":
        operator = choices.one_of(("<", ">"))
    return {
        "=": (value, value),
        "<": (-math.inf, below),
        "<=": (-math.inf, value),
        ">": (above, math.inf),
        ">=": (value, math.inf),
    }[operator]


class Estimates(Wishes):
    """Wishes that can be read back through the trees of the book."""

    def __init__(
        self,
        book: Book,
        words: Vocabulary,
        catalog: Catalog,
        choices: Choices,
        parameters: Mapping[str, Any],
    ) -> None:
        super().__init__(book, words, catalog, choices)
        self.parameters = parameters
        self.visited: dict[str, None] = {}
        self.seen: dict[tuple[int, str], None] = {}
        self.taken: dict[Binding, float] = {}  # of steps
        self.steps = 0
        self._settling = False
        self._aliases: dict[tuple[str, str], tuple[str, str, Binding]] = {}
        self._columns: dict[str, dict[str, Decision]] = {}

    # ------------------------------------------------------------ scopes

    def alias(self, scope: str, alias: str) -> tuple[str, str, Binding]:
        """What an alias stands for: kind, name, and the row it is bound to."""
        found = self._aliases.get((scope, alias))
        if found is None:
            found = "", "", (scope, alias)
            if scope.endswith(")"):
                found = self.alias(scope[: scope.rindex("(")], alias)
            elif scope in self.book.relations:
                sources = self.book.relations[scope].sources
                source = next((one for one in sources if one.alias == alias), None)
                if source is not None:
                    kind = "relation" if source.kind == "group" else source.kind
                    found = kind, source.name, (scope, alias)
            self._aliases[scope, alias] = found
        return found

    def enter(self, alias: str, relation: str, scope: str) -> str:
        """A scope in which the alias of an aggregate stands for a row of what it runs over."""
        inner = f"{scope}({alias} {relation})"
        binding = (inner, alias)
        if relation in self.book.facts:
            self._aliases[inner, alias] = "fact", relation, binding
        elif relation.startswith("catalog."):
            self._aliases[inner, alias] = "table", relation.removeprefix("catalog."), binding
        elif relation in self.book.relations:
            self._aliases[inner, alias] = "relation", relation, binding
        return inner

    @staticmethod
    def home(scope: str) -> str:
        """The relation a scope is in, outside of its aggregates."""
        return scope.partition("(")[0]

    def own(self, scope: str, name: str) -> Decision:
        """A column of a relation's own."""
        id = self.home(scope)
        if id not in self._columns:
            columns = self.book.relations[id].columns
            self._columns[id] = {column.decision.id: column.decision for column in columns}
        return self._columns[id][name]

    def looked_up(
        self, node: tree.Lookup, scope: str, fits: Callable[[Any], bool], column: str
    ) -> Any:
        """The key of a row of the table that is looked into, one that fits where there is one."""
        binding = ("lookup", node.table)
        schema = self.book.tables[node.table]
        key = self.estimate(node.key, scope)
        if key is not None:
            self.narrow(binding, node.table, schema.key, lambda cell: cell == key)
        self.narrow(binding, node.table, column, fits)
        row = self.settle(binding)
        return None if row is None else row[self.column(node.table, schema.key)]

    # ------------------------------------------------------------ values

    @staticmethod
    def constant(node: Node) -> bool:
        return isinstance(node, tree.Literal | tree.Parameter)

    def estimate(self, node: Node, scope: str, depth: int = 0) -> Any:
        """The value as far as wishes, defaults and constants decide it, else None."""
        kind = type(node)
        if kind is tree.Literal:
            value = node.value  # type: ignore[attr-defined]
            return float(value) if type(value) is int else value
        way = WAYS.get(kind)
        if way is None or depth > SHALLOW:
            return None
        key = (id(node), scope)
        found = self.memory.get(key, self)
        if found is self:
            found = self.memory[key] = way(self, node, scope, depth)
        return found

    def forced(self, node: Node, scope: str) -> Any:
        """The same, with one row chosen of each table that is read."""
        value = self.estimate(node, scope)
        if value is None:
            self._settling = True
            self.memory.clear()
            value = self.estimate(node, scope)
            self._settling = False
            self.memory.clear()
        return value

    def _of_column(self, node: tree.Column, scope: str, depth: int) -> Any:
        if node.alias:
            return self._cell(node.alias, node.name, scope, depth)
        return self._decision(self.own(scope, node.name), "", self.home(scope), depth)

    def _of_if(self, node: tree.If, scope: str, depth: int) -> Any:
        condition = self.estimate(node.condition, scope, depth)
        if condition is None:
            return None
        return self.estimate(node.then if condition else node.otherwise, scope, depth)

    def _of_call(self, node: tree.Call, scope: str, depth: int) -> Any:
        if node.function == "known":
            return self._is_known(node.arguments[0], scope, depth)
        if node.function not in ("min", "max"):
            return None
        values = []
        for part in node.arguments:
            value = self.estimate(part, scope, depth)
            if value is None:
                return None
            values.append(value)
        return min(values) if node.function == "min" else max(values)

    def _negative(self, node: tree.Negate, scope: str, depth: int) -> Any:
        value = self.estimate(node.operand, scope, depth)
        return None if value is None else -value

    def _opposite(self, node: tree.Not, scope: str, depth: int) -> Any:
        value = self.estimate(node.operand, scope, depth)
        return None if value is None else not value

    def _fact(self, path: str, depth: int) -> Any:
        if path in self.facts:
            return self.facts[path]
        fact = self.book.facts[path]
        if fact.kind in LIST_KINDS:
            return None
        for node in (fact.derive, fact.default):
            if node is not None:
                value = self.estimate(node, "", depth)
                if value is not None:
                    return value
        return None

    def _found(self, node: tree.Lookup, table: str, column: str, scope: str, depth: int) -> Any:
        key = self.estimate(node.key, scope, depth)
        place = self.column(table, self.book.tables[table].key)
        rows = [row for row in self.catalog.tables[table].rows if row[place] == key]
        return rows[0][self.column(table, column)] if rows else None

    def _pair(self, node: tree.Arithmetic | tree.Comparison, scope: str, depth: int) -> Any:
        left = self.estimate(node.left, scope, depth)
        right = None if left is None else self.estimate(node.right, scope, depth)
        if right is None:
            return None
        if isinstance(node, tree.Comparison):
            return compare(node.operator, left, right)
        return OPERATIONS[node.operator](left, right)

    def _parts(self, parts: Iterable[Node], every: bool, scope: str, depth: int) -> Any:
        unsure = False
        for part in parts:
            value = self.estimate(part, scope, depth)
            if value is None:
                unsure = True
            elif value is not every:
                return not every
        return None if unsure else every

    def _is_known(self, node: Node, scope: str, depth: int) -> bool | None:
        if isinstance(node, tree.Fact):
            if node.path in self.facts or node.path in self.lists:
                return True
            return False if node.path in self.absent else None
        if isinstance(node, tree.Column) and node.alias:
            kind, what, binding = self.alias(scope, node.alias)
            if kind == "table":
                cells = self.cells(binding, what, node.name)
                if None not in cells:
                    return True
                return False if len(cells) == 1 else None
        return None if self.estimate(node, scope, depth) is None else True

    def _decision(self, decision: Decision, output: str, scope: str, depth: int) -> Any:
        body = decision.body
        depth += 1
        if isinstance(body, Formula):
            return self.estimate(body.expression, scope, depth)
        if isinstance(body, Curve) or depth > SHALLOW:
            return None
        for row in body.rows:
            met = self._parts_met(body, row, scope, depth)
            if met is None:
                return None
            if met:
                return self._then(body, row, output, scope, depth)
        return (
            None
            if body.otherwise is None
            else self._then(body, body.otherwise, output, scope, depth)
        )

    def _then(self, table: Table, row: Row, output: str, scope: str, depth: int) -> Any:
        if isinstance(row.then, Unknown) or table.hit == "collect":
            return None
        names = [one.name for one in table.outputs]
        return self.estimate(row.then[names.index(output)], scope, depth)

    def _parts_met(self, table: Table, row: Row, scope: str, depth: int) -> bool | None:
        unsure = False
        for subject, cell in zip(table.inputs, row.when, strict=False):
            passed = self.passes(subject, cell, scope, depth)
            if passed is False:
                return False
            unsure = unsure or passed is None
        return None if unsure else True

    def refuted(self, table: Table, row: Row, scope: str) -> bool:
        """Whether what is wished already speaks against the row."""
        return self._parts_met(table, row, scope, 2) is False

    def _cell(self, alias: str, name: str, scope: str, depth: int) -> Any:
        kind, what, binding = self.alias(scope, alias)
        if kind == "table":
            if binding not in self.rows:
                return None
            if self._settling:
                self.settle(binding)
            cells = self.cells(binding, what, name)
            return next(iter(cells)) if len(cells) == 1 else None
        if kind == "steps":
            return self.taken.get(binding)
        if kind == "fact":
            return self.records[binding].get(name) if binding in self.records else None
        if kind == "relation":
            return self._decision(self.own(what, name), "", what, depth)
        return None

    # ------------------------------------------------------------ cells of tables

    def passes(self, subject: Node, cell: Cell, scope: str, depth: int = 0) -> bool | None:
        if not cell.tests:
            return True
        value = self.estimate(subject, scope, depth)
        if value is None:
            return None
        for test in cell.tests:
            low, high = self.interval(test, scope)
            if low is None or high is None:
                return None
            met = value == low if isinstance(low, str | bool) else low <= value <= high
            if met:
                return not cell.negated
        return cell.negated

    def interval(self, test: tree.Test, scope: str) -> tuple[Any, Any]:
        """The closed interval of a test; of a text twice the text."""
        low = self.estimate(test.low, scope)
        if test.kind == "equals" or low is None:
            return low, low
        if test.kind == "compare":
            return limits(test.operator, low, self.choices)
        high = None if test.high is None else self.estimate(test.high, scope)
        if high is None:
            return None, None
        return (
            math.nextafter(low, math.inf) if test.low_open else low,
            math.nextafter(high, -math.inf) if test.high_open else high,
        )

    # ------------------------------------------------------------ domains

    def domain(self, node: Node, scope: str, depth: int = 0) -> Any:
        """The texts or booleans a tree can be, as far as that is plain; else empty."""
        kind = node.type
        match node:
            case tree.Literal(value=value):
                return (value,)
            case tree.Parameter(id=entry):
                return (self.parameters.get(entry),)
            case tree.Fact(path=path):
                fact = self.book.facts[path]
                if fact.key_of:
                    return self.words.keys.get(fact.key_of, ())
                if fact.type.values is not None:
                    return fact.type.values
                return tuple(v for at in fact.found_in for v in self.words.named.get(at, ()))
            case tree.Column(alias=alias, name=name) if alias:
                what, table, binding = self.alias(scope, alias)
                if what == "table":
                    return self.cells(binding, table, name)
                if what == "fact":
                    fact = self.book.facts[table]
                    item = next((one for one in fact.fields if one.name == name), None)
                    if item is not None and item.type.values is not None:
                        return item.type.values
                    key_of = item.key_of if item else fact.key_of
                    if key_of:
                        return self.words.keys.get(key_of, ())
                    return tuple(v for at in fact.found_in for v in self.words.named.get(at, ()))
                if what == "relation" and depth < SHALLOW:
                    body = self.own(table, name).body
                    if isinstance(body, Formula):
                        return self.domain(body.expression, table, depth + 1)
            case tree.Column(name=name) if depth < SHALLOW:
                body = self.own(scope, name).body
                if isinstance(body, Formula):
                    return self.domain(body.expression, self.home(scope), depth + 1)
            case tree.If() if depth < SHALLOW:
                condition = self.estimate(node.condition, scope)
                if condition is not None:
                    chosen = node.then if condition else node.otherwise
                    return self.domain(chosen, scope, depth + 1)
                first = self.domain(node.then, scope, depth + 1)
                second = self.domain(node.otherwise, scope, depth + 1)
                return (*first, *second) if first and second else ()
        if kind is not None and kind.kind == "text" and kind.values:
            return kind.values
        return ()

    def field_number(self, path: str, name: str, low: float, high: float) -> float:
        """A number for the field of a list's row."""
        fact = self.book.facts[path]
        kind = next((one.type for one in fact.fields if one.name == name), fact.type)
        low = min(max(low, kind.low, -1e12), kind.high)
        high = max(min(high, kind.high, 1e12), low)
        return between(self.choices, low, high, kind.integer)

    @staticmethod
    def inner(node: Node) -> Iterable[Node]:
        """The trees inside a node; tests and cells apart."""
        for part in children(node):
            if not isinstance(part, tree.Cell | tree.Test):
                yield part


# How a tree of a kind is estimated; of others nothing can be said.
WAYS: Mapping[type, Callable[[Estimates, Any, str, int], Any]] = {
    tree.Parameter: lambda at, node, scope, depth: at.parameters.get(node.id),
    tree.Fact: lambda at, node, scope, depth: at._fact(node.path, depth),
    tree.DecisionValue: lambda at, node, scope, depth: at._decision(
        at.book.decisions[node.id], node.output, "", depth
    ),
    tree.Column: Estimates._of_column,
    tree.Lookup: lambda at, node, scope, depth: at._found(
        node, node.table, node.column, scope, depth
    ),
    tree.If: Estimates._of_if,
    tree.Not: Estimates._opposite,
    tree.And: lambda at, node, scope, depth: at._parts(node.parts, True, scope, depth),
    tree.Or: lambda at, node, scope, depth: at._parts(node.parts, False, scope, depth),
    tree.In: lambda at, node, scope, depth: at.passes(node.subject, node.cell, scope, depth),
    tree.Call: Estimates._of_call,
    tree.Arithmetic: Estimates._pair,
    tree.Comparison: Estimates._pair,
    tree.Negate: Estimates._negative,
}
