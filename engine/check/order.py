"""The book has no cycles, and its order of evaluation respects every dependency (B250)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.book.contents import advice_trees, body_trees, ranking_trees, relation_trees
from engine.book.model import Book
from engine.language.problems import NOWHERE, Position, Problem
from engine.language.tree import Aggregate, Best, DecisionValue, Fact, Node
from engine.language.walk import walk

Key = tuple[str, str]  # kind and id, as in `Book.order`


def dependencies(book: Book) -> dict[Key, list[Key]]:
    """What each entry reads, each once, in reading order."""
    found: dict[Key, list[Key]] = {}
    for path, fact in book.facts.items():
        trees = [one for one in (fact.derive, fact.default) if one is not None]
        found["fact", path] = list(_reads(book, trees))
    for name, decision in book.decisions.items():
        found["decision", name] = list(_reads(book, body_trees(decision.body)))
    for name, relation in book.relations.items():
        reads = dict.fromkeys(_reads(book, relation_trees(relation)))
        for source in relation.sources:
            if source.kind in ("relation", "group"):
                reads["relation", source.name] = None
            elif source.kind == "fact":
                reads["fact", source.name] = None
        found["relation", name] = list(reads)
    for name, ranking in book.rankings.items():
        reads = dict.fromkeys(_reads(book, ranking_trees(ranking)))
        found["ranking", name] = list({("relation", ranking.relation): None, **reads})
    for name, advice in book.advice.items():
        found["advice", name] = list(_reads(book, advice_trees(advice)))
    return found


def _reads(book: Book, trees: Iterable[Node]) -> Iterator[Key]:
    seen: set[Key] = set()
    for tree in trees:
        for node in walk(tree):
            key = _key(book, node)
            if key is not None and key not in seen:
                seen.add(key)
                yield key


def _key(book: Book, node: Node) -> Key | None:
    match node:
        case Fact(path=path):
            return "fact", path
        case DecisionValue(id=name):
            return "decision", name
        case Best(ranking=ranking):
            return "ranking", ranking
        case Aggregate(relation=relation) if relation in book.relations:
            return "relation", relation
        case Aggregate(relation=relation) if relation in book.facts:
            return "fact", relation
        case _:
            return None


def check_order(book: Book) -> list[Problem]:
    """A cycle, or an entry that stands in the order before something it reads."""
    graph = dependencies(book)
    cycle = _cycle(graph)
    if cycle:
        path = " → ".join(name for _, name in cycle)
        return [Problem(
            "B250", f"these need each other: {path}", _position(book, cycle[0]),
            "entries that build on one another in one direction", "break the circle",
        )]  # fmt: skip
    place = {key: index for index, key in enumerate(book.order)}
    return [
        Problem(
            "B250",
            f"{key[1]} stands before {read[1]}, which it reads",
            _position(book, key),
            "an order of evaluation that respects what entries read",
        )
        for key, reads in graph.items()
        for read in reads
        if place.get(read, -1) > place.get(key, len(place))
    ]


def _cycle(graph: dict[Key, list[Key]]) -> list[Key]:
    done: set[Key] = set()
    for start in graph:
        path: list[Key] = []
        on_path: set[Key] = set()
        waiting: list[tuple[Key, bool]] = [(start, False)]
        while waiting:
            key, leaving = waiting.pop()
            if leaving:
                on_path.discard(path.pop())
                done.add(key)
            elif key in on_path:
                return [*path[path.index(key) :], key]
            elif key not in done:
                path.append(key)
                on_path.add(key)
                waiting.append((key, True))
                waiting.extend((read, False) for read in reversed(graph.get(key, [])))
    return []


def _position(book: Book, key: Key) -> Position:
    kind, name = key
    if kind == "fact":
        return book.facts[name].position
    if kind == "decision":
        return book.decisions[name].position
    if kind == "relation":
        return book.relations[name].position
    if kind == "ranking":
        return book.rankings[name].position
    return book.advice[name].position if name in book.advice else NOWHERE
