"""Puts the rule book, the catalog and their compiled form into the wheel.

A wheel answers on its own: nothing is read from the repository, and a first run compiles nothing.
The compiled book is plain data and Python source, so one wheel serves every supported Python.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CARRIED = {"rules": "rules", "catalog": "catalog", "docs/examples": "examples"}


class CompiledBook(BuildHookInterface[BuilderConfig]):
    """Runs for wheels; an editable installation reads the repository instead."""

    PLUGIN_NAME = "compiled-book"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles the book into a folder and adds it. Raises ProblemError on a faulty book."""
        if version != "standard":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root))
        try:
            from engine.run.bundle import ship_bundle
        finally:
            sys.path.remove(str(root))
        self.folder = Path(tempfile.mkdtemp(prefix="compiled-book-"))
        ship_bundle(root, self.folder)
        included = build_data["force_include"]
        for source, name in CARRIED.items():
            included[str(root / source)] = f"engine/data/{name}"
        included[str(self.folder)] = "engine/data/compiled"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the folder once its files are in the wheel."""
        if version == "standard":
            shutil.rmtree(self.folder, ignore_errors=True)
