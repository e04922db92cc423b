"""People read the names of providers, never their ids; commands and JSON keep the ids."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ("nightly-batch-on-spot", "startup-peaky-inference", "lab-with-a-queue")


def providers() -> dict[str, tuple[str, str]]:
    with (ROOT / "catalog/providers/providers.csv").open(encoding="utf-8") as file:
        return {row["id"]: (row["name_en"], row["name_zh"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_texts_say_names(run: Run, name: str, form: str, language: str) -> None:
    profile = ROOT / f"docs/examples/{name}.yaml"
    found = run("recommend", profile, "--format", form, "--lang", language)
    said = found.out.replace("\\", "")
    data = json.loads(run("recommend", profile, "--format", "json", "--lang", language).out)
    names = providers()
    for row in data["providers"]:
        shown = names[row["provider"]][language == "zh"]
        assert shown.split("（")[0].split(" ")[0] in said, row["provider"]
    # Sources keep their ids; in what comes before them no id of a provider stands alone.
    before = re.split(r"\n(?:#+ )?(?:Sources|来源)\n", said)[0]
    for key, both in names.items():
        if key not in both:
            assert not re.search(rf"(?<![\w.#/\[-]){re.escape(key)}(?![\w./\]-])", before), key


def test_the_answer_for_programs_keeps_ids(run: Run) -> None:
    profile = ROOT / "docs/examples/nightly-batch-on-spot.yaml"
    data = json.loads(run("recommend", profile, "--format", "json").out)
    assert {row["offer"]["provider"] for row in data["options"]} <= {*providers(), "own"}
