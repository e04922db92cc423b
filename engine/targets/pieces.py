"""A long Python function as several, each of which ends by calling the next with what it needs.

Python makes the syntax tree of a function all at once, and that of a whole book would take more
memory than all the rest of a first run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from engine.targets.statements import Assign, Statement

_LONGEST = 30_000  # characters of a piece
_NAME = re.compile(r"\b[A-Za-z]+[0-9]+\b")

Render = Callable[[Sequence[Statement]], str]


def in_pieces(
    name: str,
    parameters: Sequence[str],
    names: Iterable[str],
    body: Sequence[Statement],
    render: Render,
) -> list[str]:
    """The source of functions, the first of which is `name`; `names` are the local variables."""
    local = frozenset(names)
    pieces = _pieces(body, render)
    read = [local.intersection(_NAME.findall(text)) for _, text in pieces]
    functions: list[str] = []
    passed: list[str] = []
    for number, (statements, text) in enumerate(pieces):
        head = f"def {_called(name, number)}({', '.join([*parameters, *passed])}):\n"
        later = frozenset().union(*read[number + 1 :])
        made = {one.target for one in statements if isinstance(one, Assign)}
        # What only some branch assigns is never read where none has; it must be there to be passed.
        open_ = sorted((read[number] & later) - made - set(passed))
        passed = sorted((read[number] | set(passed)) & later)
        start = f" {' = '.join(open_)} = None\n" if open_ else ""
        end = ""
        if number + 1 < len(pieces):
            end = f"\n return {_called(name, number + 1)}({', '.join([*parameters, *passed])})"
        functions.append(head + start + text + end)
    return functions


def _called(name: str, number: int) -> str:
    return name if number == 0 else f"{name}{number}_"


def _pieces(body: Sequence[Statement], render: Render) -> list[tuple[list[Statement], str]]:
    found: list[tuple[list[Statement], str]] = []
    statements: list[Statement] = []
    texts: list[str] = []
    length = 0
    for statement in body:
        text = render([statement])
        if texts and length + len(text) > _LONGEST:
            found.append((statements, "\n".join(texts)))
            statements, texts, length = [], [], 0
        statements.append(statement)
        texts.append(text)
        length += len(text)
    found.append((statements, "\n".join(texts)))
    return found
