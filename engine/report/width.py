"""Text in columns where a Chinese character takes two of them."""

from __future__ import annotations

from unicodedata import east_asian_width

# Closing marks that may not begin a line, opening ones that may not end it.
_CLOSING = "，。、；：！？）》”’」』】%,.;:!?)]}"
_OPENING = "（《“‘「『【([{"


def width(text: str) -> int:
    """Columns the text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(2 if _is_wide(letter) else 1 for letter in text)


def pad(text: str, columns: int, right: bool = False) -> str:
    """The text filled with spaces to `columns`."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def clip(text: str, columns: int) -> str:
    """The text cut to `columns`, with … where something was cut."""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for letter in text:
        used += width(letter)
        if used > columns - 1:
            break
        kept.append(letter)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, columns: int, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most `columns`; `first` and `rest` are the indents of the first and next ones.

    Breaks at spaces and between Chinese characters, not before closing marks; a word longer than
    a line (an address) stands alone.
    """
    lines: list[str] = []
    line, used = first, width(first)
    empty = True
    for piece in _pieces(text):
        needs = width(piece)
        if not empty and used + width(piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line, used, empty = rest, width(rest), True
            piece = piece.lstrip()
            needs = width(piece)
        line += piece
        used += needs
        empty = False
    lines.append(line.rstrip())
    return lines


def _pieces(text: str) -> list[str]:
    """Parts between which a line may break; spaces stay with the part before them."""
    pieces: list[str] = []
    current = ""
    for letter in text:
        wide = _is_wide(letter)
        breaks = current != "" and (
            (current[-1] == " " and letter != " ")
            or (wide and letter not in _CLOSING and current[-1] not in _OPENING)
            or (_is_wide(current[-1]) and letter not in _CLOSING and letter != " ")
        )
        if breaks and current[-1] not in _OPENING:
            pieces.append(current)
            current = ""
        current += letter
    if current:
        pieces.append(current)
    return pieces


def _is_wide(letter: str) -> bool:
    return not letter.isascii() and east_asian_width(letter) in "WF"
