"""Cases: real situations with a known outcome, each a file, and what a rule book says to them.

A case states facts as a profile does, the place of the answer and what a right answer is. Every
case gets one status: `right`, `wrong`, `unanswered` (the book does not say), `dangerous` (an
answer that would have done harm), `later` (the command that answers it does not exist yet) or
`none` (no command answers it; the file says why).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.book.shape import check_shape, load_schema
from engine.book.yaml_reader import Located, plain, read_yaml
from engine.language.frozen import frozen
from engine.language.problems import Position, Problem, ProblemError
from engine.readers.document import Document, InputError
from engine.readers.profile import admit
from engine.reference.reads import Read
from engine.run.bundle import Bundle
from engine.run.pipeline import Run, decide
from engine.run.reasons import reason

STATUSES = ("right", "wrong", "dangerous", "unanswered", "later", "none")
ANSWERED = STATUSES[:4]  # the command exists: these are what a share is taken of
NEEDED = ("profile", "path", "expect")
_NOT_IN_CATALOG = "E106"

_STEP = re.compile(r"\.(\w+)|\[(\d{1,9})\]|\[(\w+)=([^\]]*)\]")


class Case(dict[str, Any]):
    """What a file says; `written`: its profile with the places in the file."""

    written: Document


@frozen
class Found:
    """What the book says at the place a case names: the value (None: nothing), and why."""

    value: Any
    because: str = ""


@frozen
class Row:
    """The verdict on a case."""

    id: str
    status: str
    expected: str
    found: Any
    reason: str
    entry: str
    title: str


# ---------------------------------------------------------------- reading


def read_cases(folder: Path) -> list[Case]:
    """The cases of a folder (or of one file) by id; raises ProblemError."""
    files = sorted(folder.glob("*.yaml")) if folder.is_dir() else [folder]
    problems: list[Problem] = []
    cases: dict[str, Case] = {}
    for path in files:
        located = read_yaml(path, str(path))
        found = check_shape(located, load_schema("case.schema.json"))
        problems += found
        if found:
            continue
        case = Case(plain(located))
        problems += [
            Problem(
                "B002",
                f'a case answered by "{case["entry"]}" needs "{key}"',
                Position(str(path), 1, 1),
                f"{key}: …",
            )
            for key in _missing(case)
        ]
        if case["id"] in cases or case["id"] != path.stem:
            said = f'the file "{path.name}" holds the case "{case["id"]}"'
            problems.append(Problem("B082", said, located.value["id"].position, "its own id, once"))
        cases[case["id"]] = case
        if "profile" in case:
            case.written = _written(path, located)
    if not files:
        problems.append(Problem("B002", "no case was found", Position(str(folder)), "*.yaml"))
    if problems:
        raise ProblemError(problems)
    return list(cases.values())


def _written(path: Path, case: Located) -> Document:
    """The profile of a case where it stands in its file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return Document(case.value["profile"], str(path), tuple(lines), str(path.parent))


def _missing(case: Mapping[str, Any]) -> list[str]:
    wanted = ("reason",) if case["entry"] == "none" else NEEDED
    return [key for key in wanted if key not in case]


# ---------------------------------------------------------------- judging


def score_cases(bundle: Bundle, cases: Sequence[Case], language: str) -> list[Row]:
    """The verdict on every case, in order; raises ProblemError for one that no profile can be
    read from."""
    return [judge(bundle, case, language) for case in cases]


def judge(bundle: Bundle, case: Case, language: str) -> Row:
    entry = case["entry"]
    if entry == "none":
        return _row(case, "none", None, case["reason"])
    if entry not in ENTRIES:
        return _row(case, "later", None, "")
    try:
        found = ENTRIES[entry](bundle, case, language)
    except InputError as error:
        if any(problem.code != _NOT_IN_CATALOG for problem in error.problems):
            raise  # a broken file says nothing about the book
        # a card or model the catalog does not have: nothing is said
        return _row(case, "unanswered", None, "; ".join(one.message for one in error.problems))
    return _row(case, status_of(case, found.value), found.value, found.because)


def status_of(case: Mapping[str, Any], value: Any) -> str:
    if value is None:
        return "unanswered"
    if "dangerous" in case and holds(case["dangerous"], value):
        return "dangerous"
    return "right" if holds(case["expect"], value) else "wrong"


def holds(condition: Mapping[str, Any], value: Any) -> bool:
    """Whether everything a condition says is so of a value that is known."""
    return all(_TESTS[name](value, wanted) for name, wanted in condition.items())


def _row(case: Mapping[str, Any], status: str, found: Any, because: str) -> Row:
    expected = words(case["expect"]) if "expect" in case else ""
    return Row(case["id"], status, expected, found, because, case["entry"], case["title"])


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _same(value: Any, wanted: Any) -> bool:
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "value": _same,
    "one_of": lambda value, wanted: any(_same(value, one) for one in wanted),
    "not": lambda value, wanted: not _same(value, wanted),
    "at_least": lambda value, wanted: _number(value) and value >= wanted,
    "at_most": lambda value, wanted: _number(value) and value <= wanted,
    "range": lambda value, wanted: _number(value) and wanted[0] <= value <= wanted[1],
    "contains": lambda value, wanted: isinstance(value, (str, list)) and wanted in value,
}


def words(condition: Mapping[str, Any]) -> str:
    """A condition as people write it."""
    return " & ".join(_WORDS[name](wanted) for name, wanted in condition.items())


def _said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_WORDS: dict[str, Callable[[Any], str]] = {
    "value": _said,
    "one_of": lambda wanted: " | ".join(_said(one) for one in wanted),
    "not": lambda wanted: f"≠ {_said(wanted)}",
    "at_least": lambda wanted: f"≥ {wanted:g}",
    "at_most": lambda wanted: f"≤ {wanted:g}",
    "range": lambda wanted: f"{wanted[0]:g} … {wanted[1]:g}",
    "contains": lambda wanted: f"∋ {wanted}",
}


# ---------------------------------------------------------------- asking


def _recommend(bundle: Bundle, case: Case, language: str) -> Found:
    """What the book says to the profile of a case: a decision, or a place in the answer."""
    required = bundle.book.report.get("required", ())
    tables = bundle.catalog.tables
    profile = admit(case.written, bundle.book.facts, tables, required=required, language=language)
    run = decide(bundle, profile, {})
    path: str = case["path"]
    if not path.startswith("$"):
        return _decision(run, path, case["id"], language)
    from engine.run.recommendation import recommend

    return at(recommend(run, language=language).to_dict(), path)


def _decision(run: Run, name: str, owner: str, language: str) -> Found:
    decisions = run.outcome["decisions"]
    if name not in decisions:
        return Found(None, f'{owner}: the book has no decision "{name}"')
    head, _, output = (name, "", "") if name in run.bundle.book.decisions else name.rpartition(".")
    return Found(
        decisions[name], reason(run.reference, Read("decision", head, output), language).because
    )


def at(answer: Any, path: str) -> Found:
    """The value at `$.a[0].b[key=value].c`; `[key=value]` is the first item of which that is so
    (of a list: that contains it). None where there is no such place."""
    place, because = answer, ""
    position = 1
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise ProblemError(
                Problem("B005", f'"{path}" is no path', Position(path), "$.key[0].key[name=value]")
            )
        position = step.end()
        key, number, name, value = step.groups()
        if key is not None:
            place = place.get(key) if isinstance(place, Mapping) else None
        elif isinstance(place, list):
            items = place[int(number) :] if number else [p for p in place if _item(p, name, value)]
            place = items[0] if items else None
        else:
            place = None
        if isinstance(place, Mapping):
            because = str(place.get("because") or place.get("message") or because)
    return Found(place, because)


def _item(item: Any, key: str, value: str) -> bool:
    found = item.get(key) if isinstance(item, Mapping) else None
    return value in found if isinstance(found, list) else found is not None and str(found) == value


# The commands that exist. The others come with the rules they need.
ENTRIES: dict[str, Callable[[Bundle, Case, str], Found]] = {"recommend": _recommend}


# ---------------------------------------------------------------- counting


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """How many cases have each status."""
    found = Counter(row.status for row in rows)
    return {status: found[status] for status in STATUSES}


def share_right(rows: Sequence[Row]) -> float:
    """The share of right answers among the cases whose command exists; 0 where there are none."""
    asked = [row for row in rows if row.status in ANSWERED]
    return sum(row.status == "right" for row in asked) / len(asked) if asked else 0.0
