"""The reference evaluator: lazy, memoised, every read recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from engine.book.display import Names, display_names
from engine.book.model import (
    Book,
    Catalog,
    Curve,
    Decision,
    Formula,
    Ranking,
    Relation,
    Source,
    Table,
)
from engine.language import tree
from engine.reference.closure import used_columns
from engine.reference.curves import interpolated
from engine.reference.expressions import RowLike, Scope, cell_holds, conjunction, evaluate
from engine.reference.hits import Hits
from engine.reference.leaves import Leaves, Rows
from engine.reference.outcome import outcome
from engine.reference.packed import (
    Bodies,
    Packed,
    answers_by_inputs,
    decide_packed,
    evaluate_packed,
    row_holds,
    subjects_of,
)
from engine.reference.rankings import Ranked, rank, undecided_because
from engine.reference.reads import At, Read, ReadKind
from engine.reference.relations import (
    Group,
    Layout,
    LeafRow,
    LeafRows,
    RelationRow,
    TakenRow,
    TakenRows,
    UnknownRowsError,
    build,
    grouped,
)
from engine.reference.tables import Decided, TableValue, decide
from engine.reference.values import Answer, UnknownValue, output, plain, union, unknown

if TYPE_CHECKING:
    from engine.reference.trace import TraceNode

Answers = tuple[Answer, ...]
T = TypeVar("T")


class Reference:
    """A book on one profile.

    `given`: facts by path, as the door leaves them. `parameters`: overrides by id. `assume`:
    values that stand in for what the book would compute: decisions (`id`, `id.output`),
    parameters, curves, ranking columns (`ranking.column`), relation columns
    (`relation.column`) and columns of their sources (`relation.alias.column`); None is unknown.
    `rankings`, `relations`: those parts of a fast target's result on the same inputs; then no
    relation in them is built here, so that explaining a `best` touches one row. `brief`: of
    tables no more is judged, and recorded as read, than their answers need (for runs without
    traces and coverage). `doubts`: a `best` without a kept row says why each undecided row is;
    without, only that there is none (where nobody asks for causes: there are thousands).

    Raises LookupError for an id the book does not have.

    `bodies`: the book's decisions in a form read faster, for what is `brief`.
    """

    def __init__(
        self,
        book: Book,
        catalog: Catalog,
        given: Mapping[str, Any],
        parameters: Mapping[str, Any] | None = None,
        assume: Mapping[str, Any] | None = None,
        bodies: Bodies | None = None,
        rankings: Mapping[str, Mapping[str, Any]] | None = None,
        relations: Mapping[str, Rows] | None = None,
        brief: bool = False,
        doubts: bool = True,
    ) -> None:
        self.book, self.catalog = book, catalog
        self.given = dict(given)
        self.leaves = Leaves(book, catalog, self.given)
        self.parameters = dict(parameters or {})
        self.assume = dict(assume or {})
        self.brief, self.doubts = brief, doubts
        self.hits = Hits()
        self.hits.watching = not brief
        self.reads: dict[Read, tuple[Read, ...]] = {}
        self._memo: dict[Read, Answer | tuple[Answer, ...]] = {}
        self._frames: list[dict[Read, None]] = []
        self.takes_values = False
        self._settled: dict[tuple[str, tuple[Answer, ...]], Decided] = {}
        self._standing: dict[tuple[str, At], TakenRow] = {}  # the row of which columns are read
        self._decided: dict[Read, Decided] = {}
        self._rows: dict[str, Sequence[RelationRow]] = {}
        self._groups: dict[tuple[str, tuple[str, ...]], list[Group]] = {}
        self._ranked: dict[str, Ranked] = {}
        self._undecided: dict[str, UnknownValue] = {}  # by ranking
        self._indexes: dict[tuple[Any, ...], dict[object, list[int]]] = {}
        self._layouts: dict[str, Layout] = {}
        self._bodies = bodies if brief else None
        self._used: dict[int, str] = {}
        self._used_by: dict[Read, list[Read]] = {}
        self._orders: dict[tuple[str, At], tuple[UnknownValue, dict[Read, None]]] = {}
        self._users_of = 0  # how many entries of `reads` are in it
        # Not `or {}`: asking a lazy mapping for its size would compute it.
        self._fast_rankings = {} if rankings is None else rankings
        self._fast_relations = {} if relations is None else relations

    @cached_property
    def names(self) -> Names:
        """What texts say for keys of the catalog."""
        return display_names(self.book, self.catalog)

    def with_facts(self, changes: Mapping[str, Any], left_open: Iterable[str] = ()) -> Reference:
        """The same with other values of some facts (None: not stated).

        Decisions that have not read them are taken over; rows and rankings of a fast target stay
        as they are, those in `left_open` are unknown.
        """
        told = {**self.given, **changes}
        other = Reference(
            self.book,
            self.catalog,
            {path: value for path, value in told.items() if value is not None},
            parameters=self.parameters,
            assume=self.assume,
            bodies=self._bodies,
            rankings=self._fast_rankings,
            relations=self._fast_relations,
            brief=self.brief,
            doubts=self.doubts,
        )
        users = self._users()
        opened = set(left_open)
        taken = (self._fast_relations.keys() | self._fast_rankings.keys()) - opened
        waiting = [Read("fact", path) for path in changes]
        waiting += [
            what
            for what in self._memo
            if what.kind in ("relation", "ranking", "best", "column") and what.id not in taken
        ]
        changed = set(waiting)
        while waiting:
            found = [user for user in users.get(waiting.pop(), ()) if user not in changed]
            changed.update(found)
            waiting += found
        kept = {what for what in self._memo if what.kind == "decision"} - changed
        other._memo = {what: self._memo[what] for what in kept}
        for name in opened:
            kind: ReadKind = "relation" if name in self.book.relations else "ranking"
            other._memo[Read(kind, name)] = unknown("stated", name)
        whole = {_whole(what) for what in kept}
        other._decided = {what: self._decided[what] for what in whole & self._decided.keys()}
        return other

    def _users(self) -> dict[Read, list[Read]]:
        """What has read each value. Kept, as a search for flips asks again and again."""
        new = len(self.reads) - self._users_of
        for what in islice(reversed(self.reads), new):
            for read in self.reads[what]:
                self._used_by.setdefault(read, []).append(what)
        self._users_of += new
        return self._used_by

    # ------------------------------------------------------------ answers

    def fact(self, path: str) -> Answer:
        """A scalar fact; of a list fact the number of its rows."""
        return self.read(Read("fact", path))

    def parameter(self, name: str) -> Answer:
        return self.read(Read("parameter", name))

    def decision(self, name: str, output: str = "") -> Answer:
        """One output of a decision; a `collect` without aggregate gives a tuple: `collected`."""
        return self.read(Read("decision", name, output))

    def collected(self, name: str, output: str = "") -> TableValue:
        self.read(Read("decision", name, output))
        return self._memo[Read("decision", name, output)]

    def decided(self, name: str) -> Decided:
        """How table `name` decided: every row judged."""
        self.read(Read("decision", name, self.outputs(name)[0]))
        if self.brief:
            table, given = self.book.decisions[name].body, frozenset(self.given)
            assert isinstance(table, Table)
            return self.apart(lambda: decide(name, table, Scope(self), given))
        return self._decided[Read("decision", name)]

    def winner(self, what: Read) -> str:
        """The id of the row that the table of a decision or column answers by (see `Decided`)."""
        self.read(what)
        return self._decided[_whole(what)].winner

    def column_decided(self, row: RelationRow, name: str) -> Decided:
        """How the table of a relation's column decided for one row."""
        row.column(name)
        level = row.layout.column(name).level
        return self._decided[Read("column", row.relation.id, name, row.at[:level])]

    def outputs(self, name: str) -> list[str]:
        """Names of a decision's outputs; [""] for a single value, [] for a curve."""
        return list(self.book.decisions[name].output_names)

    def advice(self, name: str) -> tuple[Answer, ...]:
        """Each row's condition, in order."""
        return tuple(self.advice_row(name, row.id) for row in self.book.advice[name].rows)

    def advice_row(self, name: str, row: str) -> Answer:
        """The condition of one row; reads only the inputs that the row tests."""
        scope = Scope(self)
        if self._bodies is not None:
            inputs, rows = self._bodies.advice(name)
            return row_holds(rows[row], inputs, scope)
        advice = self.book.advice[name]
        (found,) = (item for item in advice.rows if item.id == row)
        cells = zip(found.when, advice.inputs, strict=True)
        holds = conjunction(
            cell_holds(cell, evaluate(node, scope), scope) for cell, node in cells if cell.tests
        )
        if holds is True:
            self.hits.advice(name, row)
        return holds

    def relation(self, relation: str) -> Sequence[RelationRow] | UnknownValue:
        """The rows, their columns computed when read; unknown when the sources are."""
        size = self.read(Read("relation", relation))
        return size if isinstance(size, UnknownValue) else self._rows[relation]

    def layout(self, relation: Relation) -> Layout:
        if relation.id not in self._layouts:
            self._layouts[relation.id] = Layout(relation)
        return self._layouts[relation.id]

    def row(self, relation: str, at: At = ()) -> RelationRow:
        """One row by the row numbers of its sources, without building the relation."""
        return RelationRow(self, self.book.relations[relation], tuple(at))

    def ranking(self, name: str) -> Ranked | UnknownValue:
        size = self.read(Read("ranking", name))
        return size if isinstance(size, UnknownValue) else self._ranked[name]

    def asks(self, name: str) -> tuple[str, ...]:
        """The missing facts that could change a decision, table output or advice table."""
        if name in self.book.advice:
            return union(self.advice(name)).missing()
        decision = self.book.decisions.get(name)
        if decision is not None:
            return union(
                [self.decision(name, output) for output in decision.output_names]
            ).missing()
        owner, _, output = name.rpartition(".")
        return union([self.decision(owner, output)]).missing()

    def outcome(self) -> dict[str, Any]:
        """Everything, in the form of the targets' results (unknown is None)."""
        return outcome(self)

    def trace(self, name: str, output: str = "", at: At = ()) -> TraceNode:
        """The explanation of a decision, an advice table or (`relation.column`) of one row."""
        from engine.reference.tracer import trace

        return trace(self, name, output, at)

    # ------------------------------------------------------------ the recording accessor

    def read(self, what: Read) -> Answer:
        """The value at `what`, recorded as read by whatever is being computed."""
        if self._frames:
            self._frames[-1][what] = None
        if what not in self._memo:
            frame: dict[Read, None] = {}
            self._frames.append(frame)
            try:
                self._memo[what] = self._compute(what)
            finally:
                self._frames.pop()
            self.reads[what] = tuple(frame)
        return cast(Answer, self._memo[what])

    def unrecorded(self, row: RowLike, name: str) -> Answer:
        """A column of one row of many: the relation is recorded as a whole, not its rows.

        Rows taken over from a fast target give the values it computed; those it could not tell
        are computed again, for their causes.
        """
        if isinstance(row, TakenRow):
            value = row.taken(name)
            if value is not None:
                return cast(Answer, value)
            row = self._doubting.standing(row)
        return self.apart(lambda: row.column(name))

    def standing(self, row: TakenRow) -> TakenRow:
        """The same row, its columns read here."""
        return TakenRow(self, row.relation, row.values)

    def unknown_column(self, row: TakenRow, name: str) -> Answer:
        """A column that a fast target could not tell, computed from the values it could."""
        what = Read("column", row.relation.id, name, row.at[: row.layout.column(name).level])
        self._standing.setdefault((what.id, what.at), row)
        return self.read(what)

    def apart(self, compute: Callable[[], T]) -> T:
        """What `compute` gives; nothing it reads is recorded."""
        self._frames.append({})
        try:
            return compute()
        finally:
            self._frames.pop()

    def recorded(self, what: Read, compute: Callable[[], Answers]) -> Answers:
        """What `compute` gives; what it reads is recorded under `what` (for the trace)."""
        frame: dict[Read, None] = {}
        self._frames.append(frame)
        try:
            return compute()
        finally:
            self._frames.pop()
            self.reads[what] = tuple(frame)

    def assumed(self, name: str) -> Answer | None:
        if name not in self.assume:
            return None
        value = self.assume[name]
        return unknown("stated", "assumed") if value is None else output(value)

    def _compute(self, what: Read) -> Answer | tuple[Answer, ...]:
        assumed = self.assumed(f"{what.id}.{what.name}" if what.name else what.id)
        if assumed is not None and what.kind in ("parameter", "decision", "column", "best"):
            return assumed
        match what.kind:
            case "fact":
                return self._fact(what.id)
            case "parameter":
                value = self.parameters.get(what.id, self.book.parameters[what.id].value)
                return value if isinstance(value, (bool, str)) else float(value)
            case "decision":
                return self._decision(what)
            case "column":
                return self._column(what)
            case "cell":
                return self.leaves.cell(what.id, what.name, what.at[0] or 0)
            case "field":
                return self.leaves.field(what.id, what.name, what.at[0] or 0)
            case "step":
                return self.row(what.id, what.at).step(what.name)
            case "group":
                return self.row(what.id, what.at).column(what.name)
            case "lookup":
                return self._lookup(what)
            case "curve":
                return self._curve(what)
            case "ladder":
                steps = self.book.parameters[what.id].steps
                found = [step for step in steps if step >= float(what.name)]
                return found[0] if found else unknown("ladder", what.id)
            case "relation" if what.name:
                return self.read(Read("relation", what.id))
            case "relation":
                return self._relation(what.id)
            case "ranking":
                return self._ranking(what.id)
        return self._best(what)

    # ------------------------------------------------------------ facts, decisions

    def _fact(self, path: str) -> Answer:
        if self._is_list(path):
            rows = self.leaves.fact_rows(path)
            return rows if isinstance(rows, UnknownValue) else float(len(rows))
        value = self.given.get(path)
        if value is not None:
            return output(value)
        derived: Answer | None = None
        if self._bodies is not None:
            derive, default, _ = self._bodies.fact(path)
            run: Callable[[Any, Scope], Answer] = evaluate_packed
        else:
            fact = self.book.facts[path]
            derive, default, run = fact.derive, fact.default, evaluate
        if derive is not None:
            derived = output(run(derive, Scope(self)))
            if not isinstance(derived, UnknownValue):
                return derived
        if default is not None:
            return output(run(default, Scope(self)))
        if isinstance(derived, UnknownValue) and derived.missing():
            return UnknownValue(tuple(cause for cause in derived.causes if cause.kind == "missing"))
        return unknown("missing", path)

    def _is_list(self, path: str) -> bool:
        return self.book.facts[path].is_list if self._bodies is None else path in self._bodies.lists

    def _decision(self, what: Read) -> Answer | tuple[Answer, ...]:
        if self._bodies is not None:
            return self._packed_value(self._bodies.decision(what.id), what, Scope(self))
        decision = self.book.decisions[what.id]
        if isinstance(decision.body, Curve):
            raise LookupError(f"{what.id} is a curve: it has no value of its own")
        return self._value(decision, what, Scope(self))

    def _column(self, what: Read) -> TableValue:
        """A column of one row; only examples, whose row has no sources, count as coverage."""
        row = self._standing.get((what.id, what.at)) or self.row(what.id, what.at)
        if self._bodies is not None:
            return self._packed_value(self._bodies.column(what.id, what.name), what, row.scope())
        watching = self.hits.watching
        self.hits.watching = watching and not what.at
        try:
            return self._value(row.layout.column(what.name).decision, what, row.scope())
        finally:
            self.hits.watching = watching

    def _value(self, decision: Decision, what: Read, scope: Scope) -> TableValue:
        """A formula's or table's answer; a table's outputs are all remembered together."""
        if isinstance(decision.body, Formula):
            return output(evaluate(decision.body.expression, scope))
        assert isinstance(decision.body, Table)
        whole = _whole(what)
        name = what.id if what.kind == "decision" else f"{what.id}.{what.name}"
        given = frozenset(self.given)
        whole_rows, brief = self.hits.watching, self.brief
        decided = decide(name, decision.body, scope, given, whole=whole_rows, brief=brief)
        self._decided[whole] = decided
        self.hits.table(name, decision.body, decided)
        if what.kind == "column":
            return decided.outputs[0]
        return decided.outputs[decision.output_names.index(what.name)]

    def _packed_value(self, body: Packed, what: Read, scope: Scope) -> TableValue:
        """The same as `_value` gives, of a body in the form read faster."""
        if len(body) == 1:
            return output(evaluate_packed(body[0], scope))
        name = what.id if what.kind == "decision" else f"{what.id}.{what.name}"
        subjects = subjects_of(body, scope)
        decided = self._settled.get((name, subjects)) if self.takes_values else None
        if decided is None:
            decided = decide_packed(name, body, subjects, scope, frozenset(self.given))
            if self.takes_values and answers_by_inputs(body):
                self._settled[name, subjects] = decided
        self._decided[_whole(what)] = decided
        if what.kind == "column":
            return decided.outputs[0]
        return decided.outputs[[name for name, _ in body[4]].index(what.name)]

    # ------------------------------------------------------------ curves and conditionals

    def interpolate(self, curve: str, key: str, x: float) -> Answer:
        return self.read(Read("curve", curve, repr(x), key=key))

    def first_at_least(self, ladder: str, x: float) -> Answer:
        return self.read(Read("ladder", ladder, repr(x)))

    def _curve(self, what: Read) -> Answer:
        assumed = self.assumed(what.id)
        if assumed is not None:
            return assumed
        curve = self.book.decisions[what.id].body
        assert isinstance(curve, Curve)
        value, segment = interpolated(curve, what.key, float(what.name))
        self.hits.segment(what.id, what.key, segment)
        return unknown("curve", what.id) if value is None else value

    def branch(self, node: tree.If, taken: str) -> None:
        self.hits.branch(node, taken)

    def used_columns(self, node: tree.Aggregate) -> str:
        # By identity: nodes of the book live as long as it does, and hashing trees is slow.
        if id(node) not in self._used:
            self._used[id(node)] = used_columns(node)
        return self._used[id(node)]

    # ------------------------------------------------------------ catalog and list facts

    def _lookup(self, what: Read) -> Answer:
        schema = self.book.tables[what.id]
        source = Source("", "table", what.id)
        numbers = self.matching(source, schema.key).get(what.key)
        if not numbers:
            return unknown("lookup", f"{what.id}:{what.key}")
        return self.read(Read("cell", what.id, what.name, (numbers[0],)))

    def table_size(self, table: str) -> int:
        return self.leaves.size(table)

    def fact_size(self, path: str) -> int | UnknownValue:
        size = self.fact(path)
        return size if isinstance(size, UnknownValue) else int(size)

    # ------------------------------------------------------------ relations and rankings

    def rows(self, relation: str, columns: str = "") -> Sequence[RowLike] | UnknownValue:
        """The rows an aggregate runs over: a relation, `catalog.<table>` or a list fact."""
        if relation in self.book.relations:
            whole = self.read(Read("relation", relation, columns))
            return whole if isinstance(whole, UnknownValue) else self._rows[relation]
        if relation in self.book.facts:
            size = self.fact_size(relation)
            if isinstance(size, UnknownValue):
                return size
            return [LeafRow(self, "fact", relation, number) for number in range(size)]
        table = relation.removeprefix("catalog.")
        self.read(Read("relation", relation))
        rows = self.catalog.tables[table].rows
        return LeafRows(self, table, rows, self.leaves.places(table))

    def _relation(self, name: str) -> Answer:
        if name.startswith("catalog."):
            return float(self.table_size(name.removeprefix("catalog.")))
        relation = self.book.relations[name]
        if name in self._fast_relations:
            self._rows[name] = TakenRows(self, relation, self._fast_relations[name])
        else:
            try:
                self._rows[name] = build(self, relation)
            except UnknownRowsError as error:
                return error.value
        return float(len(self._rows[name]))

    def groups(self, relation: str, by: tuple[str, ...]) -> Sequence[Group] | UnknownValue:
        rows = self.relation(relation)
        if isinstance(rows, UnknownValue):
            return rows
        if (relation, by) not in self._groups:
            self._groups[relation, by] = grouped(rows, by)
        return self._groups[relation, by]

    def matching(self, source: Source, column: str) -> dict[object, list[int]]:
        """Row numbers of a source by the value of one of its columns."""
        address = (source.kind, source.name, source.by, column)
        if address not in self._indexes:
            index: dict[object, list[int]] = {}
            for number, value in enumerate(self._source_column(source, column)):
                if value is not None:
                    index.setdefault(value, []).append(number)
            self._indexes[address] = index
        return self._indexes[address]

    def _source_column(self, source: Source, column: str) -> Iterable[object]:
        if source.kind == "table":
            return self.leaves.column(source.name, column)
        name = source.name
        rows = self.groups(name, source.by) if source.kind == "group" else self.rows(name)
        if isinstance(rows, UnknownValue):
            raise UnknownRowsError(rows)
        return (plain(self.unrecorded(row, column)) for row in rows)

    def _ranking(self, name: str) -> Answer:
        ranking = self.book.rankings[name]
        if name in self._fast_rankings:
            result = self._fast_rankings[name]
            parts = (tuple(result[part]) for part in ("order", "undecided", "pareto"))
            self._ranked[name] = Ranked(*parts)
        else:
            rows = self.relation(ranking.relation)
            if isinstance(rows, UnknownValue):
                return rows
            self._ranked[name] = rank(ranking, self.book.relations[ranking.relation], rows)
        return float(len(self._ranked[name].order))

    def _best(self, what: Read) -> Answer:
        ranking = self.book.rankings[what.id]
        ranked = self.ranking(what.id)
        if isinstance(ranked, UnknownValue):
            return ranked
        rows = self.relation(ranking.relation)
        if isinstance(rows, UnknownValue):  # rows that were left open, of an order taken over
            return rows
        if ranked.order:
            row = rows[ranked.order[0]]
            order = self._order_of(ranking, row)
            return order if order.causes else row.column(what.name)
        if what.id not in self._undecided:
            because = self._doubting.undecided_by(what.id) if self.doubts else ()
            self._undecided[what.id] = union([unknown("no_match", what.id), *because])
        return self._undecided[what.id]

    @cached_property
    def _doubting(self) -> Reference:
        """Says why rows are undecided: of thousands of rows it computes only what is unknown."""
        if self.takes_values or not self._fast_relations or self.assume:
            return self
        other = self.with_facts({})
        other.takes_values = True
        return other

    def undecided_by(self, name: str) -> list[Answer]:
        """The `keep` of each undecided row; not recorded row by row: the ranking is, as a whole."""
        ranking, ranked = self.book.rankings[name], self.ranking(name)
        rows = self.relation(ranking.relation)
        if isinstance(ranked, UnknownValue) or isinstance(rows, UnknownValue):
            return []
        return self.apart(lambda: undecided_because(ranking, ranked, rows))

    def _order_of(self, ranking: Ranking, row: RelationRow) -> UnknownValue:
        """Why the place of the best row is unknown; what is read for it counts for each column."""
        key = (ranking.id, row.at)
        if key not in self._orders:
            frame: dict[Read, None] = {}
            self._frames.append(frame)
            try:
                order = union([evaluate(node, row.scope()) for node, _ in ranking.by])
            finally:
                self._frames.pop()
            self._orders[key] = order, frame
        order, reads = self._orders[key]
        if self._frames:
            self._frames[-1].update(reads)
        return order


def _whole(what: Read) -> Read:
    """The address of a table with all of its outputs."""
    return Read("decision", what.id) if what.kind == "decision" and what.name else what
