"""Reads the DMN Technology Compatibility Kit's cases in the terms of our language.

The kit's files are not part of the repository (their licence note is ambiguous): `kit_folder`
finds them in the folder named by the environment variable DMN_KIT, or in `data/conformance` of a
folder beside the repository.

What the reader changes is spelling, never meaning: names with spaces become identifiers,
`.5` is `0.5`, `a ** b` is `power(a, b)`, `x in < 5` is `x in (< 5)`, `null` is a missing fact of
whichever type fits. Text inputs stay open, tables without defaults get `otherwise: unknown`.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.book.model import Book, Catalog
from engine.language.problems import ProblemError
from engine.reference import Reference
from engine.reference.values import plain
from tests.conformance import conformance_books as books
from tests.conformance.conformance_runners import Question

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = {"range": [-1e9, 1e9]}
TYPES: dict[str, Any] = {"number": NUMBERS, "boolean": "boolean", "text": "text"}
REFUSED = "refused"


def kit_folder() -> Path | None:
    """Where the kit's files are, if anywhere."""
    named = os.environ.get("DMN_KIT")
    places = [Path(named)] if named else sorted(ROOT.parent.glob("*/data/conformance"))
    return next((place for place in places if (place / "dmn_tck_tables.json").is_file()), None)


def load(name: str) -> Any:
    folder = kit_folder()
    assert folder is not None
    return json.loads((folder / name).read_text(encoding="utf-8"))


def flattened(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`{"loan": {"rate": 1}}` as `("loan.rate", 1)`."""
    for name, value in values.items():
        if isinstance(value, dict) and not any(key.startswith("$") for key in value):
            yield from flattened(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def identifier(name: str) -> str:
    return "f_" + re.sub(r"\W", "_", name).lower()


# ---------------------------------------------------------------- spelling

_QUOTED = re.compile(r'("[^"]*")')
_OPERAND = r'(-?[\w.]+|-?\([^()]*\)|"[^"]*"|-?\[[^\]]*\]|power\([^()]*\))'
_POWER = re.compile(_OPERAND + r"\s*\*\*\s*" + _OPERAND)
_UNARY = re.compile(r'\bin\s*(<=|>=|!=|<|>|=)\s*("[^"]*"|[\w.]+)')
_BARE = re.compile(r'\bin\s+("[^"]*"|[\w.]+)$')
_INEQUALITY = re.compile(r"^(.*?) in \(!=(.*)\)$")


def outside_quotes(text: str, change: Any) -> str:
    parts = _QUOTED.split(text)
    return "".join(part if part.startswith('"') else change(part) for part in parts)


def spelled(text: str, names: Mapping[str, str]) -> str:
    """The kit's text in our spelling."""

    def change(part: str) -> str:
        for name in sorted(names, key=len, reverse=True):
            part = re.sub(rf"(?<!\w)(?<!\w\.){re.escape(name)}(?!\w)", names[name], part)
        return re.sub(r"(?<![\w.])\.(\d)", r"0.\1", part)

    text = outside_quotes(text, change)
    while "**" in text and _POWER.search(text):
        text = _POWER.sub(r"power(\1, \2)", text, count=1)
    text = _UNARY.sub(lambda m: f"in ({m[1]}{m[2]})", text)
    text = _BARE.sub(r"in (\1)", text)
    unequal = _INEQUALITY.match(text)
    if unequal:
        return f"not {unequal[1]} in ({unequal[2]})"
    return re.sub(r"([(,]\s*)=(?!=)", r"\1", text)


# ---------------------------------------------------------------- expressions


def answer(case: Mapping[str, Any]) -> Any:
    """What we make of an expression case: a value, None (unknown) or REFUSED."""
    values = dict(flattened(case["in"]))
    names = {name: identifier(name) for name in values}
    text = spelled(case["expr"], names)
    nulls = itertools.count()
    text = outside_quotes(
        text, lambda part: re.sub(r"\bnull\b", lambda _: f"null_{next(nulls)}", part)
    )
    known = {identifier(name): value for name, value in values.items() if value is not None}
    missing = [identifier(name) for name, value in values.items() if value is None]
    missing += [f"null_{number}" for number in range(next(nulls))]
    for kinds in itertools.product(TYPES.values(), repeat=len(missing)):
        facts = {name: _kind(value) for name, value in known.items()}
        made = books.fixture({"facts": {**facts, **dict(zip(missing, kinds, strict=True))}})
        try:
            decision = books.formula(made, "kit", text)
        except ProblemError:
            continue
        book = books.book(made, [decision])
        return plain(Reference(book, books.catalog(made), known).decision("kit"))
    return REFUSED


def _kind(value: Any) -> Any:
    if isinstance(value, bool):
        return "boolean"
    return NUMBERS if isinstance(value, (int, float)) else "text"


# What is left out on purpose, by the first pattern that the text of the case matches.
OUTSIDE = (
    (r"\b(exp|log|modulo|decimal)\(", "exp, log, modulo and decimal are not in the language"),
    (r"\b(floor|ceiling)\([^()]*,", "floor and ceiling take no scale"),
    (r'" \+|\+ "', "texts are not joined"),
    (r'"\w" (between|in\s*[\[(]?[<>"])', "texts have no order"),
    (r'in \("\w", [<>]', "texts have no order"),
    (r"\*\*\s*-|\*\* 2\.55", "powers are whole and not negative"),
    (r"null", "null is no value: comparing with what is missing is unknown"),
    (r'(and|or) ("true"|123|0)|("true"|123|0) (and|or)', "booleans alone are true or false"),
    (r'^"\w+" (!?=|in !?=) ?"', "a comparison of two fixed texts decides nothing: refused"),
    (r"^\[.*\] = \[", "ranges are no values"),
    (r"^if ", "an unknown condition is not false"),
)


def reason(case: Mapping[str, Any]) -> str:
    """Why a case lies outside the language; "" when nothing says so."""
    text = re.sub(r"\s+", " ", case["expr"])
    return next((why for pattern, why in OUTSIDE if re.search(pattern, text)), "")


# ---------------------------------------------------------------- tables

_HITS = {"UNIQUE": "unique", "ANY": "any", "PRIORITY": "priority", "FIRST": "first",
         "COLLECT": "collect", "RULE ORDER": "collect"}  # fmt: skip


class TableCheck(NamedTuple):
    """One check of the kit: a table, the question, and the value it must have."""

    name: str
    policy: str
    suite: Mapping[str, Any]
    table: Mapping[str, Any]
    given: Mapping[str, Any]
    expect: Any


def table_checks() -> list[TableCheck]:
    """Checks of the plain tables: none that reads other decisions, dates or times."""
    checks = []
    for suite in load("dmn_tck_tables.json")["suites"]:
        for name, about in suite["decisions"].items():
            if not about["table"] or about["needsDecisions"]:
                continue
            table = next(table for table in suite["tables"] if table["owner"] == name)
            kinds = [str(item.get("type", "")) for item in table["inputs"] + table["outputs"]]
            if any(re.search("date|time|duration", kind, re.I) for kind in kinds):
                continue
            checks.extend(
                TableCheck(f"{suite['source'].rpartition('/')[2]} {name} {case['id']}",
                           table["hitPolicy"], suite, table, case["in"],
                           case["expect"][name]["value"])
                for case in suite["cases"]
                if name in case["expect"]
            )  # fmt: skip
    return checks


class BuiltTable(NamedTuple):
    book: Book
    catalog: Catalog
    questions: list[Question]
    names: list[str]
    check: TableCheck

    def value(self, answers: list[Any]) -> Any:
        """The answers in the kit's form: records for several outputs, lists for collect."""
        answers = [joined(answer, self.check.given) for answer in answers]
        if len(answers) == 1 and self.names == [""]:
            return answers[0]
        if all(isinstance(answer, list) for answer in answers):
            rows = zip(*answers, strict=True)
            return [dict(zip(self.names, row, strict=True)) for row in rows]
        return dict(zip(self.names, answers, strict=True))


def joined(answer: Any, given: Mapping[str, Any]) -> Any:
    """Joins texts where the kit's output is `name + "…"`: the table itself gives the formula."""
    if isinstance(answer, tuple):
        return [joined(part, given) for part in answer]
    if isinstance(answer, str) and " + " in answer:
        parts = [part.strip() for part in answer.split("+")]
        return "".join(
            part.strip('"') if part.startswith('"') else str(given[part]) for part in parts
        )
    return answer


def built(check: TableCheck) -> BuiltTable:
    """Our book for one check of the kit; raises ProblemError when it is refused."""
    table, given = check.table, dict(flattened(check.given))
    names = {name: identifier(name) for name in given}
    kinds = {name: _kind(value) for name, value in given.items() if not isinstance(value, dict)}
    lists = {name: value for name, value in given.items() if isinstance(value, list)}
    facts = {
        names[name]: {"type": "list", "fields": {"value": "text"}} if name in lists else kind
        for name, kind in kinds.items()
    }
    made = books.fixture({"facts": facts})
    inputs = [spelled(item["expr"], names) for item in table["inputs"]]
    # A cell that names a list asks whether the list holds the input: a column of its own.
    subject = inputs[0]
    inputs += [f"any(for s in {names[name]} return s.value = {subject})" for name in lists]
    rules = [
        {"when": _cells(rule["in"], lists, names), "then": [_then(made, out, names) for out in
                                                            rule["out"]]}
        for rule in table["rules"]
    ]  # fmt: skip
    outputs = {
        f"o{place}" if len(table["outputs"]) > 1 else "": _output_kind(place, item, table)
        for place, item in enumerate(table["outputs"])
    }
    spec: dict[str, Any] = {
        "hit": _HITS[check.policy],
        "aggregate": table.get("aggregation", "").lower(),
        "inputs": inputs,
        "outputs": outputs,
        "rows": rules,
    }
    defaults = [item.get("default") for item in table["outputs"]]
    if all(defaults):
        spec["otherwise"] = {"then": [_then(made, default, names) for default in defaults]}
    elif spec["hit"] != "collect":
        spec["otherwise"] = "unknown"
    book = books.book(made, [books.table(made, "kit", spec)])
    values = {names[name]: value for name, value in given.items() if names[name] in facts}
    prepared = books.given_of(made, values)
    questions = [Question(prepared, "kit", output) for output in outputs]
    labels = [item.get("name", "") for item in table["outputs"]]
    return BuiltTable(book, books.catalog(made), questions, labels, check)


def _cells(cells: list[str], lists: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    own = ["-" if cell in lists else spelled(cell, names) for cell in cells]
    return own + ["true" if name in cells else "-" for name in lists]


def _then(made: books.Fixture, text: str, names: Mapping[str, str]) -> Any:
    """A literal; a fact read as it is; the text itself where texts are joined."""
    if " + " in text:
        return text
    if text in names:
        return {"formula": names[text]}
    return json.loads(text)


def _output_kind(place: int, item: Mapping[str, Any], table: Mapping[str, Any]) -> Any:
    if "allowed" in item:
        return json.loads(f"[{item['allowed']}]")
    texts = [rule["out"][place] for rule in table["rules"]]
    if all(text in ("true", "false") for text in texts):
        return "boolean"
    return NUMBERS if all(re.fullmatch(r"-?[\d.]+", text) for text in texts) else "text"
