"""Which facts the rows of relations and the order of rankings can depend on, read off the book."""

from __future__ import annotations

from collections.abc import Iterable

from engine.book.contents import (
    advice_trees,
    all_decisions,
    body_trees,
    ranking_trees,
    relation_trees,
)
from engine.book.model import Book
from engine.language import tree
from engine.language.walk import walk
from engine.reference.closure import column_trees, order_trees, relation_inputs
from engine.reference.reads import Read

Entry = tuple[str, str]  # kind and id
Edges = dict[Entry, set[Entry]]


def facts_behind(book: Book) -> dict[str, list[str]]:
    """For every relation and ranking the paths of the facts that could change it, in book order."""
    known: Edges = {}  # every entry is read once, however many others lead to it
    found: dict[str, list[str]] = {}
    for name in (*book.relations, *book.rankings):
        entries = behind(book, name, known)
        found[name] = [path for path in book.facts if ("fact", path) in entries]
    return found


def facts_read(book: Book) -> list[str]:
    """The paths of the facts that any rule reads, in book order."""
    trees = [node for decision in all_decisions(book) for node in body_trees(decision.body)]
    trees += [node for relation in book.relations.values() for node in relation_trees(relation)]
    trees += [node for ranking in book.rankings.values() for node in ranking_trees(ranking)]
    trees += [node for advice in book.advice.values() for node in advice_trees(advice)]
    for fact in book.facts.values():
        trees += [node for node in (fact.derive, fact.default) if node is not None]
    found = {read.id for read in _reads(book, trees) if read.kind == "fact"}
    for relation in book.relations.values():
        found |= {source.name for source in relation.sources if source.kind == "fact"}
    return [path for path in book.facts if path in found]


def behind(book: Book, name: str, known: Edges) -> set[Entry]:
    """A relation or ranking and all that it can depend on; `known` is kept from call to call."""
    start = ("relation" if name in book.relations else "ranking", name)
    seen, waiting = {start}, [start]
    while waiting:
        entry = waiting.pop()
        if entry not in known:
            known[entry] = {(read.kind, read.id) for read in _inputs(book, *entry)}
        new = known[entry] - seen
        seen |= new
        waiting += new
    return seen


def _inputs(book: Book, kind: str, name: str) -> list[Read]:
    """What an entry of the book reads, its own rows left out."""
    if kind == "fact":
        fact = book.facts[name]
        return _reads(book, [node for node in (fact.derive, fact.default) if node is not None])
    if kind == "decision":
        return _reads(book, body_trees(book.decisions[name].body))
    if kind in ("ranking", "best"):
        ranking = book.rankings[name]
        return [Read("relation", ranking.relation), *_reads(book, order_trees(ranking))]
    if kind == "relation" and name in book.relations:
        return relation_inputs(book, name, _every_column(book, name))
    return []


def _every_column(book: Book, relation: str) -> list[tree.Node]:
    names = [column.decision.id for column in book.relations[relation].columns]
    return column_trees(",".join(names))


def _reads(book: Book, trees: Iterable[tree.Node]) -> list[Read]:
    """What expressions outside a relation read."""
    found: list[Read] = []
    for node in (part for root in trees for part in walk(root)):
        match node:
            case tree.Fact(path=path):
                found.append(Read("fact", path))
            case tree.DecisionValue(id=name):
                found.append(Read("decision", name))
            case tree.Best(ranking=ranking):
                found.append(Read("best", ranking))
            case tree.Aggregate(relation=relation):
                found.append(Read("fact" if relation in book.facts else "relation", relation))
    return found
