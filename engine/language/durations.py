"""A time as a reader would say it: 681 minutes are 11.4 hours."""

from __future__ import annotations

SECONDS = {
    "us": 1e-6, "ms": 1e-3, "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0,
    "week": 604800.0, "month": 2628000.0, "year": 31536000.0,
}  # fmt: skip

# (up to how many of it the unit is used, the unit, one, several, in Chinese), smallest first.
_STEPS = (
    (1000.0, "ms", "ms", "ms", "毫秒"),
    (120.0, "second", "second", "seconds", "秒"),
    (120.0, "minute", "minute", "minutes", "分钟"),
    (72.0, "hour", "hour", "hours", "小时"),
    (90.0, "day", "day", "days", "天"),
    (36.0, "month", "month", "months", "个月"),
    (float("inf"), "year", "year", "years", "年"),
)


def duration(value: float, unit: str, language: str) -> str:
    """The time with the unit that suits its length; `unit`: see `is_time`.

    Raises KeyError for another unit.
    """
    seconds = value * SECONDS[unit.partition("/")[0]]
    at = next(n for n, step in enumerate(_STEPS) if abs(seconds) < step[0] * SECONDS[step[1]])
    if at + 1 < len(_STEPS) and seconds and _whole(seconds / SECONDS[_STEPS[at + 1][1]]):
        at += 1  # a minute rather than 60 seconds
    _, name, one, several, chinese = _STEPS[at]
    shown = _short(seconds / SECONDS[name])
    if language == "zh":
        return f"{shown} {chinese}"
    return f"{shown} {one if shown == '1' else several}"


def is_time(unit: str) -> bool:
    """Whether a unit is a time, or a time for each of something (`hour/month`)."""
    return unit.partition("/")[0] in SECONDS


def _whole(amount: float) -> bool:
    return abs(amount) > 0.5 and abs(amount - round(amount)) < 1e-9


def _short(amount: float) -> str:
    """Three digits at most, no zeros at the end."""
    if abs(amount) >= 99.95:
        return f"{amount:,.0f}"
    if abs(amount) >= 1 or amount == 0:
        return f"{amount:.1f}".removesuffix(".0")
    return f"{amount:.2g}"
