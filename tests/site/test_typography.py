"""Chinese lines are joined as Chinese is written."""

from __future__ import annotations

import pytest

from engine.site.typography import join_lines


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<p>一张卡\n足够</p>", "<p>一张卡足够</p>"),
        ("<p>很忙。\n自建</p>", "<p>很忙。自建</p>"),
        ("<p>很忙。\n7B 模型</p>", "<p>很忙。7B 模型</p>"),
        ("<p>一张卡\n7B 模型</p>", "<p>一张卡\n7B 模型</p>"),
        ("<p>需要 <a>36 个月</a>\n以上</p>", "<p>需要 <a>36 个月</a>以上</p>"),
        ("<p>见<sup><a>A1</a></sup>\n（下文）</p>", "<p>见<sup><a>A1</a></sup>（下文）</p>"),
        ("<p>one\ntwo</p>", "<p>one\ntwo</p>"),
        ("<pre><code>一\n二</code></pre>", "<pre><code>一\n二</code></pre>"),
    ],
)
def test_breaks_between_chinese_characters_are_no_spaces(written: str, shown: str) -> None:
    assert join_lines(written) == shown
