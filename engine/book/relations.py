"""Relations, typed, with the level of every condition and column.

The level of a tree is the number of leading sources it needs: 0 none, 1 the first alone, and so
on. It tells the targets in which loop of the cross product a value can be computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.book.expressions import expression
from engine.book.model import Relation
from engine.book.problems import Findings, refuse
from engine.book.relation_drafts import Draft, add_source
from engine.book.sections import Entry, plain_text
from engine.book.yaml_reader import Located
from engine.language.tree import And, Node
from engine.language.types import BOOLEAN

if TYPE_CHECKING:
    from engine.book.resolve import Resolver


def build_relation(entry: Entry, resolver: Resolver) -> Relation:
    """A typed relation. Raises ProblemError with every problem found in it."""
    body: dict[str, Located] = entry.body.value
    draft = Draft(entry, resolver)
    findings = Findings()
    max_rows: int = body["max_rows"].value
    for located in body["from"].value:
        add_source(draft, located)
    scope = draft.scope()
    for name, located in draft.bodies.items():
        if name in resolver.sections.facts:
            findings.add("B051", f'the column "{name}" has the name of a fact', located.where)
        if name in draft.failed:
            continue
        with findings.collecting():
            draft.column(name, located.where)
    where: list[tuple[Node, int]] = []
    for located in body["where"].value if "where" in body else ():
        with findings.collecting():
            for part in _conjuncts(expression(located, scope, BOOLEAN)):
                if part.type is None or part.type.nullable:
                    raise refuse(
                        "B052", "this condition can be unknown", part.position,
                        "a condition that is always known",
                        "decide it in a column, or test known(alias.column) first",
                    )  # fmt: skip
                where.append((part, draft.level([part])))
    key: list[Node] = []
    for located in body["key"].value if "key" in body else ():
        with findings.collecting():
            tree = expression(located, scope)
            if tree.type is not None and tree.type.kind != "text":
                raise refuse("B053", "a key is made of texts", located.position, "a text")
            key.append(tree)
    findings.raise_if_any()
    if draft.failed:
        raise resolver.blocked()
    return Relation(
        id=entry.id,
        sources=tuple(draft.sources),
        where=tuple(where),
        columns=tuple(draft.columns.values()),
        key=tuple(key),
        max_rows=max_rows,
        title=plain_text(body["title"]),
        position=entry.body.where,
    )


def _conjuncts(tree: Node) -> Iterable[Node]:
    # `known(x) and x > 1` is known only as a whole: it stays in one piece.
    if isinstance(tree, And) and not any(
        part.type is None or part.type.nullable for part in tree.parts
    ):
        for part in tree.parts:
            yield from _conjuncts(part)
    else:
        yield tree
