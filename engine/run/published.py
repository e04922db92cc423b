"""Holds published tables of results against the book: inputs become facts, a decision the result.

A file of rules/validation with `readings` says how:

    currency: PATH                      # the fact that says which money a row is in
    complete: {path: value}             # facts of every row
    readings:
      - metric: NAME
        facts: {path: expression of inputs, …}
        parameters: {id: expression of inputs, …}
        answer: DECISION
        times: number                   # into the unit of the table

A reading answers the rows of its metric whose inputs are exactly those its expressions use.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from engine.book.model import Book
from engine.language.frozen import frozen
from engine.language.suggest import did_you_mean
from engine.readers.document import InputError, document_of, nested
from engine.readers.profile import admit
from engine.readers.published import Published
from engine.run.bundle import Bundle
from engine.run.pipeline import decide

PARTS = ("title", "currency", "complete", "readings")
FIELDS = ("metric", "facts", "parameters", "answer", "times")
OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@frozen
class Result:
    """A row and what the book makes of its inputs; `reason`: why it says nothing."""

    row: Published
    found: float | None
    answer: str
    reason: str = ""

    @property
    def ok(self) -> bool:
        return self.found is not None and abs(self.found - self.row.expected) <= self.row.tolerance


class TableScorer:
    """Works out rows of the published table `name` of the book (`rules/validation/NAME.yaml`)."""

    def __init__(
        self, bundle: Bundle, name: str, overrides: Mapping[str, Any], language: str = "en"
    ) -> None:
        self.bundle, self.overrides, self.language = bundle, dict(overrides), language
        self.spec: Mapping[str, Any] = bundle.book.validation[name]

    def result(self, row: Published) -> Result:
        reading = next(
            (
                one
                for one in self.spec["readings"]
                if one["metric"] == row.metric and set(_inputs(one)) == set(row.inputs)
            ),
            None,
        )
        if reading is None:
            names = ", ".join(sorted(row.inputs))
            return Result(row, None, "", f"no reading of {row.metric} from {names}")
        answer = str(reading["answer"])
        try:
            facts = {**self.spec.get("complete", {}), **_values(reading.get("facts"), row)}
            overrides = {**self.overrides, **_values(reading.get("parameters"), row)}
        except ZeroDivisionError:
            return Result(row, None, answer, "an input that divides is zero")
        if row.currency and "currency" in self.spec:
            facts[self.spec["currency"]] = row.currency
        for id, value in overrides.items():
            parameter = self.bundle.book.parameters[id]
            if not parameter.type.low <= float(value) <= parameter.type.high:
                return Result(row, None, answer, f"{id} = {value} is outside its range")
        try:
            profile = admit(
                document_of(nested(facts), f"line {row.line}"),
                self.bundle.book.facts,
                self.bundle.catalog.tables,
                language=self.language,
            )
        except InputError as error:
            return Result(row, None, answer, "; ".join(one.message for one in error.problems))
        run = decide(self.bundle, profile, overrides)
        found = run.outcome["decisions"][answer]
        if found is None:
            return Result(row, None, answer, f"{answer} is unknown")
        rate = self._rate(run.outcome["facts"], answer, row)
        return Result(row, float(found) * rate * float(reading.get("times", 1)), answer)

    def _rate(self, facts: Mapping[str, Any], answer: str, row: Published) -> float:
        """Money is decided in the book's own currency; a table in another is converted back."""
        spec = self.bundle.book.report["currency"]
        unit = self.bundle.book.decisions[answer].type.unit
        rate = spec["rates"].get(row.currency)
        money = unit is not None and str(spec["base"]) in unit.symbol
        return float(facts[rate["fact"]]) if money and rate else 1.0


# A row of two inputs or fewer is a single sum or quotient: that it comes out proves little.
FEW_INPUTS = 2


def result(results: Sequence[Result]) -> dict[str, Any]:
    """How many rows come out as printed, each of them, and how many exercise each rule.

    `one_step`: those of them with two inputs or fewer.
    """
    exercised: dict[str, int] = {}
    one_step: dict[str, int] = {}
    for one in results:
        if one.answer:
            exercised[one.answer] = exercised.get(one.answer, 0) + 1
            few = len(one.row.inputs) <= FEW_INPUTS
            one_step[one.answer] = one_step.get(one.answer, 0) + few
    return {
        "passed": sum(one.ok for one in results),
        "failed": sum(not one.ok for one in results),
        "rows": [
            {
                "id": one.row.id, "ok": one.ok, "metric": one.row.metric, "answer": one.answer,
                "expected": one.row.expected, "found": one.found,
                "tolerance": one.row.tolerance, "reason": one.reason,
            }
            for one in results
        ],
        "rules": dict(sorted(exercised.items())),
        "one_step": dict(sorted(one_step.items())),
    }  # fmt: skip


# ------------------------------------------------------------------------------ expressions


def _inputs(reading: Mapping[str, Any]) -> Iterator[str]:
    for part in ("facts", "parameters"):
        for text in (reading.get(part) or {}).values():
            if isinstance(text, str):
                yield from names_in(text)


def names_in(text: str) -> list[str]:
    """The inputs an expression uses; raises ValueError for anything but sums and products."""
    found = []
    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif not isinstance(node, (ast.Expression, ast.BinOp, ast.Constant, ast.expr_context,
                                   *OPERATORS)):  # fmt: skip
            raise ValueError(f"{text}: only + - * / of inputs and numbers")
    return found


def _values(expressions: Mapping[str, Any] | None, row: Published) -> dict[str, Any]:
    return {
        path: _value(ast.parse(text, mode="eval").body, row.inputs)
        if isinstance(text, str)
        else text
        for path, text in (expressions or {}).items()
    }


def _value(node: ast.expr, inputs: Mapping[str, float]) -> float:
    match node:
        case ast.Name(id=name):
            return inputs[name]
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.BinOp(left=left, op=sign, right=right):
            return OPERATORS[type(sign)](_value(left, inputs), _value(right, inputs))
    raise ValueError(ast.dump(node))


# ------------------------------------------------------------------------------ the check


def wrong_readings(book: Book, spec: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(place, what is wrong, hint) of a file with readings."""
    for key in spec:
        if key not in PARTS:
            yield key, "there is no such part", did_you_mean(key, PARTS)
    currency = spec.get("currency")
    if currency is not None and currency not in book.facts:
        yield "currency", f"no fact {currency}", did_you_mean(currency, book.facts)
    for path in spec.get("complete") or {}:
        if path not in book.facts:
            yield "complete", f"no fact {path}", did_you_mean(path, book.facts)
    for number, reading in enumerate(spec["readings"]):
        place = f"readings.{number}"
        for key in reading:
            if key not in FIELDS:
                yield place, f"there is no part {key}", did_you_mean(key, FIELDS)
        for path in reading.get("facts") or {}:
            if path not in book.facts:
                yield place, f"no fact {path}", did_you_mean(path, book.facts)
        for id in reading.get("parameters") or {}:
            if id not in book.parameters:
                yield place, f"no parameter {id}", did_you_mean(id, book.parameters)
        list(_inputs(reading))  # raises for what is no expression
        decision = book.decisions.get(str(reading["answer"]))
        if decision is None:
            yield (
                place,
                f"no decision {reading['answer']}",
                did_you_mean(str(reading["answer"]), book.decisions),
            )
        elif decision.type.kind != "number":
            yield place, f"{reading['answer']} is not a number", ""
