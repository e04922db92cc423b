"""No hostile profile gets past the door of the real rule book."""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli import inputs
from engine.cli.main import main
from tests.hostile.profiles import CURVES, LORA, files
from tests.opened import kept_open

FILES = files()


@pytest.fixture(autouse=True)
def one_book(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The book is opened once for all cases."""
    monkeypatch.setattr(inputs, "open_bundle", kept_open)
    yield


def refused(
    path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, object]]:
    """What `recommend` says about a profile it must refuse, in both formats."""
    begun = time.monotonic()
    assert main(["recommend", str(path), "--format", "json", "--lang", language]) == 2
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert err == "" and set(data) == {"errors"} and 0 < len(data["errors"]) <= 51
    assert main(["recommend", str(path), "--lang", language]) == 2
    shown, said = capsys.readouterr()
    assert shown == "" and "Traceback" not in said and "E900" not in said
    assert not [letter for letter in said if letter != "\n" and acts(letter)]
    assert max(map(len, said.splitlines())) < 2000
    assert time.monotonic() - begun < 20
    errors: list[dict[str, object]] = data["errors"]
    return errors


def acts(letter: str) -> bool:
    """Whether a character does something to a terminal instead of standing there."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter != "\u200d"


def check(errors: list[dict[str, object]], language: str) -> None:
    for error in errors:
        for part in ("code", "file", "message", "expected", "suggestion"):
            assert error[part], part
        assert error["line"] and error["column"]
        texts = [str(error[part]) for part in ("message", "expected", "suggestion")]
        assert all(len(text) <= 1000 and not any(map(acts, text)) for text in texts)
        if language == "zh":
            assert any("\u4e00" <= letter <= "\u9fff" for letter in texts[0])


@pytest.mark.parametrize("name", FILES)
def test_refused_with_place_expectation_and_advice(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.yaml"
    path.write_bytes(FILES[name])
    language = ("en", "zh")[len(name) % 2]
    check(refused(path, language, capsys), language)


@pytest.mark.parametrize("name", CURVES)
def test_a_hostile_load_curve_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "load.csv").write_bytes(CURVES[name])
    path = tmp_path / "p.yaml"
    path.write_text(LORA + "usage: {load_curve: load.csv}\n", encoding="utf-8")
    for language in ("en", "zh"):
        check(refused(path, language, capsys), language)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("constraints: {providers: [AWS]}", True),
        ("constraints: {countries: [cn]}", True),
        ("data: {location: KE}", True),
        ("model: {layers: 32.0}", True),
        ("model: {layers: 3.5}", False),
        ('name: "🚀 名 عربى 👩‍🔬"', True),
        ("data: {size_gb: 50 GB}", True),
    ],
)
def test_what_is_right_passes(
    text: str, said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(f"{LORA}{text}\n", encoding="utf-8")
    assert main(["validate", str(path)]) == (0 if said else 2)
    capsys.readouterr()
