"""What to say about a text that does not follow the grammar."""

from __future__ import annotations

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from engine.language.problems import Position, Problem

_HINTS = {
    "==": "write a single = to compare",
    "<>": "write != for not equal",
    "&&": "write and",
    "||": "write or",
    "!": "write not",
    "**": "write power(x, n) with a whole n",
    "^": "write power(x, n) with a whole n",
    "'": 'texts stand in double quotes, "…"',
    "%": "write the ratio, such as 0.35",
    "?": "write if … then … else …",
    ";": "one formula is one expression",
    "{": "braces belong to messages, not to formulas",
    ":": "ranges are written [1..8]",
    "“": 'texts stand in straight double quotes, "…"',
    "，": "use an ASCII comma",
    "（": "use ASCII parentheses",
}
_WORDS = {
    "NUMBER": "a number",
    "TEXT": "a text",
    "NAME": "a name",
    "ORDER": "a comparison",
    "PLUS": "an operator",
    "THEN": "`then`",
    "ELSE": "`else`",
    "ROUND_CLOSE": "`)`",
    "COMMA": "`,`",
    "ROUND_OPEN": "`(`",
    "AND": "`and`",
    "IN": "`in`",
    "FOR": "`for`",
    "SQUARE_CLOSE": "`]`",
    "$END": "the end",
}
RESERVED = ("and", "or", "not", "in", "between", "if", "then", "else", "for", "where", "return")


def placed(start: Position, margin: int, line: int, column: int) -> Position:
    """A place within the text as a place in its file; see `parse_expression`."""
    if line == 1:
        return Position(start.file, start.line, start.column + column - 1)
    return Position(start.file, start.line + line - 1, margin + column - 1)


def syntax_problem(
    found: UnexpectedInput, text: str, start: str, place: Position, margin: int
) -> Problem:
    line, column = found.line, found.column
    if isinstance(found, UnexpectedToken) and found.token.type == "$END":
        line, column = _end(text)
        shown = "the text ends too early" if text.strip() else "the text is empty"
    elif isinstance(found, UnexpectedToken):
        shown = f'unexpected "{found.token}"'
    else:
        shown = f'unexpected character "{_character(found, text)}"'
    where = placed(place, margin, line, column)
    hint = _hint(found, text, start)
    return Problem("B101", shown, where, _expected(found, start), hint)


def _character(found: UnexpectedInput, text: str) -> str:
    at = found.pos_in_stream or 0
    return text[at : at + 1]


def _end(text: str) -> tuple[int, int]:
    lines = text.rstrip().split("\n")
    return len(lines), len(lines[-1]) + 1


def _hint(found: UnexpectedInput, text: str, start: str) -> str:
    at = found.pos_in_stream or 0
    equality = isinstance(found, UnexpectedToken) and found.token == "!="
    if found.pos_in_stream is not None and not equality:
        for mark in sorted(_HINTS, key=len, reverse=True):
            behind = text[max(0, at - len(mark) + 1) : at + 1]
            if text.startswith(mark, at) or (len(mark) > 1 and behind == mark):
                return _HINTS[mark]
    if isinstance(found, UnexpectedToken):
        if "ELSE" in _accepted(found) and found.token.type in ("$END", "ROUND_CLOSE", "COMMA"):
            return "every if needs an else"
        if found.token in RESERVED and "NAME" in _accepted(found):
            return f'"{found.token}" is a word of the language; put it in double quotes'
        if start == "cell" and found.token.type == "EQUALITY":
            return "a cell holds the value itself, or not(value)"
        if found.token.type in ("ORDER", "EQUALITY"):
            return "comparisons do not chain: write `b between a and c`, or join two with and"
        if found.token.type == "MINUS" and start == "cell":
            return "`-` stands alone and accepts any value"
    return ""


def _accepted(found: UnexpectedInput) -> set[str]:
    names = getattr(found, "accepts", None) or getattr(found, "expected", None)
    return set(names or getattr(found, "allowed", None) or ())


def _expected(found: UnexpectedInput, start: str) -> str:
    accepted = _accepted(found)
    if isinstance(found, UnexpectedCharacters):
        return "an operator, a name, a number or a text in double quotes"
    if "NUMBER" in accepted:
        return "a test such as < 5, [1..8), a value or -" if start == "cell" else "a value"
    words = dict.fromkeys(_WORDS[name] for name in _WORDS if name in accepted)
    return " or ".join(words) if words else "a well-formed expression"
