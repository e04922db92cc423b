"""Builds the site once for all tests of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site.built import ROOT, Site

pytest.importorskip("mkdocs_macros", reason="the site extra is not installed")


def mkdocs(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """`mkdocs build --strict` in a folder; the English edition goes to `target`/en."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target / "en")],
        cwd=folder,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Both editions and the page at the root, as `make site` builds them.

    Workers of one run share the build: the first makes it, the others wait.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return _build(base / "site")
    import fcntl

    with open(base.parent / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _build(base.parent / "site")


def _build(target: Path) -> Site:
    log = target / "build.log"
    if not log.is_file():
        done = mkdocs(ROOT, target)
        assert done.returncode == 0, done.stdout + done.stderr
        log.write_text(done.stdout + done.stderr, encoding="utf-8")
    return Site(target, log.read_text(encoding="utf-8"))
