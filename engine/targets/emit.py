"""Expressions of typed trees as statements and expressions of a script target.

An `Emitter` writes one function of the target. Strict operations are kept as one expression
whose unknown operands are checked together (`Value.nulls`); what needs statements (loops,
branches with statements inside) is written before the expression that uses it.

Sub-expressions that read nothing of the innermost loop are moved out to the outermost loop they
need, unless that could divide by zero where a guard would have prevented it (`safe`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type
from engine.language.walk import children
from engine.targets.analysis import safe, same_tree_key
from engine.targets.statements import Assign, Do, Each, Statement
from engine.targets.syntax import Syntax
from engine.targets.values import (
    ATOM,
    CHOICE,
    UNARY,
    Value,
)

if TYPE_CHECKING:
    from engine.targets.module import Module

Key = Hashable


class RowScope(Protocol):
    """Columns of a row variable; `clean`: those of a relation, whose zeros have no sign."""

    @property
    def clean(self) -> bool: ...

    def column(self, emitter: Emitter, name: str) -> Value: ...

    def declared(self, name: str) -> Type | None: ...


@dataclass(slots=True)
class Frame:
    """One loop level: where its statements go and what is already computed there.

    `caches` has one entry per open branch; what is computed in a branch is not seen outside.
    """

    out: list[Statement]
    caches: list[dict[Key, Value]] = field(default_factory=lambda: [{}])

    def find(self, key: Key) -> Value | None:
        for cache in reversed(self.caches):
            if key in cache:
                return cache[key]
        return None


class Emitter:
    """Writes one function. Names are unique in the whole module, so a function nested in
    another (`parent`) takes what it reads as parameters of the same names."""

    def __init__(self, module: Module, parent: Emitter | None = None) -> None:
        self.module = module
        self.syntax: Syntax = module.syntax
        self.parent = parent
        self.frames = [Frame([])]
        self.current = 0
        self.parameters: dict[str, None] = {}
        self.locals: dict[str, None] = {}
        self.aliases: dict[str, tuple[int, RowScope]] = {}
        self.columns: ColumnSource | None = None
        self.members: tuple[str, Value] | None = None  # relation and rows of the group
        self.known: frozenset[str] = frozenset()

    # ------------------------------------------------------------ names and statements

    @property
    def frame(self) -> Frame:
        return self.frames[self.current]

    @property
    def out(self) -> list[Statement]:
        return self.frame.out

    def fresh(self, prefix: str = "t") -> str:
        name = self.module.name(prefix)
        self.locals[name] = None
        return name

    def use(self, *names: str) -> None:
        """Note that a name of an outer function, or of the module's run, is read here."""
        if self.parent is not None:
            self.parameters.update({name: None for name in names if name not in self.locals})

    def read(self, value: Value) -> Value:
        """A value of an outer function, with its names noted."""
        if value.stored:
            self.use(value.code)
        self.use(*value.nulls)
        return value

    def bind(self, value: Value, prefix: str = "t") -> Value:
        """The value in a variable, unless it is an atom already."""
        return value if value.atom else self.store(value, self.fresh(prefix))

    def store(self, value: Value, name: str) -> Value:
        """Assign the value, unknown or not, to a new variable."""
        self.out.append(Assign(name, self.full(value)))
        return self.stored(name, value)

    def stored(self, name: str, value: Value) -> Value:
        """What variable `name` is, once `value` was assigned to it."""
        nulls = self.open_nulls(value)
        if len(nulls) <= 1 and not value.unknown:
            # Unknown exactly when that other variable is: check that one, once.
            return Value(name, nulls, ATOM, stored=True)
        self.module.implies[name] = self.closure(nulls)
        return Value(name, (name,), ATOM, stored=True)

    def closure(self, names: Sequence[str]) -> frozenset[str]:
        implied = self.module.implies
        return frozenset(names).union(*(implied.get(name, ()) for name in names))

    def open_nulls(self, *values: Value) -> tuple[str, ...]:
        """The variables still to be checked: not known here, not implied by another one."""
        names = dict.fromkeys(
            name for value in values for name in value.nulls if name not in self.known
        )
        if len(names) < 2:  # no other one implies it
            return tuple(names)
        implied = self.module.implies
        return tuple(
            name
            for name in names
            if not any(name in implied.get(other, ()) for other in names if other != name)
        )

    def full(self, value: Value) -> str:
        """An expression that is the value or unknown."""
        if value.unknown:
            return self.syntax.null
        nulls = self.open_nulls(value)
        if value.stored or not nulls:
            return value.code
        checks = [self.syntax.not_null(name) for name in nulls]
        return self.syntax.choose(
            self.syntax.both(checks), value.within(CHOICE + 1), self.syntax.null
        )

    def operand(self, value: Value) -> str:
        """`full`, in parentheses where it needs them as an operand."""
        text = self.full(value)
        plain = value.atom or (value.rank == ATOM and not self.open_nulls(value))
        return text if plain else f"({text})"

    @contextmanager
    def branch(self, known: frozenset[str] = frozenset()) -> Iterator[list[Statement]]:
        """Statements written inside go to a list of their own, to be put under a condition."""
        frame, outer, outer_known = self.frame, self.frame.out, self.known
        inner: list[Statement] = []
        frame.out = inner
        frame.caches.append({})
        self.known = outer_known | known
        try:
            yield inner
        finally:
            frame.out = outer
            frame.caches.pop()
            self.known = outer_known

    @contextmanager
    def at(self, level: int) -> Iterator[None]:
        """Write at an outer loop level, where nothing learnt inside is known."""
        current, known = self.current, self.known
        self.current, self.known = level, frozenset() if level < current else known
        try:
            yield
        finally:
            self.current, self.known = current, known

    # ------------------------------------------------------------ loop levels

    def level(self, node: Node) -> int:
        """The innermost loop a tree reads."""
        if isinstance(node, tree.Column):
            if node.alias:
                return self.aliases[node.alias][0] if node.alias in self.aliases else 0
            return self.columns.level(self, node.name) if self.columns is not None else 0
        if isinstance(node, tree.Aggregate):
            inner = [part for part in (node.where, node.result) if part is not None]
            own = 0
            if node.relation == "members" and self.columns is not None:
                own = self.columns.group_level
            return max([own, *(self.level_without(part, node.alias) for part in inner)])
        return max((self.level(child) for child in children(node)), default=0)

    def level_without(self, node: Node, alias: str) -> int:
        hidden = self.aliases.pop(alias, None)
        try:
            return self.level(node)
        finally:
            if hidden is not None:
                self.aliases[alias] = hidden

    def emit(self, node: Node) -> Value:
        """The value of a tree at the current place."""
        if isinstance(node, LEAVES):
            return self.leaf(node)
        shared = isinstance(node, SHARED)
        if self.current > 0 or shared:
            level = self.level(node) if self.current > 0 else 0
            moved = level < self.current and safe(node, self.declared)
            if moved or shared:
                with self.at(level if moved else self.current):
                    key = same_tree_key(node)
                    found = self.frame.find(key)
                    if found is None:
                        found = self.bind(self.compute(node))
                        self.frame.caches[-1][key] = found
                return found
        return self.compute(node)

    def declared(self, node: Node) -> Type | None:
        """The declared type of what a leaf reads (its own type may be narrowed by guards)."""
        if isinstance(node, tree.Column):
            if node.alias in self.aliases:
                return self.aliases[node.alias][1].declared(node.name)
            if not node.alias and self.columns is not None:
                return self.columns.declared(node.name)
            return None if self.parent is None else self.parent.declared(node)
        return self.module.declared(node)

    def clean(self, node: tree.Column) -> bool:
        """Whether a column's zeros have lost their sign: it is one of a relation."""
        if node.alias in self.aliases:
            return self.aliases[node.alias][1].clean
        return not node.alias or (self.parent is not None and self.parent.clean(node))

    # ------------------------------------------------------------ leaves

    def leaf(self, node: Node) -> Value:
        match node:
            case tree.Literal(value=constant):
                return self.literal(constant)
            case tree.Fact(path=path):
                return self.read(self.module.fact(path))
            case tree.Parameter(id=name):
                return self.read(self.module.parameter(name))
            case tree.DecisionValue(id=name, output=output):
                return self.read(self.module.decision(name, output))
            case tree.Column():
                return self.column(node)
        raise AssertionError(type(node).__name__)

    def literal(self, constant: tree.Value) -> Value:
        if isinstance(constant, (int, float)) and not isinstance(constant, bool):
            constant = float(constant)
        code = self.syntax.literal(constant)
        return Value(code, (), UNARY if code.startswith("-") else ATOM, constant=constant)

    def column(self, node: tree.Column) -> Value:
        if node.alias in self.aliases:
            level, row = self.aliases[node.alias]
            with self.at(level):
                key = ("column", node.alias, node.name)
                found = self.frame.find(key)
                if found is None:
                    found = self.bind(row.column(self, node.name), "v")
                    self.frame.caches[-1][key] = found
            return found
        if not node.alias and self.columns is not None:
            return self.columns.value(self, node.name)
        if self.parent is None:
            raise LookupError(f"no row in scope for {node.alias}.{node.name}")
        return self.read(self.parent.bind(self.parent.column(node)))

    def strict(self, code: str, operands: Sequence[Value], rank: int = ATOM) -> Value:
        """A value that is unknown as soon as one operand is."""
        if any(operand.unknown for operand in operands):
            return self.unknown()
        return Value(code, self.open_nulls(*operands), rank)

    def unknown(self) -> Value:
        return Value(self.syntax.null, unknown=True)

    def maybe(self, code: str, nulls: Sequence[str] = ()) -> Value:
        """A new variable that may be unknown for reasons of its own."""
        name = self.fresh()
        self.out.append(Assign(name, code))
        return Value(name, (name,), ATOM, stored=True)

    def compute(self, node: Node) -> Value:
        from engine.targets.expressions import compute

        return compute(self, node)

    def loop(self, index: str, item: str, items: str, body: list[Statement]) -> None:
        self.out.append(Each(index, item, items, body))

    def do(self, code: str) -> None:
        self.out.append(Do(code))


class ColumnSource(Protocol):
    """The own columns of the relation whose rows a function builds."""

    @property
    def group_level(self) -> int: ...

    def level(self, emitter: Emitter, name: str) -> int: ...

    def value(self, emitter: Emitter, name: str) -> Value: ...

    def declared(self, name: str) -> Type | None: ...


LEAVES = (tree.Literal, tree.Fact, tree.Parameter, tree.DecisionValue, tree.Column)
SHARED = (tree.Interpolate, tree.Aggregate, tree.Power)
