"""What the names of a report stand for: see `values` for their forms."""

from __future__ import annotations

from collections.abc import Container, Mapping

from engine.book.model import Book, Decision, TableColumn
from engine.language.types import Type

# The first part of names of facts and parameters.
HEADS = ("facts", "parameters")


def is_global(book: Book, rows: Container[str], name: str) -> bool:
    """Whether a name stands for the same everywhere; `rows`: names of rows the report declares."""
    head, _, _ = name.partition(".")
    return head in rows or head in HEADS or is_decision(book, name)


def is_decision(book: Book, name: str) -> bool:
    return name in book.decisions or name.rpartition(".")[0] in book.decisions


def type_of(book: Book, rankings: Mapping[str, str], name: str, relation: str = "") -> Type | None:
    """The type of a name; of a column: inside `relation`. None: there is no such column.

    `rankings`: the ranking behind each of the report's rows. Raises LookupError.
    """
    if relation and not is_global(book, rankings, name):
        found = column_of(book, relation, name)
        return found.type if found is not None else None
    head, _, rest = name.partition(".")
    if head in rankings:
        found = column_of(book, book.rankings[rankings[head]].relation, rest)
        return found.type if found is not None else None
    if head == "facts":
        return book.facts[rest].type
    if head == "parameters":
        return book.parameters[rest].type
    return decision_type(book, name)


def column_of(book: Book, relation: str, name: str) -> Decision | TableColumn | None:
    """A relation's own column, or `source.column` of a catalog table it is made from."""
    alias, _, last = name.rpartition(".")
    found = book.relations[relation]
    if not alias:
        return next((c.decision for c in found.columns if c.decision.id == last), None)
    source = next(source for source in found.sources if source.alias == alias)
    return book.tables[source.name].column(last)


def decision_type(book: Book, name: str) -> Type:
    """The type of a decision or of one output of it. Raises LookupError."""
    if name in book.decisions:
        return book.decisions[name].type
    owner, _, output = name.rpartition(".")
    return book.decisions[owner].outputs[output]
