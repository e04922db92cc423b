"""The answers quoted in the README files, and how to renew them after rules or facts changed.

python -m tests.packaging.readme
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.answers import ROOT, answer

FILES = ("README.md", "README.zh.md")
LINES = 4  # of each part but the first

_QUOTE = re.compile(
    r"(?P<head><!-- answer: recommend (?P<command>[^\n]*?) -->\n```text\n)"
    r"(?P<text>.*?)(?P<tail>```\n)",
    re.DOTALL,
)


def shortened(text: str) -> str:
    """The first part whole, of the others the title and the first lines."""
    parts = [part.splitlines() for part in text.strip("\n").split("\n\n")]
    found = ["\n".join(parts[0])]
    for title, *lines in parts[1:]:
        left_out = ["  …"] if len(lines) > LINES else []
        found.append("\n".join([title, *lines[:LINES], *left_out]))
    return "\n\n".join(found) + "\n"


def quotes(path: Path) -> Iterator[tuple[str, str]]:
    """Each command quoted in a file, and the answer as it stands there."""
    for found in _QUOTE.finditer(path.read_text(encoding="utf-8")):
        yield found["command"], found["text"]


def answered(command: str) -> str:
    """What a quoted command prints now, shortened."""
    profile, *options = command.split()
    return shortened(answer(ROOT / profile, ROOT, *options))


def renew(path: Path) -> None:
    """Writes the answers of today into a file."""
    text = path.read_text(encoding="utf-8")
    path.write_text(
        _QUOTE.sub(lambda one: one["head"] + answered(one["command"]) + one["tail"], text),
        encoding="utf-8",
    )


if __name__ == "__main__":
    for name in FILES:
        renew(ROOT / name)
