"""Dependencies point one way: cli, site, report -> run -> targets, reference -> book, language."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[2] / "engine"

ALLOWED: dict[str, set[str]] = {
    "language": set(),
    "book": {"language"},
    "readers": {"book", "language"},
    "reference": {"book", "language"},
    "targets": {"book", "language"},
    "check": {"book", "language", "reference"},
    "run": {"targets", "reference", "book", "language", "readers", "check"},
    "report": {"run", "book", "language"},
    "site": {"report", "run", "targets", "reference", "book", "language", "readers", "check"},
    "cli": {"report", "run", "targets", "reference", "book", "language", "readers", "check"},
}


def imports_of(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine."):
            rooms.add(str(node.module).split(".")[1])
        if isinstance(node, ast.Import):
            rooms |= {n.name.split(".")[1] for n in node.names if n.name.startswith("engine.")}
    return rooms - {"version"}


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_imports_only_what_lies_below_it(room: str) -> None:
    for path in sorted((ENGINE / room).rglob("*.py")):
        above = imports_of(path) - ALLOWED[room] - {room}
        assert not above, f"{path.relative_to(ENGINE)} imports {sorted(above)}"


def test_every_room_is_known() -> None:
    rooms = {path.name for path in ENGINE.iterdir() if path.is_dir() and path.name[0] not in "_."}
    assert rooms - {"data"} <= set(ALLOWED)
