"""Dates as whole days since 1970-01-01, the only form rules and tables see."""

from __future__ import annotations

import datetime

_EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST_DAY = 0
LAST_DAY = datetime.date(2100, 1, 1).toordinal() - _EPOCH


def day_number(text: str) -> int | None:
    """Days from 1970-01-01 to an ISO date (`2026-11-30`); None when it is not one."""
    if len(text) != 10 or not text.isascii() or text[4] != "-" or text[7] != "-":
        return None  # also week dates such as 2026-W01-1
    try:
        return datetime.date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        return None


def date_text(day: float) -> str:
    """The ISO date of a day number."""
    return datetime.date.fromordinal(int(day) + _EPOCH).isoformat()
