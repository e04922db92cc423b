"""The trace of one decision: the reference evaluator on the inputs of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.book.model import Curve
from engine.reference.trace import TraceNode
from engine.run.pipeline import Run
from engine.run.values import Values


def explainable(values: Values) -> dict[str, str]:
    """Everything that can be explained: name as typed → name in the book.

    Headline keys of the report, full ids, columns of the recommended row by their id, and every
    last part of an id that only one of them has.
    """
    book = values.book
    names = {name: name for name, one in book.decisions.items() if not isinstance(one.body, Curve)}
    names.update((name, name) for name in book.advice)
    for alias, ranking in values.rankings.items():
        relation = book.relations[book.rankings[ranking].relation]
        for column in relation.columns:
            name = f"{alias}.{column.decision.id}"
            names[name] = name
            names.setdefault(column.decision.id, name)
    ends: dict[str, set[str]] = {}
    for name in names:
        parts = name.split(".")
        for start in range(1, len(parts)):
            ends.setdefault(".".join(parts[start:]), set()).add(name)
    for spec in book.report["headline"]:
        names.setdefault(str(spec["key"]), str(spec["value"]))
    for end, full in ends.items():
        direct = [name for name in full if name.split(".")[0] not in values.rankings]
        chosen = direct if len(direct) == 1 else list(full)
        if len(chosen) == 1:
            names.setdefault(end, chosen[0])
    return names


def explain(run: Run, values: Values, name: str) -> TraceNode:
    """The trace of a name of `explainable`; columns are those of the recommended row."""
    head, _, rest = name.partition(".")
    if head in values.rankings:
        place = values.places[head]
        if place is None:
            return run.tracing.trace(f"{values.rankings[head]}.{rest}")
        return run.tracing.trace(f"{place.relation}.{rest}", at=values.at(place))
    return run.tracing.trace(name)


def trace_json(node: TraceNode, run: Run) -> Mapping[str, Any]:
    """The trace with the identity of the book it was made with."""
    book, catalog = run.bundle.book, run.bundle.catalog
    return {
        "schema": "trace/1",
        "rulebook": {"version": book.version, "digest": book.digest},
        "catalog": {"digest": catalog.digest},
        "trace": node.to_dict(),
    }
