"""What is wrong with a text, where, and what to do about it.

Every reader and checker of the project reports in these terms, so that a message always
carries a code, a position, what was expected and a suggestion.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.language.frozen import frozen


class Position(NamedTuple):
    """A place in a file: lines and columns count from 1; 0 means "the file as a whole"."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if self.line == 0:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Position("<book>")


@frozen
class Problem:
    """One finding.

    `code` is stable and documented (`E…` input, `B…` rule book, `C…` catalog, `W…` warning);
    `message` says what is wrong, `expected` what would be right, `suggestion` what to do.
    """

    code: str
    message: str
    position: Position = NOWHERE
    expected: str = ""
    suggestion: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        parts = [f"{self.position}: {self.code} {self.message}"]
        if self.expected:
            parts.append(f"expected {self.expected}")
        if self.suggestion:
            parts.append(self.suggestion)
        return "; ".join(parts)


class ProblemError(Exception):
    """Raised when a text cannot be used; carries every problem found, in reading order."""

    def __init__(self, problems: list[Problem] | Problem) -> None:
        self.problems = [problems] if isinstance(problems, Problem) else list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
