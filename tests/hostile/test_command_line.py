"""Command lines that must be refused, and environments that must not matter."""

# A case stays on its line where that is longer than usual.
# ruff: noqa: E501

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = str(ROOT / "docs" / "examples" / "lora-7b-one-card.yaml")
SAMPLE = str(ROOT / "tests" / "books" / "sample")
ESCAPE = "\x1b[31m"

RECOMMEND = ("recommend", EXAMPLE)
LINES: list[tuple[str, ...]] = [
    ("recomend", "x"), ("recommend",), ("recommend", "a", "b"), ("recommend", ""), ("explain",),
    *((*RECOMMEND, *more) for more in [
        ("--zzz",), ("--format",), ("--format", "xml"), ("--lang", "fr"), ("--lang",), ("--set",),
        ("--set", "foo"), ("--set", "=3"), ("--set", "model.layers="), ("--set", "model.layers=3: 4"),
        ("--set", "model.layers=[1"), ("--set", "model.layers=3\ntask: lora"), ("--set", "modle.layers=3"),
        ("--set", "model.layers=yes"), ("--set", "model={layers: 3, layers: 4}"),
        ("--set", f"model.name={ESCAPE}x"), ("--set", f"{ESCAPE}x=3"), ("--set", "model.layers=# x"),
        ("--set", "constraints.providers=[asw]"), ("--as-of", "nonsense"), ("--as-of", "2026-02-30"),
        ("--as-of", ""), ("--as-of", "9999-01-01"), ("--as-of", "0001-01-01"), ("--as-of", "2026-W01-1"),
        ("--objective", "cheap"), ("--objective", "Cost"), ("--currency", "EUR"), ("--currency", "usd"),
        ("--top", "0"), ("--top", "-1"), ("--top", "x"), ("--top", "1.5"), ("--top", ""), ("--top", "１"),
        ("--top", "1_0"), ("--record", f"{EXAMPLE}/x"), ("--record", "/"), ("--record", ""),
        ("--book", "/nowhere"), ("--book", EXAMPLE), ("--policy", "nope.yaml"), ("--policy", "/"),
    ]),
    ("validate", EXAMPLE, "nope.yaml", "/"), ("validate",),
    *(("explain", name, EXAMPLE) for name in
      ("placment", "", ESCAPE, "best.nothing", "best", "task", "__class__", "x" * 3000)),
    ("explain", "placement", EXAMPLE, "--depth", "0"),
    ("init", "-o", EXAMPLE), ("init", "-o", f"{EXAMPLE}/x"), ("init", "-o", "/"), ("init", "-o", ""),
    ("init", "--task", "Lora"), ("init", "--task", ""), ("init", "--task", ESCAPE),
    ("rules",), ("rules", "nope"), ("rules", "show"), ("rules", "show", "nope"), ("rules", "show", ESCAPE),
    ("rules", "list", "zzz"), ("compile",), ("compile", "--to", "cobol"),
    ("compile", "--to", "sql", "--dialect", "cobol"), ("compile", "--to", "js", "-o", "/"),
    *(("catalog", *more) for more in [
        ("nope",), ("gpus", "memory"), ("gpus", "memory_gib>=many"), ("gpus", "memory_gib>=nan"),
        ("gpus", "memory_gib>=inf"), ("gpus", "memory_gib>=1_0"), ("gpus", "memory_gib>=８０"),
        ("gpus", "nope=1"), ("gpus", "vendor>nvidia"), ("gpus", "ecc=yes"),
        ("gpus", "card_price_date>=yesterday"), ("gpus", "--columns", ""), ("gpus", "--columns", "id,,x"),
        ("gpus", "--sort", "nope"), ("gpus", "--limit", "0"), ("check", "x"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line)[:60].replace(EXAMPLE, "P"))
def test_refused_with_one_json_object(
    line: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for language in ("en", "zh"):
        given = [*line, "--format", "json"] if "--format" not in line else list(line)
        given += [] if "--lang" in line else ["--lang", language]
        assert main(given) == 2
        out, err = capsys.readouterr()
        if "json" in given:
            errors = json.loads(out)["errors"]
            assert err == "" and errors
            for error in errors:
                assert error["code"] != "E900" and error["message"]
                assert error["suggestion"] or error["expected"]
                assert ESCAPE not in error["message"] + error["suggestion"] + error["expected"]
        else:
            assert out == "" and "E900" not in err and ESCAPE not in err


POLICIES = [
    "", "[1]", "parameters: null", "name: x", "parameters: 3", "parameters: [1]",
    "parameters: {nope: 1}", "parameters: {slow_upload_hours: 0}", "parameters: {slow_upload_hours: 1e9}",
    "parameters: {slow_upload_hours: .nan}", "parameters: {slow_upload_hours: many}",
    "parameters: {slow_upload_hours: '3'}", "parameters: {slow_upload_hours: true}",
    "parameters: {slow_upload_hours: null}", "parameters: {slow_upload_hours: [3]}",
    "parameters: {slow_upload_hours: 5 GB}", "parameters: {slow_upload_hours: 3, slow_upload_hours: 3}",
    "parameters: {megabits_per_gigabyte: 1}", "parameters: {}\nfoo: 1", "task: lora",
    "parameters: {}\n---\nparameters: {}", 'parameters: {"\\e[31m": 1}', "parameters: {task: lora}",
    "parameters: {usable_memory_ratio_inline_ecc: 0.95, usable_memory_ratio: 0.9}",
]  # fmt: skip


@pytest.mark.parametrize("text", POLICIES)
def test_a_bad_policy_is_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["recommend", EXAMPLE, "--policy", str(path), "--format", "json"]) == 2
    out, err = capsys.readouterr()
    assert err == ""
    for error in json.loads(out)["errors"]:
        assert error["file"] == str(path) and error["line"] and error["column"]
        assert error["expected"] and error["suggestion"] and "\x1b" not in error["message"]


# ---------------------------------------------------------------- environments

RUN = f"{sys.executable} -m engine recommend {EXAMPLE} --book {SAMPLE}"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, shell=True, executable="/bin/sh", cwd=ROOT, capture_output=True, text=True,
        encoding="utf-8", check=False, timeout=120, env={**os.environ, **environment},
    )  # fmt: skip


posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


@posix
@pytest.mark.parametrize(
    ("command", "status"),
    [
        (f"{sys.executable} -m engine recommend - --book {SAMPLE} <&-", 2),
        (f"{sys.executable} -m engine recommend nope 2>&-", 2),
        (f"{sys.executable} -m engine recommend nope >&-", 2),
        (f"{RUN} >&-", None),
        (f"{RUN} <&- >&- 2>&-", None),
        (f"{RUN} > /dev/full", 2),
        (f"{RUN} --record /dev/full", 2),
    ],
)
def test_closed_and_full_streams_are_no_crash(command: str, status: int | None) -> None:
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = shell(command)
    assert done.returncode == status if status is not None else done.returncode in (0, 2, 3)
    assert "Traceback" not in done.stderr and "E900" not in done.stderr


@posix
def test_an_interrupt_ends_quietly() -> None:
    for wait in (0.02, 0.1):
        process = subprocess.Popen(
            [sys.executable, "-m", "engine", "catalog", "offers", "--format", "csv"],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode in (0, 130, 141, 1, -signal.SIGINT)
        assert "E900" not in err


@posix
@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"COLUMNS": "1"},
        {"HOME": "/proc/nobody", "XDG_CACHE_HOME": ""},
        {"GPUWISE_CACHE": "/proc/no-such-cache"},
    ],
)
def test_the_environment_does_not_change_a_message(environment: dict[str, str]) -> None:
    done = shell(f"{sys.executable} -m engine validate nope.yaml --lang zh", **environment)
    assert done.returncode == 2 and "找不到文件" in done.stderr


@posix
def test_two_runs_at_once_and_damaged_caches(tmp_path: Path) -> None:
    """Runs that fill the same empty cache agree, and whatever is damaged is made anew."""
    profile = tmp_path / "p.yaml"
    profile.write_text("task: inference\nmodel: {parameters_b: 13}\n", encoding="utf-8")
    cache = tmp_path / "cache"
    command = [sys.executable, "-m", "engine", "recommend", str(profile), "--book", SAMPLE]
    environment = {**os.environ, "GPUWISE_CACHE": str(cache)}
    both = [
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    results = [process.communicate(timeout=120) for process in both]
    assert results[0] == results[1] and both[0].returncode in (0, 3)
    files = [path for path in cache.rglob("*") if path.is_file()]
    if not files:
        pytest.skip("this installation ships its compiled book")
    for damage in (b"", b"x" * 50, os.urandom(2000)):
        for path in files:
            path.write_bytes(damage)
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
        assert done.stdout == results[0][0] and done.returncode == both[0].returncode
