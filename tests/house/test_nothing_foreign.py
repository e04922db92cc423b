"""The repository stands alone: no path of a machine, no registry host, nothing left unfinished."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

MACHINE = re.compile(
    r"(?<![\w.}])/(?:work|farm|root|home/\w+|Users/\w+|tmp|opt|mnt|var|scratch)/\w|\b[A-Z]:\\Users\\"
)
REGISTRY = re.compile(
    r"registry\.(?:npm"
    r"js|yarn"
    r"pkg)|files\.python"
    r"hosted|py"
    r"pi\.\w|deb\.deb"
    r"ian|"
    r"(?:archive|ports)\.ubun"
    r"tu|proxy\.gol"
    r"ang|static\.crat"
    r"es|conda\.anac"
    r"onda"
)
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|Not" r"ImplementedError)\b")


def tracked() -> list[Path]:
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout: the list of tracked files is unknown")
    return [ROOT / name for name in listing.split("\0") if name]


def texts() -> list[tuple[str, str]]:
    found = []
    for path in tracked():
        if path.is_file():
            try:
                found.append((path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                continue
    assert found
    return found


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRY], ids=["machine path", "registry host"])
def test_no_file_names_a_machine_or_registry(pattern: re.Pattern[str]) -> None:
    hits = [f"{name}: {m.group()}" for name, text in texts() if (m := pattern.search(text))]
    assert not hits, hits


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE, "see /" + "tmp/build/notes.txt"),
        (MACHINE, "'/" + "Users/ann/book'"),
        (MACHINE, "cd /" + "opt/tools"),
        (MACHINE, "/" + "home/ann/x"),
        (REGISTRY, "https://py" + "pi.tuna.example/simple"),
        (REGISTRY, "https://registry.yarn" + "pkg.com"),
        (REGISTRY, "http://archive.ubun" + "tu.com"),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


def test_nothing_is_left_unfinished() -> None:
    users_get = (
        "engine/",
        "rules/",
        "catalog/",
        "docs/",
        "README.md",
        "README.zh.md",
        "CONTRIBUTING.md",
    )
    hits = [
        f"{name}: {m.group()}"
        for name, text in texts()
        if name.startswith(users_get) and (m := UNFINISHED.search(text))
    ]
    assert not hits, hits
