"""The answers on the pages are those of the command."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest

from engine.cli import inputs
from engine.cli.main import main
from engine.report.template import money
from tests.opened import kept_open
from tests.site.built import LANGUAGES, ROOT, Site, words

EXAMPLES = sorted(path.stem for path in (ROOT / "docs" / "examples").glob("*.yaml"))


START = re.findall(
    r'\{\{ answer\("([^"]+)"\) \}\}',
    (ROOT / "docs" / "en" / "index.md").read_text(encoding="utf-8"),
)


def recommend(preset: str, language: str, form: str) -> str:
    """What the command prints."""
    out = io.StringIO()
    path = ROOT / "docs" / "examples" / f"{preset}.yaml"
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(io.StringIO()),
    ):
        patch.setattr(inputs, "open_bundle", kept_open)
        main(["recommend", str(path), "--lang", language, "--format", form])
    return out.getvalue()


def lines(markdown: str) -> list[str]:
    """The sentences and cells of an answer in Markdown, plain; without headings and rules."""
    found = []
    for line in markdown.splitlines():
        if line.startswith("#") or re.fullmatch(r"\|[ :|-]+\|", line):
            continue
        for cell in re.split(r"(?<!\\)\|", line) if line.startswith("|") else [line]:
            text = re.sub(r"^\s*(- |\*\*|\*)|(\*\*|\*)\s*$", "", cell)
            found.append(words(re.sub(r"\\(.)", r"\1", text)))
    return [line for line in found if line]


# Each example in one of the languages, in turn: answering takes a second.
TURNS = [(preset, LANGUAGES[number % 2]) for number, preset in enumerate(EXAMPLES)]


@pytest.mark.parametrize(("preset", "language"), TURNS)
def test_the_page_of_an_example_says_what_the_command_says(
    site: Site, preset: str, language: str
) -> None:
    page = site.edition(language)[f"answers/{preset}.html"]
    said = lines(recommend(preset, language, "markdown"))
    assert len(said) > 30
    missing = [line for line in said if line not in page.text]
    assert not missing


@pytest.mark.parametrize("preset", START)
def test_the_start_page_names_the_cards_the_price_and_the_runner_up(
    site: Site, preset: str
) -> None:
    answer: dict[str, Any] = json.loads(recommend(preset, "en", "json"))
    start = site.edition("en")["index.html"].text
    first, second = answer["options"][:2]
    cost = first["cost"]
    figure = cost["total"] if first["hours"] is not None else cost["per_month"]
    assert f"{first['count']} × {first['name']}" in start
    assert money(figure, answer["currency"]) in start
    assert f"Runner-up: {second['count']} × {second['name']}" in start


def test_the_start_page_has_the_six_cases() -> None:
    assert {
        "lora-7b-one-card", "full-finetune-7b", "serve-2000-tokens-per-second",
        "startup-peaky-inference", "deepseek-one-node", "medical-hybrid",
    } <= set(START)  # fmt: skip


def test_reference_pages_show_the_value_of_every_parameter(site: Site) -> None:
    """Read off the files themselves: a page that shows an old value fails."""
    import yaml

    page = site.edition("zh")["reference/parameters.html"].text
    for path in sorted((ROOT / "rules" / "parameters").glob("*.yaml")):
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name, entry in held["parameters"].items():
            assert entry["title"]["zh"] in page, name
            if isinstance(entry.get("value"), int):
                pattern = re.escape(entry["title"]["zh"]) + rf" {entry['value']} "
                assert re.search(pattern, page), name
