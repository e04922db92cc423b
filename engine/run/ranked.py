"""The rows of a ranking as the answer lists them: kept ones in order, then why others are out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.book.model import Decision, Row, Table, Unknown
from engine.language import tree
from engine.reference.relations import find_column, source_index
from engine.reference.texts import fill_text
from engine.run.reasons import reason
from engine.run.values import Place, Values

if TYPE_CHECKING:
    from engine.run.recommendation import Builder


def ranked_rows(builder: Builder, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The best rows of a ranking, then rejected ones.

    `ranked`: the ranking; `one_per`: columns that make two rows the same choice (the better one is
    listed); `fields`: the shape of a row; `range`: see `_spread`; `rejected`: see `_rejected`.
    """
    name = str(spec["ranked"])
    relation = builder.run.bundle.book.rankings[name].relation
    result = builder.run.outcome["rankings"].get(name)
    if result is None:
        return []
    order = builder.values.order(name)
    flags = dict(zip(order, result["pareto"], strict=False))
    rows: list[dict[str, Any]] = []
    seen: set[tuple[Any, ...]] = set()
    choice = builder.values.columns(relation, spec.get("one_per", ()))
    spread = _spread(builder.values, spec.get("range"), relation, order)
    for number in order:
        key = choice[number]
        if key and key in seen:
            continue
        seen.add(key)
        row = {"rank": len(rows) + 1, **builder.build(spec["fields"], Place(relation, number))}
        row |= {"pareto": bool(flags.get(number, False)), "why_not": None}
        row |= spread(number)
        rows.append(row)
        if len(rows) == builder.top:
            break
    if "rejected" in spec:
        rows += _rejected(builder, spec, relation, order)
    return rows


def _spread(
    values: Values, rule: Mapping[str, Any] | None, relation: str, order: Sequence[int]
) -> Callable[[int], dict[str, Any]]:
    """For a row: lowest and highest `column` over the kept rows that agree with it in `same`.

    Empty without a rule; the answer stands under the rule's `key`.
    """
    if rule is None or not order:
        return lambda number: {}
    key, same = str(rule["key"]), values.columns(relation, rule["same"])
    column = values.columns(relation, [rule["column"]])
    kind = values.type(str(rule["column"]), Place(relation, order[0]))
    found: dict[tuple[Any, ...], list[float]] = {}
    for number in order:
        (value,) = column[number]
        if value is not None:
            found.setdefault(same[number], []).append(value)

    def spread(number: int) -> dict[str, Any]:
        known = found.get(same[number])
        if not known:
            return {key: None}
        low, high = (values.converted(value, kind) for value in (min(known), max(known)))
        if low == high:  # one price is no range
            return {key: None}
        return {key: {"low": low, "high": high, "offers": len(known)}}

    return spread


def _rejected(
    builder: Builder, spec: Mapping[str, Any], relation: str, order: Sequence[int]
) -> list[dict[str, Any]]:
    """For each choice no row of which is kept, the row that came nearest, with its reason.

    `reason`: the column that says why (its values are declared from the furthest to the nearest
    miss); `one_per`: the columns that make a choice.
    """
    rows = builder.run.outcome["relations"].get(relation)
    if not rows:
        return []
    rule = spec["rejected"]
    column = str(rule["reason"])
    values = builder.values
    choice, why = values.columns(relation, rule["one_per"]), values.columns(relation, [column])
    kept = {choice[number] for number in order}
    kind = values.type(column, Place(relation, 0))
    ranks = {value: rank for rank, value in enumerate((kind.values or ()) if kind else ())}
    nearest: dict[tuple[Any, ...], tuple[int, int]] = {}
    for number, key in enumerate(choice):
        if key in kept:
            continue
        rank = ranks.get(why[number][0], len(ranks))
        if key not in nearest or rank > nearest[key][0]:
            nearest[key] = (rank, number)
    found = sorted(nearest.values(), key=lambda pair: (-pair[0], pair[1]))
    listed = []
    for _, number in found[: builder.top]:
        place = Place(relation, number)
        shown = {"rank": None, **builder.build(spec["fields"], place), "pareto": False}
        (code,) = why[number]
        because = _because(builder, place, column, code)
        listed.append({**shown, "why_not": {"reason": code or "unknown", "because": because}})
    return listed


def _because(builder: Builder, place: Place, column: str, code: Any) -> str:
    """The sentence of the only table row that gives `code`; else the reference finds it."""
    decision = find_column(builder.run.bundle.book.relations[place.relation], column).decision
    row = _only_row(decision, code)
    if row is not None:
        found = {name: _known(builder.values, place, node) for name, node in row.because.reads}
        if None not in found.values():
            names = builder.run.reference.names
            return fill_text(row.because, found, names).in_language(builder.language)
    read = builder.values.read(column, place)
    assert read is not None
    return reason(builder.run.reference, read, builder.language).because


def _only_row(decision: Decision, code: Any) -> Row | None:
    if not isinstance(decision.body, Table) or code is None:
        return None
    rows = [
        row
        for row in decision.body.every_row
        if isinstance(row.then, Unknown) or row.then[0] == _literal(row.then[0], code)
    ]
    return rows[0] if len(rows) == 1 else None


def _literal(node: tree.Node, code: Any) -> tree.Node | None:
    """The node itself when it may give `code`: the literal of that value, or a computed one."""
    return node if not isinstance(node, tree.Literal) or node.value == code else None


def _known(values: Values, place: Place, node: tree.Node) -> Any:
    """A value the outcome holds: a column of the row or of a relation it is made from."""
    if not isinstance(node, tree.Column):
        return None
    if not node.alias:
        return values.column(place, node.name)
    relation = values.book.relations[place.relation]
    index = source_index(relation, node.alias)
    source, number = relation.sources[index], values.at(place)[index]
    if number is None or source.kind not in ("relation", "table"):
        return None
    if source.kind == "table":
        return values.column(place, f"{node.alias}.{node.name}")
    return values.column(Place(source.name, number), node.name)
