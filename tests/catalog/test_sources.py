"""Sources: a page and a day for every fact; both languages for every statement of the guide."""

from __future__ import annotations

import datetime
import re

from tests.catalog.shelf import ROOT, catalog, lines, rows, sources


def test_a_source_is_a_page_read_on_a_day() -> None:
    for name, entry in sources()["sources"].items():
        assert re.match(r"https?://[^/]+/.|catalog/studies\.md#", entry["url"]), name
        day = datetime.date.fromisoformat(entry["date"])
        oldest = 1900 if entry["kind"] == "paper" else 2015  # papers carry their own date
        assert datetime.date(oldest, 1, 1) <= day <= datetime.date.today(), name


def test_our_own_studies_are_described() -> None:
    text = (ROOT / "catalog" / "studies.md").read_text(encoding="utf-8").lower()
    for name, entry in sources()["sources"].items():
        if entry["url"].startswith("catalog/studies.md#"):
            assert f"## {entry['url'].partition('#')[2]}" in text, name


def test_every_figure_cites_a_known_source() -> None:
    known = set(sources()["sources"])
    for line in lines("accelerators/figures.csv"):
        assert not line["source"] or line["source"] in known, line
    for table in catalog().tables:
        for row in rows(table):
            assert row.get("source") is None or row["source"] in known, row["id"]


def test_no_source_is_kept_that_nothing_cites() -> None:
    cited = {line["source"] for line in lines("accelerators/figures.csv")}
    cited |= {row.get("source") for table in catalog().tables for row in rows(table)}
    cited |= {line["card_price_source"] for line in lines("accelerators/accelerators.csv")}
    for path in (ROOT / "rules").rglob("*.yaml"):
        for found in re.findall(r"source: \[([^\]]*)\]", path.read_text(encoding="utf-8")):
            cited |= {name.strip() for name in found.split(",")}
    assert not set(sources()["sources"]) - cited


def test_the_guide_is_complete_in_both_languages() -> None:
    guide = sources()["guide"]
    assert len(guide) == 74
    for section, title in guide.items():
        assert re.fullmatch(r"A0|A\d\.\d[a-f]?|B\.\d{1,2}", section), section
        assert set(title) == {"en", "zh"}, section
        assert re.search(r"[\u4e00-\u9fff]", title["zh"]), section
