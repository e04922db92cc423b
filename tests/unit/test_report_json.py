"""An answer as JSON is what `json.dumps` writes, character for character."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from engine.report.render import as_json


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"a": {}, "b": [], "c": ()},
        {
            "texts": [
                "",
                'a "quoted" one',
                "back\\slash",
                "tab\tline\nnull\0",
                "中文",
                "\u2028",
                "😀",
            ]
        },
        {"numbers": [0, -1, 1.0, -0.0, 0.1, 1e300, 1e-7, 12345678901234567890]},
        {"others": [True, False, None], "nested": {"list": [[1], [{"deep": [[], {}]}]]}},
        {"tuple": (1, (2, "x"))},
    ],
)
def test_the_same_as_the_library_writes(value: dict[str, Any]) -> None:
    written = as_json(value)
    assert written == json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError):
        as_json({"a": [number]})
