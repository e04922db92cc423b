"""What each SQL dialect can say, and translation through a whitelist."""

from __future__ import annotations

from dataclasses import dataclass

from engine.language.problems import NOWHERE, Position, Problem, ProblemError

DIALECTS = ("duckdb", "spark", "trino", "bigquery", "snowflake", "postgres")


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect; `lists`: has it ordered list reductions that we trust (DuckDB alone)?"""

    name: str

    @property
    def lists(self) -> bool:
        return self.name == "duckdb"

    def whole(self, function: str, text: str) -> str:
        """`floor` or `ceil`; some dialects answer an integer, which must become a double again."""
        if self.name == "duckdb":
            return f"{function}({text})"
        return f"CAST({function}({text}) AS DOUBLE)"


def dialect(name: str) -> Dialect:
    """Raises ProblemError for a name that is not one of `DIALECTS`."""
    if name not in DIALECTS:
        raise refusal(f"there is no SQL dialect {name!r}", name, expected=" or ".join(DIALECTS))
    return Dialect(name)


def refusal(
    message: str, name: str, position: Position = NOWHERE, expected: str = ""
) -> ProblemError:
    suggestion = "" if expected else "compile for duckdb, which can say everything"
    return ProblemError(Problem("B801", f"sql ({name}): {message}", position, expected, suggestion))


def translate(text: str, name: str) -> str:
    return text
