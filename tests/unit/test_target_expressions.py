"""Expressions in the script targets: three-valued logic, zeros, names, functions."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.book.model import Curve, Decision, Formula
from engine.language import tree
from engine.language.types import BOOLEAN, TEXT, enumeration, number
from engine.reference.curves import interpolated
from engine.reference.expressions import power
from engine.targets.javascript import compile_javascript
from engine.targets.python import compile_python
from tests.differential.flat import bits
from tests.differential.runtimes import JavaScriptRuntime, PythonRuntime
from tests.unit.target_books import EMPTY, answers, book_of, fact, flag, num, text

AMOUNT = number(low=-100.0, high=100.0)
FACTS = {"a": BOOLEAN, "b": BOOLEAN, "x": AMOUNT, "y": AMOUNT}
A, B, X, Y = (fact(path, kind) for path, kind in FACTS.items())
MAYBE = BOOLEAN.with_nullable(True)


def value(expression: tree.Node, **stated: Any) -> Any:
    return answers(book_of(FACTS, {"d": Formula(expression)}), stated)["decisions"]["d"]


def test_and_or_follow_kleene() -> None:
    both, either = tree.And((A, B), type=MAYBE), tree.Or((A, B), type=MAYBE)
    for a in (True, False, None):
        for b in (True, False, None):
            stated = {name: v for name, v in (("a", a), ("b", b)) if v is not None}
            parts = [a, b]
            conjunction = False if False in parts else None if None in parts else True
            disjunction = True if True in parts else None if None in parts else False
            assert value(both, **stated) is conjunction
            assert value(either, **stated) is disjunction


def test_an_unknown_condition_leaves_what_both_branches_agree_on() -> None:
    same = tree.If(A, X, X, type=AMOUNT.with_nullable(True))
    assert value(same, x=3.0) == 3.0
    different = tree.If(A, X, num(4.0), type=AMOUNT.with_nullable(True))
    assert value(different, x=3.0) is None
    assert value(different, x=4.0) == 4.0


def test_a_guard_keeps_its_division_where_it_is() -> None:
    share = tree.Arithmetic("/", num(1.0), X, type=AMOUNT.with_nullable(True))
    guarded = tree.If(
        tree.Comparison(">", X, num(0.5), type=MAYBE),
        share,
        num(0.0),
        type=AMOUNT.with_nullable(True),
    )
    assert value(guarded, x=0.0) == 0.0
    assert value(guarded) is None
    joined = tree.And(
        (
            tree.Comparison(">", X, num(0.5), type=MAYBE),
            tree.Comparison(">", share, Y, type=MAYBE),
        ),
        type=MAYBE,
    )
    assert value(joined, x=0.0) is False
    assert value(joined, x=0.0, y=1.0) is False
    assert value(joined, x=2.0) is None


def test_a_zero_has_no_sign_when_it_leaves_a_decision() -> None:
    product = tree.Arithmetic("*", X, Y, type=AMOUNT.with_nullable(True))
    assert bits(value(product, x=-3.0, y=0.0)) == bits(0.0)
    assert bits(value(tree.Negate(X, type=AMOUNT), x=0.0)) == bits(0.0)
    ceiling = tree.Call("ceiling", (X,), type=AMOUNT)
    assert bits(value(ceiling, x=-0.5)) == bits(0.0)
    assert bits(value(X, x=-0.0)) == bits(0.0)


def test_booleans_are_no_numbers_and_null_is_no_zero() -> None:
    assert value(tree.Comparison(">=", X, num(0.0), type=MAYBE)) is None
    assert value(tree.Comparison("=", A, flag(False), type=MAYBE)) is None
    assert value(tree.Comparison("=", A, B, type=MAYBE), a=True, b=True) is True


def test_texts_of_the_book_are_data_and_never_code() -> None:
    nasty = (
        "constructor",
        "__proto__",
        "'\"\\\n",
        "</script>",
        "d1",
        "None",
        "a\u2028b",
        "${x}",
        "中文",
    )
    kind = enumeration(nasty)
    paths = ("constructor", "hasOwnProperty", "x'];boom();['", "return")
    for path in paths:
        subject = fact(path, kind)
        expression: tree.Node = text("none of them")
        for word in nasty:
            test = tree.Comparison("=", subject, text(word), type=MAYBE)
            expression = tree.If(test, text(word), expression, type=TEXT.with_nullable(True))
        book = book_of({path: kind}, {"toString": Formula(expression)})
        assert "</script" not in compile_javascript(book)
        for word in nasty:
            assert answers(book, {path: word})["decisions"]["toString"] == word
        assert answers(book, {})["decisions"]["toString"] is None


def test_generated_names_do_not_meet_names_of_the_book() -> None:
    names = ("t1", "d2", "f1", "p1", "D3", "Q4", "evaluate", "run_", "given", "power_")
    facts = dict.fromkeys(names, AMOUNT)
    total: tree.Node = num(0.0)
    for name in names:
        total = tree.Arithmetic("+", total, fact(name, AMOUNT), type=AMOUNT.with_nullable(True))
    book = book_of(facts, {name: Formula(total) for name in names})
    stated = {name: float(place) for place, name in enumerate(names)}
    assert set(answers(book, stated)["decisions"].values()) == {45.0}


# ---------------------------------------------------------------- functions of the run time

_X = st.floats(-3.0, 3.0, allow_nan=False)
WIDE = st.floats(-1e6, 1e6, allow_nan=False)


def function_book() -> Any:
    """Power with an exponent that is an input, and curves of each kind of end."""
    n = number(low=0.0, high=4096.0, integer=True)
    facts = {"x": number(low=-1e6, high=1e6), "n": n, "z": number(low=0.1, high=1.01)}
    x, exponent, z = (fact(path, kind) for path, kind in facts.items())
    points = ((-2.0, 1.0), (0.1, -0.3), (0.7, -0.3), (1e5, 7.7))
    book = book_of(
        facts,
        {
            "power": Formula(tree.Power(z, exponent, type=AMOUNT)),
            "held": Formula(tree.Interpolate("held_curve", None, x, type=AMOUNT)),
            "refused": Formula(tree.Interpolate("refused_curve", None, x, type=AMOUNT)),
            "rounded": Formula(tree.RoundHalfUp(x, 2, type=AMOUNT)),
            "floor": Formula(tree.Call("floor", (x,), type=AMOUNT)),
            "ceiling": Formula(tree.Call("ceiling", (x,), type=AMOUNT)),
        },
    )
    for name, end in (("held_curve", "hold"), ("refused_curve", "refuse")):
        curve = Curve((("", points),), end, end, AMOUNT, AMOUNT)  # type: ignore[arg-type]
        book.decisions[name] = Decision(name, curve, AMOUNT)  # type: ignore[index]
    return book, points


@given(st.lists(st.tuples(WIDE, st.integers(0, 4096), st.floats(0.1, 1.01)), max_size=30))
@settings(max_examples=30)
def test_functions_round_alike(drawn: list[tuple[float, int, float]]) -> None:
    book, points = function_book()
    edges = [p for p, _ in points] + [math.nextafter(p, math.inf) for p, _ in points]
    stated = [{"x": x, "n": float(n), "z": z} for x, n, z in drawn]
    stated += [{"x": edge, "n": 3.0, "z": 1.0} for edge in edges]
    python = PythonRuntime(book, EMPTY)
    with JavaScriptRuntime(book, EMPTY) as javascript:
        assert python.packed(stated) == javascript.packed(stated)
    for case in stated:
        found = python.outcome(case)["decisions"]
        assert bits(found["power"]) == bits(power(case["z"], case["n"]))
        for name in ("held", "refused"):
            curve = book.decisions[f"{name}_curve"].body
            expected, _ = interpolated(curve, "", case["x"])
            assert bits(found[name]) == bits(None if expected is None else expected + 0.0)
        assert bits(found["floor"]) == bits(math.floor(case["x"]) + 0.0)
        assert bits(found["ceiling"]) == bits(math.ceil(case["x"]) + 0.0)


def test_the_python_module_is_only_functions_and_constants() -> None:
    book, _ = function_book()
    source = compile_python(book)
    assert "import gc" in source
    assert "eval(" not in source.replace("evaluate(", "")
    assert "exec(" not in source
