"""Runs the examples of a rule book through the reference, and says what they leave untouched."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.book.model import AdviceRow, Book, Catalog, Curve, Decision, Example, Table
from engine.language import tree
from engine.language.problems import NOWHERE, Position, Problem, ProblemError
from engine.language.suggest import did_you_mean
from engine.language.types import Type
from engine.language.walk import walk
from engine.reference import Reference, UnknownValue
from engine.reference.closure import trees_of
from engine.reference.tables import Decided, TableValue
from engine.reference.values import union
from engine.reference.writing import cell_text, formula_text, value_text

# Rounding of the last bits of a decimal expectation; anything wider must be said with `within`.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Uncovered:
    """Something no example reaches.

    `kind`: row (never the answer), near_miss (no example misses it by one cell alone), boundary
    (no pair of examples on both sides of a numeric test), advice (never true), branch (`then` or
    `else` of a conditional), segment (of a curve).
    """

    kind: str
    owner: str
    what: str
    position: Position = NOWHERE


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


@dataclass(frozen=True, slots=True)
class _Owner:
    """What an example speaks about: a decision, a relation's column or an advice row."""

    id: str
    examples: tuple[Example, ...]
    decision: Decision | None = None
    relation: str = ""
    row: AdviceRow | None = None


Evaluate = Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]]


def run_examples(
    book: Book, catalog: Catalog, only: str = "", fast: Evaluate | None = None
) -> ExampleReport:
    """Runs every example, or those of entries whose id starts with `only`.

    `fast` (a target's result for facts and parameter overrides) spares the reference building
    whole relations where an example assumes no decision.
    """
    failures: list[Problem] = []
    hits: set[tuple[Any, ...]] = set()
    ran = 0
    for owner in _owners(book):
        if not owner.id.startswith(only):
            continue
        for example in owner.examples:
            ran += 1
            failures.extend(_run(book, catalog, owner, example, hits, fast))
    expected = list(_to_cover(book, only))
    missing = tuple(item for item, keys in expected if not hits.issuperset(keys))
    coverage: dict[str, tuple[int, int]] = {}
    for kind in dict.fromkeys(item.kind for item, _ in expected):
        every = sum(item.kind == kind for item, _ in expected)
        coverage[kind] = (every - sum(item.kind == kind for item in missing), every)
    return ExampleReport(ran, tuple(failures), coverage, missing)


def _owners(book: Book) -> Iterator[_Owner]:
    for name, decision in book.decisions.items():
        yield _Owner(name, decision.examples, decision)
    for relation in book.relations.values():
        for column in relation.columns:
            own = column.decision
            yield _Owner(f"{relation.id}.{own.id}", own.examples, own, relation.id)
    for advice in book.advice.values():
        for row in advice.rows:
            yield _Owner(f"{advice.id}.{row.id}", row.examples, row=row)


# ---------------------------------------------------------------- one example


class _Part(Mapping[str, Any]):
    """The relations or rankings of a fast result, computed when first asked for."""

    def __init__(self, result: Callable[[], Mapping[str, Any]], part: str) -> None:
        self.result, self.part = result, part

    def _known(self) -> dict[str, Any]:
        # What is unknown as a whole is left to the reference, which knows why.
        return {name: item for name, item in self.result()[self.part].items() if item is not None}

    def __getitem__(self, name: str) -> Any:
        return self._known()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())


def _reader(
    book: Book,
    catalog: Catalog,
    given: Mapping[str, Any],
    assume: Mapping[str, Any],
    fast: Evaluate | None,
) -> Reference:
    if fast is None or any(name not in book.parameters for name in assume):
        return Reference(book, catalog, given, assume=assume)
    result = cache(lambda: fast(given, assume))
    parts = {part: _Part(result, part) for part in ("rankings", "relations")}
    return Reference(book, catalog, given, assume=assume, **parts)


def _run(
    book: Book,
    catalog: Catalog,
    owner: _Owner,
    example: Example,
    hits: set[tuple[Any, ...]],
    fast: Evaluate | None,
) -> list[Problem]:
    """What is wrong with one example; adds what it hit to `hits`."""

    def fails(message: str, expected: str = "") -> Problem:
        return Problem(
            "B400", f"{owner.id}, “{example.name}”: {message}", example.position, expected
        )

    # Assuming a fact is giving it.
    given = {name: value for name, value in example.assume.items() if name in book.facts}
    try:
        assume = {
            full_name(book, owner.id, owner.relation, name): value
            for name, value in example.assume.items()
            if name not in given
        }
    except ProblemError as error:
        return [fails(problem.message, problem.expected) for problem in error.problems]
    reader = _reader(book, catalog, {**example.given, **given}, assume, fast)
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
    hits |= reader.hits
    return problems


def _values(reader: Reference, owner: _Owner) -> dict[str, TableValue]:
    """The value of each output."""
    if owner.relation:
        assert owner.decision is not None
        return {"": reader.row(owner.relation).column(owner.decision.id)}
    return {output: reader.collected(owner.id, output) for output in reader.outputs(owner.id)}


def _compared(
    decision: Decision, values: Mapping[str, TableValue], example: Example
) -> Iterator[tuple[str, str]]:
    """(found, expected) for each output that is not as expected."""
    types = {"": decision.type}
    if isinstance(decision.body, Table) and len(decision.body.outputs) > 1:
        types = {output.name: output.type for output in decision.body.outputs}
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


def _row_problems(reader: Reference, owner: _Owner, row: str) -> Iterator[tuple[str, str]]:
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


# ---------------------------------------------------------------- names in `assume`


def full_name(book: Book, owner: str, relation: str, name: str) -> str:
    """The full name of an assumed value, as `Reference` takes it.

    Resolved as in formulas: a column of the enclosing relation or `alias.column` of one of its
    sources, an entry of the same file, a parameter, the unique end of a full id. Raises
    ProblemError (B401) for a name that means nothing or two things.
    """
    if relation:
        found = book.relations[relation]
        aliases = {source.alias for source in found.sources}
        columns = {column.decision.id for column in found.columns}
        if name in columns or name.partition(".")[0] in aliases:
            return f"{relation}.{name}"
    every = list(_assumable(book))
    if name in every:
        return name
    file = (relation or owner).rpartition(".")[0]
    if f"{file}.{name}" in every:
        return f"{file}.{name}"
    ending = [full for full in every if full.endswith(f".{name}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise ProblemError(Problem("B401", f"“{name}” could be {' or '.join(ending)}"))
    raise ProblemError(
        Problem("B401", f"nothing is called “{name}”", suggestion=did_you_mean(name, every))
    )


def _assumable(book: Book) -> Iterator[str]:
    for name, decision in book.decisions.items():
        yield name
        if isinstance(decision.body, Table) and len(decision.body.outputs) > 1:
            yield from (f"{name}.{output.name}" for output in decision.body.outputs)
    yield from book.parameters
    for ranking in book.rankings.values():
        columns = book.relations[ranking.relation].columns
        yield from (f"{ranking.id}.{column.decision.id}" for column in columns)


# ---------------------------------------------------------------- coverage


def _to_cover(book: Book, only: str) -> Iterator[tuple[Uncovered, list[tuple[Any, ...]]]]:
    """Everything an example should reach, with the hits that reaching it takes."""
    for owner in _owners(book):
        if not owner.id.startswith(only):
            continue
        if owner.row is not None:
            table, _, row = owner.id.rpartition(".")
            item = Uncovered("advice", table, row, owner.row.position)
            yield item, [("advice", table, row)]
            continue
        decision = owner.decision
        assert decision is not None
        if isinstance(decision.body, Curve):
            yield from _segments(owner.id, decision, decision.body)
        if isinstance(decision.body, Table):
            yield from _rows(owner.id, decision.body)
        for place, node in enumerate(_conditionals(decision)):
            for taken in ("then", "else"):
                what = f"{taken} of if {place + 1}"
                yield Uncovered("branch", owner.id, what, node.position), [(id(node), taken)]


def _rows(name: str, table: Table) -> Iterator[tuple[Uncovered, list[tuple[Any, ...]]]]:
    for row in table.rows:
        yield Uncovered("row", name, row.id, row.position), [("row", name, row.id)]
        if any(cell.tests for cell in row.when):
            yield Uncovered("near_miss", name, row.id, row.position), [("near", name, row.id)]
        for column, (node, cell) in enumerate(zip(table.inputs, row.when, strict=True)):
            if cell.tests and node.type is not None and node.type.kind == "number":
                what = f"{row.id}: {formula_text(node)} {cell_text(cell)}"
                both = [("cell", name, row.id, column, held) for held in (True, False)]
                yield Uncovered("boundary", name, what, row.position), both
    if table.otherwise is not None:
        last = table.otherwise
        yield Uncovered("row", name, last.id, last.position), [("row", name, last.id)]


def _segments(
    name: str, decision: Decision, curve: Curve
) -> Iterator[tuple[Uncovered, list[tuple[Any, ...]]]]:
    for key, points in curve.segments:
        for place in range(len(points) - 1):
            what = f"{key + ' ' if key else ''}{points[place][0]:g} to {points[place + 1][0]:g}"
            item = Uncovered("segment", name, what, decision.position)
            yield item, [("segment", name, key, place)]


def _conditionals(decision: Decision) -> Iterator[tree.If]:
    for node in trees_of(decision):
        for part in walk(node):
            if isinstance(part, tree.If):
                yield part
