"""Checks the book's report: every name in it must stand for something in the book."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.book.model import Book
from engine.language.problems import Position, Problem
from engine.language.suggest import did_you_mean

REPORT = "rules/report.yaml"
KEYS = (
    "title", "as_of", "required", "labels", "currency", "rows", "headline", "answer", "what_if",
    "words", "names", "text", "catalog",
)  # fmt: skip
NEEDED = ("title", "currency", "rows", "headline", "answer", "text")
LANGUAGES = ("en", "zh")


def check_report(book: Book) -> list[Problem]:
    """What the report names and the book does not have (B500), and texts in one language (B501)."""
    if not isinstance(book.report, Mapping):
        return [_misshapen("it is not a mapping of parts")]
    missing = [key for key in NEEDED if not book.report.get(key)]
    if missing:
        return [_misshapen(f"{key}: this part is missing") for key in missing]
    try:
        found = list(_Check(book).problems())
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return [_misshapen(f"a part does not have the form it should ({error})")]
    problems = [
        Problem("B500", f"report: {path}: {said}", Position(REPORT), "", hint)
        for path, said, hint in found
    ]
    texts = [
        Problem("B501", f"report: {path}: a text in one language only", Position(REPORT))
        for path in _one_language(book.report, "")
    ]
    return [*problems, *texts]


def _misshapen(said: str) -> Problem:
    hint = "compare it with the report of the book that ships with the program"
    return Problem("B500", f"report: {said}", Position(REPORT, 1, 1), ", ".join(NEEDED), hint)


Found = Iterator[tuple[str, str, str]]


class _Check:
    def __init__(self, book: Book) -> None:
        self.book, self.report = book, book.report
        self.rows: dict[str, str] = {}

    def problems(self) -> Found:
        for key in self.report:
            if key not in KEYS:
                yield key, "there is no such part", did_you_mean(key, KEYS)
        for alias, spec in self.report.get("rows", {}).items():
            for name in [spec] if isinstance(spec, str) else spec:
                if name not in self.book.rankings:
                    yield f"rows.{alias}", f"no ranking {name}", ""
                else:
                    self.rows[alias] = self.book.rankings[name].relation
        for path in self.fact_paths():
            if path not in self.book.facts:
                yield "facts", f"no fact {path}", did_you_mean(path, self.book.facts)
        for number, spec in enumerate(self.report.get("headline", ())):
            yield from self.name(f"headline.{number}", str(spec["value"]))
        for name in self.report.get("currency", {}).get("used", ()):
            yield from self.name("currency.used", str(name))
        yield from self.shape("answer", self.report.get("answer", {}), "")
        for spec in self.report.get("what_if", {}).get("decisions", ()):
            yield from self.name("what_if", str(spec["value"]))
        for view, spec in self.report.get("catalog", {}).items():
            yield from self.view("catalog", view, spec)
        for table, columns in self.report.get("names", {}).items():
            shown = {"table": table, "columns": list(columns.values())}
            yield from self.view("names", table, shown)

    def fact_paths(self) -> Iterator[str]:
        if "as_of" in self.report:
            yield str(self.report["as_of"])
        yield from self.report.get("required", ())
        yield from self.report.get("labels", ())
        yield from self.report.get("what_if", {}).get("inputs", ())
        currency = self.report.get("currency", {})
        if "fact" in currency:
            yield str(currency["fact"])
        for rate in currency.get("rates", {}).values():
            yield from (str(rate["fact"]), str(rate["date"]))

    def view(self, part: str, view: str, spec: Mapping[str, Any]) -> Found:
        schema = self.book.tables.get(spec["table"])
        if schema is None:
            yield f"{part}.{view}", f"no table {spec['table']}", ""
            return
        for column in spec.get("columns", ()):
            if schema.column(column) is None:
                yield f"{part}.{view}", f"no column {column} in {schema.name}", ""

    def shape(self, path: str, spec: Any, relation: str) -> Found:
        if isinstance(spec, str):
            yield from self.name(path, spec, relation)
        elif not isinstance(spec, Mapping) or "say" in spec:
            return
        elif "findings" in spec:
            for name in spec["findings"]:
                if name not in self.book.advice:
                    yield path, f"no advice {name}", did_you_mean(name, self.book.advice)
        elif "ranked" in spec:
            yield from self.ranked(path, spec, str(spec["ranked"]))
        elif "every" in spec:
            yield from self.ranked(path, spec, str(spec["every"]))
        elif "figure" in spec or "verdict" in spec or "value" in spec:
            for key in ("figure", "verdict", "value", "p10", "p50", "p95"):
                if key in spec:
                    yield from self.name(f"{path}.{key}", str(spec[key]), relation)
        else:
            for key, inner in spec.items():
                yield from self.shape(f"{path}.{key}", inner, relation)

    def ranked(self, path: str, spec: Mapping[str, Any], name: str) -> Found:
        if name not in self.book.rankings:
            yield path, f"no ranking {name}", did_you_mean(name, self.book.rankings)
            return
        relation = self.book.rankings[name].relation
        yield from self.shape(f"{path}.fields", spec["fields"], relation)
        rejected, spread = spec.get("rejected", {}), spec.get("range", {})
        columns = [*spec.get("one_per", ()), *rejected.get("one_per", ()), *spread.get("same", ())]
        columns += [one for one in (rejected.get("reason"), spread.get("column")) if one]
        for column in columns:
            yield from self.column(path, column, relation)

    def name(self, path: str, name: str, relation: str = "") -> Found:
        head, _, rest = name.partition(".")
        if head in self.rows:
            yield from self.column(path, rest, self.rows[head])
        elif head == "facts":
            if rest not in self.book.facts:
                yield path, f"no fact {rest}", did_you_mean(rest, self.book.facts)
        elif head == "parameters":
            if rest not in self.book.parameters:
                yield path, f"no parameter {rest}", did_you_mean(rest, self.book.parameters)
        elif name in self.book.decisions or self.is_output(name):
            return
        elif relation:
            yield from self.column(path, name, relation)
        else:
            yield path, f"no decision {name}", did_you_mean(name, self.book.decisions)

    def is_output(self, name: str) -> bool:
        owner, _, output = name.rpartition(".")
        decision = self.book.decisions.get(owner)
        return decision is not None and output in decision.outputs

    def column(self, path: str, name: str, relation: str) -> Found:
        found = self.book.relations[relation]
        alias, _, last = name.rpartition(".")
        if not alias:
            names = [column.decision.id for column in found.columns]
            if last not in names:
                yield path, f"no column {last} in {relation}", did_you_mean(last, names)
            return
        source = next((one for one in found.sources if one.alias == alias), None)
        if source is None or source.kind != "table":
            yield path, f"no catalog table {alias} in {relation}", ""
        elif self.book.tables[source.name].column(last) is None:
            yield path, f"no column {last} in table {source.name}", ""


def _one_language(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        spoken = [language for language in LANGUAGES if language in value]
        if len(spoken) == 1:
            yield path
        for key, inner in value.items():
            yield from _one_language(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, (list, tuple)):
        for number, inner in enumerate(value):
            yield from _one_language(inner, f"{path}.{number}")
