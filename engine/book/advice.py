"""Advice tables, typed. Messages and examples are added later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.book.decisions import build_cells, build_inputs
from engine.book.model import Advice, AdviceRow
from engine.book.problems import Findings, refuse
from engine.book.scopes import BookScope
from engine.book.sections import Entry, plain_text, texts
from engine.book.yaml_reader import Located

if TYPE_CHECKING:
    from engine.book.resolve import Resolver


def build_advice(entry: Entry, resolver: Resolver) -> Advice:
    """A typed advice table. Raises ProblemError with every problem found in it."""
    body: dict[str, Located] = entry.body.value
    scope = BookScope(resolver, entry.file)
    findings = Findings()
    inputs = build_inputs(body["inputs"], scope, findings)
    rows: dict[str, AdviceRow] = {}
    for located in body["rows"].value:
        with findings.collecting():
            row: dict[str, Located] = located.value
            row_id: str = row["id"].value
            if row_id in rows:
                raise refuse("B042", f'the row "{row_id}" exists already', located.position)
            rows[row_id] = AdviceRow(
                id=row_id,
                when=build_cells(row["when"], inputs, scope),
                verdict=row["verdict"].value,
                severity=row["severity"].value,
                message=plain_text(row["message"]),
                remedy=plain_text(row.get("remedy")),
                source=texts(row.get("source")),
                position=located.position,
            )
    findings.raise_if_any()
    ready = tuple(tree for tree in inputs if tree is not None)
    if len(ready) < len(inputs) or len(rows) < len(body["rows"].value):
        raise resolver.blocked()
    title = plain_text(body["title"])
    return Advice(entry.id, ready, tuple(rows.values()), title, entry.body.where)
