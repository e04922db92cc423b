"""An hourly CSV becomes the levels of a load curve."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine.readers.document import InputError, parse_document
from engine.readers.load_curve import MOST_LEVELS, join_levels
from engine.readers.profile import Profile, admit
from tests.unit.test_door_profile import FACTS, TABLES


def read(folder: Path, csv: str) -> Profile:
    (folder / "load.csv").write_text(csv, encoding="utf-8")
    document = parse_document("usage: {load_curve: load.csv}", "p.yaml", "en", folder)
    return admit(document, FACTS, TABLES)


def test_hours_with_the_same_load_are_counted_together(tmp_path: Path) -> None:
    profile = read(tmp_path, "hour,gpus\n0,4\n1,0\n2,4\n3,2\n")
    assert profile.given["usage.load_curve"] == [(0.0, 1.0), (2.0, 1.0), (4.0, 2.0)]
    assert profile.notices == ()


def test_a_column_of_hours_is_used_when_there_is_one(tmp_path: Path) -> None:
    profile = read(tmp_path, "gpus,hours\n4,10\n2,5.5\n")
    assert profile.given["usage.load_curve"] == [(2.0, 5.5), (4.0, 10.0)]


def test_more_levels_than_allowed_are_joined_and_said(tmp_path: Path) -> None:
    rows = "\n".join(str(n) for n in range(1000))
    profile = read(tmp_path, f"gpus\n{rows}\n")
    levels = profile.given["usage.load_curve"]
    assert len(levels) == MOST_LEVELS
    assert sum(hours for _, hours in levels) == 1000
    assert sum(level * hours for level, hours in levels) == pytest.approx(sum(range(1000)))
    assert "joined" in profile.notices[0]


def test_joining_keeps_time_and_load() -> None:
    chance = random.Random(7)
    levels = sorted({chance.uniform(0, 100): chance.uniform(0, 10) for _ in range(300)}.items())
    joined = join_levels(levels, 20)
    assert len(joined) == 20
    assert sum(h for _, h in joined) == pytest.approx(sum(h for _, h in levels))
    assert sum(x * h for x, h in joined) == pytest.approx(sum(x * h for x, h in levels))
    assert [x for x, _ in joined] == sorted(x for x, _ in joined)


@pytest.mark.parametrize(
    ("csv", "said"),
    [
        ("cards\n4\n", "no column gpus"),
        ("gpus\nmany\n", "“many” is not a number"),
        ("gpus\n-1\n", "-1 is out of range"),
        ("gpus\nnan\n", "“nan” is not a number"),
        ("gpus\n", "no rows"),
        ("", "no rows"),
    ],
)
def test_a_bad_curve_is_refused(tmp_path: Path, csv: str, said: str) -> None:
    with pytest.raises(InputError, match="E112") as caught:
        read(tmp_path, csv)
    assert said in str(caught.value)


def test_a_missing_curve_points_at_the_profile(tmp_path: Path) -> None:
    document = parse_document("usage: {load_curve: nothing.csv}", "p.yaml", "en", tmp_path)
    with pytest.raises(InputError, match=r"p\.yaml:1:21: E112 there is no file"):
        admit(document, FACTS, TABLES)
