"""Conditions in three-valued logic: `and`, `or`, `not`, `if`, the cells of tables.

A condition that may be unknown is true, false or null in the target. Parts that need statements
are nested, so that a later part only runs while the earlier ones leave the answer open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.language import tree
from engine.language.tree import Node
from engine.targets.analysis import safe
from engine.targets.emit import LEAVES, Emitter
from engine.targets.statements import Assign, Each, If, Statement
from engine.targets.values import ADD, AND, ATOM, CHOICE, COMPARE, OR, Value

INLINE_LIMIT = 160  # characters of a branch that may be written in an expression
REPEATED_STATEMENTS = 12  # of two branches that may be written twice for speed


def compare(emitter: Emitter, operator: str, left: Value, right: Value) -> Value:
    a, b = left.within(ADD), right.within(ADD)
    if operator == "=":
        code = emitter.syntax.equal(a, b)
    elif operator == "!=":
        code = emitter.syntax.differ(a, b)
    else:
        code = f"{a} {operator} {b}"
    return emitter.strict(code, [left, right], COMPARE)


def negation(emitter: Emitter, value: Value) -> Value:
    negated = emitter.syntax.negate(value)
    return emitter.strict(negated.code, [value], negated.rank)


def kleene(emitter: Emitter, parts: Sequence[Node], *, conjunction: bool) -> Value:
    """`and` / `or`; later parts only run while earlier ones leave the answer open."""
    held = frozenset[str]()
    emitted: list[tuple[Value, list[Statement], str, bool]] = []
    for part in parts:
        with emitter.branch(held) as inner:
            value = emitter.emit(part)
            may_be_unknown = value.unknown or bool(emitter.open_nulls(value))
            emitted.append((value, inner, emitter.full(value), may_be_unknown))
        if conjunction:
            held |= truths(emitter, part)
    if sum(len(inner) for _, inner, _, _ in emitted) <= len(parts) and all(
        is_read(statement) for _, inner, _, _ in emitted for statement in inner
    ):
        # Reading a column costs less than a branch around it.
        for _, inner, _, _ in emitted:
            emitter.out.extend(inner)
            inner.clear()
    dependent = held or not all(safe(part, emitter.declared) for part in parts[1:])
    if any(inner for _, inner, _, _ in emitted) or (
        dependent and any(may_be_unknown for _, _, _, may_be_unknown in emitted)
    ):
        return _kleene_statements(emitter, emitted, conjunction=conjunction)
    return kleene_values(emitter, [value for value, _, _, _ in emitted], conjunction=conjunction)


def truths(emitter: Emitter, node: Node) -> frozenset[str]:
    """Variables that are known wherever a condition that cannot be unknown is true."""
    names: set[str] = set()
    for part in node.parts if isinstance(node, tree.And) else (node,):
        if isinstance(part, tree.Call) and part.function == "known":
            argument = part.arguments[0]
            if isinstance(argument, LEAVES):
                names.update(emitter.closure(emitter.leaf(argument).nulls))
    return frozenset(names)


def kleene_values(emitter: Emitter, values: Sequence[Value], *, conjunction: bool) -> Value:
    """The same over values that need no statements."""
    absorbing = not conjunction
    join = emitter.syntax.both if conjunction else emitter.syntax.either
    rank = AND if conjunction else OR
    if any(value.constant is absorbing for value in values):
        return emitter.literal(absorbing)
    values = [value for value in values if value.constant is not conjunction]
    if not values:
        return emitter.literal(conjunction)
    open_ = [value for value in values if value.unknown or emitter.open_nulls(value)]
    if not open_:
        if len(values) == 1:
            return values[0]
        return Value(join([value.within(rank + 1) for value in values]), (), rank)
    if len(values) == 1:
        return values[0]
    # Parts that hang on the same variables are unknown together.
    nulls = emitter.open_nulls(values[0])
    if not any(value.unknown or emitter.open_nulls(value) != nulls for value in values):
        return Value(join([value.within(rank + 1) for value in values]), nulls, rank)
    # From the right, two at a time; known parts come first, as they cost least.
    plain = [value for value in values if not (value.unknown or emitter.open_nulls(value))]
    result = emitter.bind(open_[-1])
    for value in reversed(open_[:-1]):
        result = _pair(emitter, emitter.bind(value), result, conjunction=conjunction)
    if not plain:
        return result
    first = plain[0]
    if len(plain) > 1:
        first = Value(join([value.within(rank + 1) for value in plain]), (), rank)
    code = join([first.within(rank + 1), emitter.operand(result)])
    return emitter.maybe(code)


def _pair(emitter: Emitter, left: Value, right: Value, *, conjunction: bool) -> Value:
    """Kleene `and` / `or` of two atoms that may be unknown, quick where the left is known."""
    syntax = emitter.syntax
    if left.unknown or right.unknown:
        if left.unknown and right.unknown:
            return left
        known = right if left.unknown else left
        if conjunction:
            stop = syntax.is_false(known.code)
            return emitter.maybe(syntax.choose(stop, syntax.false, syntax.null))
        return emitter.maybe(syntax.choose(syntax.is_true(known.code), syntax.true, syntax.null))
    a, b = left.code, right.code
    if conjunction:
        stop = syntax.either([syntax.is_false(a), syntax.is_false(b)])
        rest = syntax.choose(stop, syntax.false, syntax.null)
        return emitter.maybe(syntax.choose(a, b, f"({rest})"))
    open_left = syntax.choose(b, syntax.true, syntax.null)
    rest = syntax.choose(syntax.is_false(a), b, f"({open_left})")
    return emitter.maybe(syntax.choose(a, syntax.true, f"({rest})"))


def _kleene_statements(
    emitter: Emitter,
    parts: Sequence[tuple[Value, list[Statement], str, bool]],
    *,
    conjunction: bool,
) -> Value:
    """`r = p1; if r is not false: q = p2; if q is not true: r = q; …`, nested."""
    syntax, name = emitter.syntax, emitter.fresh()
    out, nullable = emitter.out, False
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
                part = emitter.fresh()
                out.append(Assign(part, code))
            test = syntax.not_true if conjunction else syntax.not_false
            out.append(If(test(part), [Assign(name, part)]))
        nullable = nullable or may_be_unknown
    return Value(name, (name,) if nullable else (), ATOM, stored=True)


def choice(emitter: Emitter, node: tree.If) -> Value:
    condition = emitter.emit(node.condition)
    if condition.constant is True:
        return emitter.emit(node.then)
    if condition.constant is False:
        return emitter.emit(node.otherwise)
    nulls = emitter.open_nulls(condition)
    known = frozenset[str]() if nulls else truths(emitter, node.condition)
    if nulls or condition.unknown:
        condition = emitter.bind(condition)
    with emitter.branch(known) as first:
        then = emitter.emit(node.then)
        then_code, then_nulls = emitter.operand(then), emitter.open_nulls(then)
    with emitter.branch() as second:
        otherwise = emitter.emit(node.otherwise)
    if not nulls and not condition.unknown:
        place = str(node.position)
        first[:0] = emitter.module.mark("branch", place, "then")
        second[:0] = emitter.module.mark("branch", place, "else")
    may_be_unknown = bool(
        then_nulls or emitter.open_nulls(otherwise) or then.unknown or otherwise.unknown
    )
    if not nulls and not condition.unknown:
        return _known_choice(
            emitter,
            condition,
            (first, then_code),
            (second, emitter.operand(otherwise)),
            may_be_unknown,
        )
    return _open_choice(emitter, condition, (first, then), (second, otherwise))


def _known_choice(
    emitter: Emitter,
    condition: Value,
    then: tuple[list[Statement], str],
    otherwise: tuple[list[Statement], str],
    may_be_unknown: bool,
) -> Value:
    then_code, otherwise_code = then[1], otherwise[1]
    if not then[0] and not otherwise[0] and len(then_code) + len(otherwise_code) < INLINE_LIMIT:
        code = emitter.syntax.choose(condition.within(CHOICE + 1), then_code, otherwise_code)
        if not may_be_unknown:
            return Value(code, (), CHOICE)
        return emitter.maybe(code)
    name = emitter.fresh()
    emitter.out.append(
        If(
            condition.code,
            assigned(name, then_code, then[0]),
            assigned(name, otherwise_code, otherwise[0]),
        )
    )
    return Value(name, (name,) if may_be_unknown else (), ATOM, stored=True)


def _open_choice(
    emitter: Emitter,
    condition: Value,
    then: tuple[list[Statement], Value],
    otherwise: tuple[list[Statement], Value],
) -> Value:
    """The condition may be unknown: then the answer is what both branches agree on."""
    syntax = emitter.syntax
    if condition.unknown:
        emitter.out.extend([*then[0], *otherwise[0]])
        a, b = emitter.bind(then[1]), emitter.bind(otherwise[1])
        if a.unknown or b.unknown:
            return emitter.unknown()
        return emitter.maybe(syntax.choose(syntax.equal(a.code, b.code), a.code, syntax.null))
    name = condition.code
    a, b = then[1], otherwise[1]
    if not then[0] and not otherwise[0] and a.atom and b.atom:
        if a.unknown and b.unknown:
            return emitter.unknown()
        agreed = syntax.null
        if a.constant is not None and b.constant is not None:
            agreed = a.code if a.constant == b.constant else syntax.null
        elif not a.unknown and not b.unknown:
            agreed = f"({syntax.choose(syntax.equal(a.code, b.code), a.code, syntax.null)})"
        code = syntax.choose(
            name,
            emitter.full(a),
            f"({syntax.choose(syntax.is_null(name), agreed, emitter.full(b))})",
        )
        return emitter.maybe(code)
    first, second = emitter.fresh(), emitter.fresh()
    if size_of(then[0]) + size_of(otherwise[0]) <= REPEATED_STATEMENTS:
        return _three_ways(emitter, name, then, otherwise, (first, second))
    emitter.out.append(If(syntax.not_false(name), assigned(first, emitter.full(a), then[0])))
    emitter.out.append(If(syntax.not_true(name), assigned(second, emitter.full(b), otherwise[0])))
    agreed = syntax.choose(syntax.equal(first, second), first, syntax.null)
    return emitter.maybe(
        syntax.choose(
            name, first, f"({syntax.choose(syntax.is_null(name), f'({agreed})', second)})"
        )
    )


def _three_ways(
    emitter: Emitter,
    condition: str,
    then: tuple[list[Statement], Value],
    otherwise: tuple[list[Statement], Value],
    names: tuple[str, str],
) -> Value:
    """True, false, and apart from them the rare unknown, which runs both branches."""
    syntax, result = emitter.syntax, emitter.fresh()
    first, second = names
    agreed = syntax.choose(syntax.equal(first, second), first, syntax.null)
    a, b = emitter.full(then[1]), emitter.full(otherwise[1])
    both = [
        *assigned(first, a, then[0]),
        *assigned(second, b, otherwise[0]),
        Assign(result, agreed),
    ]
    known = assigned(result, b, otherwise[0])
    emitter.out.append(
        If(
            condition,
            assigned(result, a, then[0]),
            [If(syntax.is_null(condition), both, known)],
        )
    )
    return Value(result, (result,), ATOM, stored=True)


def cell_holds(emitter: Emitter, subject: Value, cell: tree.Cell) -> Value:
    """Whether a cell holds on its subject (an atom)."""
    if not cell.tests:
        return emitter.literal(True)
    tests = [test_holds(emitter, subject, test) for test in cell.tests]
    held = kleene_values(emitter, tests, conjunction=False)
    return negation(emitter, held) if cell.negated else held


def test_holds(emitter: Emitter, subject: Value, test: tree.Test) -> Value:
    low = emitter.emit(test.low)
    if test.kind == "equals":
        if isinstance(low.constant, bool):
            return subject if low.constant else negation(emitter, subject)
        return compare(emitter, "=", subject, low)
    if test.kind == "compare":
        return compare(emitter, test.operator, subject, low)
    assert test.high is not None
    high = emitter.emit(test.high)
    return kleene_values(
        emitter,
        [
            compare(emitter, ">" if test.low_open else ">=", subject, low),
            compare(emitter, "<" if test.high_open else "<=", subject, high),
        ],
        conjunction=True,
    )


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
