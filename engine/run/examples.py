"""Runs the examples of a rule book through the reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.book.model import Book, Catalog, Decision, Example, Table
from engine.language.problems import Problem
from engine.language.types import Type
from engine.reference import Reference, UnknownValue
from engine.reference.hits import Hit
from engine.reference.tables import Decided, TableValue
from engine.reference.values import union
from engine.reference.writing import value_text
from engine.run.coverage import Owner, Uncovered, covered, owners
from engine.run.dependencies import Edges, behind

# Rounding of the last bits of a decimal expectation; anything wider must be said with `within`.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ExampleReport:
    """`ran` examples with `failures`; per kind of coverage (hit, all), and what is missing."""

    ran: int
    failures: tuple[Problem, ...]
    coverage: Mapping[str, tuple[int, int]]
    uncovered: tuple[Uncovered, ...]

    @property
    def passed(self) -> bool:
        """Every example holds, and there was at least one."""
        return self.ran > 0 and not self.failures


Evaluate = Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]]


def run_examples(
    book: Book, catalog: Catalog, only: str = "", fast: Evaluate | None = None
) -> ExampleReport:
    """Runs every example, or those of entries whose id starts with `only`.

    `fast` (a target's result for facts and parameter overrides) spares the reference building
    whole relations, but for those that can depend on a decision or column an example assumes to
    be other than it is.
    """
    edges: Edges = {}
    failures: list[Problem] = []
    hits: set[Hit] = set()
    ran = 0
    for owner in owners(book):
        if not owner.id.startswith(only):
            continue
        for example in owner.examples:
            ran += 1
            failures.extend(_run(book, catalog, owner, example, hits, fast, edges))
    return ExampleReport(ran, tuple(failures), *covered(book, only, hits))


# ---------------------------------------------------------------- one example


class _Part(Mapping[str, Any]):
    """The relations or rankings of a fast result that hold, computed when first asked for."""

    def __init__(
        self, result: Callable[[], Mapping[str, Any]], part: str, holds: Callable[[str], bool]
    ) -> None:
        self.result, self.part, self.holds = result, part, holds

    def __getitem__(self, name: str) -> Any:
        # What is unknown as a whole is left to the reference, which knows why.
        item = self.result()[self.part].get(name) if self.holds(name) else None
        if item is None:
            raise KeyError(name)
        return item

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.result()[self.part] if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _reader(
    book: Book,
    catalog: Catalog,
    given: Mapping[str, Any],
    assume: Mapping[str, Any],
    fast: Evaluate | None,
    edges: Edges,
    doubts: bool,
) -> Reference:
    if fast is None:
        return Reference(book, catalog, given, assume=assume, doubts=doubts)
    parameters = {name: value for name, value in assume.items() if name in book.parameters}
    others = [name for name in assume if name not in parameters]
    result = cache(lambda: fast(given, parameters))

    @cache
    def changed(name: str) -> bool:
        """It is assumed to be other than it is, as far as a target tells."""
        decisions = result()["decisions"]
        return name not in decisions or decisions[name] != assume[name]

    @cache
    def holds(name: str) -> bool:
        """It depends on nothing that is assumed: `a.b` and `a.b.column` are both of `a.b`."""
        entries = {entry for _, entry in behind(book, name, edges)} if others else set()
        return not any(
            changed(other)
            for other in others
            if any(other == entry or other.startswith(f"{entry}.") for entry in entries)
        )

    return Reference(
        book,
        catalog,
        given,
        assume=assume,
        rankings=_Part(result, "rankings", holds),
        relations=_Part(result, "relations", holds),
        doubts=doubts,
    )


def _run(
    book: Book,
    catalog: Catalog,
    owner: Owner,
    example: Example,
    hits: set[Hit],
    fast: Evaluate | None,
    edges: Edges,
    doubts: bool = False,
) -> list[Problem]:
    """What is wrong with one example; adds what it hit to `hits`.

    `doubts`: to show every cause of what is unknown, as is done where an example fails or names
    the facts asked for.
    """

    def fails(message: str, expected: str = "") -> Problem:
        return Problem(
            "B400", f"{owner.id}, “{example.name}”: {message}", example.position, expected
        )

    # Assuming a fact is giving it.
    given = {name: value for name, value in example.assume.items() if name in book.facts}
    assume = {
        reader_name(book, owner.relation, name): value
        for name, value in example.assume.items()
        if name not in given
    }
    doubts = doubts or example.asks is not None
    reader = _reader(book, catalog, {**example.given, **given}, assume, fast, edges, doubts)
    problems = []
    if owner.row is not None:
        table = owner.id.rpartition(".")[0]
        held = reader.advice_row(table, owner.row.id)
        if not _matches(held, example.expect, Type("boolean"), example.within):
            problems.append(fails(f"found {value_text(held)}", str(example.expect)))
        asks = union([held]).missing()
    else:
        assert owner.decision is not None
        values = _values(reader, owner)
        problems = [fails(*wrong) for wrong in _compared(owner.decision, values, example)]
        problems += [fails(*wrong) for wrong in _row_problems(reader, owner, example.row)]
        asks = union(values.values()).missing()
    if example.asks is not None and set(asks) != set(example.asks):
        found, expected = ", ".join(asks) or "nothing", ", ".join(example.asks) or "nothing"
        problems.append(fails(f"asks for {found}", expected))
    if problems and not doubts:
        return _run(book, catalog, owner, example, hits, fast, edges, doubts=True)
    hits |= reader.hits.reached
    return problems


def reader_name(book: Book, relation: str, name: str) -> str:
    """A resolved name of `assume` as `Reference` takes it: columns with their relation."""
    if relation:
        found = book.relations[relation]
        aliases = {source.alias for source in found.sources}
        columns = {column.decision.id for column in found.columns}
        if name in columns or name.partition(".")[0] in aliases:
            return f"{relation}.{name}"
    return name


def _values(reader: Reference, owner: Owner) -> dict[str, TableValue]:
    """The value of each output."""
    if owner.relation:
        assert owner.decision is not None
        return {"": reader.row(owner.relation).column(owner.decision.id)}
    return {output: reader.collected(owner.id, output) for output in reader.outputs(owner.id)}


def _compared(
    decision: Decision, values: Mapping[str, TableValue], example: Example
) -> Iterator[tuple[str, str]]:
    """(found, expected) for each output that is not as expected."""
    types = decision.outputs
    for output, value in values.items():
        expect = example.expect
        if output and isinstance(expect, Mapping):
            if output not in expect:
                continue
            expect = expect[output]
        elif output and isinstance(expect, Sequence) and not isinstance(expect, str):
            expect = expect[list(values).index(output)]
        if not _matches(value, expect, types[output], example.within):
            name = f"{output} = " if output else ""
            wanted = "unknown" if expect is None else str(expect)
            near = f" within {example.within:g}" if example.within else ""
            yield f"found {name}{_shown(value)}", f"{wanted}{near}"


def _shown(value: TableValue) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(value_text(part) for part in value) + "]"
    if isinstance(value, UnknownValue):
        causes = ", ".join(f"{cause.kind} {cause.name}" for cause in value.causes)
        return f"unknown ({causes})"
    return repr(value) if isinstance(value, float) else value_text(value)


def _matches(value: TableValue, expect: Any, kind: Type, within: float) -> bool:
    unlisted = kind.values is None or "unknown" not in kind.values
    if expect is None or (isinstance(expect, str) and expect == "unknown" and unlisted):
        return isinstance(value, UnknownValue)
    if isinstance(value, UnknownValue):
        return False
    if isinstance(value, tuple):
        parts = list(expect) if isinstance(expect, (list, tuple)) else [expect]
        pairs = zip(value, parts, strict=False)
        return len(parts) == len(value) and all(
            _matches(part, wanted, kind, within) for part, wanted in pairs
        )
    if isinstance(value, float) and isinstance(expect, (int, float)) and expect is not True:
        close = math.isclose(value, float(expect), rel_tol=_ROUNDING, abs_tol=_ROUNDING)
        return abs(value - float(expect)) <= within or close
    return type(value) is type(expect) and value == expect


def _row_problems(reader: Reference, owner: Owner, row: str) -> Iterator[tuple[str, str]]:
    """Whether the row the example names is the one that answered (or was collected)."""
    if not row:
        return
    assert owner.decision is not None
    if not isinstance(owner.decision.body, Table):
        yield "there are no rows", row
        return
    decided: Decided
    if owner.relation:
        decided = reader.column_decided(reader.row(owner.relation), owner.decision.id)
    else:
        decided = reader.decided(owner.id)
    rows = [decided.winner]
    if owner.decision.body.hit == "collect":
        rows = [item.row.id for item in decided.judged if item.state == "definite"]
    if row not in rows:
        yield f"row {', '.join(rows) or 'none'} answered", row
