"""What would change a choice: the nearest other value of a fact, read off the tables.

A table knows which row lost by one cell and the bound that would let it win. Where that cell
tests another decision, we follow it until a fact stands there. Rows of relations are built again
only for facts that could change them; `what_if` searches further by running the whole book.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from engine.book.model import Formula, Table
from engine.language import tree
from engine.reference.evaluator import Reference
from engine.reference.expressions import Scope, evaluate
from engine.reference.near_misses import near_misses
from engine.reference.reads import Read
from engine.reference.values import UnknownValue, plain
from engine.run.bundle import facts_behind
from engine.run.pipeline import Run

_DEEPEST = 6

Flip = tuple[str, str, Any]


def flips(run: Run, read: Read, language: str) -> list[dict[str, Any]]:
    """`[{field, label, operator, value, unit, from, to}]`, one per fact and outcome.

    Every flip is tried on the reference before it is listed; where that depends on rows which the
    fact could change, the compiled book is run again.
    """
    reference = run.reference
    if read.kind != "decision" or isinstance(reference.read(read), UnknownValue):
        return []
    found: dict[tuple[str, str], dict[str, Any]] = {}
    facts = reference.book.facts
    asked_first = reference.book.report.get("required", ())  # another of these: another question
    moving: dict[str, list[str]] | None = None
    for (path, operator, value), to in _table_flips(reference, read, 0):
        if not isinstance(to, str) or (path, to) in found or path in asked_first:
            continue
        if moving is None:
            moving = _facts_behind_rows(run, read)
        moved = [name for name, paths in moving.items() if path in paths]
        if _after(run, read, path, _beyond(operator, value), moved) != to:
            continue
        kind = facts[path].type
        found[path, to] = {
            "field": path,
            "label": facts[path].label.in_language(language),
            "operator": operator,
            "value": value,
            "unit": kind.unit.symbol if kind.kind == "number" else "",
            "from": plain(reference.fact(path)),
            "to": to,
        }
    return list(found.values())


def _facts_behind_rows(run: Run, read: Read) -> dict[str, list[str]]:
    """The relations and rankings behind a decision, each with the facts that could change it."""
    names, seen, waiting = set(), set(), [read]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.kind in ("relation", "ranking", "best"):
            names.add(one.id)
        waiting += run.reference.reads.get(one, ())
    behind = facts_behind(run.bundle) if names else {}
    return {name: behind[name] for name in names if name in behind}


def _after(run: Run, read: Read, path: str, value: Any, moved: list[str]) -> Any:
    """The decision with another value of a fact.

    First with the relations and rankings that it could move left open: most choices do not wait
    for them. Only when this one does the whole book is run.
    """
    found = plain(run.reference_with(path, value, tuple(sorted(moved))).read(read))
    if found is not None or not moved:
        return found
    name = f"{read.id}.{read.name}" if read.name else read.id
    return run.decisions_with(path, value).get(name)


def _beyond(operator: str, value: Any) -> Any:
    """A value just on the far side of an open bound."""
    if operator in ("<", ">") and isinstance(value, float):
        return math.nextafter(value, math.inf if operator == ">" else -math.inf)
    return value


def _table_flips(reference: Reference, read: Read, depth: int) -> Iterator[tuple[Flip, Any]]:
    """Every single fact that would move a decision's output, with what it would become."""
    decision = reference.book.decisions[read.id]
    scope = Scope(reference)
    if isinstance(decision.body, Formula):
        current = reference.read(read)
        if isinstance(current, bool):
            for flip in _towards(reference, decision.body.expression, not current, depth):
                yield flip, not current
        elif isinstance(decision.body.expression, tree.DecisionValue) and depth < _DEEPEST:
            inner = decision.body.expression
            yield from _table_flips(reference, Read("decision", inner.id, inner.output), depth + 1)
        return
    if not isinstance(decision.body, Table) or decision.body.hit == "collect":
        return
    table = decision.body
    outputs = reference.outputs(read.id)
    which = outputs.index(read.name) if read.name in outputs else 0
    reference.read(read)
    subjects = [evaluate(node, scope) for node in table.inputs]
    given = frozenset(reference.given)
    decided = reference.decided(read.id)
    for miss in near_misses(read.id, table, decided, subjects, scope, given):
        value = miss.outputs[which]
        if not miss.flips or isinstance(value, (UnknownValue, tuple)):
            continue
        node = table.inputs[miss.column]
        for flip in _needs(reference, node, miss.operator, miss.value, depth + 1):
            yield flip, value


def _needs(
    reference: Reference, node: tree.Node, operator: str, value: Any, depth: int
) -> Iterator[Flip]:
    """The facts that would make `node operator value` true."""
    if depth > _DEEPEST:
        return
    if isinstance(node, tree.Fact):
        yield node.path, operator, value
    elif isinstance(node, tree.DecisionValue):
        read = Read("decision", node.id, node.output)
        for flip, became in _table_flips(reference, read, depth):
            if operator == "=" and became == value:
                yield flip
    elif isinstance(value, bool) and operator == "=":
        yield from _towards(reference, node, value, depth)


def _towards(reference: Reference, node: tree.Node, wanted: bool, depth: int) -> Iterator[Flip]:
    """The facts that would make a boolean expression `wanted`, changing one of them alone."""
    if depth > _DEEPEST or evaluate(node, Scope(reference)) is not (not wanted):
        return
    match node:
        case tree.Not(operand=operand):
            yield from _towards(reference, operand, not wanted, depth + 1)
        case tree.And(parts=parts) | tree.Or(parts=parts):
            scope = Scope(reference)
            holds = [evaluate(part, scope) for part in parts]
            every = isinstance(node, tree.And) is wanted  # all parts must be `wanted`
            wrong = [part for part, held in zip(parts, holds, strict=True) if held is not wanted]
            if every and len(wrong) == 1:
                yield from _towards(reference, wrong[0], wanted, depth + 1)
            elif not every:
                for part in parts:
                    yield from _towards(reference, part, wanted, depth + 1)
        case tree.Fact(path=path):
            yield path, "=", wanted
        case tree.DecisionValue(id=name, output=output):
            for flip, became in _table_flips(reference, Read("decision", name, output), depth + 1):
                if became is wanted:
                    yield flip
        case tree.Comparison(operator=operator, left=left, right=right):
            needed = operator if wanted else tree.OPPOSITE[operator]
            yield from _side(reference, left, needed, right, depth)
            yield from _side(reference, right, tree.MIRRORED[needed], left, depth)
        case tree.In(subject=subject, cell=cell):
            yield from _member(reference, subject, cell, wanted, depth)


def _side(
    reference: Reference, subject: tree.Node, operator: str, bound: tree.Node, depth: int
) -> Iterator[Flip]:
    if not isinstance(subject, (tree.Fact, tree.DecisionValue)):
        return
    value = evaluate(bound, Scope(reference))
    if isinstance(value, UnknownValue):
        return
    if operator == "!=":
        kind = subject.type
        others = kind.values if kind is not None and kind.values else ()
        for other in others:
            if other != value:
                yield from _needs(reference, subject, "=", other, depth + 1)
        return
    if isinstance(subject, tree.Fact) and not _allowed(subject, operator, value):
        return
    yield from _needs(reference, subject, operator, value, depth + 1)


def _allowed(subject: tree.Fact, operator: str, value: Any) -> bool:
    """Whether the fact's declared range holds a value on the right side of the bound."""
    kind = subject.type
    if kind is None or isinstance(value, (bool, str)):
        return True
    bound = float(value)
    if operator == ">":
        return bound < kind.high
    if operator == "<":
        return bound > kind.low
    return kind.low <= bound <= kind.high


def _member(
    reference: Reference, subject: tree.Node, cell: tree.Cell, wanted: bool, depth: int
) -> Iterator[Flip]:
    kind = subject.type
    if kind is None or kind.values is None:
        return
    listed = {evaluate(test.low, Scope(reference)) for test in cell.tests if test.kind == "equals"}
    inside = wanted is not cell.negated
    for value in kind.values:
        if (value in listed) is inside:
            yield from _needs(reference, subject, "=", value, depth + 1)
