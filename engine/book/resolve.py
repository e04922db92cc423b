"""From entries as read to a typed book: everything is resolved when it is first needed.

The order in which entries become ready is therefore an order of dependency, and an entry that is
needed while it is being resolved is a cycle. An entry with a problem is reported once; whatever
needs it is left out silently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.book.advice import build_advice
from engine.book.decisions import build_decision, outputs_of
from engine.book.facts import build_fact, build_parameter, fact_columns
from engine.book.model import (
    Advice,
    Decision,
    Fact,
    Parameter,
    Ranking,
    Relation,
    TableSchema,
)
from engine.book.names import Names
from engine.book.problems import Findings, no_such, refuse
from engine.book.rankings import build_ranking
from engine.book.relations import build_relation
from engine.book.scopes import BookScope
from engine.book.sections import Sections
from engine.book.yaml_reader import Located
from engine.language.problems import Position, ProblemError
from engine.language.scope import Rows

Key = tuple[str, str]


def _dots(path: str) -> list[int]:
    return [place for place, character in enumerate(path) if character == "."]


class Resolver:
    """Holds what is ready; `fact`, `decision`, … make it so."""

    def __init__(
        self, sections: Sections, tables: Mapping[str, TableSchema], findings: Findings
    ) -> None:
        self.sections = sections
        self.tables = tables
        self.findings = findings
        self.names = Names(sections)
        self.fact_roots = frozenset(path.partition(".")[0] for path in sections.facts)
        self.fact_groups = frozenset(
            path[:end] for path in sections.facts for end in _dots(path)
        )  # `model` and `model.attention` when there is a fact `model.attention.kind`
        self.facts: dict[str, Fact] = {}
        self.parameters: dict[str, Parameter] = {}
        self.decisions: dict[str, Decision] = {}
        self.relations: dict[str, Relation] = {}
        self.rankings: dict[str, Ranking] = {}
        self.advice: dict[str, Advice] = {}
        self.order: list[Key] = []
        self._open: dict[Key, None] = {}
        self._failed: set[Key] = set()
        self._outputs: dict[str, tuple[str, ...]] = {}

    def resolve_all(self) -> None:
        """Resolves every entry of the book, collecting problems in `findings`."""
        for name, entry in self.sections.parameters.items():
            with self.findings.collecting():
                self.parameters[name] = build_parameter(entry)
        for path in self.sections.facts:
            with self.findings.collecting():
                self.fact(path, self.sections.facts[path].where)
        makers: dict[str, Callable[[str, Position], object]] = {
            "decision": self.decision,
            "relation": self.relation,
            "ranking": self.ranking,
            "advice": self.advise,
        }
        for entry in self.sections.entries.values():
            with self.findings.collecting():
                makers[entry.kind](entry.id, entry.body.where)

    def blocked(self) -> ProblemError:
        """For what cannot go on because of a problem reported elsewhere."""
        return ProblemError([])

    # ---------------------------------------------------------------- on demand

    def _need(self, key: Key, position: Position, build: Callable[[], None]) -> None:
        if key in self._failed:
            raise self.blocked()
        if key in self._open:
            keys = list(self._open)
            names = [name for _, name in keys[keys.index(key) :]] + [key[1]]
            raise refuse(
                "B092", "these need each other: " + " → ".join(names), position,
                "no entry that needs itself", "compute one of them without the others",
            )  # fmt: skip
        self._open[key] = None
        try:
            build()
        except ProblemError as error:
            self.findings.problems.extend(error.problems)
            self._failed.add(key)
            raise self.blocked() from None
        finally:
            del self._open[key]

    def fact(self, path: str, position: Position) -> Fact:
        if path not in self.facts:

            def build() -> None:
                fact = build_fact(path, self.sections.facts[path], self)
                self.facts[path] = fact
                if fact.default is not None or fact.derive is not None:
                    self.order.append(("fact", path))

            self._need(("fact", path), position, build)
        return self.facts[path]

    def decision(self, entry_id: str, position: Position) -> Decision:
        if entry_id not in self.decisions:
            entry = self.sections.entries[entry_id]

            def build() -> None:
                scope = BookScope(self, entry.file)
                self.decisions[entry_id] = build_decision(entry_id, entry.body, scope)
                self.order.append(("decision", entry_id))

            self._need(("decision", entry_id), position, build)
        return self.decisions[entry_id]

    def relation(self, entry_id: str, position: Position) -> Relation:
        if entry_id not in self.relations:
            entry = self.sections.entries[entry_id]

            def build() -> None:
                self.relations[entry_id] = build_relation(entry, self)
                self.order.append(("relation", entry_id))

            self._need(("relation", entry_id), position, build)
        return self.relations[entry_id]

    def ranking(self, entry_id: str, position: Position) -> Ranking:
        if entry_id not in self.rankings:
            entry = self.sections.entries[entry_id]

            def build() -> None:
                self.rankings[entry_id] = build_ranking(entry, self)
                self.order.append(("ranking", entry_id))

            self._need(("ranking", entry_id), position, build)
        return self.rankings[entry_id]

    def advise(self, entry_id: str, position: Position) -> Advice:
        if entry_id not in self.advice:
            entry = self.sections.entries[entry_id]

            def build() -> None:
                self.advice[entry_id] = build_advice(entry, self)
                self.order.append(("advice", entry_id))

            self._need(("advice", entry_id), position, build)
        return self.advice[entry_id]

    # ---------------------------------------------------------------- what scopes ask for

    def output_names(self, entry_id: str) -> tuple[str, ...]:
        """The output names of a decision with several, without resolving it."""
        if entry_id not in self._outputs:
            self._outputs[entry_id] = outputs_of(self.sections.entries[entry_id].body)
        return self._outputs[entry_id]

    def fact_rows(self, path: str, position: Position) -> Rows:
        """The rows of a list fact."""
        fact = self.fact(path, position)
        if not fact.fields:
            raise refuse("B091", f'"{path}" is a single value', position, "a list or a relation")
        return Rows(path, fact_columns(fact), fact.max_rows, nullable=fact.type.nullable)

    def relation_named(self, located: Located, file: str) -> str:
        """The id of the relation that a name means in a file. Raises ProblemError."""
        found = self.names.find("relation", located.value, file, located.position)
        if found is None:
            known = self.names.candidates("relation", file)
            raise no_such("relation", located.value, located.position, known)
        return found

    def relation_rows(self, entry_id: str, position: Position) -> Rows:
        """The rows of a relation: its own columns."""
        relation = self.relation(entry_id, position)
        columns = {one.decision.id: one.decision.type for one in relation.columns}
        return Rows(entry_id, columns, relation.max_rows)
