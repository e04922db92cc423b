"""The reference on a sample of each outcome.

A whole outcome costs the reference some fifty times what it costs a compiled target. So it runs
whole outcomes of some profiles, and of every other profile a value or two drawn at random: a
decision, and a cell of a relation. What these read of relations and rankings is taken from the
outcome under test, whose own values are drawn just as often. Only why a value is unknown stays
out: an outcome does not say it, and telling the causes costs more than telling the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.book.model import Book, Catalog, Decision, Table
from engine.reference.evaluator import Reference
from engine.reference.expressions import RowLike
from engine.reference.relations import TakenRow
from engine.reference.values import Answer, output, plain, unknown
from tests.differential.flat import bits
from tests.generators.choices import Choices
from tests.generators.parameters import Parameters


class WithoutCauses(Reference):
    """A reference whose unknown values need not say what all is missing.

    A cell of a row taken over that is unknown is taken as that; of a ranking no undecided row
    is judged, whose only use is to say why nothing is best.
    """

    def __init__(
        self,
        book: Book,
        catalog: Catalog,
        given: Mapping[str, Any],
        parameters: Parameters,
        outcome: Mapping[str, Any],
    ) -> None:
        super().__init__(
            book,
            catalog,
            given,
            parameters,
            rankings={
                name: ranking and {**ranking, "undecided": ()}
                for name, ranking in outcome["rankings"].items()
            },
            relations=outcome["relations"],
            brief=True,
        )

    def unrecorded(self, row: RowLike, name: str) -> Answer:
        if not isinstance(row, TakenRow):
            return super().unrecorded(row, name)
        value = row.taken(name)
        return unknown("stated", "taken over") if value is None else output(value)


class Sampled:
    """Draws values of outcomes and computes them anew; `values`: how many the last time."""

    def __init__(self, book: Book, catalog: Catalog, parameters: Parameters) -> None:
        self.book, self.catalog, self.parameters = book, catalog, parameters
        self.values = 0
        self.names = [
            f"{id}.{output}" if output else id
            for id, decision in book.decisions.items()
            for output in decision.outputs
            if _single(decision)
        ]

    def differences(
        self, given: Mapping[str, Any], outcome: Mapping[str, Any], choices: Choices
    ) -> Iterator[tuple[str, Any, Any]]:
        """The place, the value of the outcome and that of the reference, where they differ."""
        self.values = 0
        reference = WithoutCauses(self.book, self.catalog, given, self.parameters, outcome)
        for place, value, other in (
            self.decision(reference, outcome, choices),
            *self.cell(reference, outcome, choices),
        ):
            self.values += 1
            if bits(value) != bits(other):
                yield place, value, other

    def decision(
        self, reference: Reference, outcome: Mapping[str, Any], choices: Choices
    ) -> tuple[str, Any, Any]:
        name = choices.one_of(self.names)
        decision, output = (name, "")
        if name not in self.book.decisions:
            decision, _, output = name.rpartition(".")
        return (
            f"decisions {name}",
            outcome["decisions"][name],
            plain(reference.decision(decision, output)),
        )

    def cell(
        self, reference: Reference, outcome: Mapping[str, Any], choices: Choices
    ) -> Iterator[tuple[str, Any, Any]]:
        filled = [name for name, rows in outcome["relations"].items() if rows]
        if not filled:
            return
        name = choices.one_of(filled)
        relation = self.book.relations[name]
        if not relation.columns:
            return
        row = choices.one_of(outcome["relations"][name])
        width = len(relation.sources)
        place = choices.one_of(range(len(relation.columns)))
        column = relation.columns[place].decision.id
        found = plain(reference.row(name, tuple(row[:width])).column(column))
        yield f"relations {name}.{column}", row[width + place], found


def _single(decision: Decision) -> bool:
    """Decisions with one value; those that collect a list are left to whole outcomes."""
    body = decision.body
    return not (isinstance(body, Table) and body.hit == "collect" and not body.aggregate)
