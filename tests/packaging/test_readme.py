"""What the README files and the contributing guide say is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.cli.main import main
from tests.answers import ROOT
from tests.packaging.readme import FILES, answered, quotes

DOCUMENTS = (*FILES, "CONTRIBUTING.md")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_quoted_answers_are_what_the_commands_print(name: str) -> None:
    found = list(quotes(ROOT / name))
    assert found, "no answer is quoted"
    for command, quoted in found:
        assert quoted == answered(command), "renew with: python -m tests.packaging.readme"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", read(name))
    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_make_target_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", read(name), re.MULTILINE))
    assert named and named <= targets


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_named_path_exists(name: str) -> None:
    paths = re.findall(r"`((?:tests|rules|catalog|engine|docs|benchmarks)/[\w./-]*)`", read(name))
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_command_exists(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    commands = set(re.findall(r"-m engine ([a-z]+)", read(name)))
    assert commands
    for command in commands:
        assert main([command, "--help"]) == 0
    capsys.readouterr()


def test_the_library_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", read("README.md"), re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    assert names["answer"].to_dict()["options"]  # type: ignore[attr-defined]


def test_both_languages_quote_the_same_profile() -> None:
    commands = [command for name in FILES for command, _ in quotes(ROOT / name)]
    assert {command.split()[0] for command in commands} == {Path(commands[0].split()[0]).as_posix()}


def test_the_rule_that_the_contributing_guide_shows_is_one_of_the_book() -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", read("CONTRIBUTING.md"), re.DOTALL)
    assert shown in read("rules/sourcing/isolation.yaml"), "a newcomer copies it"
