"""Decision records: inputs, identity of book and catalog, and the answer, in one file.

A record holds what is needed to run the decision again and to say what changed: the stated facts
as the door admitted them, the policy, the options that shape the answer, and the answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from engine.run.pipeline import Run
from engine.run.recommendation import Recommendation
from engine.version import __version__

SCHEMA = "record/1"


def record(run: Run, answer: Recommendation, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a decision as plain data."""
    book, catalog = run.bundle.book, run.bundle.catalog
    inputs = {
        "given": {path: _plain(value) for path, value in run.profile.given.items()},
        "parameters": dict(run.overrides),
        "as_of": run.as_of,
        "as_of_assumed": run.as_of_assumed,
        "settings": dict(settings),
    }
    return {
        "schema": SCHEMA,
        "kind": "recommend",
        "program": __version__,
        "rulebook": {"version": book.version, "digest": book.digest},
        "catalog": {
            "digest": catalog.digest,
            "newest": catalog.newest,
            "oldest": catalog.oldest,
        },
        "inputs": inputs,
        "inputs_digest": digest(inputs),
        "result": answer.to_dict(),
        "result_digest": digest(answer.to_dict()),
    }


def record_text(run: Run, answer: Recommendation, settings: Mapping[str, Any]) -> str:
    """The record as it is written to a file."""
    data = record(run, answer, settings)
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def digest(data: Any) -> str:
    """SHA-256 of the canonical JSON of some data."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8")).hexdigest()


def _plain(value: Any) -> Any:
    return [list(row) for row in value] if isinstance(value, list) else value
