"""Small books from text, to check and to break."""

from __future__ import annotations

from engine.book.load import load_book_from
from engine.book.model import Book
from engine.check.book import check_book
from engine.language.problems import Problem

FACTS = """
id: profile.facts
title: {en: Facts, zh: 事实}
facts:
  load: {type: number, unit: ratio, range: [0, 100], asked: true, label: {en: Load, zh: 负载}}
  size: {type: number, unit: GB, range: [0, 1000], asked: true, label: {en: Size, zh: 大小}}
  cards: {type: integer, unit: count, range: [1, 16], asked: true, label: {en: Cards, zh: 卡数}}
  signed: {type: number, unit: ratio, range: [-5, 5], asked: true, label: {en: Signed, zh: 有符号}}
  urgent: {type: boolean, asked: true, label: {en: Urgent, zh: 紧急}}
  task: {type: enumeration, values: [serve, tune, draw], asked: true, label: {en: Task, zh: 任务}}
  note: {type: text, asked: true, label: {en: Note, zh: 备注}}
  given_or_derived:
    type: number
    unit: ratio
    range: [0, 200]
    derive: load * 2
    default: 1
    because: {en: A start., zh: 起点。}
    label: {en: Derived, zh: 推导}
"""
PARAMETERS = """
id: parameters.all
title: {en: Parameters, zh: 参数}
parameters:
  low_cut: {title: {en: Low, zh: 低}, value: 10, unit: ratio, range: [5, 40], at_most: [high_cut], rationale: {en: Chosen., zh: 选定。}}
  high_cut: {title: {en: High, zh: 高}, value: 50, unit: ratio, range: [20, 90], rationale: {en: Chosen., zh: 选定。}}
  free_cut: {title: {en: Free, zh: 任意}, value: 30, unit: ratio, range: [5, 90], rationale: {en: Chosen., zh: 选定。}}
  never: {title: {en: Never, zh: 永不}, value: 1000000, unit: ratio, range: [1000, 1000000], rationale: {en: Chosen., zh: 选定。}}
  smallest: {title: {en: Smallest, zh: 最小}, value: 0.001, unit: ratio, range: [0.0001, 0.1], rationale: {en: Chosen., zh: 选定。}}
  ladder: {title: {en: Ladder, zh: 阶梯}, steps: [1, 2, 4, 8], unit: ratio, rationale: {en: Chosen., zh: 选定。}}
"""  # noqa: E501
SOURCES = """
sources:
  paper: {title: A paper, url: "https://example.org/1", date: "2026-11-01", kind: paper}
guide: [A1.1]
"""


def book_of(decisions: str, extra: str = "", **files: str) -> Book:
    """A book whose one rule file holds `decisions` (indented by two) and `extra` sections."""
    rules = f"id: needs.test\ntitle: {{en: Test, zh: 测试}}\ndecisions:\n{decisions}\n{extra}"
    texts = {
        "rules/profile/facts.yaml": FACTS,
        "rules/parameters/all.yaml": PARAMETERS,
        "rules/needs/test.yaml": rules,
        "catalog/sources.yaml": SOURCES,
        **{name.replace("__", "/") + ".yaml": text for name, text in files.items()},
    }
    return load_book_from(texts)


def table(inputs: str, rows: str, more: str = "") -> str:
    """A table `answer` with values a, b, c. One row per line: `name | cell | cell | value`."""
    lines = []
    for line in rows.strip().splitlines():
        name, *cells, value = (part.strip() for part in line.split("|"))
        quoted = ", ".join("'" + cell + "'" for cell in cells)
        lines.append(f"      - {{id: {name}, when: [{quoted}], then: {value}}}")
    return "\n".join([
        "  answer:",
        "    title: {en: Answer, zh: 答案}",
        *(f"    {line}" for line in more.strip().splitlines()),
        *(["    values: [a, b, c]"] if "unit:" not in more and "type:" not in more else []),
        f"    inputs: [{inputs}]",
        "    rows:",
        *lines,
    ])  # fmt: skip


def formula(text: str, more: str = "", unit: str = "ratio") -> str:
    """A decision `answer`."""
    return "\n".join([
        "  answer:",
        "    title: {en: Answer, zh: 答案}",
        f"    unit: {unit}",
        f"    formula: {text}",
        *(f"    {line}" for line in more.strip().splitlines()),
    ])  # fmt: skip


def findings(book: Book, *, as_of_day: int = 20_787) -> list[Problem]:
    """What the checker says, but for parameters that this small book does not use."""
    return [problem for problem in check_book(book, as_of_day) if problem.code != "B230"]


def codes(book: Book) -> list[str]:
    return [problem.code for problem in findings(book)]
