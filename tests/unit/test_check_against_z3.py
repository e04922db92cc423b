"""The same proofs by a theorem prover: what we prove, it cannot refute, and the reverse for tables.

`z3` reasons over real numbers, ours is for binary64; both must agree on these small cases.
"""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from engine.check.book import check_book
from engine.check.trend import DOWN, STILL, UP
from engine.check.trends import Claim, Trends
from engine.language import tree
from engine.language.problems import ProblemError
from engine.language.tree import Node
from tests.unit.small_book import book_of, formula, table

z3 = pytest.importorskip("z3")

RANGES = {"load": (0, 100), "signed": (-5, 5), "low_cut": (5, 40)}


# ---------------------------------------------------------------- random formulas


def random_number(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice([*RANGES, "1", "2.5", "0"])
    one, other = (random_number(chance, depth - 1) for _ in range(2))
    match chance.randrange(9):
        case 0 | 1:
            return f"({one} + {other})"
        case 2:
            return f"({one} - {other})"
        case 3:
            return f"{one} * {other}"
        case 4:
            return f"({one} / {chance.choice(['2', '(load + 1)', '(low_cut + 0.5)'])})"
        case 5:
            return f"{chance.choice(['min', 'max'])}({one}, {other})"
        case 6:
            return f"-({one})"
        case 7:
            return f"abs({one})"
        case _:
            sign = chance.choice(["<", "<=", ">", ">="])
            left = random_number(chance, depth - 1)
            right = chance.choice(["10", "low_cut", "signed"])
            return f"(if {left} {sign} {right} then {one} else {other})"


def to_z3(node: Node, names: dict[str, Any]) -> Any:
    match node:
        case tree.Literal(value=value):
            return z3.RealVal(str(value)) if isinstance(value, float) else z3.BoolVal(bool(value))
        case tree.Fact(path=name) | tree.Parameter(id=name):
            return names[name]
        case tree.Negate(operand=operand):
            return -to_z3(operand, names)
        case tree.Arithmetic(operator=operator, left=left, right=right):
            a, b = to_z3(left, names), to_z3(right, names)
            return {"+": a + b, "-": a - b, "*": a * b}[operator] if operator != "/" else a / b
        case tree.Comparison(operator=operator, left=left, right=right):
            a, b = to_z3(left, names), to_z3(right, names)
            return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
        case tree.If(condition=condition, then=then, otherwise=otherwise):
            return z3.If(*(to_z3(part, names) for part in (condition, then, otherwise)))
        case tree.Call(function=function, arguments=arguments):
            parts = [to_z3(part, names) for part in arguments]
            if function == "abs":
                return z3.If(parts[0] >= 0, parts[0], -parts[0])
            smaller = parts[0] <= parts[1]
            first, second = parts if function == "min" else reversed(parts)
            return z3.If(smaller, first, second)
    raise AssertionError(node)


def value_of(node: Node, given: dict[str, float]) -> Any:
    match node:
        case tree.Literal(value=value):
            return value
        case tree.Fact(path=name) | tree.Parameter(id=name):
            return given[name]
        case tree.Negate(operand=operand):
            return -value_of(operand, given)
        case tree.Arithmetic(operator=operator, left=left, right=right):
            a, b = value_of(left, given), value_of(right, given)
            return {"+": a + b, "-": a - b, "*": a * b}[operator] if operator != "/" else a / b
        case tree.Comparison(operator=operator, left=left, right=right):
            a, b = value_of(left, given), value_of(right, given)
            return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
        case tree.If(condition=condition, then=then, otherwise=otherwise):
            return value_of(then if value_of(condition, given) else otherwise, given)
        case tree.Call(function=function, arguments=arguments):
            return {"min": min, "max": max, "abs": abs}[function](
                *(value_of(part, given) for part in arguments)
            )
    raise AssertionError(node)


def test_no_claim_we_prove_can_be_refuted() -> None:
    chance = random.Random(7)
    proven = tried = refutable = 0
    while tried < 150:
        text = random_number(chance, 3)
        try:
            book = book_of(formula(text))
        except ProblemError:
            continue  # a divisor that may be 0, say
        tried += 1
        decision = book.decisions["needs.test.answer"]
        expression = decision.body.expression  # type: ignore[union-attr]
        for name in RANGES:
            trends = Trends(book, Claim(name), lambda a, b: a == b)
            way = trends.of_decision(decision).way
            if way in (UP, DOWN, STILL):
                proven += 1
                assert not refuted(expression, name, way), f"{text} in {name}"
                assert not counterexample(expression, name, way, chance), f"{text} in {name}"
            else:
                refutable += 1
    assert proven > 150 and refutable > 50


def refuted(expression: Node, name: str, way: int) -> bool:
    names = {other: z3.Real(other) for other in RANGES}
    later = {**names, name: z3.Real("later")}
    solver = z3.Solver()
    solver.set("timeout", 400)
    for other, (low, high) in RANGES.items():
        solver.add(names[other] >= low, names[other] <= high)
    solver.add(later[name] >= names[name], later[name] <= RANGES[name][1])
    before, after = to_z3(expression, names), to_z3(expression, later)
    broken = {UP: before > after, DOWN: before < after, STILL: before != after}[way]
    solver.add(broken)
    return bool(solver.check() == z3.sat)


def counterexample(expression: Node, name: str, way: int, chance: random.Random) -> bool:
    """In binary64, at random points and at neighbours a few bits apart."""
    for _ in range(200):
        given = {other: chance.uniform(*ends) for other, ends in RANGES.items()}
        later = chance.uniform(given[name], RANGES[name][1])
        if chance.random() < 0.5:
            later = min(RANGES[name][1], math.nextafter(given[name], math.inf))
        before = value_of(expression, given)
        after = value_of(expression, {**given, name: later})
        if {UP: before > after, DOWN: before < after, STILL: before != after}[way]:
            return True
    return False


# ---------------------------------------------------------------- random tables


def random_rows(chance: random.Random) -> tuple[str, list[list[str]]]:
    rows = []
    for _ in range(chance.randint(1, 5)):
        cells = []
        for column in range(2):
            low = chance.randint(0, 90)
            high = low + chance.randint(1, 60)
            middle = "low_cut" if column == 0 and chance.random() < 0.4 else str(low)
            cells.append(chance.choice([
                "-", f"< {high}", f">= {middle}", f"[{low}..{high})", f"({low}..{high}]",
                f"<= {middle}", f"not({low})", f"< {low}, > {high}",
            ]))  # fmt: skip
        rows.append(cells)
    lines = [f"r{n} | {' | '.join(cells)} | a" for n, cells in enumerate(rows)]
    return "\n".join(lines), rows


def cell_holds(text: str, x: Any, names: dict[str, Any]) -> Any:
    def bound(word: str) -> Any:
        return names.get(word.strip()) if word.strip() in names else float(word)

    if text == "-":
        return z3.BoolVal(True)
    if text.startswith("not("):
        return x != bound(text[4:-1])
    if ", " in text:
        return z3.Or(*(cell_holds(part, x, names) for part in text.split(", ")))
    if text[0] in "[(":
        low, high = text[1:-1].split("..")
        above = x >= bound(low) if text[0] == "[" else x > bound(low)
        return z3.And(above, x <= bound(high) if text[-1] == "]" else x < bound(high))
    sign, word = text.split(" ")
    return {"<": x < bound(word), "<=": x <= bound(word), ">": x > bound(word),
            ">=": x >= bound(word)}[sign]  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_gaps_overlaps_and_hidden_rows_agree(seed: int) -> None:
    chance = random.Random(seed)
    text, rows = random_rows(chance)
    hit = chance.choice(["first", "unique"])
    book = book_of(
        table("load, size_ratio", text, f"hit: {hit}")
        + """
  size_ratio: {title: {en: Size, zh: 规模}, unit: ratio, formula: (signed + 5) * 10}
"""
    )
    x, y, low_cut = z3.Reals("x y low_cut")
    inside = [x >= 0, x <= 100, y >= 0, y <= 100, low_cut >= 5, low_cut <= 40]
    holds = [
        z3.And(*(cell_holds(cell, one, {"low_cut": low_cut})
                 for cell, one in zip(row, (x, y), strict=True)))
        for row in rows
    ]  # fmt: skip

    def possible(*conditions: Any) -> bool:
        solver = z3.Solver()
        solver.add(*inside, *conditions)
        return bool(solver.check() == z3.sat)

    expected = set()
    for index, row in enumerate(holds):
        if not possible(row):
            expected.add("B204")
        elif hit == "first" and not possible(row, *(z3.Not(one) for one in holds[:index])):
            expected.add("B203")
        if hit == "unique" and any(possible(row, other) for other in holds[:index]):
            expected.add("B202")
    if possible(*(z3.Not(row) for row in holds)):
        expected.add("B201")
    found = {problem.code for problem in check_book(book, 20_787)} - {"B230"}
    assert found == expected, text
