"""Headers of weights, architectures and score files that lie, break off or never end.

Each is refused with status 2, the place that names the file, and what to do; none costs seconds.
"""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli import inputs
from engine.cli.main import main
from tests.opened import kept_open


@pytest.fixture(autouse=True)
def one_book(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The book is opened once for all cases."""
    monkeypatch.setattr(inputs, "open_bundle", kept_open)
    yield


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def whole(value: int) -> bytes:
    return struct.pack("<II", 4, value)


def gguf(pairs: list[tuple[str, bytes]], tensors: int = 0, count: int | None = None) -> bytes:
    data = b"GGUF" + struct.pack("<IQQ", 3, tensors, len(pairs) if count is None else count)
    data += b"".join(text(key) + value for key, value in pairs)
    return data + b"".join(text("x") + struct.pack("<IQIQ", 1, 32, 0, 0) for _ in range(tensors))


def safetensors(header: str) -> bytes:
    return struct.pack("<Q", len(header)) + header.encode()


def tensor(shape: str, name: str = "a") -> bytes:
    return safetensors(f'{{"{name}": {{"dtype": "F16", "shape": {shape}}}}}')


ARCHITECTURE = ("general.architecture", struct.pack("<I", 8) + text("llama"))
LAYERS = ("llama.block_count", whole(32))
HEADERS: dict[str, bytes] = {
    "empty.gguf": b"", "nothing.gguf": gguf([]), "no-architecture.gguf": gguf([("a", whole(3))]),
    "only-a-name.gguf": gguf([ARCHITECTURE]), "cut.gguf": gguf([ARCHITECTURE, LAYERS], count=9),
    "2-63-pairs.gguf": gguf([ARCHITECTURE], count=2**63),
    "2-63-bytes.gguf": b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**63),
    "a-key-twice.gguf": gguf([ARCHITECTURE, LAYERS, LAYERS]),
    "a-tensor-twice.gguf": gguf([ARCHITECTURE, LAYERS], 2),
    "empty.safetensors": safetensors("{}"),
    "no-tensor.safetensors": safetensors('{"__metadata__": {}}'),
    "2-63-bytes.safetensors": struct.pack("<Q", 2**63) + b"{}",
    "deep.safetensors": safetensors('{"a":' + "[" * 100_000),
    "4000-digits.safetensors": tensor(f"[{'9' * 4000}]"), "infinite.safetensors": tensor("[1e999]"),
    "a-fraction.safetensors": tensor("[1.9, 1000000000]"),
    "negative.safetensors": tensor("[-5, -5]"),
    "a-text.safetensors": tensor('"123"'), "true.safetensors": tensor("[true, 1000000000]"),
    "no-type.safetensors": safetensors('{"a": {"dtype": {"x": 1}, "shape": [1000000000]}}'),
    "5000-digits-of-layer.safetensors": tensor("[9]", f"m.layers.{'9' * 5000}.x"),
    "twice.safetensors": safetensors('{"a": 1, "a": 2}'),
}  # fmt: skip


def named(folder: Path, name: str) -> Path:
    profile = folder / "p.yaml"
    profile.write_text(f"task: lora\nmodel: {{config: {name}}}\n", encoding="utf-8")
    return profile


def refused(line: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    begun = time.monotonic()
    assert main([*line, "--format", "json"]) == 2
    out, err = capsys.readouterr()
    assert err == "" and time.monotonic() - begun < 20
    errors: list[dict[str, object]] = json.loads(out)["errors"]
    for error in errors:
        assert error["code"] != "E900" and error["message"]
        assert error["suggestion"] or error["expected"]
    return errors[0]


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_says_nothing_or_cannot_be(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(HEADERS[name])
    error = refused(["recommend", str(named(tmp_path, name))], capsys)
    assert (error["line"], str(error["file"]).rpartition("/")[2]) == (2, "p.yaml")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("texts.gguf", gguf([("a", struct.pack("<IIQ", 9, 8, 31_000_000))])),
        ("tensors.gguf", b"GGUF" + struct.pack("<IQQ", 3, 10_000_000, 0)),
        ("pairs.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 18_000_000)),
        ("json.safetensors", struct.pack("<Q", 60_000_000) + b"{"),
    ],
)
def test_millions_of_nothings_are_not_counted(
    name: str, start: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (tmp_path / name).open("wb") as stream:
        stream.write(start)
        stream.truncate(300_000_000)  # zeros that take no room
    refused(["recommend", str(named(tmp_path, name))], capsys)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
@pytest.mark.parametrize(
    "name", ["m.gguf", "m.json", "m.safetensors", "m-00001-of-00001.safetensors"]
)
def test_a_pipe_is_not_waited_for(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / name)
    refused(["recommend", str(named(tmp_path, name))], capsys)


def test_parts_that_are_the_same_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "m-0000{}-of-00002.safetensors"
    (tmp_path / name.format(1)).write_bytes(tensor("[1000, 1000]"))
    (tmp_path / name.format(2)).symlink_to(name.format(1))
    refused(["recommend", str(named(tmp_path, name.format(1)))], capsys)


# ---------------------------------------------------------------- score

ROW = {"id": "a", "kind": "train_lora", "profile": {"task": "lora"}, "metric": "peak", "value": 1,
       "unit": "GiB", "group": "g", "confidence": "high"}  # fmt: skip
HEAD = "id,metric,inputs,expected,tol_abs\n"


@pytest.mark.parametrize(
    ("table", "content"),
    [
        ("memory", json.dumps(ROW).replace('"value": 1', f'"value": {"9" * 400}')),
        ("memory", "{\n" * 20_000),
        ("money", f"{HEAD}a,x,{{}},{'9' * 400},0\n"),
        ("money", f"{HEAD}a,x,{{}},1,-1\n"),
        ("money", f"{HEAD}a,x,{{}},1,0,7\n"),
        ("money", f'{HEAD}a,x,"{{""a"": 1, ""a"": 2}}",1,0\n'),
        ("money", "id,id,metric,inputs,expected,tol_abs\na,b,x,{},1,0\n"),
    ],
)
def test_a_broken_file_of_results(
    table: str, content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows"
    path.write_text(content, encoding="utf-8")
    assert refused(["score", table, str(path)], capsys)["line"]


def test_a_line_of_json_may_hold_any_letter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**ROW, "id": "a\u2028b"}, ensure_ascii=False), encoding="utf-8")
    assert main(["score", "memory", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["unanswered"][0]["id"] == "a\u2028b"


def test_a_place_far_down_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = {"id": "X-01", "title": "t", "entry": "recommend", "kind": "acceptance", "outcome": "o",
            "source": {"url": "https://example.org", "date": "2026-01-01", "strength": "x"},
            "profile": {"task": "lora"}, "path": f"$.options[{'9' * 5000}]",
            "expect": {"value": "x"}}  # fmt: skip
    (tmp_path / "X-01.yaml").write_text(json.dumps(case), encoding="utf-8")
    assert refused(["score", "cases", str(tmp_path)], capsys)["expected"]
