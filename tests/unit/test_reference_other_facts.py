"""A reference with other facts keeps what has not read them, and only that."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from engine.book.model import Curve, Formula, Table
from engine.reference import Reference
from tests.unit.reference_book import profiles, sample

BOOK, CATALOG = sample()
NAMES = [
    (name, output)
    for name, decision in BOOK.decisions.items()
    if not isinstance(decision.body, Curve)
    for output in (
        [one.name for one in decision.body.outputs] if isinstance(decision.body, Table) else [""]
    )
]


def values(reference: Reference) -> dict[tuple[str, str], Any]:
    return {name: reference.collected(*name) for name in NAMES}


@settings(max_examples=30)
@given(profiles(BOOK, CATALOG), profiles(BOOK, CATALOG))
def test_it_decides_as_a_fresh_one(before: dict[str, Any], after: dict[str, Any]) -> None:
    changes = {path: after.get(path) for path in {*before, *after}}
    changes = dict(sorted(changes.items())[::3])  # some of the facts stay
    old = Reference(BOOK, CATALOG, before)
    values(old)
    told = {path: value for path, value in {**before, **changes}.items() if value is not None}
    other = old.with_facts(changes)
    assert values(other) == values(Reference(BOOK, CATALOG, told))
    for name, _ in NAMES:
        if not isinstance(BOOK.decisions[name].body, Formula):
            assert other.decided(name).winner == Reference(BOOK, CATALOG, told).decided(name).winner


def test_what_is_left_open_leaves_open_what_rests_on_it() -> None:
    ranking = next(iter(BOOK.rankings.values()))
    old = Reference(BOOK, CATALOG, {})
    other = old.with_facts({}, left_open=[ranking.id, ranking.relation])
    assert [cause.name for cause in other.ranking(ranking.id).causes] == [ranking.id]  # type: ignore[union-attr]
    assert [cause.name for cause in other.relation(ranking.relation).causes] == [ranking.relation]  # type: ignore[union-attr]
