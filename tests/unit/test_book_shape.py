"""The schemas describe our files truly: a general validator and our own reader agree."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.book.shape import check_shape, load_schema
from engine.book.yaml_reader import plain, read_yaml
from tests.unit.book_samples import SAMPLE

ROOT = Path(__file__).resolve().parents[2]
RULES = load_schema("rule-file.schema.json")
SCHEMAS = ("rule-file.schema.json", "tables.schema.json", "sources.schema.json")


def rule_files() -> list[Path]:
    found = [*SAMPLE.rglob("rules/*/*.yaml"), *(ROOT / "rules").rglob("*.yaml")]
    # The report and the readings of measurements are no rules; they have checks of their own.
    return sorted(
        path for path in found if path.name != "report.yaml" and path.parent.name != "validation"
    )


def faults(text: str) -> list[str]:
    return [str(one) for one in check_shape(read_yaml(text, "f"), RULES)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_valid(name):
    jsonschema.Draft202012Validator.check_schema(load_schema(name))


@pytest.mark.parametrize("path", rule_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_rule_file_fits_its_schema(path):
    located = read_yaml(path)
    validator = jsonschema.Draft202012Validator(RULES)
    assert [error.message for error in validator.iter_errors(plain(located))] == []
    assert check_shape(located, RULES) == []


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("tables.schema.json", "catalog/tables.yaml"),
        ("sources.schema.json", "catalog/sources.yaml"),
    ],
)
def test_the_catalog_declarations_fit_their_schemas(schema, file):
    for root in (SAMPLE, ROOT):
        located = read_yaml(root / file)
        validator = jsonschema.Draft202012Validator(load_schema(schema))
        assert [error.message for error in validator.iter_errors(plain(located))] == []
        assert check_shape(located, load_schema(schema)) == []


HEAD = "id: a.b\ntitle: {en: x, zh: y}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            HEAD + "decisons: {}",
            'f:3:1: B001 unknown key "decisons"; expected one of id, title, facts, parameters, '
            'decisions, relations, rankings, advice; did you mean "decisions"?',
        ),
        ("id: a.b", 'f:1:1: B002 the key "title" is missing'),
        ("id: A\ntitle: {en: x, zh: y}", "f:1:5: B005"),
        (HEAD + "facts: []", "f:3:1: B003 found a list; expected a mapping"),
        (
            HEAD + "facts: {a: {type: nmber, label: {en: x, zh: y}}}",
            'f:3:19: B004 "nmber" is not allowed here',
        ),
        (
            HEAD + "facts: {a: {type: text, label: {en: x}}}",
            'f:3:25: B002 the key "zh" is missing',
        ),
        (
            HEAD + "facts: {a: {type: text, label: {en: x, zh: ''}}}",
            "f:3:45: B006 the text is empty",
        ),
        (
            HEAD + "parameters: {a: {title: {en: x, zh: y}, value: 1, as_of: 2026}}",
            'f:3:51: B003 found a whole number; expected a text; put it in quotes: "2026"',
        ),
        (
            HEAD + "parameters: {a: {title: {en: x, zh: y}, value: 1, as_of: '2026'}}",
            'f:3:59: B005 "2026" does not have the right form; expected a date',
        ),
        (
            HEAD + "relations: {r: {title: {en: x, zh: y}, from: [], max_rows: 0, columns: {}}}",
            "f:3:60: B006 0 is too small",
        ),
    ],
)
def test_a_departure_is_told_in_a_writers_words(text, expected):
    found = faults(text)
    assert any(one.startswith(expected) for one in found), found


def test_messages_for_a_bad_row_speak_of_the_row():
    text = HEAD + (
        "decisions: {d: {title: {en: x, zh: y}, hit: first, inputs: [a], rows: "
        "[{id: r, when: ['-'], then: {formla: b}}]}}"
    )
    assert faults(text) == [
        'f:3:100: B001 unknown key "formla"; expected one of formula; did you mean "formula"?',
        'f:3:93: B002 the key "formula" is missing',
    ]


# Random departures from real files: both validators must say yes, or both no.


def _places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    children: list[tuple[object, object]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    places = [path]
    for key, child in children:
        places.extend(_places(child, (*path, key)))
    return places


CONTENTS = [plain(read_yaml(path)) for path in sorted(SAMPLE.rglob("rules/*/*.yaml"))]


@settings(max_examples=150)
@given(st.data())
def test_our_reader_and_a_general_validator_agree(data):
    content = json.loads(json.dumps(data.draw(st.sampled_from(CONTENTS))))
    path = data.draw(st.sampled_from(_places(content)[1:]))
    parent = content
    for key in path[:-1]:
        parent = parent[key]
    change = data.draw(st.sampled_from(["delete", "replace", "rename"]))
    if change == "delete":
        del parent[path[-1]]
    elif change == "rename" and isinstance(parent, dict):
        parent[data.draw(st.sampled_from(["X y", "unit", "zh", "rows", "then"]))] = parent.pop(
            path[-1]
        )
    else:
        values = [None, True, 0, -1, 2.5, "", "x", "2026-01-01", [], [1], ["a", "a"], {}, {"a": 1}]
        parent[path[-1]] = data.draw(st.sampled_from(values))
    general = jsonschema.Draft202012Validator(RULES).is_valid(content)
    own = check_shape(read_yaml(json.dumps(content)), RULES)
    assert general == (not own), own
