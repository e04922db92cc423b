"""Builds the answer to a profile: a plain mapping, shaped by the book's report.

The report (rules/report.yaml) says which decision stands under which key. A value of its
`answer` part is a name (see `values`), a mapping of more keys, or one of these forms:

    {figure: name, p10:, p50:, p95: names, scope: text}   a number with its reason
    {verdict: name}                                       a choice with alternatives
    {value: name, as: date|integer}                       a plain value
    {ranked: ranking, …}                                  the best rows of a ranking
    {every: ranking, fields: …}                           every kept row of a ranking, in order
    {findings: [advice tables], …}                        what advice has to say
    {say: {en, zh}}                                       a fixed text
    {every: ranking, top: true, fields: …}                as many of them as options are listed
    {value: name, as: list}                               the value in a list, none where unknown
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from engine.book.dates import date_text
from engine.language.frozen import frozen
from engine.language.types import Type
from engine.reference.values import UnknownValue
from engine.run.bundle import facts_read
from engine.run.findings import findings
from engine.run.flips import flips
from engine.run.pipeline import Run
from engine.run.questions import assumed_facts, completed, questions
from engine.run.ranked import ranked_rows
from engine.run.reasons import causes, joined, reason
from engine.run.values import Place, Values

SCHEMA = "recommendation/1"


@frozen
class Recommendation:
    """The answer as plain data, and whether every headline decision is known."""

    data: Mapping[str, Any]
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        return dict(self.data)


def recommend(
    run: Run, *, language: str = "en", top: int = 8, what_if: bool = False
) -> Recommendation:
    """The whole answer. `top`: how many rows of a ranking are listed."""
    builder = Builder(run, language, top)
    data = builder.answer()
    if what_if:
        from engine.run.what_if import nearest_flips

        data["what_if"] = nearest_flips(builder.values, language)
    return Recommendation(data, builder.complete())


class Builder:
    """Fills the shape of the report with the values of one run."""

    def __init__(self, run: Run, language: str, top: int) -> None:
        self.run, self.language, self.top = run, language, top
        self.report: Mapping[str, Any] = run.bundle.book.report
        self.values = Values(run, self.report["rows"], self.report["currency"])
        self.used_sources: dict[str, None] = {}

    def answer(self) -> dict[str, Any]:
        book, catalog = self.run.bundle.book, self.run.bundle.catalog
        body = {key: self.build(spec) for key, spec in self.report["answer"].items()}
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "as_of": date_text(self.run.as_of),
            "language": self.language,
            "rulebook": {"version": book.version, "digest": book.digest},
            "catalog": {
                "digest": catalog.digest,
                "newest": date_text(catalog.newest),
                "oldest": date_text(catalog.oldest),
            },
            "currency": self.values.currency,
            "exchange_rate": self.exchange_rate(),
            "policy": self.policy(),
            "profile": completed(self.run, self.read_facts),
            "assumed": assumed_facts(self.run, self.read_facts, self.language),
            "unused": self.unused(),
            "status": self.status(),
            **body,
            "questions": questions(self.run, self.values, self.language),
            "sources": {},
        }
        data["sources"] = self.sources(data)
        return data

    def complete(self) -> bool:
        """Whether every headline decision is known."""
        return all(entry["known"] for entry in self.status())

    def status(self) -> list[dict[str, Any]]:
        """The headline decisions and whether each is known."""
        found = []
        for spec in self.report["headline"]:
            entry = {"decision": spec["key"], "title": spec["title"][self.language]}
            found.append({**entry, **self.headline(spec)})
        return found

    def headline(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Known, or why not beyond the questions asked.

        A ranking without rows is known when nothing is left undecided. `while_unknown`: another
        decision the answer stands or falls with, and what to say while that one is unknown.
        """
        read = self.values.read(str(spec["value"]))
        assert read is not None
        unknown = self.values.unknown(read)
        if unknown is None:
            return self.standing(spec)
        told = UnknownValue(tuple(cause for cause in unknown.causes if cause.kind != "missing"))
        empty = all(cause.kind == "no_match" for cause in unknown.causes)
        phrases = causes(self.run.bundle.book, told, self.language)
        because = joined(phrases, self.language)
        return self.standing(spec) if read.kind == "best" and empty else _unknown(because)

    def standing(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Known, unless another decision that the answer stands or falls with is not."""
        for other, said in spec.get("while_unknown", {}).items():
            read = self.values.read(str(other))
            if read is not None and self.values.unknown(read) is not None:
                return _unknown(said[self.language])
        return {"known": True, "because": ""}

    # ------------------------------------------------------------ forms

    def build(self, spec: Any, place: Place | None = None) -> Any:
        if isinstance(spec, str):
            return self.values.value(spec, place)
        if not isinstance(spec, Mapping):
            return spec
        if "figure" in spec:
            return self.figure(spec, place)
        if "verdict" in spec:
            return self.verdict(str(spec["verdict"]))
        if "ranked" in spec:
            return ranked_rows(self, spec)
        if "every" in spec:
            return self.every(spec)
        if "findings" in spec:
            return findings(self.run, spec, self.language)
        if "say" in spec:
            return spec["say"][self.language]
        if "value" in spec:
            return self.plain(spec, place)
        return {key: self.build(inner, place) for key, inner in spec.items()}

    def plain(self, spec: Mapping[str, Any], place: Place | None) -> Any:
        value = self.values.value(str(spec["value"]), place)
        if spec.get("as") == "list":
            return [] if value is None else [value]
        if value is None or "as" not in spec:
            return value
        return date_text(value) if spec["as"] == "date" else round(value)

    def every(self, spec: Mapping[str, Any]) -> list[Any]:
        name = str(spec["every"])
        relation = self.run.bundle.book.rankings[name].relation
        return [
            self.build(spec["fields"], Place(relation, number))
            for number in self.values.order(name)[: self.top if spec.get("top") else None]
        ]

    def figure(self, spec: Mapping[str, Any], place: Place | None = None) -> dict[str, Any]:
        """A number (or text) with its range, unit and reason."""
        name = str(spec["figure"])
        kind = self.values.type(name, place)
        read = self.values.read(name, place)
        found = reason(self.run.reference, read, self.language) if read is not None else None
        leaf: dict[str, Any] = {
            "value": self.values.value(name, place),
            "unit": self.values.unit(kind),
        }
        for band in ("p10", "p50", "p95"):
            leaf[band] = self.values.value(str(spec[band]), place) if band in spec else None
        leaf["basis"] = found.basis if found else ""
        leaf["because"] = found.because if found else ""
        leaf["rule"] = found.rule if found else ""
        leaf["source"] = list(found.source) if found else []
        if "scope" in spec:
            leaf["scope"] = self.build(spec["scope"])
        return leaf

    def verdict(self, name: str) -> dict[str, Any]:
        """A choice: why, what else it could have been, and what would change it."""
        kind = self.values.type(name, None)
        read = self.values.read(name)
        assert read is not None
        found = reason(self.run.reference, read, self.language)
        value = self.values.value(name)
        return {
            "value": value,
            "because": found.because,
            "rule": found.rule,
            "source": list(found.source),
            "alternatives": _others(kind, value),
            "flips_when": flips(self.run, read, self.language),
        }

    # ------------------------------------------------------------ around the answer

    @cached_property
    def read_facts(self) -> tuple[str, ...]:
        """Paths of the facts that the answer rests on, in the order of the book."""
        reference = self.run.reference
        for place in self.values.places.values():
            if place is not None:
                relation = self.run.bundle.book.relations[place.relation]
                row = reference.row(place.relation, self.values.at(place))
                for column in relation.columns:
                    row.column(column.decision.id)
        for spec in self.report["headline"]:
            read = self.values.read(str(spec["value"]))
            if read is not None:
                reference.read(read)
        seen = {read.id for read in reference.reads if read.kind == "fact"}
        return tuple(path for path in self.run.bundle.book.facts if path in seen)

    def exchange_rate(self) -> dict[str, Any] | None:
        """The rate used, when an amount is not in the base currency.

        `used` in the report's currency: decisions that name another currency of the answer.
        """
        spec = self.report["currency"]
        currencies = [self.values.currency, *map(self.values.value, spec.get("used", ()))]
        foreign = next((one for one in currencies if one in spec.get("rates", {})), None)
        if foreign is None:
            return None
        rate = spec["rates"][foreign]
        stated = self.values.value(f"facts.{rate['date']}")
        parameter = rate.get("parameter", "")
        date = date_text(stated) if stated is not None else ""
        if not date and parameter:
            date = self.run.bundle.book.parameters[parameter].as_of
        value = float(self.values.value(f"facts.{rate['fact']}"))
        return {"from": spec["base"], "to": foreign, "value": value, "date": date}

    def unused(self) -> list[dict[str, str]]:
        """What was stated and no rule reads, or belongs to other work: the answer would be the same
        without it."""
        read = {*facts_read(self.run.bundle), *self.report.get("labels", ())}
        read |= {str(self.report["currency"].get("fact", "")), str(self.report.get("as_of", ""))}
        read |= {str(rate["date"]) for rate in self.report["currency"].get("rates", {}).values()}
        facts = self.run.bundle.book.facts
        return [
            {"field": path, "label": facts[path].label.in_language(self.language)}
            for path in self.run.profile.given
            if path not in read or path in self.run.set_aside
        ]

    def policy(self) -> list[dict[str, Any]]:
        """Every parameter a policy changed."""
        book = self.run.bundle.book
        return [
            {
                "parameter": name,
                "title": book.parameters[name].title.in_language(self.language),
                "value": value,
                "was": book.parameters[name].value,
            }
            for name, value in self.run.overrides.items()
        ]

    def sources(self, data: Any) -> dict[str, Any]:
        """What the cited ids stand for, each once, in order of appearance."""
        cited: dict[str, None] = {}
        _collect_sources(data, cited)
        known = self.run.bundle.book.sources
        return {name: _source(known[name], self.language) for name in cited if name in known}


def _unknown(because: str) -> dict[str, Any]:
    return {"known": False, "because": because}


def _others(kind: Type | None, value: Any) -> list[str]:
    values = kind.values if kind is not None else None
    return [other for other in values or () if other != value]


def _collect_sources(data: Any, cited: dict[str, None]) -> None:
    if isinstance(data, Mapping):
        found = data.get("source")
        if isinstance(found, list):
            cited.update(dict.fromkeys(str(name) for name in found))
        for value in data.values():
            _collect_sources(value, cited)
    elif isinstance(data, list):
        for value in data:
            _collect_sources(value, cited)


def _source(entry: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Title, address and date of a source, texts in one language."""
    found = {}
    for key, value in entry.items():
        if isinstance(value, Mapping) and language in value:
            value = value[language]
        if isinstance(value, (str, int, float, bool)):
            found[key] = value
    return found
