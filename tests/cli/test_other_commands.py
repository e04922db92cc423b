"""`explain`, `init`, `rules`, `catalog` and `compile` on the small book of the tests."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from engine.cli.main import main
from tests.cli.conftest import SAMPLE, Run

Write = Callable[..., str]


def test_explain_shows_the_value_the_row_and_what_would_flip_it(
    sample: Run, profile: Write
) -> None:
    out = sample("explain", "placement", profile()).out
    assert "= public_cloud" in out and "placement#otherwise" in out
    assert "would be hybrid if data.may_leave_premises = false" in out


def test_explain_puts_numbers_into_the_formula(sample: Run, profile: Write) -> None:
    out = sample("explain", "weights_size", profile()).out
    assert "13 * 2 * 1000000000 / 1073741824" in out


def test_explain_reaches_columns_of_the_recommended_row(sample: Run, profile: Write) -> None:
    trace = sample("explain", "best.fit", profile(), "--format", "json").json()
    assert trace["trace"]["value"] == "fits" and trace["trace"]["kind"] == "column"


def test_explain_gives_both_languages_in_json(sample: Run, profile: Write) -> None:
    trace = sample("explain", "placement", profile(), "--format", "json").json()["trace"]
    assert trace["title"] == {"en": "Placement", "zh": "部署形态"}


def test_init_writes_a_profile_that_validates(sample: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    assert sample("init", "--task", "inference", "-o", path).status == 0
    assert sample("validate", path).status == 0
    text = path.read_text(encoding="utf-8")
    assert "task: inference" in text and "# Parameters / 参数量" in text


def test_every_field_of_a_starter_exists(sample: Run, tmp_path: Path) -> None:
    text = sample("init", "--task", "inference").out
    group, fields = "", 0
    for line in text.splitlines():
        bare = line.lstrip("# ").rstrip()
        if not line.strip() or not bare.endswith(":") or " " in bare:
            continue
        name = bare[:-1]
        inside = line.startswith("  ")
        if not inside:
            group = name
        fields += inside
    assert group and fields > 8


def test_init_leaves_out_what_does_not_matter(sample: Run) -> None:
    assert "target_tokens_per_s" in sample("init", "--task", "inference").out
    assert "target_tokens_per_s" not in sample("init", "--task", "lora").out


def test_init_never_overwrites_a_file(sample: Run, profile: Write) -> None:
    result = sample("init", "-o", profile())
    assert result.status == 2 and "exists already" in result.err


def test_init_refuses_a_task_that_does_not_exist(sample: Run) -> None:
    result = sample("init", "--task", "inferense")
    assert result.status == 2 and "did you mean inference?" in result.err


def test_init_asks_until_the_headline_decisions_are_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    answers = Terminal("inferense\ninference\ntrue\ntrue\n13\n\n\n\n\n\n\n")
    monkeypatch.setattr("sys.stdin", answers)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    path = tmp_path / "asked.yaml"
    assert main(["init", "-o", str(path), "--book", SAMPLE]) == 0
    err = capsys.readouterr().err
    assert "did you mean inference?" in err and "Data may leave the premises" in err
    assert "task: inference" in path.read_text(encoding="utf-8")


def test_rules_check_counts_what_it_proved(sample: Run) -> None:
    result = sample("rules", "check", "--format", "json")
    assert result.json()["counts"]["entries"] > 0


def test_rules_test_runs_the_examples(sample: Run) -> None:
    result = sample("rules", "test", "--format", "json")
    assert result.json()["ran"] > 0
    assert result.status == (1 if result.json()["problems"] else 0)


def test_testing_nothing_is_a_failure(sample: Run) -> None:
    result = sample("rules", "test", "no.such.rule")
    assert result.status == 1 and "nothing was checked" in result.err


def test_rules_list_narrows_to_a_beginning(sample: Run) -> None:
    out = sample("rules", "list", "sourcing").out
    assert "sourcing.placement.placement" in out and "needs." not in out


def test_rules_show_prints_rows_reasons_and_place(sample: Run) -> None:
    out = sample("rules", "show", "placement.placement").out
    assert 'plaintext_stays: false | false | - → "private"' in out
    assert "Raw data may not leave." in out
    assert "rules/sourcing/placement.yaml:" in out


def test_rules_show_says_what_a_parameter_may_be(sample: Run) -> None:
    number = sample("rules", "show", "memory_usable_ratio", "--format", "json").json()
    assert (number["value"], number["range"], number["values"]) == (0.9, [0.5, 0.98], [])
    switch = sample("rules", "show", "prefer_private", "--format", "json").json()
    assert switch["value"] is False and "range" not in switch
    choice = sample("rules", "show", "strictest_verdict", "--format", "json").json()
    assert (choice["value"], choice["values"]) == ("deny", ["deny", "warn"])
    assert "value: false" in sample("rules", "show", "prefer_private").out


def test_rules_show_suggests_a_near_id(sample: Run) -> None:
    result = sample("rules", "show", "sourcing.placement.placment")
    assert result.status == 2 and "did you mean" in result.err


def test_catalog_lists_its_tables(sample: Run) -> None:
    assert "accelerators" in sample("catalog").out or "cards" in sample("catalog").out


def test_catalog_filters_sorts_and_limits(sample: Run) -> None:
    rows = sample(
        "catalog", "cards", "memory_gib>=24", "vendor=nor*", "--sort", "memory_gib", "--descending",
        "--format", "json",
    ).json()  # fmt: skip
    assert [row["id"] for row in rows] == ["n80", "n24"]
    assert len(sample("catalog", "cards", "--limit", "1", "--format", "json").json()) == 1


def test_catalog_csv_reads_back(sample: Run) -> None:
    out = sample("catalog", "accelerators", "--format", "csv", "--columns", "id,memory_gib").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[0].keys() == {"id", "memory_gib"} and len(rows) == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["crds"], "did you mean cards?"),
        (["cards", "memry_gib>=24"], "did you mean memory_gib?"),
        (["cards", "memory_gib"], "E205"),
        (["cards", "memory_gib>=much"], "E205"),
        (["cards", "--sort", "nothing"], "E208"),
    ],
)
def test_a_wrong_filter_is_explained(sample: Run, arguments: list[str], said: str) -> None:
    result = sample("catalog", *arguments)
    assert result.status == 2 and said in result.err


def test_catalog_check_reports_ages(sample: Run) -> None:
    result = sample("catalog", "check", "--format", "json")
    assert result.status == 0
    ages = result.json()["tables"]["offers"]["ages"]["price_date"]
    assert sum(ages.values()) == result.json()["tables"]["offers"]["rows"]


def test_compile_writes_a_schema_that_profiles_obey(
    sample: Run, profile: Write, tmp_path: Path
) -> None:
    path = tmp_path / "profile.schema.json"
    assert sample("compile", "--to", "json-schema", "-o", path).status == 0
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"task": "inference", "model": {"parameters_b": 13}})
    assert validator.is_valid({"task": "inference", "model": {"parameters_b": "13 billion"}})
    assert not validator.is_valid({"task": "infrence"})
    assert not validator.is_valid({"task": "inference", "modle": {}})
    assert not validator.is_valid({"model": {}})


def test_compile_writes_a_schema_that_answers_obey(sample: Run, profile: Write) -> None:
    schema = sample("compile", "--to", "answer-schema").json()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    arguments = ("recommend", profile(), "--format", "json", "--what-if")
    answer = sample(*arguments).json()
    validator.validate(answer)
    for place in ("placement", "options", "what_if"):
        assert answer[place], place
    wrong = [
        {**answer, "sayings": []},
        {**answer, "currency": "XYZ"},
        {**answer, "placement": {**answer["placement"], "value": "on_the_moon"}},
        {**answer, "options": [{**answer["options"][0], "count": "two"}]},
        {key: value for key, value in answer.items() if key != "questions"},
    ]
    assert not any(validator.is_valid(one) for one in wrong)


def test_compile_to_sql_and_javascript(sample: Run) -> None:
    assert "SELECT" in sample("compile", "--to", "sql").out
    assert "gpuwise" in sample("compile", "--to", "js").out
