"""Curves and ladders: constants of the module and calls of its run-time functions."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from engine.book.model import Curve
from engine.language import tree
from engine.targets.analysis import bounds
from engine.targets.statements import Assign, If, Return, Statement
from engine.targets.values import ATOM, CHOICE, Value

if TYPE_CHECKING:
    from engine.targets.emit import Emitter
    from engine.targets.module import Module

UNROLLED_POINTS = 8  # of a line that may become comparisons one after another


class Curves:
    """The curves and ladders a module uses; each becomes one constant."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._constants: dict[str, str] = {}

    def interpolate(self, emitter: Emitter, node: tree.Interpolate) -> Value:
        curve = self.module.book.decisions[node.curve].body
        assert isinstance(curve, Curve)
        x = emitter.emit(node.x)
        key = None if node.key is None else emitter.emit(node.key)
        if x.unknown or (key is not None and key.unknown):
            return emitter.unknown()
        unrolled = emitter.syntax.unrolled_lines and all(
            len(points) <= UNROLLED_POINTS for _, points in curve.segments
        )
        name = self._unrolled(node.curve, curve) if unrolled else self._listed(node.curve, curve)
        operands = [x]
        points, covered = name, True
        if key is not None:
            operands.append(key)
            kind = node.key.type if node.key is not None else None
            keys = {text for text, _ in curve.segments}
            covered = kind is not None and kind.values is not None and set(kind.values) <= keys
            missing = self._no_line() if unrolled and not covered else emitter.syntax.null
            points = emitter.syntax.masked(name, key.within(CHOICE), missing)
        if unrolled:
            value = emitter.strict(f"{points}({x.within(CHOICE)})", operands)
        else:
            function = self.module.runtime("interpolate")
            value = emitter.strict(f"{function}({points}, {x.within(CHOICE)})", operands)
        if covered and self._never_refuses(emitter, curve, node.x):
            return value
        return self._maybe(emitter, value)

    def first_at_least(self, emitter: Emitter, node: tree.FirstAtLeast) -> Value:
        steps = self.module.book.parameters[node.ladder].steps
        x = emitter.emit(node.x)
        if x.unknown:
            return x
        literal = emitter.syntax.literal
        code = emitter.syntax.listed([literal(float(step)) for step in steps])
        name = self._constant(f"ladder {node.ladder}", code)
        function = self.module.runtime("first_at_least")
        value = emitter.strict(f"{function}({name}, {x.within(CHOICE)})", [x])
        if bounds(node.x, emitter.declared)[1] <= steps[-1]:
            return value
        return self._maybe(emitter, value)

    @staticmethod
    def _maybe(emitter: Emitter, value: Value) -> Value:
        """A call that may itself answer unknown."""
        name = emitter.fresh()
        emitter.out.append(Assign(name, emitter.full(value)))
        return Value(name, (name,), ATOM, stored=True)

    @staticmethod
    def _never_refuses(emitter: Emitter, curve: Curve, x: tree.Node) -> bool:
        low, high = bounds(x, emitter.declared)
        points = [points for _, points in curve.segments]
        below = curve.below == "hold" or all(low >= line[0][0] for line in points)
        return below and (curve.above == "hold" or all(high <= line[-1][0] for line in points))

    def _constant(self, address: str, code: str) -> str:
        if address not in self._constants:
            self._constants[address] = self.module.constant(code)
        return self._constants[address]

    # ------------------------------------------------------------ one function a line

    def _unrolled(self, id: str, curve: Curve) -> str:
        """A function of x, or a map from key to one: a few comparisons instead of a search."""
        address = f"lines {id}"
        if address not in self._constants:
            functions = [
                (key, self._line_function(curve, points)) for key, points in curve.segments
            ]
            if [key for key, _ in functions] == [""]:
                self._constants[address] = functions[0][1]
            else:
                pairs: list[tuple[tree.Value, str]] = list(functions)
                code = self.module.syntax.masks_by_value(pairs)
                self._constants[address] = self.module.late_constant(code)
        return self._constants[address]

    def _no_line(self) -> str:
        """The function of a key without a curve."""
        if "no line" not in self._constants:
            name = self.module.name("C")
            body: list[Statement] = [Return(self.module.syntax.null)]
            self.module.functions.append(self.module.syntax.function(name, ["x"], [], body))
            self._constants["no line"] = name
        return self._constants["no line"]

    def _line_function(self, curve: Curve, points: tuple[tuple[float, float], ...]) -> str:
        syntax = self.module.syntax
        literal = syntax.literal
        ends = [
            literal(float(points[place][1])) if hold == "hold" else syntax.null
            for place, hold in ((0, curve.below), (-1, curve.above))
        ]
        body: list[Statement] = [If(f"x < {literal(float(points[0][0]))}", [Return(ends[0])])]
        for (x0, y0), (x1, y1) in pairwise(points):
            slope = (y1 - y0) / (x1 - x0)
            line = f"{literal(float(y0))} + (x - {literal(float(x0))}) * {literal(slope)}"
            end = literal(float(y1))
            order = "<=" if y1 >= y0 else ">="
            segment: list[Statement] = [
                Assign("y", line),
                Return(syntax.choose(f"y {order} {end}", "y", end)),
            ]
            body.append(If(f"x < {literal(float(x1))}", segment))
        last_x, last_y = points[-1]
        if curve.above == "hold":
            body.append(Return(ends[1]))
        else:
            at_end = syntax.equal("x", literal(float(last_x)))
            body.append(Return(syntax.choose(at_end, literal(float(last_y)), syntax.null)))
        name = self.module.name("C")
        self.module.functions.append(syntax.function(name, ["x"], ["y"], body))
        return name

    # ------------------------------------------------------------ constants for a search

    def _listed(self, id: str, curve: Curve) -> str:
        return self._constant(f"curve {id}", self._curve_code(curve))

    def _curve_code(self, curve: Curve) -> str:
        syntax = self.module.syntax
        if [key for key, _ in curve.segments] == [""]:
            return self._line_code(curve, curve.segments[0][1])
        lines = [(key, self._line_code(curve, points)) for key, points in curve.segments]
        return syntax.masks_by_value([(key, code) for key, code in lines])

    def _line_code(self, curve: Curve, points: tuple[tuple[float, float], ...]) -> str:
        """(x…, y…, slopes…, hold below, hold above); slopes folded as the reference does."""
        syntax = self.module.syntax
        slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
        columns = [[x for x, _ in points], [y for _, y in points], slopes]
        lists = [syntax.listed([syntax.literal(float(v)) for v in column]) for column in columns]
        ends = [syntax.literal(curve.below == "hold"), syntax.literal(curve.above == "hold")]
        return syntax.listed([*lists, *ends])
