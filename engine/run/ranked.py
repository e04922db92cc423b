"""The rows of a ranking as the answer lists them: kept ones in order, then why others are out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.reference.reads import Read
from engine.run.reasons import reason
from engine.run.values import Place

if TYPE_CHECKING:
    from engine.run.recommendation import Builder


def ranked_rows(builder: Builder, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The best rows of the first ranking that keeps any, then rejected ones.

    `ranked`: rankings, each `{ranking:, condition: text}` or a name; `one_per`: columns that make
    two rows the same choice (the better one is listed); `fields`: the shape of a row;
    `rejected`: see `_rejected`.
    """
    for option in spec["ranked"]:
        name = option if isinstance(option, str) else str(option["ranking"])
        order = builder.values.order(name)
        if order:
            condition = "" if isinstance(option, str) else builder.build(option["condition"])
            break
    else:
        first = spec["ranked"][0]
        name, order, condition = (first if isinstance(first, str) else first["ranking"]), [], ""
    relation = builder.run.bundle.book.rankings[name].relation
    result = builder.run.outcome["rankings"].get(name)
    flags = dict(zip(order, result["pareto"], strict=False)) if result else {}
    rows: list[dict[str, Any]] = []
    seen: set[tuple[Any, ...]] = set()
    for number in order:
        place = Place(relation, number)
        key = tuple(builder.values.value(column, place) for column in spec.get("one_per", ()))
        if key and key in seen:
            continue
        seen.add(key)
        fields = builder.build(spec["fields"], place)
        row = {"rank": len(rows) + 1, **fields, "pareto": bool(flags.get(number, False)),
               "why_not": None}  # fmt: skip
        rows.append({**row, "condition": condition} if condition else row)
        if len(rows) == builder.top:
            break
    if builder.run.outcome["relations"].get(relation) is not None and "rejected" in spec:
        rows += _rejected(builder, spec, relation, order)
    return rows


def _rejected(
    builder: Builder, spec: Mapping[str, Any], relation: str, order: Sequence[int]
) -> list[dict[str, Any]]:
    """For each choice no row of which is kept, the row that came nearest, with its reason.

    `reason`: the column that says why (its values are declared from the furthest to the nearest
    miss, `none` among them meaning kept); `one_per`: the columns that make a choice.
    """
    rule = spec["rejected"]
    column, per = str(rule["reason"]), tuple(rule["one_per"])
    values = builder.values

    def choice(number: int) -> tuple[Any, ...]:
        return tuple(values.column(Place(relation, number), name) for name in per)

    kept = {choice(number) for number in order}
    kind = values.type(column, Place(relation, 0))
    ranks = {value: rank for rank, value in enumerate((kind.values or ()) if kind else ())}
    nearest: dict[tuple[Any, ...], tuple[int, int]] = {}
    for number in range(len(builder.run.outcome["relations"][relation])):
        key = choice(number)
        if key in kept:
            continue
        rank = ranks.get(values.column(Place(relation, number), column), len(ranks))
        if key not in nearest or rank > nearest[key][0]:
            nearest[key] = (rank, number)
    found = sorted(nearest.values(), key=lambda pair: (-pair[0], pair[1]))
    rows = []
    for _, number in found[: builder.top]:
        place = Place(relation, number)
        read = values.read(column, place)
        assert isinstance(read, Read)
        because = reason(builder.run.reference, read, builder.language).because
        code = values.column(place, column)
        rows.append(
            {
                "rank": None,
                **builder.build(spec["fields"], place),
                "pareto": False,
                "why_not": {"reason": code or "unknown", "because": because},
            }
        )
    return rows
