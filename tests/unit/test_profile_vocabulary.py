"""The facts of the rule book are exactly the frozen vocabulary: nothing renamed, nothing lost."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
VOCABULARY: dict[str, dict[str, Any]] = json.loads(
    (ROOT / "tests" / "data" / "profile_vocabulary.json").read_text(encoding="utf-8")
)
KINDS = {"int": "integer", "number": "number", "bool": "boolean", "enum": "enumeration"}
# Units the vocabulary names, and how a rule file writes them; "per card" and "per node" may follow.
UNITS = {
    "1e9": "billion", "1e6": "million", "gib": "GiB", "gb": "GB", "gb_per_s": "GB/second",
    "gbit_per_s": "Gbit/second", "mbit_per_s": "Mbit/second", "w": "W", "kw": "kW", "km": "km",
    "ms": "ms", "seconds": "second", "minutes": "minute", "hours": "hour", "weeks": "week",
    "years": "year", "ratio": "ratio",
}  # fmt: skip


@cache
def facts() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((ROOT / "rules" / "profile").glob("*.yaml")):
        for name, fact in yaml.safe_load(path.read_text(encoding="utf-8"))["facts"].items():
            assert name not in found, name
            found[name] = fact
    return found


def test_every_path_of_the_vocabulary_is_a_fact_and_no_other() -> None:
    assert set(facts()) == set(VOCABULARY)


@pytest.mark.parametrize("path", VOCABULARY)
def test_a_fact_has_the_type_and_values_of_the_vocabulary(path: str) -> None:
    frozen, fact = VOCABULARY[path], facts()[path]
    if frozen["type"] in list(KINDS):
        assert fact["type"] == KINDS[frozen["type"]]
    elif frozen["type"] == "string":
        assert fact["type"] in ("text", "key", "date")
    else:
        assert fact["type"] in ("list", "records", "distribution")
    if frozen["type"] == "enum":
        assert fact["values"] == frozen["values"]
    if isinstance(frozen.get("items"), dict):
        assert list(fact["fields"]) == list(frozen["items"])


@pytest.mark.parametrize("path", [path for path, f in VOCABULARY.items() if "unit" in f])
def test_a_fact_has_the_unit_of_the_vocabulary(path: str) -> None:
    unit = re.sub(r"/(card|node)$", "", facts()[path]["unit"])
    assert unit in (UNITS[VOCABULARY[path]["unit"]], UNITS[VOCABULARY[path]["unit"]] + "*token")


@pytest.mark.parametrize("path", [p for p, f in VOCABULARY.items() if "min" in f or "max" in f])
def test_a_range_is_finite_and_stays_inside_the_vocabulary(path: str) -> None:
    low, high = facts()[path]["range"]
    assert low < high
    assert low >= VOCABULARY[path].get("min", low)
    assert high <= VOCABULARY[path].get("max", high)
    if "values" in VOCABULARY[path]:
        assert [low, high] == [min(VOCABULARY[path]["values"]), max(VOCABULARY[path]["values"])]


@pytest.mark.parametrize("path", [path for path, f in VOCABULARY.items() if f.get("asked")])
def test_what_the_vocabulary_asks_is_never_assumed(path: str) -> None:
    """It is asked for, counts as not stated, or is an empty list; a default would be invented."""
    fact = facts()[path]
    assert fact.get("asked") or fact.get("optional") or fact.get("default") == []


def test_every_default_says_why_in_both_languages() -> None:
    for path, fact in facts().items():
        ways = [way for way in ("asked", "optional", "default") if way in fact]
        assert len(ways) == 1, path
        if "default" in fact:
            assert set(fact["because"]) == {"en", "zh"}, path


def test_every_label_and_help_is_in_both_languages() -> None:
    for path, fact in facts().items():
        for text in (fact["label"], fact.get("help")):
            if text is not None:
                assert set(text) == {"en", "zh"}, path
                assert text["en"].strip() and text["zh"].strip(), path
        acronym = re.fullmatch(r"[A-Za-z0-9 _-]+", fact["label"]["zh"])
        assert acronym is None, f"{path}: {fact['label']['zh']}"


@pytest.mark.parametrize("path", [path for path in VOCABULARY if facts()[path].get("asked")])
def test_a_question_says_more_than_the_name_of_the_fact(path: str) -> None:
    label, why = facts()[path]["label"], facts()[path].get("help", {})
    assert why and all(why[language] not in ("", label[language]) for language in ("en", "zh"))
