"""Text in columns, sentences with values, and sections in both renderers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.report.blocks import Item, Paragraph, Section, Table, sections
from engine.report.markdown import render_markdown
from engine.report.style import Style
from engine.report.template import Context, fill, holds, money, number
from engine.report.text import render_text
from engine.report.width import clip, pad, width, wrap

TEXTS = st.text(st.sampled_from("abc 显存，。（）12,.-"), min_size=1, max_size=120).filter(
    lambda text: all(width(word) <= 20 for word in text.split())
)


def test_chinese_takes_two_columns() -> None:
    assert width("显存 GB") == 7
    assert pad("显存", 6) == "显存  " and pad("显存", 6, right=True) == "  显存"
    assert clip("显存不足", 5) == "显存…"


@given(TEXTS)
def test_wrapping_keeps_every_letter_and_the_width(text: str) -> None:
    lines = wrap(text, 40, "- ", "  ")
    assert all(width(line) <= 40 for line in lines)
    kept = "".join(line[2:] for line in lines).replace(" ", "")
    assert kept == text.replace(" ", "")


@given(TEXTS)
def test_no_line_begins_with_a_closing_mark(text: str) -> None:
    first = text.lstrip()[:1]
    for line in wrap(text, 40)[1:]:
        assert not line.startswith(("，", "。", "）")) or first in "，。）"


def context(answer: dict[str, object], language: str = "en") -> Context:
    return Context(answer, language, {"rent": {"en": "rented", "zh": "租用"}})


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{a.b:.1f} GiB", "1.5 GiB"),
        ("{a.list:list}", "x, y"),
        ("{kind:word}", "rented"),
        ("{share:percent}", "35%"),
        ("{cost:money}", "USD 1,235"),
        ("{rows.0.name}", "first"),
        ("{flag}", "yes"),
        ("{missing}", None),
        ("{rows.7.name}", None),
        ("{unit:unit}x", "x"),
        ("a {none:optional} b.", "a b."),
        ("{many:,.10g} GB-months", "22,892,900,020 GB-months"),
    ],
)
def test_a_sentence_is_filled_or_not_said(template: str, filled: str | None) -> None:
    answer: dict[str, object] = {
        "a": {"b": 1.5, "list": ["x", "y"]}, "kind": "rent", "share": 0.35, "cost": 1234.6,
        "currency": "USD", "rows": [{"name": "first"}], "flag": True, "unit": "ratio",
        "many": 22892900020.4,
    }  # fmt: skip
    assert fill(template, context(answer)) == filled


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("现为 {kind:word}", "现为租用"),
        ("为 {kind:quoted}（现为 {flag:quoted}）", "为“租用”（现为“是”）"),
        ("低于 {n:quoted} {unit:unit}（每月）", "低于 5 GB（每月）"),
        ("每 1,000 {kind:word}", "每 1,000 租用"),
    ],
)
def test_chinese_has_no_gap_where_a_word_is_put_in(template: str, filled: str) -> None:
    answer: dict[str, object] = {"kind": "rent", "flag": True, "n": 5.0, "unit": "GB"}
    assert fill(template, context(answer, "zh")) == filled


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "USD 0.00"), (0.042, "USD 0.0420"), (0.82, "USD 0.82"), (99.5, "USD 99.50"),
     (1234.5, "USD 1,234"), (0.0000297, "USD 0.000030"), (0.0004, "USD 0.00040")],
)  # fmt: skip
def test_money_has_the_digits_it_deserves(value: float, shown: str) -> None:
    assert money(value, "USD") == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(3.0, "3"), (0.123456, "0.123"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"),
     (12345.6, "12,346"), (1e15, "1,000,000,000,000,000")],
)  # fmt: skip
def test_numbers_have_three_digits(value: float, shown: str) -> None:
    assert number(value) == shown


def test_conditions_look_at_the_answer() -> None:
    found = context({"a": 2.0, "kind": "rent", "leaf": {"value": None}, "empty": []})
    assert holds({"when": {"kind": ["rent", "own"]}}, found)
    assert holds({"when": {"a": "> 1"}}, found) and not holds({"when": {"a": "< 1"}}, found)
    assert not holds({"known": ["leaf"]}, found) and holds({"unknown": ["leaf", "empty"]}, found)
    assert not holds({"unless": {"kind": "rent"}}, found)


LAYOUT = [
    {
        "id": "first", "title": {"en": "First", "zh": "一"},
        "blocks": [{"first_of": [{"say": {"en": "{no}", "zh": "{no}"}}, {"say": "fallback"}]}],
    },
    {
        "id": "rows", "title": {"en": "Rows", "zh": "行"},
        "blocks": [
            {
                "table": "rows",
                "columns": [
                    {"title": {"en": "Name", "zh": "名称"}, "cell": "{name}"},
                    {"title": {"en": "N", "zh": "数"}, "cell": "{n:.0f}", "align": "right"},
                    {"title": {"en": "Never", "zh": "无"}, "cell": "{nothing}"},
                ],
            },
            {"each": "rows", "limit": 1, "more": {"en": "{count} more", "zh": "另 {count}"},
             "where_not": {"name": "b"}, "blocks": [{"item": "{name}", "note": "{n}"}]},
        ],
    },
    {"id": "none", "title": {"en": "None", "zh": "无"}, "blocks": [{"say": "{no}"}]},
]  # fmt: skip


def found(language: str = "en") -> list[Section]:
    answer: dict[str, object] = {
        "rows": [{"name": "a", "n": 1}, {"name": "b", "n": 2}, {"name": "c|d", "n": 3}]
    }
    return sections(LAYOUT, context(answer, language))


def test_sections_without_anything_to_say_are_left_out() -> None:
    first, rows = found()
    assert (first.id, rows.id) == ("first", "rows")
    assert first.blocks == (Paragraph("fallback"),)
    assert rows.blocks == (
        Table(("Name", "N"), (("a", "1"), ("b", "2"), ("c|d", "3")), (False, True)),
        Item("a", "", "1"),
        Paragraph("1 more", "faint"),
    )


def test_text_and_markdown_show_the_same_blocks() -> None:
    assert render_text(found(), Style()) == (
        "fallback\n\nRows\n  Name  N\n  a     1\n  b     2\n  c|d   3\n  - a\n    1\n  1 more\n"
    )
    markdown = render_markdown(found("zh"), "标题")
    assert markdown.startswith("# 标题\n\n## 一\n\nfallback\n")
    assert "| c\\|d | 3 |" in markdown


def test_a_long_last_column_wraps() -> None:
    table = Table(("Name", "Why"), (("a", "word " * 40),), (False, False))
    lines = render_text([Section("s", "S", (table,))], Style()).splitlines()
    assert len(lines) > 2 and max(map(len, lines)) <= 100


def test_two_names_are_never_cut_to_the_same() -> None:
    """Cards whose names differ at the end are told apart however narrow the table."""
    names = ("GeForce RTX 5090", "GeForce RTX 5080 Ti", "显存容量二十四的卡", "显存容量四十八的卡")
    rows = tuple((name, "x" * 70, "1,234.50") for name in names)
    table = Table(("Card", "Provider", "USD"), rows, (False, False, True))
    shown = render_text([Section("s", "S", (table,))], Style())
    assert max(map(width, shown.splitlines())) <= 100 and "…" not in shown
    joined = "".join(shown.split())
    for part in (*(word for name in names for word in name.split()), "1,234.50"):
        assert part in joined
    assert "GeForceRTX" in joined and joined.index("5090") < joined.index("5080")


def test_paint_is_only_put_on_when_wanted() -> None:
    assert Style().paint("x", "bad") == "x"
    assert Style(True).paint("x", "bad") == "\x1b[31mx\x1b[0m"
