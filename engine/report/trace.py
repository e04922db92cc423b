"""A trace as an indented tree: value, rule row, formula with the numbers put in, sources.

Reads the plain form of a trace (`TraceNode.to_dict`), so that what is printed is in the JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.book.dates import date_text
from engine.report.style import Style
from engine.report.template import number
from engine.report.width import wrap

_WORDS = {
    "en": {
        "because": "because", "rule": "rule", "formula": "formula", "numbers": "numbers",
        "source": "source", "lost": "not", "would": "would be {to} if {input} {operator} {value}",
        "given": "stated", "derived": "derived", "default": "assumed", "missing": "not stated",
        "override": "set by policy", "book": "", "assumed": "assumed for an example",
        "inputs": "input", "seen": "see above", "unknown": "unknown", "maybe": "maybe",
        "more": "{count} more values below; --depth shows them", "needs": "needs",
    },
    "zh": {
        "because": "理由", "rule": "规则", "formula": "公式", "numbers": "代入",
        "source": "来源", "lost": "不符", "would": "若 {input} {operator} {value}，则为 {to}",
        "given": "用户填写", "derived": "推导", "default": "假定", "missing": "未说明",
        "override": "策略设定", "book": "", "assumed": "示例假定",
        "inputs": "输入", "seen": "见上文", "unknown": "未知", "maybe": "待定",
        "more": "下面还有 {count} 个值，用 --depth 展开", "needs": "需要",
    },
}  # fmt: skip
_COLUMNS = 100
_DATES = (10_000, 60_000)  # day numbers from 1997 to 2134

Node = Mapping[str, Any]


def render_trace(node: Node, language: str, style: Style, depth: int) -> str:
    """The tree to a depth; a value met again is only named."""
    printer = _Printer(language, style, depth)
    return "\n".join(printer.lines(node, "", 0)) + "\n"


class _Printer:
    def __init__(self, language: str, style: Style, depth: int) -> None:
        self.words = _WORDS[language]
        self.language, self.style, self.depth = language, style, depth

    def lines(self, node: Node, indent: str, level: int) -> Iterator[str]:
        yield from self.head(node, indent)
        inner = indent + "   "
        if node.get("repeated"):
            yield self.style.paint(f"{inner}{self.words['seen']}", "faint")
            return
        yield from self.reasons(node, inner)
        children = node.get("children", [])
        if level >= self.depth and children:
            text = self.words["more"].format(count=len(children))
            yield self.style.paint(inner + text, "faint")
            return
        for child in children:
            yield from self.lines(child, indent + "  ", level + 1)

    def text(self, found: Mapping[str, str] | None) -> str:
        return str(found[self.language]) if found else ""

    def head(self, node: Node, indent: str) -> Iterator[str]:
        title = self.text(node.get("title"))
        name = node["id"] + (f".{node['output']}" if node.get("output") else "")
        label = f"{title} ({name})" if title and title != name else name
        if node.get("key"):
            label += f" [{node['key']}]"
        origin = self.words.get(node.get("origin", ""), "")
        tail = f"  ({origin})" if origin else ""
        *before, last = wrap(label, _COLUMNS, indent, indent + "  ")
        yield from before
        yield f"{last} = {self.style.paint(self.value(node), 'strong')}{tail}"

    def value(self, node: Node) -> str:
        value = node.get("value")
        if value is None:
            return self.words["unknown"]
        if isinstance(value, list):
            return ", ".join(_shown(part) for part in value)
        if isinstance(value, (bool, str)):
            return _shown(value)
        unit = node.get("unit", "")
        if unit == "day" and _DATES[0] < value < _DATES[1]:
            return date_text(value)
        return f"{number(value)} {unit}".strip()

    def reasons(self, node: Node, indent: str) -> Iterator[str]:
        table = node.get("table")
        if table is not None:
            if table["winner"]:
                yield from self.pair("rule", f"{node['id']}#{table['winner']}", indent)
            for item in table["inputs"]:
                text = f"{item['text']} = {_shown(item['value'])} {item['unit']}".rstrip()
                yield from self.pair("inputs", text, indent)
        if self.text(node.get("because")):
            yield from self.pair("because", self.text(node["because"]), indent)
        if node.get("formula") and node["kind"] != "fact":
            yield from self.pair("formula", node["formula"], indent)
            if node.get("numbers", node["formula"]) != node["formula"]:
                yield from self.pair("numbers", node["numbers"], indent)
        if node.get("source"):
            yield from self.pair("source", ", ".join(node["source"]), indent)
        for cause in node.get("causes", []):
            yield from self.pair("needs", cause["name"], indent)
        if table is not None:
            yield from self.others(table, indent)

    def others(self, table: Node, indent: str) -> Iterator[str]:
        for row in table["rows"]:
            if row["id"] == table["winner"] or row["state"] == "won":
                continue
            if row["state"] == "maybe":
                yield from self.pair("maybe", row["id"], indent)
            elif row["failed"]:
                cell = row["failed"][0]
                text = f"{row['id']}: {cell['input']} = {_shown(cell['found'])}, {cell['test']}"
                yield from self.pair("lost", text, indent)
        for miss in table["near_misses"]:
            if miss["flips"] and None not in miss["outputs"]:
                outputs = ", ".join(_shown(value) for value in miss["outputs"])
                text = self.words["would"].format(
                    to=outputs, input=miss["input"], operator=miss["operator"],
                    value=_shown(miss["value"]),
                )  # fmt: skip
                yield from self.pair("", text, indent)

    def pair(self, word: str, text: str, indent: str) -> Iterator[str]:
        label = self.words[word] + ": " if word else "→ "
        for line in wrap(text, _COLUMNS, indent + label, indent + "  "):
            yield self.style.paint(line, "faint")


def _shown(value: Any) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(_shown(part) for part in value)
    return value if isinstance(value, str) else number(float(value))
