"""The JSON Schema of an answer, generated from the report of the book.

The report says which keys stand where (see `recommendation` for its forms), the book what values
they can have; what is around the answer in every book is written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.book.model import Book
from engine.language.types import Type
from engine.run.findings import SEVERITIES, VERDICTS
from engine.run.json_schema import DRAFT
from engine.run.names import column_of, is_global, type_of
from engine.run.recommendation import SCHEMA

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
TRUTH: Schema = {"type": "boolean"}
DATE: Schema = {"type": "string", "format": "date"}
ANY: Schema = {"type": ["number", "string", "boolean", "null"]}
AMOUNT: Schema = {"type": ["number", "null"]}
BASES = ("derived", "measured", "assumed", "vendor", "article", "")
FINDING = {
    "id": TEXT,
    "verdict": {"enum": list(VERDICTS)},
    "severity": {"enum": list(SEVERITIES)},
    "message": TEXT,
    "remedy": TEXT,
    "source": TEXTS,
    "asks": TEXTS,
}


def answer_schema(book: Book) -> Schema:
    """Draft 2020-12, of what `recommend --format json` gives. Unknown is null."""
    shape = _Shape(book)
    body = {key: shape.of(spec) for key, spec in book.report["answer"].items()}
    told = {**_before(book), **body, **_after(), "what_if": _list(_flip_to_a_value())}
    schema = _object(told, required=[key for key in told if key != "what_if"])
    return {
        "$schema": DRAFT,
        "title": "Recommendation",
        "description": "The answer of `recommend --format json`. Unknown is null, never zero.",
        **schema,
        "$defs": {"figure": _figure(), "flip": _flip(), "finding": _object(FINDING)},
    }


def _object(properties: Mapping[str, Schema], required: list[str] | None = None) -> Schema:
    """An object of these properties and no others, by default all of them needed."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties) if required is None else required,
        "properties": dict(properties),
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


# ---------------------------------------------------------------- what every answer has


def _before(book: Book) -> dict[str, Schema]:
    spec = book.report["currency"]
    rate = {"from": TEXT, "to": TEXT, "value": {"type": "number"}, "date": TEXT}
    status = {"decision": TEXT, "title": TEXT, "known": TRUTH, "because": TEXT}
    assumed = {"field": TEXT, "label": TEXT, "value": {}, "unit": TEXT, "why": TEXT}
    return {
        "schema": {"const": SCHEMA},
        "as_of": DATE,
        "language": {"enum": ["en", "zh"]},
        "rulebook": _object({"version": TEXT, "digest": TEXT}),
        "catalog": _object({"digest": TEXT, "newest": DATE, "oldest": DATE}),
        "currency": {"enum": [spec["base"], *spec.get("rates", {})]},
        "exchange_rate": _or_null(_object(rate)),
        "policy": _list(_object({"parameter": TEXT, "title": TEXT, "value": ANY, "was": ANY})),
        "profile": {
            "type": "object",
            "description": "The completed profile; valid input again.",
        },
        "assumed": _list(_object(assumed)),
        "unused": _list(_object({"field": TEXT, "label": TEXT})),
        "status": _list(_object(status)),
    }


def _after() -> dict[str, Schema]:
    question = {
        "field": TEXT,
        "label": TEXT,
        "why_it_matters": TEXT,
        "decisions": TEXTS,
        "headline": TRUTH,
    }
    return {
        "questions": _list(_object(question)),
        "sources": {"type": "object", "additionalProperties": {"type": "object"}},
    }


def _figure() -> Schema:
    bands = dict.fromkeys(("p10", "p50", "p95"), AMOUNT)
    told = {"basis": {"enum": list(BASES)}, "because": TEXT, "rule": TEXT, "source": TEXTS}
    figure = {"value": ANY, "unit": TEXT, **bands, **told}
    return {
        "description": "One figure with its range, reason, rule and sources; value null: unknown,"
        " `because` says why.",
        **_object({**figure, "scope": TEXT}, required=list(figure)),
    }


def _flip() -> Schema:
    return {
        "description": "The decision becomes `to` when `field` `operator` `value`.",
        **_object(
            {
                "field": TEXT,
                "label": TEXT,
                "operator": {"enum": ["=", "!=", "<", "<=", ">", ">="]},
                "value": ANY,
                "unit": TEXT,
                "from": ANY,
                "to": TEXT,
            }
        ),
    }


def _flip_to_a_value() -> Schema:
    texts = {"decision": TEXT, "field": TEXT, "label": TEXT, "unit": TEXT}
    return _object({**texts, "from": ANY, "to": ANY, "answer_from": ANY, "answer_to": ANY})


# ---------------------------------------------------------------- what the report says


class _Shape:
    """Schemas of the forms of the report; see `recommendation.Builder`, which fills them."""

    def __init__(self, book: Book) -> None:
        self.book = book
        rows = book.report["rows"].items()
        self.rankings = {alias: spec if isinstance(spec, str) else spec[0] for alias, spec in rows}

    def of(self, spec: Any, relation: str = "") -> Schema:
        if isinstance(spec, str):
            return self.value(spec, relation)
        if "figure" in spec:
            return _ref("figure")
        if "verdict" in spec:
            return self.verdict(str(spec["verdict"]))
        if "ranked" in spec:
            return self.ranked(spec)
        if "every" in spec:
            return _list(self.of(spec["fields"], self.relation(spec["every"])))
        if "findings" in spec:
            return self.findings(spec)
        if "say" in spec:
            return TEXT
        if "value" in spec:
            return self.plain(spec, relation)
        return _object({key: self.of(inner, relation) for key, inner in spec.items()})

    def relation(self, ranking: str) -> str:
        return self.book.rankings[ranking].relation

    def plain(self, spec: Mapping[str, Any], relation: str) -> Schema:
        name, form = str(spec["value"]), spec.get("as")
        if form == "list":
            return _list(_of_type(type_of(self.book, self.rankings, name, relation)))
        shown = {"date": DATE, "integer": {"type": "integer"}}.get(str(form))
        if shown is None:
            return self.value(name, relation)
        return _or_null(shown) if self.nullable(name, relation) else shown

    def value(self, name: str, relation: str) -> Schema:
        shown = _of_type(type_of(self.book, self.rankings, name, relation))
        return _or_null(shown) if self.nullable(name, relation) else shown

    def nullable(self, name: str, relation: str) -> bool:
        """Whether the value can be unknown: so says its type, or there may be no such row."""
        if relation and not is_global(self.book, self.rankings, name):
            alias, _, _ = name.rpartition(".")
            sources = self.book.relations[relation].sources
            found = column_of(self.book, relation, name)
            missed = any(one.alias == alias and one.optional for one in sources)
            return missed or found is None or found.type.nullable
        kind = type_of(self.book, self.rankings, name)
        return name.partition(".")[0] in self.rankings or kind is None or kind.nullable

    def verdict(self, name: str) -> Schema:
        kind = type_of(self.book, self.rankings, name)
        choice = _of_type(kind)
        return _object(
            {
                "value": _or_null(choice),
                "because": TEXT,
                "rule": TEXT,
                "source": TEXTS,
                "alternatives": _list(choice),
                "flips_when": _list(_ref("flip")),
            }
        )

    def ranked(self, spec: Mapping[str, Any]) -> Schema:
        relation = self.relation(spec["ranked"])
        fields = self.of(spec["fields"], relation)["properties"]
        why = {"reason": TEXT, "because": TEXT}
        row = {
            "rank": {"type": ["integer", "null"]},
            **fields,
            "pareto": TRUTH,
            "why_not": _or_null(_object(why)),
        }
        spread = spec.get("range")
        if spread is None:
            return _list(_object(row))
        number: Schema = {"type": "number"}
        between = {"low": number, "high": number, "offers": {"type": "integer"}}
        optional = {str(spread["key"]): _or_null(_object(between))}  # only of rows that are kept
        return _list(_object({**row, **optional}, required=list(row)))

    def findings(self, spec: Mapping[str, Any]) -> Schema:
        keys, added = spec.get("keys"), spec.get("rows", {})
        if keys is None and not added:
            return _list(_ref("finding"))
        finding = FINDING if keys is None else {key: FINDING[field] for key, field in keys.items()}
        more = {
            key: TEXTS if isinstance(value, list) else TEXT
            for row in added.values()
            for key, value in row.items()
        }
        names = [row.id for table in spec["findings"] for row in self.book.advice[table].rows]
        always = [key for key in more if all(key in added.get(name, {}) for name in names)]
        return _list(_object({**finding, **more}, required=[*finding, *always]))


def _of_type(kind: Type | None) -> Schema:
    if kind is None:
        return ANY
    if kind.kind == "number":
        return {"type": "number"}
    if kind.kind == "boolean":
        return TRUTH
    return TEXT if kind.values is None else {"enum": list(kind.values)}
