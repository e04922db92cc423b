"""Which answers to the example profiles a change of rules or facts alters.

    python -m tests.answers [COMMIT]

Answers every profile of docs/examples by the book of a commit (default: the last one) and by the
book in the working tree, both with the engine of the working tree, and prints the differences.
Exits with 0 whether or not there are any.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "examples"


def answer(profile: Path, book: Path, *options: str) -> str:
    """What `recommend` prints; raises RuntimeError when it refuses the book or the profile."""
    done = subprocess.run(
        [sys.executable, "-m", "engine", "recommend", str(profile), "--book", str(book), *options],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    return done.stdout


def book_of(commit: str, folder: Path) -> Path:
    """Unpacks the rules and the catalog of a commit."""
    packed = subprocess.run(
        ["git", "archive", commit, "rules", "catalog"], cwd=ROOT, capture_output=True, check=True
    )
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def main() -> int:
    commit = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    changed = 0
    with tempfile.TemporaryDirectory() as folder:
        before = book_of(commit, Path(folder))
        profiles = sorted(EXAMPLES.glob("*.yaml"))
        for profile in profiles:
            name = profile.name
            texts = [answer(profile, book).splitlines() for book in (before, ROOT)]
            heads = (f"{commit}: {name}", f"now: {name}")
            lines = list(difflib.unified_diff(*texts, *heads, n=1, lineterm=""))
            changed += bool(lines)
            print("\n".join(lines) if lines else f"{name}: the same")
    print(f"{changed} of {len(profiles)} answers differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
