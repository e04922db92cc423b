"""Rankings, typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.book.expressions import expression
from engine.book.model import Ranking
from engine.book.problems import Findings, refuse
from engine.book.scopes import BookScope
from engine.book.sections import Entry, plain_text
from engine.book.yaml_reader import Located
from engine.language.tree import Node
from engine.language.types import BOOLEAN

if TYPE_CHECKING:
    from engine.book.resolve import Resolver


def build_ranking(entry: Entry, resolver: Resolver) -> Ranking:
    """A typed ranking. Raises ProblemError."""
    body: dict[str, Located] = entry.body.value
    relation = resolver.relation_named(body["of"], entry.file)
    rows = resolver.relation_rows(relation, body["of"].position)
    scope = BookScope(
        resolver,
        entry.file,
        column_names=tuple(rows.columns),
        column_type=lambda name, _: rows.columns[name],
    )
    findings = Findings()
    keep: Node | None = None
    if "keep" in body:
        with findings.collecting():
            keep = expression(body["keep"], scope, BOOLEAN)
    by: list[tuple[Node, bool]] = []
    for item in body["by"].value:
        with findings.collecting():
            descending = item.is_mapping
            located = item.value["descending"] if descending else item
            by.append((expression(located, scope), descending))
    pareto: list[Node] = []
    for item in body["pareto"].value if "pareto" in body else ():
        with findings.collecting():
            tree = expression(item, scope)
            if tree.type is not None and tree.type.kind != "number":
                raise refuse("B055", "a Pareto axis is a number", item.position, "a number")
            pareto.append(tree)
    findings.raise_if_any()
    if len(by) < len(body["by"].value) or ("pareto" in body and len(pareto) < 2):
        raise resolver.blocked()
    axes = (pareto[0], pareto[1]) if pareto else None
    title = plain_text(body["title"])
    return Ranking(entry.id, relation, keep, tuple(by), axes, title, entry.body.where)
