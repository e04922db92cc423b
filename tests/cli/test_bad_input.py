"""Bad input ends with status 2 and a message that says where and what to do, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, SAMPLE, Run

Write = Callable[..., str]

WRONG = "task: inference\nmodel:\n  parametres_b: 13\n  experts: 3.5\n"


def test_the_place_is_shown_with_a_caret(sample: Run, profile: Write) -> None:
    result = sample("validate", profile(WRONG))
    assert result.status == 2 and result.out == ""
    lines = result.err.splitlines()
    assert lines[0].endswith("profile.yaml:3:3: E101 there is no field model.parametres_b")
    assert lines[1:5] == [
        "  3 |   parametres_b: 13",
        "    |   ^",
        "  expected: one of name, parameters_b, active_parameters_b, experts, experts_per_token",
        "  did you mean model.parameters_b?",
    ]


def test_all_problems_are_reported_at_once(sample: Run, profile: Write) -> None:
    result = sample("validate", profile(WRONG), "--format", "json")
    errors = result.json()["errors"]
    assert result.status == 2 and result.err == ""
    assert [error["code"] for error in errors] == ["E101", "E102"]
    assert [(error["line"], error["column"]) for error in errors] == [(3, 3), (4, 12)]
    assert set(errors[0]) == {
        "code", "file", "line", "column", "message", "expected", "suggestion"
    }  # fmt: skip


def test_messages_come_in_chinese(sample: Run, profile: Write) -> None:
    result = sample("validate", profile(WRONG), "--lang", "zh")
    assert "没有 model.parametres_b 这个字段" in result.err


def test_several_files_are_checked_together(sample: Run, profile: Write) -> None:
    good, bad = profile("task: inference\n", "good.yaml"), profile(WRONG, "bad.yaml")
    result = sample("validate", good, bad)
    assert result.status == 2
    assert "good.yaml: valid, 1 fields" in result.out
    assert "bad.yaml:3:3" in result.err


def test_a_valid_profile_is_status_zero(sample: Run, profile: Write) -> None:
    assert sample("validate", profile()).status == 0
    assert sample("validate", profile(), "--format", "json").json()["errors"] == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "E013"),
        (b"task: [", "E001"),
        (b"task: caf\xe9", "E002"),
        (b"task: inference\n---\ntask: lora\n", "E009"),
        (b"a: &a 1\nb: *a\n", "E006"),
        (b"[" * 100_000, "E00"),
        (b"task: inference\ntask: lora\n", "E005"),
        (b"task: inference\ndata: {may_leave_premises: yes}\n", "E008"),
        (b"x" * 10_000_000, "E003"),
        (b"- 1\n", "E014"),
        (b"model: {parameters_b: 13}\n", "E111"),
        (b"task: Inference\n", "E105"),
        (b"task: inference\nmodel: {parameters_b: .nan}\n", "E010"),
        (b"task: inference\nmodel: {parameters_b: null}\n", "E108"),
        (b"task: inference\nmodel: {parameters_b: 1e9}\n", "E104"),
    ],
)
def test_no_bad_file_gets_past_the_door(
    sample: Run, tmp_path: Path, content: bytes, code: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    for command in (("recommend",), ("validate",), ("explain", "placement")):
        result = sample(*command, path, "--format", "json")
        assert result.status == 2
        assert result.json()["errors"][0]["code"].startswith(code)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["recomend", "x"], "E200", "did you mean recommend?"),
        (["frobnicate"], "E200", "commands: recommend"),
        (["recommend"], "E203", "PROFILE"),
        (["recommend", "x.yaml", "--formt", "json"], "E202", "did you mean --format?"),
        (["recommend", "x.yaml", "--format", "jsn"], "E204", "did you mean json?"),
        (["recommend", "x.yaml", "--top", "0"], "E205", "--top"),
        (["recommend", "x.yaml", "--top"], "E205", "--top"),
        (["recommend", "no-such-file.yaml"], "E012", "there is no file"),
        (["recommend", "."], "E012", "is a directory"),
        (["recommend", "x.yaml", "--book", "/nowhere"], "E210", "no rule book"),
        (["rules", "shw"], "E204", "did you mean show?"),
        (["rules", "show"], "E203", "ID"),
        (["compile", "--to", "cobol"], "E204", "js"),
    ],
)
def test_a_wrong_command_line_is_explained(
    run: Run, arguments: list[str], code: str, said: str
) -> None:
    result = run(*arguments)
    assert result.status == 2
    assert code in result.err and said in result.err
    assert "Traceback" not in result.err
    assert code.startswith("E2") is result.err.startswith("<command line>")


def test_usage_errors_are_json_when_json_is_asked_for(run: Run) -> None:
    result = run("recommend", "--format", "json")
    assert result.status == 2
    assert result.json()["errors"][0]["code"] == "E203"


def test_without_a_command_the_commands_are_listed(run: Run) -> None:
    assert run().status == 2
    assert "recommend" in run("--help").out
    for arguments in (("--help", "--lang", "zh"), ("--lang", "zh", "--help")):
        assert "针对一份配置给出建议" in run(*arguments).out


def test_an_unknown_decision_is_suggested(sample: Run, profile: Write) -> None:
    result = sample("explain", "placment", profile())
    assert result.status == 2 and "did you mean placement?" in result.err


def test_a_reader_that_leaves_early_is_no_error(profile: Write) -> None:
    command = f"{sys.executable} -m engine recommend {profile()} --book {SAMPLE} --format json"
    shell = f"({command}; echo status $? >&2) | head -c 1 > /dev/null"
    done = subprocess.run(
        shell, shell=True, cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )  # fmt: skip
    assert "Traceback" not in done.stderr and "Error" not in done.stderr


def test_a_message_is_valid_json_even_for_odd_file_names(run: Run, tmp_path: Path) -> None:
    odd = tmp_path / 'a "quoted"\nname.yaml'
    odd.write_text("task: nothing\n", encoding="utf-8")
    result = run("validate", odd, "--book", SAMPLE, "--format", "json")
    assert json.loads(result.out)["errors"][0]["file"] == str(odd)
