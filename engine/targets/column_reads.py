"""Which columns of each relation a book itself reads, and which only whoever takes its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.book.contents import advice_trees, body_trees, ranking_trees, relation_trees
from engine.book.model import Book, Formula, Relation
from engine.language import tree
from engine.language.tree import Node
from engine.language.walk import children, walk
from engine.targets.analysis import same_tree_key

Scope = Mapping[str, str]  # alias (or `members`): the relation whose rows it stands for
Reads = dict[str, set[str]]


def columns_read(book: Book) -> Reads:
    """For every relation the columns that deciding the book takes: those that decisions, advice,
    rankings, other relations and its own `where` read, and what these are made of."""
    found: Reads = {id: set() for id in book.relations}
    for node in _outside_rows(book):
        _read(book, node, {}, found)
    for relation in book.relations.values():
        _relation(book, relation, found)
    for ranking in book.rankings.values():
        relation = book.relations[ranking.relation]
        scope = {"": relation.id, **_sources(relation)}
        for node in (*ranking_trees(ranking), *relation.key):
            _read(book, node, scope, found)
        found[relation.id] |= _keys(relation)
    for relation in book.relations.values():
        found[relation.id] = _with_inner(relation, found[relation.id])
    return found


def _keys(relation: Relation) -> set[str]:
    """The columns that hold a part of the key: rankings read them in its place."""
    parts = {same_tree_key(node) for node in relation.key}
    return {
        column.decision.id
        for column in relation.columns
        if isinstance(column.decision.body, Formula)
        and same_tree_key(column.decision.body.expression) in parts
    }


def _outside_rows(book: Book) -> Iterable[Node]:
    for decision in book.decisions.values():
        yield from body_trees(decision.body)
    for advice in book.advice.values():
        yield from advice_trees(advice)
    for fact in book.facts.values():
        yield from (node for node in (fact.derive, fact.default) if node is not None)


def _relation(book: Book, relation: Relation, found: Reads) -> None:
    for source in relation.sources:
        if source.name in found:
            found[source.name].update(source.by, (name for name, _ in source.on))
    scope = _sources(relation)
    for node in relation_trees(relation):
        _read(book, node, scope, found)
    for node, _ in relation.where:
        _read(book, node, {"": relation.id}, found)


def _sources(relation: Relation) -> dict[str, str]:
    scope = {source.alias: source.name for source in relation.sources if source.kind != "group"}
    for source in relation.sources:
        if source.kind == "group":
            scope["members"] = source.name
    return scope


def _read(book: Book, node: Node, scope: Scope, found: Reads) -> None:
    match node:
        case tree.Aggregate(alias=alias, relation=relation):
            scope = {**scope, alias: scope.get(relation, relation)}
        case tree.Column(alias=alias, name=name) if scope.get(alias) in found:
            found[scope[alias]].add(name)
        case tree.Best(ranking=ranking, column=column):
            found[book.rankings[ranking].relation].add(column)
    for child in children(node):
        _read(book, child, scope, found)


def _with_inner(relation: Relation, names: set[str]) -> set[str]:
    """The columns of those names and the ones that they are made of."""
    bodies = {column.decision.id: column.decision.body for column in relation.columns}
    seen: set[str] = set()
    waiting = [name for name in bodies if name in names]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        parts = (part for node in body_trees(bodies[name]) for part in walk(node))
        waiting += [part.name for part in parts if isinstance(part, tree.Column) and not part.alias]
    return seen
