"""What rows of a relation depend on, read from the book without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.book.contents import body_trees
from engine.book.model import Book, Ranking, Relation, Source
from engine.language import tree
from engine.language.walk import walk
from engine.reference.reads import Read


def order_trees(ranking: Ranking) -> Iterator[tree.Node]:
    """The trees that decide order and membership (the Pareto front changes neither)."""
    if ranking.keep is not None:
        yield ranking.keep
    for node, _ in ranking.by:
        yield node


def used_columns(node: tree.Aggregate) -> str:
    """Names of the columns an aggregate reads of its rows, joined by commas."""
    names = {
        part.name
        for part in walk(node)
        if isinstance(part, tree.Column) and part.alias == node.alias
    }
    return ",".join(sorted(names))


def relation_inputs(book: Book, relation: str, trees: Iterable[tree.Node]) -> list[Read]:
    """Everything outside its rows that `trees` over rows of `relation` and the rows depend on.

    Facts, parameters, decisions, rankings, other relations and catalog tables
    (`catalog.<name>`, as relations), each once.
    """
    found: dict[Read, None] = {}
    seen: set[tuple[str, str]] = set()
    _collect(book, relation, list(trees), found, seen)
    return list(found)


def column_trees(columns: str) -> list[tree.Node]:
    """Reads of the columns named in `used_columns` form."""
    return [tree.Column(alias="", name=name) for name in columns.split(",") if name]


def _collect(
    book: Book,
    name: str,
    trees: list[tree.Node],
    found: dict[Read, None],
    seen: set[tuple[str, str]],
) -> None:
    if name not in book.relations:
        found[Read("relation", name)] = None
        return
    relation = book.relations[name]
    if (name, "") not in seen:
        seen.add((name, ""))
        for source in relation.sources:
            _source(book, source, found, seen)
            trees.extend(node for _, node in source.on)
            bounds = (source.start, source.stop, source.step)
            trees.extend(node for node in bounds if node is not None)
        trees.extend(node for node, _ in relation.where)
    while trees:
        for node in walk(trees.pop()):
            _node(book, relation, node, trees, found, seen)


def _source(
    book: Book, source: Source, found: dict[Read, None], seen: set[tuple[str, str]]
) -> None:
    if source.kind == "table":
        found[Read("relation", f"catalog.{source.name}")] = None
    elif source.kind == "fact":
        found[Read("fact", source.name)] = None
    elif source.kind in ("relation", "group"):
        columns: list[tree.Node] = [tree.Column(alias="", name=name) for name in source.by]
        _collect(book, source.name, columns, found, seen)


def _node(
    book: Book,
    relation: Relation,
    node: tree.Node,
    trees: list[tree.Node],
    found: dict[Read, None],
    seen: set[tuple[str, str]],
) -> None:
    match node:
        case tree.Fact(path=path):
            found[Read("fact", path)] = None
        case tree.Parameter(id=name):
            found[Read("parameter", name)] = None
        case tree.DecisionValue(id=name, output=output):
            found[Read("decision", name, output)] = None
        case tree.Best(ranking=ranking, column=column):
            found[Read("best", ranking, column)] = None
        case tree.Lookup(table=table):
            found[Read("relation", f"catalog.{table}")] = None
        case tree.Aggregate(relation="members"):
            for source in relation.sources:
                if source.kind == "group":
                    _collect(book, source.name, column_trees(used_columns(node)), found, seen)
        case tree.Aggregate(relation=other) if other in book.facts:
            found[Read("fact", other)] = None
        case tree.Aggregate(relation=other):
            found[Read("relation", other, used_columns(node))] = None
        case tree.Column(alias="", name=name):
            if (relation.id, name) not in seen:
                seen.add((relation.id, name))
                for own in relation.columns:
                    if own.decision.id == name:
                        trees.extend(body_trees(own.decision.body))
        case tree.Column(alias=alias, name=name):
            for source in relation.sources:
                if source.alias == alias and source.kind in ("relation", "group"):
                    _collect(book, source.name, column_trees(name), found, seen)
