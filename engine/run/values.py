"""Values of one run by the names the report uses.

A name is a decision (`sourcing.region.region`, `id.output`), `facts.<path>`, or
`<rows>.<column>` where <rows> is declared in the report (`best`: the first row of a ranking) and
the column is the relation's own or `<source>.<column>` of a catalog table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from engine.book.model import Book, Catalog, Relation
from engine.language.frozen import frozen
from engine.language.types import Type
from engine.reference.reads import Read
from engine.reference.values import UnknownValue
from engine.run.names import is_global, type_of
from engine.run.pipeline import Run


@frozen
class Place:
    """A row of a relation by its number in the outcome."""

    relation: str
    number: int


class Values:
    """Looks values up in the outcome of the fast target; the reference only explains them."""

    def __init__(
        self,
        run: Run,
        rows: Mapping[str, Any],
        currency: Mapping[str, Any],
        outcome: Mapping[str, Any] | None = None,
    ) -> None:
        self.run = run
        self.book: Book = run.bundle.book
        self.catalog: Catalog = run.bundle.catalog
        self.outcome = run.outcome if outcome is None else outcome
        self.places = {alias: self._first(spec) for alias, spec in rows.items()}
        self.rankings = {alias: self._used_ranking(spec) for alias, spec in rows.items()}
        self._rows, self._currency = rows, currency
        self._columns: dict[str, dict[str, int]] = {}
        # Asked of the same few names for each row that is listed.
        self._in_rows: dict[tuple[str, str], tuple[bool, Type | None]] = {}
        self._powers: dict[int, tuple[int, Type]] = {}

    def of(self, outcome: Mapping[str, Any]) -> Values:
        """The same names in another outcome of the book."""
        return Values(self.run, self._rows, self._currency, outcome)

    # ------------------------------------------------------------ rows

    def _used_ranking(self, spec: str | Sequence[str]) -> str:
        names = [spec] if isinstance(spec, str) else list(spec)
        return next((name for name in names if self.order(name)), names[0])

    def _first(self, spec: str | Sequence[str]) -> Place | None:
        name = self._used_ranking(spec)
        order = self.order(name)
        if not order:
            return None
        return Place(self.book.rankings[name].relation, order[0])

    def order(self, ranking: str) -> list[int]:
        """Row numbers of the kept rows, best first."""
        result = self.outcome["rankings"].get(ranking)
        return list(result["order"]) if result else []

    def column(self, place: Place, name: str) -> Any:
        """A column of a row: its own, or `source.column` of a catalog table."""
        relation = self.book.relations[place.relation]
        row = self.outcome["relations"][place.relation][place.number]
        alias, _, last = name.rpartition(".")
        if not alias:
            return row[self._offsets(relation)[last]]
        index = next(i for i, source in enumerate(relation.sources) if source.alias == alias)
        number = row[index]
        if number is None:
            return None
        table = relation.sources[index].name
        names = [column.name for column in self.book.tables[table].columns]
        return self.catalog.tables[table].rows[number][names.index(last)]

    def columns(self, relation: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """The own columns of those names, of every row of a relation in the outcome."""
        rows = self.outcome["relations"][relation]
        offsets = self._offsets(self.book.relations[relation])
        wanted = [offsets[name] for name in names]
        if not wanted:
            return [()] * len(rows)
        cells = getattr(rows, "cells", None)  # rows that are computed when asked for
        found = map(itemgetter(*wanted), rows) if cells is None else cells(*wanted)
        return list(found) if len(wanted) > 1 else list(zip(found, strict=True))

    def _offsets(self, relation: Relation) -> dict[str, int]:
        if relation.id not in self._columns:
            start = len(relation.sources)
            self._columns[relation.id] = {
                column.decision.id: start + number for number, column in enumerate(relation.columns)
            }
        return self._columns[relation.id]

    def at(self, place: Place) -> tuple[int | None, ...]:
        """The row numbers of the sources of a row, as the reference addresses it."""
        relation = self.book.relations[place.relation]
        row = self.outcome["relations"][place.relation][place.number]
        return tuple(row[: len(relation.sources)])

    # ------------------------------------------------------------ names

    def value(self, name: str, place: Place | None = None) -> Any:
        """The value of a name; inside `place` a bare name is a column. None: unknown."""
        if place is not None:
            of_all, kind = self._in_row(name, place)
            if not of_all:
                return self.converted(self.column(place, name), kind)
        head, _, rest = name.partition(".")
        if head in self.places:
            found = self.places[head]
            return None if found is None else self.value(rest, found)
        if head == "facts":
            return self.outcome["facts"].get(rest, self.run.given.get(rest))
        if head == "parameters":
            return self.run.parameters[rest]
        return self.converted(self.outcome["decisions"].get(name), self.type(name, None))

    def _in_row(self, name: str, place: Place) -> tuple[bool, Type | None]:
        """Whether a name is none of the row's columns, and its type."""
        key = (place.relation, name)
        if key not in self._in_rows:
            self._in_rows[key] = self.is_global(name), self.type(name, place)
        return self._in_rows[key]

    def is_global(self, name: str) -> bool:
        return is_global(self.book, self.places, name)

    def type(self, name: str, place: Place | None) -> Type | None:
        """The type of a name (of a column: inside `place`)."""
        return type_of(self.book, self.rankings, name, place.relation if place else "")

    def read(self, name: str, place: Place | None = None) -> Read | None:
        """The address of a name in the reference evaluator; None for catalog cells."""
        if place is not None and not self.is_global(name):
            if "." in name:
                return None
            relation = self.book.relations[place.relation]
            level = next(c.level for c in relation.columns if c.decision.id == name)
            return Read("column", place.relation, name, self.at(place)[:level])
        head, _, rest = name.partition(".")
        if head in self.places:
            found = self.places[head]
            if found is None:
                return Read("best", self.rankings[head], rest) if "." not in rest else None
            return self.read(rest, found)
        if head == "facts":
            return Read("fact", rest)
        if head == "parameters":
            return Read("parameter", rest)
        if name in self.book.decisions:
            return Read("decision", name)
        owner, _, output = name.rpartition(".")
        return Read("decision", owner, output)

    # ------------------------------------------------------------ money

    @cached_property
    def currency(self) -> str:
        """The currency of the answer."""
        stated = self.value(f"facts.{self._currency['fact']}") if "fact" in self._currency else None
        return str(stated or self._currency["base"])

    @cached_property
    def rate(self) -> float:
        """Units of the answer's currency for one of the base currency."""
        if self.currency == self._currency["base"]:
            return 1.0
        found = self.value(f"facts.{self._currency['rates'][self.currency]['fact']}")
        return float(found)

    def converted(self, value: Any, kind: Type | None) -> Any:
        """Whole numbers as such; amounts in the base currency, in the currency of the answer."""
        if value is None or kind is None or not isinstance(value, float):
            return value
        if kind.integer and value.is_integer():
            return int(value)
        power = self._power(kind)
        if power == 0 or self.rate == 1.0:
            return value
        return value * self.rate if power > 0 else value / self.rate

    def _power(self, kind: Type) -> int:
        """How often the base currency stands in a unit."""
        found = self._powers.get(id(kind))
        if found is None:
            power = dict(kind.unit.dimension).get(str(self._currency["base"]).lower(), 0)
            found = self._powers[id(kind)] = power, kind  # kept, so that its id stays its own
        return found[0]

    def unit(self, kind: Type | None) -> str:
        if kind is None or kind.kind != "number":
            return ""
        return kind.unit.symbol.replace(str(self._currency["base"]), self.currency)

    def unknown(self, read: Read) -> UnknownValue | None:
        """Why the value at an address is unknown; None when it is known."""
        answer = self.run.reference.read(read)
        return answer if isinstance(answer, UnknownValue) else None
