"""Aggregates as loops: count, sum, min, max, any, every."""

from __future__ import annotations

from engine.language import tree
from engine.targets.conditions import kleene, truths
from engine.targets.emit import Emitter, Frame
from engine.targets.statements import Assign, Each, If, Leave, Statement
from engine.targets.values import ATOM, Value


def emit_aggregate(emitter: Emitter, node: tree.Aggregate) -> Value:
    """A variable with the aggregate; rows unknown as a whole make it unknown."""
    rows, scope = emitter.module.rows(emitter, node.relation)
    syntax, name = emitter.syntax, emitter.fresh()
    item = emitter.fresh("o")
    outer, level = emitter.current, len(emitter.frames)
    emitter.frames.append(Frame([]))
    emitter.aliases[node.alias] = (level, scope(item))
    emitter.current = level
    body = _Body(emitter, name)
    try:
        body.write(node)
    finally:
        emitter.current = outer
        del emitter.aliases[node.alias]
        inner = emitter.frames.pop().out
    loop: list[Statement] = [
        Assign(name, body.initial(node.function)),
        Each("", item, rows.code, inner),
    ]
    nulls = emitter.open_nulls(rows)
    if not nulls:
        emitter.out.extend(loop)
    else:
        missing: list[Statement] = [Assign(name, syntax.null)]
        emitter.out.append(If(syntax.not_null(rows.code), loop, missing))
    may_be_unknown = bool(nulls) or body.may_be_unknown or node.function in ("min", "max")
    return Value(name, (name,) if may_be_unknown else (), ATOM, stored=True)


class _Body:
    """The statements run for each row; `name` accumulates."""

    def __init__(self, emitter: Emitter, name: str) -> None:
        self.emitter, self.syntax, self.name = emitter, emitter.syntax, name
        self.may_be_unknown = False

    def initial(self, function: str) -> str:
        if function in ("count", "sum"):
            return self.syntax.literal(0.0)
        if function in ("min", "max"):
            return self.syntax.null
        return self.syntax.literal(function == "every")

    def write(self, node: tree.Aggregate) -> None:
        if node.function in ("any", "every"):
            self._quantifier(node)
            return
        if node.where is None:
            self._accumulate(node)
            return
        held = self.emitter.emit(node.where)
        if held.constant is False:
            return
        if held.unknown or self.emitter.open_nulls(held):
            held = self.emitter.bind(held)
            self._give_up(self.emitter.full(held) if held.unknown else held.code)
        with self.emitter.branch(truths(self.emitter, node.where)) as inner:
            self._accumulate(node)
        self.emitter.out.append(If(held.code, inner))

    def _give_up(self, code: str) -> None:
        """Unknown as soon as `code` is."""
        self.may_be_unknown = True
        stop: list[Statement] = [Assign(self.name, self.syntax.null), Leave("break")]
        self.emitter.out.append(If(self.syntax.is_null(code), stop))

    def _accumulate(self, node: tree.Aggregate) -> None:
        out, name = self.emitter.out, self.name
        if node.function == "count":
            out.append(Assign(name, f"{name} + {self.syntax.literal(1.0)}"))
            return
        assert node.result is not None
        value = self.emitter.emit(node.result)
        if value.unknown or self.emitter.open_nulls(value):
            value = self.emitter.bind(value)
            self._give_up(value.code)
            if value.unknown:
                return
        if node.function == "sum":
            out.append(Assign(name, f"{name} + {value.within(ATOM)}"))
            return
        value = self.emitter.bind(value)
        order = "<" if node.function == "min" else ">"
        first_or_better = [self.syntax.is_null(name), f"{value.within(ATOM)} {order} {name}"]
        out.append(If(self.syntax.either(first_or_better), [Assign(name, value.code)]))

    def _quantifier(self, node: tree.Aggregate) -> None:
        """any: `or` over rows of (where and result); every: `and` of (not where or result)."""
        assert node.result is not None
        syntax, name, some = self.syntax, self.name, node.function == "any"
        if node.where is None:
            held = self.emitter.emit(node.result)
        elif some:
            held = kleene(self.emitter, (node.where, node.result), conjunction=True)
        else:
            held = kleene(self.emitter, (tree.Not(node.where), node.result), conjunction=False)
        decided: list[Statement] = [Assign(name, syntax.literal(some)), Leave("break")]
        out = self.emitter.out
        if not held.unknown and not self.emitter.open_nulls(held):
            out.append(If(held.code if some else syntax.negate(held).code, decided))
            return
        self.may_be_unknown = True
        held = self.emitter.bind(held)
        if not held.unknown:
            test = syntax.is_true if some else syntax.is_false
            out.append(If(test(held.code), decided))
        out.append(If(syntax.is_null(held.code), [Assign(name, syntax.null)]))
