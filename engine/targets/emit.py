"""Expressions of typed trees as statements and expressions of a script target.

An `Emitter` writes one function of the target. Strict operations are kept as one expression
whose unknown operands are checked together (`Value.nulls`); what needs statements (loops,
branches with statements inside) is written before the expression that uses it.

Sub-expressions that read nothing of the innermost loop are moved out to the outermost loop they
need, unless that could divide by zero where a guard would have prevented it (`safe`).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type
from engine.language.walk import children
from engine.targets.analysis import may_be_negative_zero, safe, same_tree_key
from engine.targets.statements import Assign, Do, Each, If, Leave, Statement
from engine.targets.syntax import Syntax
from engine.targets.values import (
    ADD,
    AND,
    ATOM,
    CHOICE,
    COMPARE,
    MULTIPLY,
    OR,
    UNARY,
    Value,
)

if TYPE_CHECKING:
    from engine.targets.module import Module

Key = Hashable
INLINE_LIMIT = 160  # characters of a branch that may be written in an expression
REPEATED_STATEMENTS = 12  # of two branches that may be written twice for speed


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

    # ------------------------------------------------------------ everything else

    def compute(self, node: Node) -> Value:
        match node:
            case tree.Negate(operand=operand):
                value = self.emit(operand)
                return self.strict(f"-{value.within(ATOM)}", [value], UNARY)
            case tree.Arithmetic():
                return self.arithmetic(node)
            case tree.Comparison(operator=operator, left=left, right=right):
                return self.compare(operator, self.emit(left), self.emit(right))
            case tree.Not(operand=operand):
                return self.negation(self.emit(operand))
            case tree.And(parts=parts):
                return self.kleene(parts, conjunction=True)
            case tree.Or(parts=parts):
                return self.kleene(parts, conjunction=False)
            case tree.If():
                return self.choice(node)
            case tree.In(subject=subject, cell=cell):
                return self.cell(self.bind(self.emit(subject)), cell)
            case tree.Call(function="known", arguments=(argument,)):
                return self.is_known(self.emit(argument))
            case tree.Call(function=function, arguments=arguments):
                return self.call(function, [self.emit(argument) for argument in arguments])
            case tree.Power(base=base, exponent=exponent):
                return self.power(self.emit(base), self.emit(exponent))
            case tree.RoundHalfUp(operand=operand, places=places):
                return self.round_half_up(self.emit(operand), places)
            case tree.Interpolate():
                return self.module.curves.interpolate(self, node)
            case tree.FirstAtLeast():
                return self.module.curves.first_at_least(self, node)
            case tree.Lookup():
                return self.lookup(node)
            case tree.Aggregate():
                from engine.targets.aggregates import emit_aggregate

                return emit_aggregate(self, node)
            case tree.Best(ranking=ranking, column=column):
                return self.module.best(self, ranking, column)
        raise LookupError(f"not a typed expression: {type(node).__name__} at {node.position}")

    def strict(self, code: str, operands: Sequence[Value], rank: int = ATOM) -> Value:
        """A value that is unknown as soon as one operand is."""
        if any(operand.unknown for operand in operands):
            return self.unknown()
        return Value(code, self.open_nulls(*operands), rank)

    def unknown(self) -> Value:
        return Value(self.syntax.null, unknown=True)

    def arithmetic(self, node: tree.Arithmetic) -> Value:
        left, right = self.emit(node.left), self.emit(node.right)
        rank = ADD if node.operator in "+-" else MULTIPLY
        code = f"{left.within(rank)} {node.operator} {right.within(rank + 1)}"
        return self.strict(code, [left, right], rank)

    def compare(self, operator: str, left: Value, right: Value) -> Value:
        a, b = left.within(ADD), right.within(ADD)
        if operator == "=":
            code = self.syntax.equal(a, b)
        elif operator == "!=":
            code = self.syntax.differ(a, b)
        else:
            code = f"{a} {operator} {b}"
        return self.strict(code, [left, right], COMPARE)

    def negation(self, value: Value) -> Value:
        negated = self.syntax.negate(value)
        return self.strict(negated.code, [value], negated.rank)

    def is_known(self, value: Value) -> Value:
        if value.unknown:
            return self.literal(False)
        nulls = self.open_nulls(value)
        if not nulls:
            return self.literal(True)
        return Value(self.syntax.both([self.syntax.not_null(name) for name in nulls]), (), AND)

    def call(self, function: str, values: Sequence[Value]) -> Value:
        if function in ("min", "max"):
            result = values[0]
            for value in values[1:]:
                pair = [result, value]
                made = self.syntax.call(function, pair, (self.fresh(), self.fresh()))
                result = self.strict(made.code, pair, made.rank)
            return result
        made = self.syntax.call(function, values, ())
        return self.strict(made.code, values, made.rank)

    def power(self, base: Value, exponent: Value) -> Value:
        """By squaring from the top bit; r = 1·1 while no bit was set changes nothing."""
        if not isinstance(exponent.constant, float):
            arguments = ", ".join(value.within(CHOICE) for value in (base, exponent))
            return self.strict(f"{self.module.runtime('power')}({arguments})", [base, exponent])
        n = int(exponent.constant)
        if n == 0:
            return self.strict(self.syntax.literal(1.0), [base])
        if base.unknown or n == 1:
            return base
        x = base.code
        first = x
        if not base.atom:
            x = self.fresh()
            first = self.syntax.set_inline(x, base.code)
        code, rank = first, ATOM
        for bit in f"{n:b}"[1:]:
            if rank != ATOM:
                square = self.fresh()
                code = f"{self.syntax.set_inline(square, code)} * {square}"
            else:
                code = f"{code} * {x}"
            rank = MULTIPLY
            if bit == "1":
                code = f"{code} * {x}"
        return self.strict(code, [base], MULTIPLY)

    def round_half_up(self, value: Value, places: int) -> Value:
        scale = self.syntax.literal(float(10**places))
        raised = Value(f"{value.within(MULTIPLY)} * {scale} + {self.syntax.literal(0.5)}", rank=ADD)
        floored = self.syntax.call("floor", [raised], ())
        return self.strict(f"{floored.within(MULTIPLY)} / {scale}", [value], MULTIPLY)

    def lookup(self, node: tree.Lookup) -> Value:
        key = self.emit(node.key)
        if key.unknown:
            return self.unknown()
        address = ("lookup", node.table, same_tree_key(node.key))
        row = self.frame.find(address)
        if row is None:
            row = self.module.lookup_row(self, node.table, self.bind(key))
            self.frame.caches[-1][address] = row
        return self.module.cell(self, node.table, node.column, row)

    # ------------------------------------------------------------ logic

    def kleene(self, parts: Sequence[Node], *, conjunction: bool) -> Value:
        """`and` / `or`; later parts only run while earlier ones leave the answer open."""
        held = frozenset[str]()
        emitted: list[tuple[Value, list[Statement], str, bool]] = []
        for part in parts:
            with self.branch(held) as inner:
                value = self.emit(part)
                may_be_unknown = value.unknown or bool(self.open_nulls(value))
                emitted.append((value, inner, self.full(value), may_be_unknown))
            if conjunction:
                held |= self.truths(part)
        if sum(len(inner) for _, inner, _, _ in emitted) <= len(parts) and all(
            is_read(statement) for _, inner, _, _ in emitted for statement in inner
        ):
            # Reading a column costs less than a branch around it.
            for _, inner, _, _ in emitted:
                self.out.extend(inner)
                inner.clear()
        dependent = held or not all(safe(part, self.declared) for part in parts[1:])
        if any(inner for _, inner, _, _ in emitted) or (
            dependent and any(may_be_unknown for _, _, _, may_be_unknown in emitted)
        ):
            return self._kleene_statements(emitted, conjunction=conjunction)
        return self.kleene_values([value for value, _, _, _ in emitted], conjunction=conjunction)

    def truths(self, node: Node) -> frozenset[str]:
        """Variables that are known wherever a condition that cannot be unknown is true."""
        names: set[str] = set()
        for part in node.parts if isinstance(node, tree.And) else (node,):
            if isinstance(part, tree.Call) and part.function == "known":
                argument = part.arguments[0]
                if isinstance(argument, LEAVES):
                    names.update(self.closure(self.leaf(argument).nulls))
        return frozenset(names)

    def kleene_values(self, values: Sequence[Value], *, conjunction: bool) -> Value:
        """The same over values that need no statements."""
        absorbing = not conjunction
        join = self.syntax.both if conjunction else self.syntax.either
        rank = AND if conjunction else OR
        if any(value.constant is absorbing for value in values):
            return self.literal(absorbing)
        values = [value for value in values if value.constant is not conjunction]
        if not values:
            return self.literal(conjunction)
        open_ = [value for value in values if value.unknown or self.open_nulls(value)]
        if not open_:
            if len(values) == 1:
                return values[0]
            return Value(join([value.within(rank + 1) for value in values]), (), rank)
        if len(values) == 1:
            return values[0]
        # Parts that hang on the same variables are unknown together.
        nulls = self.open_nulls(values[0])
        if not any(value.unknown or self.open_nulls(value) != nulls for value in values):
            return Value(join([value.within(rank + 1) for value in values]), nulls, rank)
        # From the right, two at a time; known parts come first, as they cost least.
        plain = [value for value in values if not (value.unknown or self.open_nulls(value))]
        result = self.bind(open_[-1])
        for value in reversed(open_[:-1]):
            result = self._pair(self.bind(value), result, conjunction=conjunction)
        if not plain:
            return result
        first = plain[0]
        if len(plain) > 1:
            first = Value(join([value.within(rank + 1) for value in plain]), (), rank)
        code = join([first.within(rank + 1), self.operand(result)])
        return self.maybe(code)

    def _pair(self, left: Value, right: Value, *, conjunction: bool) -> Value:
        """Kleene `and` / `or` of two atoms that may be unknown, quick where the left is known."""
        syntax = self.syntax
        if left.unknown or right.unknown:
            if left.unknown and right.unknown:
                return left
            known = right if left.unknown else left
            if conjunction:
                stop = syntax.is_false(known.code)
                return self.maybe(syntax.choose(stop, syntax.false, syntax.null))
            return self.maybe(syntax.choose(syntax.is_true(known.code), syntax.true, syntax.null))
        a, b = left.code, right.code
        if conjunction:
            stop = syntax.either([syntax.is_false(a), syntax.is_false(b)])
            rest = syntax.choose(stop, syntax.false, syntax.null)
            return self.maybe(syntax.choose(a, b, f"({rest})"))
        open_left = syntax.choose(b, syntax.true, syntax.null)
        rest = syntax.choose(syntax.is_false(a), b, f"({open_left})")
        return self.maybe(syntax.choose(a, syntax.true, f"({rest})"))

    def maybe(self, code: str, nulls: Sequence[str] = ()) -> Value:
        """A new variable that may be unknown for reasons of its own."""
        name = self.fresh()
        self.out.append(Assign(name, code))
        return Value(name, (name,), ATOM, stored=True)

    def _kleene_statements(
        self, parts: Sequence[tuple[Value, list[Statement], str, bool]], *, conjunction: bool
    ) -> Value:
        """`r = p1; if r is not false: q = p2; if q is not true: r = q; …`, nested."""
        syntax, name = self.syntax, self.fresh()
        out, nullable = self.out, False
        for number, (value, inner, code, may_be_unknown) in enumerate(parts):
            if number > 0:
                go_on = (syntax.not_false if conjunction else syntax.not_true)(name)
                if not nullable:
                    go_on = name if conjunction else syntax.negate(Value(name)).code
                body: list[Statement] = []
                out.append(If(go_on, body))
                out = body
            if not nullable:
                out.extend(assigned(name, code, inner))
            else:
                part = code
                out.extend(inner)
                if not value.stored:
                    part = self.fresh()
                    out.append(Assign(part, code))
                test = syntax.not_true if conjunction else syntax.not_false
                out.append(If(test(part), [Assign(name, part)]))
            nullable = nullable or may_be_unknown
        return Value(name, (name,) if nullable else (), ATOM, stored=True)

    def choice(self, node: tree.If) -> Value:
        condition = self.emit(node.condition)
        if condition.constant is True:
            return self.emit(node.then)
        if condition.constant is False:
            return self.emit(node.otherwise)
        nulls = self.open_nulls(condition)
        known = frozenset[str]() if nulls else self.truths(node.condition)
        if nulls or condition.unknown:
            condition = self.bind(condition)
        with self.branch(known) as first:
            then = self.emit(node.then)
            then_code, then_nulls = self.operand(then), self.open_nulls(then)
        with self.branch() as second:
            otherwise = self.emit(node.otherwise)
        if not nulls and not condition.unknown:
            place = str(node.position)
            first[:0] = self.module.mark("branch", place, "then")
            second[:0] = self.module.mark("branch", place, "else")
        may_be_unknown = bool(
            then_nulls or self.open_nulls(otherwise) or then.unknown or otherwise.unknown
        )
        if not nulls and not condition.unknown:
            return self._known_choice(
                condition, (first, then_code), (second, self.operand(otherwise)), may_be_unknown
            )
        return self._open_choice(condition, (first, then), (second, otherwise))

    def _known_choice(
        self,
        condition: Value,
        then: tuple[list[Statement], str],
        otherwise: tuple[list[Statement], str],
        may_be_unknown: bool,
    ) -> Value:
        then_code, otherwise_code = then[1], otherwise[1]
        if not then[0] and not otherwise[0] and len(then_code) + len(otherwise_code) < INLINE_LIMIT:
            code = self.syntax.choose(condition.within(CHOICE + 1), then_code, otherwise_code)
            if not may_be_unknown:
                return Value(code, (), CHOICE)
            return self.maybe(code)
        name = self.fresh()
        self.out.append(
            If(
                condition.code,
                assigned(name, then_code, then[0]),
                assigned(name, otherwise_code, otherwise[0]),
            )
        )
        return Value(name, (name,) if may_be_unknown else (), ATOM, stored=True)

    def _open_choice(
        self,
        condition: Value,
        then: tuple[list[Statement], Value],
        otherwise: tuple[list[Statement], Value],
    ) -> Value:
        """The condition may be unknown: then the answer is what both branches agree on."""
        syntax = self.syntax
        if condition.unknown:
            self.out.extend([*then[0], *otherwise[0]])
            a, b = self.bind(then[1]), self.bind(otherwise[1])
            if a.unknown or b.unknown:
                return self.unknown()
            return self.maybe(syntax.choose(syntax.equal(a.code, b.code), a.code, syntax.null))
        name = condition.code
        a, b = then[1], otherwise[1]
        if not then[0] and not otherwise[0] and a.atom and b.atom:
            if a.unknown and b.unknown:
                return self.unknown()
            agreed = syntax.null
            if a.constant is not None and b.constant is not None:
                agreed = a.code if a.constant == b.constant else syntax.null
            elif not a.unknown and not b.unknown:
                agreed = f"({syntax.choose(syntax.equal(a.code, b.code), a.code, syntax.null)})"
            code = syntax.choose(
                name,
                self.full(a),
                f"({syntax.choose(syntax.is_null(name), agreed, self.full(b))})",
            )
            return self.maybe(code)
        first, second = self.fresh(), self.fresh()
        if size_of(then[0]) + size_of(otherwise[0]) <= REPEATED_STATEMENTS:
            return self._three_ways(name, then, otherwise, (first, second))
        self.out.append(If(syntax.not_false(name), assigned(first, self.full(a), then[0])))
        self.out.append(If(syntax.not_true(name), assigned(second, self.full(b), otherwise[0])))
        agreed = syntax.choose(syntax.equal(first, second), first, syntax.null)
        return self.maybe(
            syntax.choose(
                name, first, f"({syntax.choose(syntax.is_null(name), f'({agreed})', second)})"
            )
        )

    def _three_ways(
        self,
        condition: str,
        then: tuple[list[Statement], Value],
        otherwise: tuple[list[Statement], Value],
        names: tuple[str, str],
    ) -> Value:
        """True, false, and apart from them the rare unknown, which runs both branches."""
        syntax, result = self.syntax, self.fresh()
        first, second = names
        agreed = syntax.choose(syntax.equal(first, second), first, syntax.null)
        a, b = self.full(then[1]), self.full(otherwise[1])
        both = [
            *assigned(first, a, then[0]),
            *assigned(second, b, otherwise[0]),
            Assign(result, agreed),
        ]
        known = assigned(result, b, otherwise[0])
        self.out.append(
            If(
                condition,
                assigned(result, a, then[0]),
                [If(syntax.is_null(condition), both, known)],
            )
        )
        return Value(result, (result,), ATOM, stored=True)

    # ------------------------------------------------------------ cells

    def cell(self, subject: Value, cell: tree.Cell) -> Value:
        """Whether a cell holds on its subject (an atom)."""
        if not cell.tests:
            return self.literal(True)
        tests = [self.test(subject, test) for test in cell.tests]
        held = self.kleene_values(tests, conjunction=False)
        return self.negation(held) if cell.negated else held

    def test(self, subject: Value, test: tree.Test) -> Value:
        low = self.emit(test.low)
        if test.kind == "equals":
            if isinstance(low.constant, bool):
                return subject if low.constant else self.negation(subject)
            return self.compare("=", subject, low)
        if test.kind == "compare":
            return self.compare(test.operator, subject, low)
        assert test.high is not None
        high = self.emit(test.high)
        return self.kleene_values(
            [
                self.compare(">" if test.low_open else ">=", subject, low),
                self.compare("<" if test.high_open else "<=", subject, high),
            ],
            conjunction=True,
        )

    # ------------------------------------------------------------ outputs

    def output(self, node: Node) -> Value:
        """What leaves a decision, column or fact: a zero without sign."""
        value = self.emit(node)
        if isinstance(value.constant, float):
            return self.literal(value.constant + 0.0)
        if not may_be_negative_zero(node, self.declared, self.clean):
            return value
        return self.unsigned(value)

    def unsigned(self, value: Value) -> Value:
        """The number with zero's sign removed."""
        zero = self.syntax.literal(0.0)
        return self.strict(f"{value.within(ADD)} + {zero}", [value], ADD)

    def loop(self, index: str, item: str, items: str, body: list[Statement]) -> None:
        self.out.append(Each(index, item, items, body))

    def leave(self, condition: str) -> None:
        self.out.append(If(condition, [Leave("continue")]))

    def do(self, code: str) -> None:
        self.out.append(Do(code))


class ColumnSource(Protocol):
    """The own columns of the relation whose rows a function builds."""

    @property
    def group_level(self) -> int: ...

    def level(self, emitter: Emitter, name: str) -> int: ...

    def value(self, emitter: Emitter, name: str) -> Value: ...

    def declared(self, name: str) -> Type | None: ...


def assigned(name: str, code: str, before: Sequence[Statement]) -> list[Statement]:
    """`before`, then `code` in variable `name`; without a copy where `before` ends with it."""
    if before:
        last = retargeted(before[-1], code, name)
        if last is not None:
            return [*before[:-1], last]
    return [*before, Assign(name, code)]


def retargeted(statement: Statement, old: str, new: str) -> Statement | None:
    """The statement with `new` in place of variable `old`, if to assign it is how it ends."""
    if isinstance(statement, Assign) and statement.target == old:
        return Assign(new, statement.code)
    if isinstance(statement, If) and statement.then and statement.otherwise:
        then = retargeted(statement.then[-1], old, new)
        otherwise = retargeted(statement.otherwise[-1], old, new)
        if then is not None and otherwise is not None:
            return If(
                statement.condition,
                [*statement.then[:-1], then],
                [*statement.otherwise[:-1], otherwise],
            )
    return None


def is_read(statement: Statement) -> bool:
    """Whether it only reads an item of a row."""
    return isinstance(statement, Assign) and bool(_READ.fullmatch(statement.code))


_READ = re.compile(r"[a-z][0-9]+\[[0-9]+\]")


def size_of(statements: Sequence[Statement]) -> int:
    """How many statements there are, inner ones included."""
    count = len(statements)
    for statement in statements:
        if isinstance(statement, If):
            count += size_of(statement.then) + size_of(statement.otherwise)
        elif isinstance(statement, Each):
            count += size_of(statement.body)
    return count


LEAVES = (tree.Literal, tree.Fact, tree.Parameter, tree.DecisionValue, tree.Column)
SHARED = (tree.Interpolate, tree.Aggregate, tree.Power)
