"""A wheel answers on its own, from an empty folder, and compiles nothing on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="the build backend is not installed")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "lora-7b-one-card.yaml"
COMPILERS = ("lark", "pint", "engine.language.parse", "engine.targets", "engine.book.load")

pytestmark = pytest.mark.slow


def python(*arguments: str, where: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs this Python with an environment of its own and nothing else in it."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=where, env={**kept, **environment},
        capture_output=True, text=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the archive of sources and the wheel made from that archive."""
    folder = tmp_path_factory.mktemp("built")
    python(
        "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", str(folder),
        str(ROOT), where=folder, PATH=os.environ.get("PATH", ""), HOME=str(folder),
        GPUWISE_CACHE=str(folder / "cache"),
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel alone in a folder of packages."""
    folder = tmp_path_factory.mktemp("installed")
    python(
        "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-cache-dir",
        "--disable-pip-version-check", "--target", str(folder), str(wheel),
        where=folder, HOME=str(folder),
    )  # fmt: skip
    return folder


@pytest.fixture
def answered(installed: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """The example, copied to an empty folder and answered without a place to write to."""
    (tmp_path / "profile.yaml").write_bytes(EXAMPLE.read_bytes())
    nowhere = tmp_path / "file"
    nowhere.touch()  # a home below a file cannot be written, not even by root
    return python(
        "-X", "importtime", "-m", "engine", "recommend", "profile.yaml", "--format", "json",
        where=tmp_path, PYTHONPATH=str(installed), PYTHONDONTWRITEBYTECODE="1",
        HOME=str(nowhere / "home"), GPUWISE_CACHE=str(nowhere / "cache"),
    )  # fmt: skip


def test_a_run_from_the_wheel_answers_as_the_repository_does(answered, tmp_path):
    here = python(
        "-m", "engine", "recommend", str(EXAMPLE), "--format", "json",
        where=ROOT, HOME=str(tmp_path), GPUWISE_CACHE=str(tmp_path / "cache"),
    )  # fmt: skip
    found, wanted = json.loads(answered.stdout), json.loads(here.stdout)
    assert found["options"], "nothing was recommended"
    assert found == wanted


def test_a_run_from_the_wheel_compiles_nothing(answered):
    imported = {line.rpartition("|")[2].strip() for line in answered.stderr.splitlines()}
    assert "engine.run.bundle" in imported, "the list of imports was not read"
    assert not [name for name in imported if name.startswith(COMPILERS)]


def test_the_wheel_holds_the_book_the_catalog_and_the_examples(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    carried = {"rules": "rules", "catalog": "catalog", "docs/examples": "examples"}
    for source, name in carried.items():
        files = [path for path in (ROOT / source).rglob("*") if path.is_file()]
        assert files
        for path in files:
            inside = path.relative_to(ROOT / source).as_posix()
            assert f"engine/data/{name}/{inside}" in names
    assert "engine/py.typed" in names and "engine/language/grammar.lark" in names
    compiled = {name.rpartition("/")[2] for name in names if "/data/compiled/" in name}
    assert {"book.data", "book.py", "catalog.data", "dependencies.json"} <= compiled
    assert all(name.startswith(("engine/", "gpuwise-")) for name in names)


def test_the_wheel_serves_every_python(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith((".pyc", ".so"))]


def test_the_archive_of_sources_can_be_built_and_tested(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for wanted in (
        "pyproject.toml", "hatch_build.py", "Makefile", "README.md", "LICENSE",
        "rules/version.txt", "catalog/tables.yaml", "engine/__main__.py",
        "tests/packaging/test_wheel.py", EXAMPLE.relative_to(ROOT).as_posix(),
    ):  # fmt: skip
        assert wanted in names
