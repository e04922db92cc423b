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


def facts_behind(book: Book) -> dict[str, list[str]]:
    """For every relation and ranking the paths of the facts that could change it, in book order."""
    found: dict[str, list[str]] = {}
    for name in (*book.relations, *book.rankings):
        kind = "relation" if name in book.relations else "ranking"
        paths = _facts(book, [Read(kind, name)])  # type: ignore[arg-type]
        found[name] = [path for path in book.facts if path in paths]
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


def _facts(book: Book, waiting: list[Read]) -> set[str]:
    paths: set[str] = set()
    seen: set[tuple[str, str]] = set()
    while waiting:
        read = waiting.pop()
        if (read.kind, read.id) in seen:
            continue
        seen.add((read.kind, read.id))
        if read.kind == "fact":
            paths.add(read.id)
            fact = book.facts[read.id]
            trees = [node for node in (fact.derive, fact.default) if node is not None]
            waiting += _reads(book, trees)
        elif read.kind == "decision":
            waiting += _reads(book, body_trees(book.decisions[read.id].body))
        elif read.kind in ("ranking", "best"):
            ranking = book.rankings[read.id]
            trees = [*order_trees(ranking), *_every_column(book, ranking.relation)]
            waiting += relation_inputs(book, ranking.relation, trees)
        elif read.kind == "relation" and read.id in book.relations:
            waiting += relation_inputs(book, read.id, _every_column(book, read.id))
    return paths


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
