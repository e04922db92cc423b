"""Asks for the answer to an example profile, changed where a test wants it."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.cli import inputs
from engine.cli.main import main
from engine.run.facade import RuleBook
from tests.opened import kept_open

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
GIB = 2**30


@cache
def book() -> RuleBook:
    return RuleBook(kept_open())


@cache
def printed(name: str, *options: str) -> str:
    """What `recommend` prints for an example; the same is asked for once."""
    out = io.StringIO()
    line = ["recommend", str(EXAMPLES / f"{name}.yaml"), *options]
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(io.StringIO()),
    ):
        patch.setattr(inputs, "open_bundle", kept_open)
        assert main(line) in (0, 3)
    return out.getvalue()


def profile(name: str, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """An example with some fields changed (None: left out); fields are dotted paths."""
    stated: dict[str, Any] = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text("utf-8"))
    for path, value in (changes or {}).items():
        *groups, last = path.split(".")
        inner = stated
        for group in groups:
            inner = inner.setdefault(group, {})
        if value is None:
            inner.pop(last, None)
        else:
            inner[last] = value
    return stated


def answer(name: str, changes: Mapping[str, Any] | None = None, top: int = 8) -> dict[str, Any]:
    """The recommendation as plain data; the same is worked out once."""
    key = (name, json.dumps(changes, default=str), top)
    if key not in _answers:
        _answers[key] = book().recommend(profile(name, changes), top=top).to_dict()
    return copy.deepcopy(_answers[key])


_answers: dict[tuple[str, str, int], dict[str, Any]] = {}


def ranked(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The options that qualify, best first."""
    return [option for option in found["options"] if option["rank"] is not None]


def memory(found: Mapping[str, Any]) -> dict[str, float]:
    """The parts of the memory of a card, in GiB."""
    return {part: figure["value"] for part, figure in found["needs"]["memory"].items()}


def check(found: Mapping[str, Any], id: str) -> dict[str, Any] | None:
    """A check of the answer by its id."""
    return next((one for one in found["checks"] if one["id"] == id), None)


def list_price(option: Mapping[str, Any]) -> tuple[float, str, str]:
    """What the catalog file says about an option's offer: price of a machine, currency, date."""
    offer = option["offer"]
    with (ROOT / "catalog" / "offers" / f"{offer['provider']}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            same = (row["instance"], row["region"]) == (offer["instance"], offer["region"])
            if same and row["accelerator"] == option["gpu"] and row["on_demand_per_hour"]:
                return float(row["on_demand_per_hour"]), row["currency"], row["price_date"]
    raise LookupError(offer)
