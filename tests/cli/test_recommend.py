"""`recommend`: one sentence per behaviour, on the small book of the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import COMPLETE, Run

Write = Callable[..., str]


def test_the_answer_comes_first_and_the_status_is_zero(sample: Run, profile: Write) -> None:
    result = sample("recommend", profile())
    assert result.status == 0
    assert result.out.startswith("Take 2 x n24")
    assert result.err == ""


def test_json_is_one_object_and_nothing_else(sample: Run, profile: Write) -> None:
    answer = sample("recommend", profile(), "--format", "json").json()
    assert answer["options"][0]["gpu"] == "n24"
    assert answer["placement"]["value"] == "public_cloud"
    assert answer["rulebook"]["version"] and len(answer["catalog"]["digest"]) == 64


def test_markdown_has_headings_and_a_table(sample: Run, profile: Write) -> None:
    out = sample("recommend", profile(), "--format", "markdown").out
    assert out.startswith("# Recommendation\n") and "\n## Options\n" in out
    assert "| Card | Cards |" in out


def test_the_same_inputs_give_the_same_bytes(sample: Run, profile: Write) -> None:
    path = profile()
    for form in ("text", "json", "markdown"):
        first, second = (sample("recommend", path, "--format", form).out for _ in range(2))
        assert first == second


def test_both_languages_tell_the_same_answer(sample: Run, profile: Write) -> None:
    path = profile()
    english = sample("recommend", path, "--format", "json").json()
    chinese = sample("recommend", path, "--format", "json", "--lang", "zh").json()
    assert english["options"] == chinese["options"]
    assert english["placement"]["value"] == chinese["placement"]["value"]
    assert "租用" in sample("recommend", path, "--lang", "zh").out or chinese["language"] == "zh"


def test_a_profile_may_come_from_standard_input(sample: Run) -> None:
    assert sample("recommend", "-", stdin=COMPLETE).status == 0


def test_yaml_and_json_profiles_give_the_same_answer(sample: Run, profile: Write) -> None:
    data = {
        "task": "inference",
        "model": {"parameters_b": 13, "active_parameters_b": 13},
        "serving": {"target_tokens_per_s": 100},
        "data": {"may_leave_premises": True, "can_be_deidentified": True},
    }
    yaml = sample("recommend", profile(), "--format", "json").out
    assert sample("recommend", profile(json.dumps(data), "p.json"), "--format", "json").out == yaml


def test_an_open_headline_decision_gives_status_three_and_a_question(
    sample: Run, profile: Write
) -> None:
    result = sample("recommend", profile(COMPLETE.replace("may_leave_premises: true, ", "")))
    assert result.status == 3
    assert "data.may_leave_premises" in result.out
    assert "not everything could be decided" in result.err


def test_an_open_decision_leaves_the_rest_of_the_answer(sample: Run, profile: Write) -> None:
    path = profile(COMPLETE.replace("may_leave_premises: true, ", ""))
    answer = sample("recommend", path, "--format", "json").json()
    assert answer["placement"]["value"] is None
    assert answer["options"][0]["gpu"] == "n24"
    asked = [question["field"] for question in answer["questions"] if question["headline"]]
    assert asked == ["data.may_leave_premises"]


def test_set_replaces_one_field(sample: Run, profile: Write) -> None:
    path = profile()
    result = sample("recommend", path, "--format", "json", "--set", "model.parameters_b=60")
    assert result.json()["profile"]["model"]["parameters_b"] == 60
    assert result.json()["options"][0]["gpu"] != "n24"


def test_set_is_checked_like_the_profile(sample: Run, profile: Write) -> None:
    result = sample("recommend", profile(), "--set", "model.parametrs_b=60")
    assert result.status == 2
    assert "--set model.parametrs_b:1:1: E101" in result.err
    assert "did you mean model.parameters_b?" in result.err


def test_a_setting_without_equals_is_refused(sample: Run, profile: Write) -> None:
    result = sample("recommend", profile(), "--set", "model.parameters_b")
    assert result.status == 2 and "E201" in result.err


def test_prices_are_judged_from_the_newest_date_of_the_catalog(sample: Run, profile: Write) -> None:
    answer = sample("recommend", profile(), "--format", "json").json()
    assert answer["as_of"] == answer["catalog"]["newest"]


def test_as_of_moves_the_age_of_a_price(sample: Run, profile: Write) -> None:
    path = profile()
    ages = [
        sample("recommend", path, "--format", "json", "--as-of", day).json()["options"][0]["offer"]
        for day in ("2026-10-01", "2026-10-11")
    ]
    assert [offer["age_days"] for offer in ages] == [0, 10]


def test_objective_changes_what_is_preferred(sample: Run, profile: Write) -> None:
    path = profile()
    time = sample("recommend", path, "--format", "json", "--objective", "time").json()
    assert time["profile"]["objective"] == "time"
    assert sample("recommend", path, "--objective", "speed").status == 2


def test_top_limits_the_options(sample: Run, profile: Write) -> None:
    answer = sample("recommend", profile(), "--format", "json", "--top", "1").json()
    assert [option["rank"] for option in answer["options"] if option["rank"]] == [1]


def test_every_default_used_is_reported_with_its_reason(sample: Run, profile: Write) -> None:
    answer = sample("recommend", profile(), "--format", "json").json()
    assumed = {one["field"]: one for one in answer["assumed"]}
    assert assumed["serving.batch"]["value"] == 32
    assert assumed["serving.batch"]["why"] == "A common batch for the objective."
    assert "model.parameters_b" not in assumed


def test_the_completed_profile_gives_the_same_answer_again(sample: Run, profile: Write) -> None:
    first = sample("recommend", profile(), "--format", "json").json()
    again = sample(
        "recommend", profile(json.dumps(first["profile"]), "again.json"), "--format", "json"
    ).json()
    assert again["options"] == first["options"]
    assert again["assumed"] == []


def test_what_if_names_the_nearest_value_that_flips_a_decision(sample: Run, profile: Write) -> None:
    path = profile()
    answer = sample("recommend", path, "--format", "json", "--what-if").json()
    flips = {(flip["decision"], flip["field"]): flip for flip in answer["what_if"]}
    flip = flips["gpu", "model.parameters_b"]
    assert flip["answer_from"] == "n24" and flip["answer_to"] == "n80"
    after = sample(
        "recommend", path, "--format", "json", "--set", f"model.parameters_b={flip['to']}"
    ).json()
    before = sample(
        "recommend", path, "--format", "json", "--set", f"model.parameters_b={flip['to'] * 0.99}"
    ).json()
    assert after["options"][0]["gpu"] == "n80"
    assert before["options"][0]["gpu"] == "n24"


def test_every_flip_that_is_listed_without_searching_is_true(sample: Run, profile: Write) -> None:
    path = profile()
    answer = sample("recommend", path, "--format", "json").json()
    assert answer["placement"]["flips_when"]
    for flip in answer["placement"]["flips_when"]:
        value = json.dumps(flip["value"])
        after = sample("recommend", path, "--format", "json", "--set", f"{flip['field']}={value}")
        assert after.json()["placement"]["value"] == flip["to"]


def test_a_policy_overrides_a_parameter_and_is_shown(
    sample: Run, profile: Write, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("name: ours\nparameters: {memory_usable_ratio: 0.5}\n", encoding="utf-8")
    answer = sample("recommend", profile(), "--policy", policy, "--format", "json").json()
    assert answer["policy"][0]["parameter"] == "memory_usable_ratio"
    assert (answer["policy"][0]["was"], answer["policy"][0]["value"]) == (0.9, 0.5)
    assert answer["options"][0]["gpu"] == "n80"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("parameters: {memory_usable_rato: 0.5}", "did you mean memory_usable_ratio?"),
        ("parameters: {memory_usable_ratio: 5}", "E104"),
        ("parameters: {memory_usable_ratio: high}", "E12"),
        ("memory_usable_ratio: 0.5", "parameters: {name: value}"),
    ],
)
def test_a_bad_policy_is_refused(
    sample: Run, profile: Write, tmp_path: Path, text: str, said: str
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(text, encoding="utf-8")
    result = sample("recommend", profile(), "--policy", policy)
    assert result.status == 2
    assert f"{policy}:1:" in result.err and said in result.err


def test_a_record_holds_what_a_replay_needs(sample: Run, profile: Write, tmp_path: Path) -> None:
    path, record = profile(), tmp_path / "record.json"
    answer = sample("recommend", path, "--format", "json", "--record", record).json()
    data = json.loads(record.read_text(encoding="utf-8"))
    assert data["inputs"]["given"]["model.parameters_b"] == 13
    assert data["result"] == answer
    assert data["rulebook"]["digest"] == answer["rulebook"]["digest"]
    first = record.read_bytes()
    sample("recommend", path, "--format", "json", "--record", record)
    assert record.read_bytes() == first


def test_a_record_that_cannot_be_written_is_said(sample: Run, profile: Write) -> None:
    result = sample("recommend", profile(), "--record", "/nowhere/record.json")
    assert result.status == 2 and "E209" in result.err


def test_text_stays_within_a_hundred_columns(sample: Run, profile: Write) -> None:
    from engine.report.width import width

    for language in ("en", "zh"):
        out = sample("recommend", profile(), "--lang", language).out
        assert max(width(line) for line in out.splitlines()) <= 100


def test_colour_is_off_when_nobody_looks(sample: Run, profile: Write) -> None:
    assert "\x1b[" not in sample("recommend", profile()).out


def test_colour_can_be_forced_and_forbidden(
    sample: Run, profile: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = profile()
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in sample("recommend", path).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in sample("recommend", path).out
