"""Times are written in the unit a reader would use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.durations import SECONDS, duration, is_time


@pytest.mark.parametrize(
    ("value", "unit", "english", "chinese"),
    [
        (681.1, "minute", "11.4 hours", "11.4 小时"),
        (222.2, "hour", "9.3 days", "9.3 天"),
        (1, "hour", "1 hour", "1 小时"),
        (60, "second", "1 minute", "1 分钟"),
        (90, "second", "90 seconds", "90 秒"),
        (730, "hour", "1 month", "1 个月"),
        (2, "hour", "2 hours", "2 小时"),
        (119, "second", "119 seconds", "119 秒"),
        (120, "second", "2 minutes", "2 分钟"),
        (0.0005, "second", "0.5 ms", "0.5 毫秒"),
        (1, "second", "1 second", "1 秒"),
        (71.9, "hour", "71.9 hours", "71.9 小时"),
        (72, "hour", "3 days", "3 天"),
        (2190, "hour", "3 months", "3 个月"),  # 730 hours each
        (40, "month", "3.3 years", "3.3 年"),
        (0.47, "hour/month", "28.2 minutes", "28.2 分钟"),  # of each month
        (0, "hour", "0 ms", "0 毫秒"),
    ],
)
def test_a_time_by_its_length(value: float, unit: str, english: str, chinese: str) -> None:
    assert (duration(value, unit, "en"), duration(value, unit, "zh")) == (english, chinese)


@given(st.floats(0, 1e9), st.sampled_from(sorted(SECONDS)))
def test_what_is_written_is_the_time(value: float, unit: str) -> None:
    words = {"ms": "ms", "个月": "month", "秒": "second", "分钟": "minute", "小时": "hour"}
    words |= {"毫秒": "ms", "天": "day", "年": "year"}
    number, _, said = duration(value, unit, "zh").partition(" ")
    back, seconds = float(number.replace(",", "")) * SECONDS[words[said]], value * SECONDS[unit]
    # One decimal of at least one, or two digits.
    assert abs(back - seconds) <= 0.0501 * max(SECONDS[words[said]], seconds)


def test_a_rate_of_time_is_a_time_and_a_price_is_none() -> None:
    assert is_time("minute") and is_time("hour/month")
    assert not is_time("USD/hour") and not is_time("card")
