"""From text to untyped trees: one LALR(1) grammar for formulas and for table cells.

Errors are ProblemError: `B101` not the language's grammar, `B102` too long or too deep, `B103`
a function that does not exist or is called wrongly.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from lark import Lark
from lark.exceptions import UnexpectedInput

from engine.language.build import Builder, RefusalError
from engine.language.problems import NOWHERE, Position, Problem, ProblemError
from engine.language.syntax import RESERVED, syntax_problem
from engine.language.tree import Cell, Name, Node, Test
from engine.language.walk import children

LONGEST_TEXT = 20_000  # characters
DEEPEST_TREE = 120  # levels: every later stage may recurse over a tree this deep


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_NO_NAMES = frozenset((*RESERVED, "true", "false"))
_BUILDER = Builder()
_LOCK = Lock()  # the builder holds the position of the text being read


@lru_cache(maxsize=1)
def _lark() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=["expression", "cell"],
        maybe_placeholders=True,
        transformer=_BUILDER,
    )


def parse_expression(text: str, position: Position = NOWHERE, *, margin: int | None = None) -> Node:
    """The tree of a formula.

    `position` is the place of the text's first character in its file, `margin` the file column
    of the first character of its further lines: None when they start under the first (a YAML
    block), 1 when `text` is the raw source. Give the raw source of folded scalars, so that `#`
    comments end where the reader sees them end. Raises ProblemError.
    """
    node = _parse(text, position, margin, "expression")
    assert isinstance(node, Node)
    return node


def parse_cell(text: str, position: Position = NOWHERE, *, margin: int | None = None) -> Cell:
    """The tests of a table cell; positions as for `parse_expression`. Raises ProblemError."""
    cell = _parse(text, position, margin, "cell")
    assert isinstance(cell, Cell)
    return cell


def _parse(text: str, position: Position, margin: int | None, start: str) -> Node | Cell:
    if len(text) > LONGEST_TEXT:
        raise ProblemError(
            Problem(
                "B102",
                f"the text has {len(text)} characters",
                position,
                f"at most {LONGEST_TEXT}",
                "split it into several decisions",
            )
        )
    column = position.column or 1
    place = Position(position.file, position.line or 1, column)
    if _NAME.fullmatch(text) and text not in _NO_NAMES:
        # Half of all texts are one name; the parser would take ten times as long.
        name = Name(text, position=place)
        if start == "expression":
            return name
        return Cell((Test("equals", name, position=place),), position=place)
    further = column if margin is None else margin
    with _LOCK:
        _BUILDER.start, _BUILDER.margin = place, further
        try:
            tree: Any = _lark().parse(text, start=start)
        except RefusalError as found:
            where = _BUILDER.place(found.token)
            raise ProblemError(
                Problem(found.code, found.message, where, found.expected, found.hint)
            ) from None
        except UnexpectedInput as found:
            raise ProblemError(syntax_problem(found, text, start, place, further)) from None
    if _deeper_than(tree, DEEPEST_TREE):
        raise ProblemError(
            Problem(
                "B102",
                "the expression is nested too deeply",
                place,
                f"at most {DEEPEST_TREE} levels",
                "split it into several decisions",
            )
        )
    node: Node | Cell = tree
    return node


def _deeper_than(tree: Node | Cell, limit: int) -> bool:
    level: list[Node | Cell] = [tree]
    for _ in range(limit):
        level = [child for node in level for child in children(node)]
        if not level:
            return False
    return True
