"""Both languages of every text: complete, equal in their figures, and written as people write."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from engine.cli.messages import MESSAGES as COMMAND_MESSAGES
from engine.cli.messages import USAGE
from engine.readers.messages import MESSAGES as DOOR_MESSAGES
from engine.readers.messages import WORDS as DOOR_WORDS

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    *sorted((ROOT / "rules").rglob("*.yaml")),
    ROOT / "catalog" / "tables.yaml",
    ROOT / "catalog" / "sources.yaml",
    ROOT / "docs" / "titles.yaml",
    ROOT / "docs" / "claims.yaml",
]
PAGES = [ROOT / "README.zh.md", *sorted((ROOT / "docs" / "zh").rglob("*.md"))]

ANSWERED = ("medical-hybrid", "edge-inference", "gradient-boosting", "team-buying-eight-cards")

Texts = tuple[str, str, str]  # where it stands, English, Chinese


def _pairs(node: yaml.Node, name: str) -> Iterator[Texts]:
    if isinstance(node, yaml.MappingNode):
        entries = {key.value: value for key, value in node.value}
        if {"en", "zh"} <= set(entries) and isinstance(entries["zh"], yaml.ScalarNode):
            line = entries["zh"].start_mark.line + 1
            yield f"{name}:{line}", entries["en"].value, entries["zh"].value
            return
        for _, value in node.value:
            yield from _pairs(value, name)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _pairs(value, name)


def _texts() -> list[Texts]:
    found: list[Texts] = []
    for file in FILES:
        root = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        found += _pairs(root, file.relative_to(ROOT).as_posix())
    for name, (english, chinese) in {**DOOR_WORDS, **COMMAND_MESSAGES}.items():
        found.append((name, english, chinese))
    for messages in (DOOR_MESSAGES, USAGE):
        for name, (_, *pairs) in messages.items():
            found += [(name, english, chinese) for english, chinese in pairs]
    return found


TEXTS = _texts()
HAN = "\u3400-\u9fff"
PLACEHOLDER = re.compile(r"\{[^{}]*\}")

# What stands beside a Chinese character, or between two of them, in careful typesetting.
FAULTS = {
    "a mark of half width": rf"[{HAN}][,;:!?]|[,;!?][{HAN}]|[{HAN}]\.(?!\w)",
    "a bracket of half width": rf"[{HAN}]\(|\)[{HAN}]|\([{HAN}]|[{HAN}]\)",
    "no space before or after Latin letters and digits": rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9%][{HAN}]",
    "a space between characters": rf"[{HAN}] +[{HAN}]",
    "a space beside a mark of full width": r"[，。；：、）”（“] | [，。；：、）”（]",
    "straight quotation marks": rf"[\"'][{HAN}]|[{HAN}][\"']",
    "quotation marks of another region": r"[「」『』]",
    "a space before the percent sign": r"\d %",
    "three full stops": r"\.\.\.",
}

# Another word of the field stands for it; the same idea keeps one name.
FORBIDDEN = {
    "视频内存": "显存", "影像记忆体": "显存", "铭牌算力": "标称算力", "裸铁": "裸金属",
    "货柜": "容器实例", "虚机": "虚拟机", "现货实例": "抢占式实例", "竞价实例": "抢占式实例",
    "抢购实例": "抢占式实例", "显卡出租": "算力租赁平台", "个人算力平台": "算力租赁平台",
    "培训": "训练", "推断": "推理", "推论": "推理", "布署": "部署", "通量": "吞吐",
    "首词时间": "首字延迟", "语境长度": "上下文长度", "键值快取": "KV 缓存",
    "活化参数": "激活参数", "批次尺寸": "批大小", "前训练": "预训练", "精调": "微调",
    "网络搭建": "组网", "共置": "机柜托管", "电费价": "到户电价", "维修包": "维保",
    "剩余价值": "残值", "国货芯片": "国产 AI 芯片", "网盘": "云盘", "外网网速": "公网带宽",
    "翻墙": "镜像站", "保密计算": "机密计算",
    "老化测试": "烤机", "损益两平": "盈亏平衡点", "回本点": "盈亏平衡点", "牌价": "目录价",
    "我方": "本项目", "外出": "出域", "商有限": "避免除数为零", "中位估计": "预计值",
}  # fmt: skip


@pytest.fixture(scope="module")
def answers() -> list[tuple[str, str]]:
    """Answers of different kinds in Chinese: rented, bought, hybrid, by the result, refused."""
    told = []
    for name in ANSWERED:
        profile = ROOT / "docs" / "examples" / f"{name}.yaml"
        command = [sys.executable, "-m", "engine", "recommend", str(profile), "--lang", "zh"]
        done = subprocess.run(
            [*command, "--format", "markdown"],
            cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode in (0, 3), done.stderr
        told.append((name, done.stdout))
    return told


def _shown(text: str) -> str:
    """The text with a neutral mark for what is put in later."""
    return PLACEHOLDER.sub("◇", re.sub(r"`[^`]*`", "◇", text))


def test_no_text_is_missing_in_a_language() -> None:
    assert len(TEXTS) > 4000
    assert not [where for where, english, chinese in TEXTS if bool(english) != bool(chinese)]


@pytest.mark.parametrize("fault", FAULTS)
def test_chinese_texts_are_set_with_care(fault: str) -> None:
    pattern = re.compile(FAULTS[fault])
    found = [(where, zh) for where, _, zh in TEXTS if pattern.search(_shown(zh))]
    assert not found, found


@pytest.mark.parametrize("fault", FAULTS)
def test_chinese_pages_are_set_with_care(fault: str) -> None:
    texts = [(page.name, page.read_text(encoding="utf-8")) for page in PAGES]
    found = _set_wrongly(texts, FAULTS[fault])
    assert not found, found


@pytest.mark.parametrize("fault", FAULTS)
def test_chinese_answers_are_set_with_care(fault: str, answers: list[tuple[str, str]]) -> None:
    found = _set_wrongly(answers, FAULTS[fault])
    assert not found, found


def _set_wrongly(texts: list[tuple[str, str]], fault: str) -> list[tuple[str, str]]:
    """The sentences and cells of Markdown texts in which a pattern is found."""
    pattern = re.compile(fault)
    found = []
    for name, text in texts:
        text = re.sub(r"^```.*?^```$|^\{\{.*?\}\}$", "", text, flags=re.M | re.S)
        text = re.sub(r"\{\{.*?\}\}|`[^`]*`", "◇", re.sub(r" *\{[:#].*?\}", "", text))
        text = re.sub(r"\]\([^)]*\)|\*\* ?|[\[*]|^\d+\. |^[#>-]+ ", "", text, flags=re.M)
        parts = (part.strip() for line in text.splitlines() for part in line.split("|"))
        found += [(name, part) for part in parts if pattern.search(part)]
    return found


def test_one_idea_has_one_name() -> None:
    shown = [*TEXTS, *((page.name, "", page.read_text(encoding="utf-8")) for page in PAGES)]
    found = [
        (where, bad, FORBIDDEN[bad]) for where, _, zh in shown for bad in FORBIDDEN if bad in zh
    ]
    assert not found, found


def test_both_languages_put_in_the_same_values_in_the_same_form() -> None:
    def values(text: str) -> list[str]:
        found = (
            one.replace(":quoted", ":value").replace("_zh}", "_en}")
            for one in PLACEHOLDER.findall(text)
        )
        return sorted(one for one in found if not one.endswith(":plural}"))

    assert not [(where, en, zh) for where, en, zh in TEXTS if values(en) != values(zh)]


_SCALES = {
    "万亿": 1e12, "万": 1e4, "亿": 1e8,
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "B": 1e9, "trillion": 1e12,
}  # fmt: skip
_SCALED = "|".join(_SCALES)
_NUMBER = r"(?<![A-OQ-Za-z_\d.,-])\d[\d,]*(?:\.\d+)?"
# `736 to 745 million`: the scale stands once and counts for both.
_RANGE = re.compile(rf"({_NUMBER})( to | 至 |–)({_NUMBER})( ?)({_SCALED})(?![A-Za-z])")
_FIGURE = re.compile(rf"({_NUMBER})(?: ?({_SCALED})(?![A-Za-z]))?")


def _figures(text: str) -> set[float]:
    """What is written in digits, but for small whole numbers, which either language may spell."""
    found: set[float] = set()
    text = _RANGE.sub(r"\1\4\5\2\3\4\5", PLACEHOLDER.sub("", text))
    for digits, scale in _FIGURE.findall(text):
        value = round(float(digits.replace(",", "")) * _SCALES.get(scale, 1), 6)
        if value > 12 or value % 1 > 0:
            found.add(value)
    return found


def test_both_languages_tell_the_same_figures() -> None:
    told = [(where, _figures(en), _figures(zh)) for where, en, zh in TEXTS]
    wrong = [(where, en ^ zh) for where, en, zh in told if en != zh]
    assert not wrong, wrong
