"""Arithmetic, functions and look-ups as expressions of a script target."""

from __future__ import annotations

from collections.abc import Sequence

from engine.language import tree
from engine.language.tree import Node
from engine.targets.analysis import may_be_negative_zero, same_tree_key
from engine.targets.conditions import cell_holds, choice, compare, kleene, negation
from engine.targets.emit import Emitter
from engine.targets.values import ADD, AND, ATOM, CHOICE, MULTIPLY, UNARY, Value


def compute(emitter: Emitter, node: Node) -> Value:
    match node:
        case tree.Negate(operand=operand):
            value = emitter.emit(operand)
            return emitter.strict(f"-{value.within(ATOM)}", [value], UNARY)
        case tree.Arithmetic():
            return arithmetic(emitter, node)
        case tree.Comparison(operator=operator, left=left, right=right):
            return compare(emitter, operator, emitter.emit(left), emitter.emit(right))
        case tree.Not(operand=operand):
            return negation(emitter, emitter.emit(operand))
        case tree.And(parts=parts):
            return kleene(emitter, parts, conjunction=True)
        case tree.Or(parts=parts):
            return kleene(emitter, parts, conjunction=False)
        case tree.If():
            return choice(emitter, node)
        case tree.In(subject=subject, cell=cell):
            return cell_holds(emitter, emitter.bind(emitter.emit(subject)), cell)
        case tree.Call(function="known", arguments=(argument,)):
            return is_known(emitter, emitter.emit(argument))
        case tree.Call(function=function, arguments=arguments):
            return call(emitter, function, [emitter.emit(argument) for argument in arguments])
        case tree.Power(base=base, exponent=exponent):
            return power(emitter, emitter.emit(base), emitter.emit(exponent))
        case tree.RoundHalfUp(operand=operand, places=places):
            return round_half_up(emitter, emitter.emit(operand), places)
        case tree.Interpolate():
            return emitter.module.curves.interpolate(emitter, node)
        case tree.FirstAtLeast():
            return emitter.module.curves.first_at_least(emitter, node)
        case tree.Lookup():
            return lookup(emitter, node)
        case tree.Aggregate():
            from engine.targets.aggregates import emit_aggregate

            return emit_aggregate(emitter, node)
        case tree.Best(ranking=ranking, column=column):
            return emitter.module.best(emitter, ranking, column)
    raise LookupError(f"not a typed expression: {type(node).__name__} at {node.position}")


def arithmetic(emitter: Emitter, node: tree.Arithmetic) -> Value:
    left, right = emitter.emit(node.left), emitter.emit(node.right)
    rank = ADD if node.operator in "+-" else MULTIPLY
    code = f"{left.within(rank)} {node.operator} {right.within(rank + 1)}"
    return emitter.strict(code, [left, right], rank)


def is_known(emitter: Emitter, value: Value) -> Value:
    if value.unknown:
        return emitter.literal(False)
    nulls = emitter.open_nulls(value)
    if not nulls:
        return emitter.literal(True)
    return Value(emitter.syntax.both([emitter.syntax.not_null(name) for name in nulls]), (), AND)


def call(emitter: Emitter, function: str, values: Sequence[Value]) -> Value:
    if function in ("min", "max"):
        result = values[0]
        for value in values[1:]:
            pair = [result, value]
            made = emitter.syntax.call(function, pair, (emitter.fresh(), emitter.fresh()))
            result = emitter.strict(made.code, pair, made.rank)
        return result
    made = emitter.syntax.call(function, values, ())
    return emitter.strict(made.code, values, made.rank)


def power(emitter: Emitter, base: Value, exponent: Value) -> Value:
    """By squaring from the top bit; r = 1·1 while no bit was set changes nothing."""
    if not isinstance(exponent.constant, float):
        arguments = ", ".join(value.within(CHOICE) for value in (base, exponent))
        return emitter.strict(f"{emitter.module.runtime('power')}({arguments})", [base, exponent])
    n = int(exponent.constant)
    if n == 0:
        return emitter.strict(emitter.syntax.literal(1.0), [base])
    if base.unknown or n == 1:
        return base
    x = base.code
    first = x
    if not base.atom:
        x = emitter.fresh()
        first = emitter.syntax.set_inline(x, base.code)
    code, rank = first, ATOM
    for bit in f"{n:b}"[1:]:
        if rank != ATOM:
            square = emitter.fresh()
            code = f"{emitter.syntax.set_inline(square, code)} * {square}"
        else:
            code = f"{code} * {x}"
        rank = MULTIPLY
        if bit == "1":
            code = f"{code} * {x}"
    return emitter.strict(code, [base], MULTIPLY)


def round_half_up(emitter: Emitter, value: Value, places: int) -> Value:
    scale = emitter.syntax.literal(float(10**places))
    raised = Value(f"{value.within(MULTIPLY)} * {scale} + {emitter.syntax.literal(0.5)}", rank=ADD)
    floored = emitter.syntax.call("floor", [raised], ())
    return emitter.strict(f"{floored.within(MULTIPLY)} / {scale}", [value], MULTIPLY)


def lookup(emitter: Emitter, node: tree.Lookup) -> Value:
    key = emitter.emit(node.key)
    if key.unknown:
        return emitter.unknown()
    address = ("lookup", node.table, same_tree_key(node.key))
    row = emitter.frame.find(address)
    if row is None:
        row = emitter.module.lookup_row(emitter, node.table, emitter.bind(key))
        emitter.frame.caches[-1][address] = row
    return emitter.module.cell(emitter, node.table, node.column, row)


def output(emitter: Emitter, node: Node) -> Value:
    """What leaves a decision, column or fact: a zero without sign."""
    value = emitter.emit(node)
    if isinstance(value.constant, float):
        return emitter.literal(value.constant + 0.0)
    if not may_be_negative_zero(node, emitter.declared, emitter.clean):
        return value
    return unsigned(emitter, value)


def unsigned(emitter: Emitter, value: Value) -> Value:
    """The number with zero's sign removed."""
    zero = emitter.syntax.literal(0.0)
    return emitter.strict(f"{value.within(ADD)} + {zero}", [value], ADD)
