"""The checker: one tree being typed, what is known of its terms and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.language import guards, intervals
from engine.language.describe import type_words, unit_words
from engine.language.intervals import Interval
from engine.language.problems import Position, Problem
from engine.language.scope import NameKind, Scope
from engine.language.suggest import did_you_mean
from engine.language.tree import Name, Node, Test
from engine.language.types import DIMENSIONLESS, Type, Unit


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands: the names it sees and what guards around it say of its terms."""

    scope: Scope
    bounds: guards.Bounds


Rule = Callable[["Checker", Any, Place], Node]


class Checker:
    """Types one tree. A node that cannot be typed keeps `type` None and is not reported again."""

    def __init__(self, rules: Mapping[type[Node], Rule]) -> None:
        self.problems: list[Problem] = []
        self._rules = rules
        self._numbers: dict[tuple[Hashable, ...], int] = {}
        self._keys: dict[int, tuple[Node, int]] = {}  # by id; the node is kept so ids stay valid

    # ------------------------------------------------------------ bookkeeping

    def report(
        self, code: str, message: str, position: Position, expected: str = "", hint: str = ""
    ) -> None:
        self.problems.append(Problem(code, message, position, expected, hint))

    def intern(self, form: tuple[Hashable, ...]) -> int:
        """One number per structure: equal terms get equal numbers, wherever they stand."""
        return self._numbers.setdefault(form, len(self._numbers))

    def key_of(self, node: Node) -> int:
        return self._keys[id(node)][1]

    def done(self, node: Node, place: Place, *form: Hashable) -> Node:
        """Registers a typed node under its structure and applies what guards know of it."""
        key = self.intern((type(node).__name__, *form))
        known = place.bounds.get(key)
        kind = node.type
        if known is not None and kind is not None and kind.kind == "number":
            low, high = max(kind.low, known[0]), min(kind.high, known[1])
            if low <= high and (low, high) != (kind.low, kind.high):
                node = replace(node, type=replace(kind, low=low, high=high))
        self._keys[id(node)] = (node, key)
        return node

    def node(self, node: Node, place: Place) -> Node:
        rule = self._rules.get(type(node))
        assert rule is not None, f"no typing rule for {type(node).__name__}"
        return rule(self, node, place)

    def unknown_name(self, node: Name, scope: Scope) -> None:
        hint = did_you_mean(node.path, scope.candidates("name"))
        if not hint and "." not in node.path:
            hint = f'write "{node.path}" in double quotes if it is a value'
        self.report("B110", f'unknown name "{node.path}"', node.position, "", hint)

    def missing(self, what: str, name: str, kind: NameKind, node: Node, scope: Scope) -> None:
        hint = did_you_mean(name, scope.candidates(kind))
        self.report("B110", f'there is no {what} "{name}"', node.position, "", hint)

    def column_of(
        self, columns: Mapping[str, Type], column: str, where: str, position: Position
    ) -> Type | None:
        found = columns.get(column)
        if found is None:
            hint = did_you_mean(column, columns)
            self.report("B112", f'{where} has no column "{column}"', position, "", hint)
        return found

    # ------------------------------------------------------------ kinds and units

    def is_kind(self, node: Node, kind: str, what: str) -> bool:
        """Is the typed node of the kind? Reports when not; False also for untyped nodes."""
        if node.type is None:
            return False
        if node.type.kind == kind:
            return True
        words = {"number": "a number", "boolean": "true or false", "text": "a text"}[kind]
        hint = "numbers are no truth values: compare them" if kind == "boolean" else ""
        self.report("B120", f"{what} is {type_words(node.type)}", node.position, words, hint)
        return False

    def common_unit(self, nodes: tuple[Node, ...], what: str) -> Unit | None:
        """The one unit of all numbers; a literal 0 fits any. Reports and gives None if none."""
        unit: Unit | None = None
        agreed = True
        for node in nodes:
            kind = node.type
            assert kind is not None
            if kind.zero_literal:
                continue
            if unit is None:
                unit = kind.unit
            elif not unit.same_as(kind.unit):
                self.units_differ(unit, kind.unit, node.position, what)
                agreed = False
        if not agreed:
            return None
        return DIMENSIONLESS if unit is None else unit

    def units_differ(self, first: Unit, second: Unit, position: Position, what: str) -> None:
        one, other = unit_words(first), unit_words(second)
        hint = "these measure different things"
        if first.dimension == second.dimension:
            ratio = second.scale / first.scale
            hint = f"same thing, other size (factor {ratio:.12g}): convert with a parameter"
        elif not first.dimension or not second.dimension:
            hint = "give the number its unit as a parameter"
        self.report("B121", f"{what}: {one} and {other}", position, "equal units", hint)

    def finite(self, node: Node) -> bool:
        kind = node.type
        if kind is None:
            return False
        if intervals.is_finite((kind.low, kind.high)):
            return True
        self.report(
            "B131",
            "this value has no finite range",
            node.position,
            "a declared range",
            "declare `range` where it is defined",
        )
        return False

    def number(
        self,
        position: Position,
        unit: Unit,
        interval: Interval,
        *,
        integer: bool,
        nullable: bool,
    ) -> Type | None:
        """A number type, unless the interval is not finite (reported)."""
        if not intervals.is_finite(interval):
            self.report(
                "B131",
                "the result may leave the finite numbers",
                position,
                "a result within binary64",
                "narrow the ranges it is computed from",
            )
            return None
        whole = integer and max(-interval[0], interval[1]) <= intervals.EXACT
        return Type("number", unit, interval[0], interval[1], whole, None, nullable)

    def numbers(self, nodes: tuple[Node, ...], what: str) -> bool:
        """Are all of them finite numbers?"""
        ok = True
        for node in nodes:
            ok = self.is_kind(node, "number", what) and self.finite(node) and ok
        return ok

    def fitted(self, node: Node, expected: Type) -> Node:
        kind = node.type
        assert kind is not None
        if kind.kind != expected.kind:
            self.report("B120", f"this is {type_words(kind)}", node.position, type_words(expected))
            return node
        if kind.kind == "number":
            if not kind.zero_literal and not kind.unit.same_as(expected.unit):
                self.units_differ(expected.unit, kind.unit, node.position, "declared and computed")
            if expected.integer and not kind.integer:
                self.report(
                    "B120",
                    "this need not be whole",
                    node.position,
                    type_words(expected),
                    "round it with floor or ceiling",
                )
            return replace(node, type=replace(kind, unit=expected.unit, zero_literal=False))
        if expected.values is not None:
            self.within_list(kind, expected.values, node.position)
            return replace(node, type=replace(kind, values=expected.values))
        return node

    def within_list(self, kind: Type, allowed: tuple[str, ...], position: Position) -> None:
        if kind.values is None:
            self.report("B120", "this text is open", position, "one of " + ", ".join(allowed))
            return
        for value in kind.values:
            if value not in allowed:
                self.report(
                    "B122",
                    f'"{value}" is not in the list',
                    position,
                    "one of " + ", ".join(allowed),
                    did_you_mean(value, allowed),
                )


def of(node: Node) -> Type:
    """The type of a typed node."""
    assert node.type is not None
    return node.type


def parts_of(test: Test) -> tuple[Node, ...]:
    """The values a test compares with."""
    return (test.low,) if test.high is None else (test.low, test.high)
