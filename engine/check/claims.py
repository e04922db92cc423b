"""Proof of `increasing` and `decreasing` claims.

B220 not proven    B221 the claimed number has no influence    B222 not a number
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.book.model import Book, Decision, Table
from engine.check.axes import NotAbove
from engine.check.trend import DOWN, MIXED, STILL, UP
from engine.check.trends import Claim, Trends
from engine.language.problems import NOWHERE, Problem
from engine.language.render import render
from engine.language.tree import Node

_HOW = {UP: "increasing", DOWN: "decreasing"}


def check_claims(book: Book, not_above: NotAbove) -> tuple[list[Problem], int]:
    """What could not be proven, and how many claims were."""
    problems: list[Problem] = []
    proven = 0
    for relation, decision, name, wanted in claims(book):
        found = _check(book, relation, decision, name, wanted, not_above)
        problems += found
        proven += not found
    return problems, proven


def claims(book: Book) -> Iterator[tuple[str, Decision, str, int]]:
    """Every claim: relation ("" outside one), decision, claimed number, UP or DOWN."""
    owners = [("", decision) for decision in book.decisions.values()]
    for relation in book.relations.values():
        owners += [(relation.id, column.decision) for column in relation.columns]
    for relation_id, decision in owners:
        yield from ((relation_id, decision, name, UP) for name in decision.increasing)
        yield from ((relation_id, decision, name, DOWN) for name in decision.decreasing)


def claim_of(book: Book, name: str, relation: str) -> Claim:
    """The claimed number: a fact, parameter or decision of the book, else a column."""
    known = name in book.facts or name in book.parameters or name in book.decisions
    if not known and name.rpartition(".")[0] in book.decisions:
        known = True  # one output of a table
    return Claim(name, "" if known else relation)


def _check(
    book: Book, relation: str, decision: Decision, name: str, wanted: int, not_above: NotAbove
) -> list[Problem]:
    trends = Trends(book, claim_of(book, name, relation), not_above)
    outputs = [""]
    if isinstance(decision.body, Table):
        outputs = [one.name for one in decision.body.outputs if one.type.kind == "number"]
    if decision.type.kind == "text" or not outputs:
        return [Problem(
            "B222", f"{decision.id} is not a number and cannot be {_HOW[wanted]}",
            decision.position, "claims on numbers",
        )]  # fmt: skip
    found = []
    for output in outputs:
        trend = trends.of_decision(decision, output, relation)
        what = f"{decision.id}.{output}" if output else decision.id
        if trend.way == STILL:
            found.append(Problem(
                "B221", f"{what} does not depend on {name}", decision.position,
                "a claim on a number it reads, directly or through others", "drop the claim",
            ))  # fmt: skip
        elif trend.way != wanted:
            found.append(_unproven(what, name, wanted, trend.way, trend.blame, decision))
    return found


def _unproven(
    what: str, name: str, wanted: int, way: int, blame: object, decision: Decision
) -> Problem:
    if way != MIXED or not isinstance(blame, Node):
        return Problem(
            "B220", f"{what} is {_HOW[way]} in {name}, not {_HOW[wanted]}" if way != MIXED
            else f"{what} is not proven {_HOW[wanted]} in {name}",
            decision.position, f"a formula that is {_HOW[wanted]} in {name}", "correct the claim",
        )  # fmt: skip
    where = decision.position if blame.position == NOWHERE else blame.position
    return Problem(
        "B220",
        f"{what} is not proven {_HOW[wanted]} in {name}: `{_short(render(blame, short=True))}` "
        "can move both ways",
        where,
        f"a formula whose parts all move one way when {name} rises",
        "write it without reading the number in two opposite places, such as max(0, 1 - k / e)",
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"
