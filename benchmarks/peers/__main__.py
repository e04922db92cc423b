"""Asks one calculator: `python -m benchmarks.peers NAME < rows > answers`, both JSON.

Every answer is `{"gib", "unsaid"}` or `{"refused"}`. What the calculator prints goes to stderr.
"""

from __future__ import annotations

import importlib
import json
import sys
from contextlib import redirect_stdout
from typing import Any

from benchmarks.peers.asked import OutOfScopeError, Row


def main(name: str) -> int:
    answer = importlib.import_module(f"benchmarks.peers.{name}").answer
    found: list[dict[str, Any]] = []
    with redirect_stdout(sys.stderr):
        for each in json.load(sys.stdin):
            try:
                given = answer(Row(each["kind"], each["metric"], each["facts"]))
            except OutOfScopeError as error:
                found.append({"refused": str(error)})
            else:
                found.append({"gib": given.gib, "unsaid": list(given.unsaid)})
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
