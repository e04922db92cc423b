"""The rule book itself: every example profile is answered, in form and in both languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

import engine
from engine.cli.inputs import admitted, setting
from engine.readers.document import read_document
from engine.report.width import width
from engine.run.facade import RuleBook
from engine.run.layout import check_report
from engine.run.pipeline import decide
from tests.cli.conftest import ROOT, Run, Told

Write = Callable[..., str]

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.yaml"))
SCHEMAS = ROOT / "catalog" / "schema"


def schema(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    return content


def validator(name: str) -> jsonschema.Draft202012Validator:
    inner = Resource.from_contents(schema("recommendation.schema.json"))
    registry: Registry[Any] = Registry().with_resource("recommendation.schema.json", inner)
    return jsonschema.Draft202012Validator(schema(name), registry=registry)


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def example(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


def test_the_report_names_only_what_the_book_has() -> None:
    assert check_report(engine.load().bundle.book) == []


def test_the_answer_to_an_example_obeys_its_schema(run: Run, example: Path) -> None:
    result = run("recommend", example, "--format", "json")
    assert result.status in (0, 3)
    validator("recommendation.schema.json").validate(result.json())


def test_an_example_is_told_in_both_languages_within_a_hundred_columns(
    run: Run, example: Path
) -> None:
    for language in ("en", "zh"):
        out = run("recommend", example, "--lang", language).out
        assert max(width(line) for line in out.splitlines()) <= 100
        assert "{" not in out and "None" not in out


def test_the_languages_differ_in_words_alone(told: Told, example: Path) -> None:
    english, chinese = told(example), told(example, "--lang", "zh")

    def numbers(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: numbers(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [numbers(inner) for inner in value]
        return value if isinstance(value, (int, float, bool)) else None

    assert numbers(english) == numbers(chinese)


def test_the_completed_profile_gives_the_same_answer(
    run: Run, told: Told, example: Path, profile: Write
) -> None:
    first = told(example)
    path = profile(json.dumps(first["profile"]), "completed.json")
    again = run("recommend", path, "--format", "json").json()
    for key in ("options", "placement", "billing", "region", "isolation", "needs"):
        assert again[key] == first[key]


@cache
def library() -> RuleBook:
    return engine.load()


def test_the_library_gives_the_answer_of_the_command(told: Told, example: Path) -> None:
    import yaml

    stated = yaml.safe_load(example.read_text(encoding="utf-8"))
    assert json.loads(json.dumps(library().recommend(stated).to_dict())) == told(example)


def decided(example: Path, decision: str, *stated: str) -> Any:
    """A decision of the answer with more stated, as `--set` states it."""
    bundle = library().bundle
    document = read_document(str(example))
    profile = admitted(bundle, document, [setting(text, "en") for text in stated], "en")
    name = bundle.book.report["answer"][decision]["verdict"]
    return decide(bundle, profile, {}).outcome["decisions"][name]


def test_every_flip_that_is_listed_is_true(told: Told, example: Path) -> None:
    answer = told(example)
    for decision in ("placement", "billing", "region", "isolation"):
        for flip in answer[decision]["flips_when"]:
            value = flip["value"]
            if isinstance(value, float) and flip["operator"] in ("<", ">"):
                value = value * (0.999 if flip["operator"] == "<" else 1.001)
            stated = f"{flip['field']}={json.dumps(value)}"
            assert decided(example, decision, stated) == flip["to"], (decision, flip)


def test_what_is_set_on_the_command_line_is_decided_so(run: Run) -> None:
    stated = ("data.may_leave_premises=false", "data.can_be_deidentified=false")
    line = [word for text in stated for word in ("--set", text)]
    after = run("recommend", EXAMPLES[0], "--format", "json", *line).json()
    assert after["placement"]["value"] == "private"
    assert decided(EXAMPLES[0], "placement", *stated) == "private"


def test_amounts_follow_the_currency(run: Run) -> None:
    path = EXAMPLES[0]
    dollars, yuan = (
        run("recommend", path, "--format", "json", "--currency", currency).json()
        for currency in ("USD", "CNY")
    )
    rate = yuan["exchange_rate"]["value"]
    assert dollars["exchange_rate"] is None and yuan["exchange_rate"]["date"]
    cost = dollars["options"][0]["cost"]["per_hour"]
    assert yuan["options"][0]["cost"]["per_hour"] == pytest.approx(cost * rate)
    figure = yuan["money"]["cloud"]["per_card_hour"]
    assert figure["unit"].startswith("CNY")
    assert figure["value"] == pytest.approx(
        dollars["money"]["cloud"]["per_card_hour"]["value"] * rate
    )


def test_a_record_obeys_its_schema(run: Run, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    run("recommend", EXAMPLES[0], "--record", record)
    validator("record.schema.json").validate(json.loads(record.read_text(encoding="utf-8")))


def test_the_schemas_are_the_ones_the_book_gives(run: Run) -> None:
    for target, name in (("json-schema", "profile"), ("answer-schema", "recommendation")):
        text = run("compile", "--to", target).out
        committed = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
        renew = f"python -m engine compile --to {target} -o catalog/schema/{name}.schema.json"
        assert text.rstrip() == committed.rstrip(), f"renew it: {renew}"


def test_examples_obey_the_profile_schema(example: Path) -> None:
    import yaml

    stated = yaml.safe_load(example.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json.dumps(stated, default=str)), schema("profile.schema.json"))


def test_every_question_says_why_it_matters(run: Run, profile: Write) -> None:
    result = run("recommend", profile("task: inference\n"), "--format", "json")
    assert result.status == 3
    questions = result.json()["questions"]
    assert any(question["headline"] for question in questions)
    assert all(question["why_it_matters"] and question["decisions"] for question in questions)


def test_an_id_that_ends_several_is_refused_with_all_of_them(run: Run) -> None:
    result = run("rules", "show", "weights")
    assert result.status == 2 and result.out == ""
    assert "precision.weights" in result.err and "needs.memory.weights" in result.err


def test_catalog_check_shows_a_few_warnings_of_a_kind_and_counts_the_rest(run: Run) -> None:
    short = run("catalog", "check")
    whole = run("catalog", "check", "--format", "json").json()["problems"]
    assert short.status == 0 and len(whole) > 100
    assert short.err.count(": W010 ") < 10
    assert f"{len(whole) - short.err.count(': W010 ')} more W010" in short.err


def test_a_figure_that_pages_disagree_on_is_marked_wherever_it_is_listed(run: Run) -> None:
    row = run("catalog", "gpus", "id=b300", "--format", "json").json()[0]
    assert row["unconfirmed"]["memory_gib"] in ("conflict", "confirmed_with_conflict")
    shown = run("catalog", "gpus", "id=b300")
    assert "270 !" in shown.out and "!" in shown.err
    assert "memory_gib:" in run("catalog", "gpus", "id=b300", "--format", "csv").out


def test_an_offer_carries_no_mark(run: Run) -> None:
    rows = run("catalog", "offers", "provider=lambda", "--format", "json").json()
    assert rows and not any("unconfirmed" in row for row in rows)
