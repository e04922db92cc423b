"""Every example has a title in both languages, and no title is left of an example that went."""

from __future__ import annotations

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_every_example_has_a_title_in_both_languages() -> None:
    titles = yaml.safe_load((ROOT / "docs" / "titles.yaml").read_text(encoding="utf-8"))["examples"]
    examples = {path.stem for path in (ROOT / "docs" / "examples").glob("*.yaml")}
    assert set(titles) == examples
    assert all(set(title) == {"en", "zh"} and all(title.values()) for title in titles.values())
