"""Runs commands in this process, as a terminal would."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.cli import inputs
from engine.cli.main import main
from tests.opened import kept_open

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = str(ROOT / "tests" / "books" / "sample")

COMPLETE = """\
task: inference
model: {parameters_b: 13, active_parameters_b: 13}
serving: {target_tokens_per_s: 100}
data: {may_leave_premises: true, can_be_deidentified: true}
"""


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


Run = Callable[..., Result]
Told = Callable[..., Any]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("recommend", path, …)`; `stdin` is what standard input holds."""

    def command(*arguments: object, stdin: str | None = None) -> Result:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        monkeypatch.setattr(inputs, "open_bundle", kept_open)
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Result(status, out, err)

    return command


@pytest.fixture
def told(run: Run) -> Told:
    """`told(path, …)`: the JSON answer to a profile of the repository; the same is given once."""

    def answer(path: Path, *arguments: str) -> Any:
        key = (str(path), *arguments)
        if key not in _told:
            _told[key] = run("recommend", path, "--format", "json", *arguments).out
        return json.loads(_told[key])

    return answer


_told: dict[tuple[str, ...], str] = {}


@pytest.fixture
def sample(run: Run) -> Run:
    """Runs a command on the small book of the tests."""

    def command(*arguments: object, **options: Any) -> Result:
        return run(*arguments, "--book", SAMPLE, **options)

    return command


@pytest.fixture
def profile(tmp_path: Path) -> Callable[[str], str]:
    """Writes a profile and gives its path."""

    def write(text: str = COMPLETE, name: str = "profile.yaml") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write
