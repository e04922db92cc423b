"""Collects what is wrong with a book, so that a writer sees everything at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from engine.language.problems import NOWHERE, Position, Problem, ProblemError
from engine.language.suggest import did_you_mean


class Findings:
    """A list of problems to add to; `raise_if_any` ends a stage."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(
        self,
        code: str,
        message: str,
        position: Position = NOWHERE,
        expected: str = "",
        suggestion: str = "",
        severity: str = "error",
    ) -> None:
        self.problems.append(Problem(code, message, position, expected, suggestion, severity))

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Keeps the problems of a `ProblemError` raised inside and goes on."""
        try:
            yield
        except ProblemError as error:
            self.problems.extend(error.problems)

    def raise_if_any(self) -> None:
        """Raises `ProblemError` with the errors found so far, in file order."""
        errors = [one for one in self.problems if one.severity == "error"]
        if errors:
            unique = list(dict.fromkeys(errors))
            raise ProblemError(sorted(unique, key=lambda problem: problem.position))


def refuse(
    code: str, message: str, position: Position, expected: str = "", suggestion: str = ""
) -> ProblemError:
    """A `ProblemError` with one problem, to be raised."""
    return ProblemError(Problem(code, message, position, expected, suggestion))


def no_such(
    what: str, name: str, position: Position, known: Iterable[str], expected: str = ""
) -> ProblemError:
    """The error for a name that nothing has (B110), with the closest of the known ones."""
    message = f'there is no {what} "{name}"'
    return refuse("B110", message, position, expected, did_you_mean(name, known))
