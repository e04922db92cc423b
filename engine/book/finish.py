"""The second pass: what may read anything, once everything has a type.

Reasons and messages with placeholders, when a fact is relevant, claims of monotony, examples.
None of it influences a value, so none of it takes part in the order of dependency.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.book.example_reading import YES_OR_NO, answer_of, read_example
from engine.book.expressions import expression, value_named
from engine.book.model import AdviceRow, Decision, Example, Row, Table
from engine.book.names import canonical
from engine.book.problems import Findings, refuse
from engine.book.relation_drafts import relation_scope
from engine.book.resolve import Resolver
from engine.book.scopes import BookScope
from engine.book.texts import read_text
from engine.book.yaml_reader import Located
from engine.language.types import BOOLEAN

Body = dict[str, Located]


def finish(resolver: Resolver) -> None:
    """Adds the second pass to everything the resolver holds; problems go to its findings."""
    findings = resolver.findings
    plain_scope = BookScope(resolver, "")
    for path, fact in resolver.facts.items():
        body: Body = resolver.sections.facts[path].value
        relevant = None
        if "relevant" in body:
            with findings.collecting():
                relevant = expression(body["relevant"], plain_scope, BOOLEAN)
        because = read_text(body.get("because"), plain_scope, findings)
        resolver.facts[path] = replace(fact, relevant=relevant, because=because)
    for entry_id, decision in resolver.decisions.items():
        entry = resolver.sections.entries[entry_id]
        scope = BookScope(resolver, entry.file)
        resolver.decisions[entry_id] = _decision(decision, entry.body.value, scope, findings)
    for entry_id, relation in resolver.relations.items():
        entry = resolver.sections.entries[entry_id]
        scope = relation_scope(relation, entry, resolver)
        bodies: Body = entry.body.value["columns"].value
        columns = tuple(
            replace(one, decision=_decision(
                one.decision, bodies[one.decision.id].value, scope, findings
            ))
            for one in relation.columns
        )  # fmt: skip
        resolver.relations[entry_id] = replace(relation, columns=columns)
    for entry_id, advice in resolver.advice.items():
        entry = resolver.sections.entries[entry_id]
        scope = BookScope(resolver, entry.file)
        items = entry.body.value["rows"].value
        rows = tuple(
            _advice_row(row, item.value, scope, findings)
            for row, item in zip(advice.rows, items, strict=True)
        )
        resolver.advice[entry_id] = replace(advice, rows=rows)


def _decision(decision: Decision, body: Body, scope: BookScope, findings: Findings) -> Decision:
    made = decision.body
    if isinstance(made, Table):
        rows = tuple(
            _row(row, item.value, scope, findings)
            for row, item in zip(made.rows, body["rows"].value, strict=True)
        )
        otherwise = made.otherwise
        if otherwise is not None and body["otherwise"].is_mapping:
            otherwise = _row(otherwise, body["otherwise"].value, scope, findings)
        made = replace(made, rows=rows, otherwise=otherwise)
    examples = _examples(body.get("examples"), decision, scope, findings)
    return replace(
        decision,
        body=made,
        because=read_text(body.get("because"), scope, findings),
        increasing=_claims(body.get("increasing"), scope, findings),
        decreasing=_claims(body.get("decreasing"), scope, findings),
        examples=examples,
    )


def _row(row: Row, body: Body, scope: BookScope, findings: Findings) -> Row:
    return replace(row, because=read_text(body.get("because"), scope, findings))


def _advice_row(row: AdviceRow, body: Body, scope: BookScope, findings: Findings) -> AdviceRow:
    examples: list[Example] = []
    for located in body["examples"].value if "examples" in body else ():
        with findings.collecting():
            examples.append(read_example(located, YES_OR_NO, scope))
    return replace(
        row,
        message=read_text(body["message"], scope, findings),
        remedy=read_text(body.get("remedy"), scope, findings),
        examples=tuple(examples),
    )


def _examples(
    located: Located | None, decision: Decision, scope: BookScope, findings: Findings
) -> tuple[Example, ...]:
    if located is None:
        return ()
    answer = answer_of(decision)
    examples: list[Example] = []
    names: set[str] = set()
    for item in located.value:
        with findings.collecting():
            example = read_example(item, answer, scope)
            if example.name in names:
                raise refuse("B070", f'two examples are called "{example.name}"', item.where)
            names.add(example.name)
            examples.append(example)
    return tuple(examples)


def _claims(located: Located | None, scope: BookScope, findings: Findings) -> tuple[str, ...]:
    """The names of a claim, as `canonical` writes them."""
    claims: list[str] = []
    for item in _items(located):
        with findings.collecting():
            found, kind = value_named(item.value, item.position, scope)
            if kind.kind != "number":
                raise refuse("B071", f'"{item.value}" is not a number', item.position, "a number")
            claims.append(canonical(found))
    return tuple(claims)


def _items(located: Located | None) -> Iterable[Located]:
    return located.value if located is not None else ()
