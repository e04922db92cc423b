"""What each SQL dialect can say, and translation of scalar queries through a whitelist.

DuckDB says everything. For the others the scalar query is parsed, checked construct by construct
against what is known to mean the same everywhere, and written anew; anything else is refused by
name. Lists, relations, rankings, aggregates and `power` are DuckDB's alone. Tests run Spark and
PostgreSQL where they are to be had; Trino, BigQuery and Snowflake texts are only read back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.language.problems import NOWHERE, Position, Problem, ProblemError
from engine.language.types import Type

DIALECTS = ("duckdb", "spark", "trino", "bigquery", "snowflake", "postgres")

# Constructs that mean the same in every dialect, as sqlglot names them.
SAFE = frozenset(
    {
        "Abs", "Add", "Alias", "And", "BitwiseAnd", "BitwiseOr", "Boolean", "CTE", "Case", "Cast",
        "Ceil", "Coalesce", "Column", "DataType", "Div", "EQ", "Floor", "From", "GT", "GTE",
        "Greatest", "Identifier", "If", "Is", "Join", "LT", "LTE", "Least", "Literal", "Mul", "NEQ",
        "Neg", "Not", "Null", "Nullif", "Or", "Paren", "Select", "Sqrt", "Star", "Sub", "Table",
        "TableAlias", "Where", "With",
    }
)  # fmt: skip
# Longest identifier in bytes: PostgreSQL cuts longer ones off without a word.
LONGEST = {"postgres": 63, "snowflake": 255, "bigquery": 300}
# Spark's floor and ceil answer a 64-bit integer; beyond this a double has no fraction anyway.
WHOLE = 2.0**53


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect; `lists`: has it ordered list reductions that we trust (DuckDB alone)?"""

    name: str

    @property
    def lists(self) -> bool:
        return self.name == "duckdb"

    def rounds(self, kind: Type | None) -> bool:
        """Are `floor` and `ceil` exact on numbers of this type?"""
        if self.name != "spark":
            return True
        return kind is not None and kind.low >= -WHOLE and kind.high <= WHOLE

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
    """A scalar query in another dialect; every identifier quoted.

    BigQuery allows neither `.` nor `:` in a name: there they are `__` and `___`. Raises
    ProblemError (B801) for a construct outside the whitelist and for a name the dialect cannot
    hold, B802 when sqlglot is not installed.
    """
    if name == "duckdb":
        return text
    try:
        import sqlglot
        from sqlglot import exp
    except ImportError:
        raise ProblemError(
            Problem(
                "B802",
                "sqlglot is not installed",
                expected="sqlglot 26 or newer",
                suggestion="install the extra: pip install 'gpuwise[batch]'",
            )
        ) from None
    parsed = sqlglot.parse_one(text, read="duckdb")
    for node in parsed.walk():
        kind = type(node).__name__
        if kind not in SAFE:
            what = f"{node.name}(…)" if isinstance(node, exp.Anonymous) else kind
            raise refusal(f"{what} is not known to mean the same there", name)
    names = _names(parsed, name)
    for node in list(parsed.walk()):
        if isinstance(node, exp.CTE):
            # PostgreSQL would copy the layers into each other until the text explodes.
            node.set("materialized", True if name == "postgres" else None)
        elif isinstance(node, (exp.Least, exp.Greatest)):
            # Their operands are never NULL here, so the plain functions do.
            node.set("ignore_nulls", None)
        elif isinstance(node, exp.Identifier):
            node.set("this", names[node.name])
            node.set("quoted", True)
        elif isinstance(node, exp.Literal) and not node.is_string and "e" in node.name:
            # A literal is a DECIMAL in some dialects, whatever its form.
            node.replace(exp.cast(exp.Literal.string(node.name), "DOUBLE"))
    return parsed.sql(dialect=name, identify=True, pretty=True)


def _names(parsed: Any, dialect_name: str) -> dict[str, str]:
    """Each identifier as the dialect can hold it."""
    from sqlglot import exp

    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for node in parsed.find_all(exp.Identifier):
        old = node.name
        new = old
        if dialect_name == "bigquery":
            new = old.replace(":", "___").replace(".", "__").replace(" ", "_")
        if len(new.encode()) > LONGEST.get(dialect_name, 10_000):
            raise refusal(f"the name {old!r} is too long", dialect_name)
        if taken.setdefault(new, old) != old:
            raise refusal(f"{taken[new]!r} and {old!r} are one name", dialect_name)
        names[old] = new
    return names
