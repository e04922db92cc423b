"""Builds the explanation of a value from what the evaluator recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.book.model import Curve, Decision, Formula, Row, Table, Unknown
from engine.language import tree
from engine.language.types import Type
from engine.reference.closure import column_trees, order_trees, relation_inputs
from engine.reference.curves import points_of
from engine.reference.expressions import Scope, cell_holds, evaluate
from engine.reference.near_misses import failed_cells, near_misses
from engine.reference.reads import At, Read
from engine.reference.relations import RelationRow, find_column, source_index
from engine.reference.tables import Decided, Judged, State, TableValue, decide
from engine.reference.texts import filled
from engine.reference.trace import NO_TEXT, TraceCurve, TraceInput, TraceNode, TraceRow, TraceTable
from engine.reference.values import Answer, UnknownValue
from engine.reference.writing import formula_text, numbers_text, value_text

if TYPE_CHECKING:
    from engine.reference.evaluator import Reference


def trace(reader: Reference, name: str, output: str = "", at: At = ()) -> TraceNode:
    """The explanation of a decision's output, an advice table, or a column of row `at`."""
    tracer = _Tracer(reader)
    if name in reader.book.advice:
        return tracer.advice(name)
    if name in reader.book.decisions:
        return tracer.node(Read("decision", name, output))
    owner, _, last = name.rpartition(".")
    if owner in reader.book.relations:
        level = find_column(reader.book.relations[owner], last).level
        return tracer.node(Read("column", owner, last, tuple(at)[:level]))
    if owner in reader.book.rankings:
        return tracer.node(Read("best", owner, last))
    if owner in reader.book.decisions:
        return tracer.node(Read("decision", owner, last))
    raise LookupError(f"nothing to explain is called {name}")


_ADVICE_STATES = {"definite": "won", "maybe": "maybe", "out": "lost"}


class _Tracer:
    """Builds nodes from what the evaluator recorded; each address once, then shared."""

    def __init__(self, reader: Reference) -> None:
        self.reader, self.book = reader, reader.book
        self.nodes: dict[Read, TraceNode] = {}

    def node(self, what: Read) -> TraceNode:
        if what not in self.nodes:
            self.reader.read(what)
            self.nodes[what] = self._build(what)
        return self.nodes[what]

    def _children(self, what: Read) -> tuple[TraceNode, ...]:
        return tuple(self.node(read) for read in self.reader.reads.get(what, ()))

    def _build(self, what: Read) -> TraceNode:
        match what.kind:
            case "fact":
                return self._fact(what)
            case "parameter":
                return self._parameter(what)
            case "decision":
                return self._decision(what, self.book.decisions[what.id], Scope(self.reader))
            case "column":
                row = self.reader.row(what.id, what.at)
                return self._decision(
                    what, find_column(row.relation, what.name).decision, row.scope()
                )
            case "relation":
                return self._relation(what)
            case "ranking" | "best":
                return self._ranking(what)
            case "curve":
                return self._curve(what)
        return self._leaf(what)

    # ------------------------------------------------------------ inputs

    def _fact(self, what: Read) -> TraceNode:
        fact, value = self.book.facts[what.id], self.reader.read(what)
        written = fact.derive
        if self.reader.given.get(what.id) is not None:
            origin, written = "given", None
        elif fact.derive is not None and self._is_derived(fact.derive):
            origin = "derived"
        elif not fact.asked and not fact.optional:
            origin, written = "default", fact.default
        else:
            origin = "missing"
        return TraceNode(
            "fact", what.id, value, fact.label, unit=fact.type.unit.symbol, origin=origin,
            because=filled(fact.because, Scope(self.reader)) if origin == "default" else NO_TEXT,
            source=fact.source, formula="" if written is None else formula_text(written),
            children=self._children(what),
        )  # fmt: skip

    def _is_derived(self, node: tree.Node) -> bool:
        return not isinstance(evaluate(node, Scope(self.reader)), UnknownValue)

    def _parameter(self, what: Read) -> TraceNode:
        parameter = self.book.parameters[what.id]
        origin = "override" if what.id in self.reader.parameters else "book"
        if what.id in self.reader.assume:
            origin = "assumed"
        return TraceNode(
            "parameter", what.id, self.reader.read(what), parameter.title,
            unit=parameter.type.unit.symbol, origin=origin, because=parameter.rationale,
            source=parameter.source,
        )  # fmt: skip

    def _curve(self, what: Read) -> TraceNode:
        decision, x = self.book.decisions[what.id], float(what.name)
        assert isinstance(decision.body, Curve)
        body = decision.body
        points = points_of(body, what.key) or ()
        curve = TraceCurve(what.key, x, points, body.below, body.above)
        return TraceNode(
            "curve", what.id, self.reader.read(what), decision.title, key=what.key,
            unit=body.y_type.unit.symbol, source=decision.source, basis=decision.basis,
            because=filled(decision.because, Scope(self.reader)), curve=curve,
        )  # fmt: skip

    def _leaf(self, what: Read) -> TraceNode:
        """A catalog cell, a field of a list, a step, a group's column, a look-up, a ladder."""
        title, kind, name, key = NO_TEXT, Type("text"), f"{what.id}.{what.name}", what.key
        if what.kind in ("cell", "lookup"):
            column = self.book.tables[what.id].column(what.name)
            if column is not None:
                title, kind = column.label, column.type
            if what.kind == "cell":
                own = self.book.tables[what.id].key
                key = value_text(self.reader.read(what._replace(name=own))).strip('"')
        elif what.kind == "field":
            field = next((f for f in self.book.facts[what.id].fields if f.name == what.name), None)
            title = self.book.facts[what.id].label if field is None else field.label
            kind = self.book.facts[what.id].type if field is None else field.type
            key = str(what.at[0])
        elif what.kind == "ladder":
            parameter = self.book.parameters[what.id]
            title, kind, name, key = parameter.title, parameter.type, what.id, what.name
        return TraceNode(
            what.kind, name, self.reader.read(what), title, key=key, unit=kind.unit.symbol,
            children=self._children(what),
        )  # fmt: skip

    # ------------------------------------------------------------ decisions

    def _decision(self, what: Read, decision: Decision, scope: Scope) -> TraceNode:
        value: TableValue = self.reader.read(what)
        name = what.id if what.kind == "decision" else f"{what.id}.{what.name}"
        table, formula, numbers = None, "", ""
        unit = decision.outputs.get(what.name, decision.type).unit.symbol
        if isinstance(decision.body, Formula):
            formula = formula_text(decision.body.expression)
            numbers = numbers_text(decision.body.expression, lambda node: evaluate(node, scope))
        elif isinstance(decision.body, Table):
            table = self._table(name, decision.body, scope)
        return TraceNode(
            what.kind, name, value, decision.title, unit=unit,
            output=what.name if what.kind == "decision" else "",
            key=self._row_key(what) if what.kind == "column" else "",
            origin="assumed" if self._assumed(what) else "",
            because=filled(decision.because, scope), source=decision.source,
            basis=decision.basis, formula=formula, numbers=numbers, table=table,
            children=self._children(what),
        )  # fmt: skip

    def _assumed(self, what: Read) -> bool:
        name = f"{what.id}.{what.name}" if what.name else what.id
        return name in self.reader.assume

    def _table(self, name: str, table: Table, scope: Scope) -> TraceTable:
        given = frozenset(self.reader.given)
        subjects = [evaluate(node, scope) for node in table.inputs]
        decided = decide(name, table, scope, given, subjects)
        rows = [
            TraceRow(
                item.row.id, _state(item.row.id, item.state, decided), _then(item.row),
                filled(item.row.because, scope), item.row.source,
                failed_cells(table, item, subjects, scope),
                _doubtful(item),
            )
            for item in decided.judged
        ]  # fmt: skip
        if table.otherwise is not None:
            state = "won" if decided.winner == table.otherwise.id else "lost"
            because = filled(table.otherwise.because, scope)
            rows.append(
                TraceRow(
                    table.otherwise.id,
                    state,
                    _then(table.otherwise),
                    because,
                    table.otherwise.source,
                )
            )
        return TraceTable(
            table.hit, _inputs(table.inputs, subjects), tuple(rows), decided.winner,
            near_misses(name, table, decided, subjects, scope, given),
        )  # fmt: skip

    def advice(self, name: str) -> TraceNode:
        """An advice table: its rows that hold have won, those in doubt are maybe."""
        advice, scope = self.book.advice[name], Scope(self.reader)
        address = Read("decision", name)
        holds = self.reader.recorded(address, lambda: self.reader.advice(name))
        subjects = [evaluate(node, scope) for node in advice.inputs]
        rows = []
        as_table = Table("collect", advice.inputs, (), ())
        for row, held in zip(advice.rows, holds, strict=True):
            cells = zip(row.when, subjects, strict=True)
            values = tuple(cell_holds(cell, subject, scope) for cell, subject in cells)
            state: State = "definite" if held is True else "maybe" if held else "out"
            item = Judged(Row(row.id, row.when, ()), values, state)
            rows.append(
                TraceRow(
                    row.id,
                    _ADVICE_STATES[state],
                    row.verdict,
                    filled(row.message, scope),
                    row.source,
                    failed_cells(as_table, item, subjects, scope),
                    _doubtful(item),
                )
            )
        table = TraceTable("collect", _inputs(advice.inputs, subjects), tuple(rows), "")
        return TraceNode(
            "advice",
            name,
            tuple(holds),
            advice.title,
            table=table,
            children=self._children(address),
        )

    # ------------------------------------------------------------ relations and rankings

    def _relation(self, what: Read) -> TraceNode:
        inputs = relation_inputs(self.book, what.id, column_trees(what.name))
        title = NO_TEXT
        if what.id in self.book.relations:
            title = self.book.relations[what.id].title
        elif what.id.removeprefix("catalog.") in self.book.tables:
            title = self.book.tables[what.id.removeprefix("catalog.")].title
        return TraceNode(
            "relation", what.id, self.reader.read(what), title,
            children=tuple(self.node(read) for read in inputs if read.id != what.id),
        )  # fmt: skip

    def _ranking(self, what: Read) -> TraceNode:
        """A ranking or its best row: the order's criteria and everything the order depends on."""
        ranking = self.book.rankings[what.id]
        trees = list(order_trees(ranking))
        inputs = relation_inputs(self.book, ranking.relation, trees)
        children = [self.node(read) for read in inputs]
        if what.kind == "best":
            shown = [read for read in self.reader.reads[what] if read.kind == "column"]
            children = [self.node(read) for read in shown] + children
        criteria = [
            formula_text(node) + (" descending" if down else "") for node, down in ranking.by
        ]
        keep = f"keep {formula_text(ranking.keep)} " if ranking.keep is not None else ""
        name, unit = what.id, ""
        if what.kind == "best":
            name = f"{what.id}.{what.name}"
            column = find_column(self.book.relations[ranking.relation], what.name)
            unit = column.decision.type.unit.symbol
        return TraceNode(
            what.kind, name, self.reader.read(what), ranking.title, unit=unit,
            formula=f"{keep}by {', '.join(criteria)}", children=tuple(children),
        )  # fmt: skip

    def _row_key(self, what: Read) -> str:
        """The key texts of a row, as far as its sources are known."""
        relation = self.book.relations[what.id]
        row = RelationRow(self.reader, relation, what.at)
        parts = []
        for node in relation.key:
            if isinstance(node, tree.Column):
                alias, name = node.alias, node.name
                own = 0 if alias else find_column(relation, name).level
                if (source_index(relation, alias) + 1 if alias else own) > len(what.at):
                    continue
            parts.append(value_text(evaluate(node, row.scope())).strip('"'))
        return " ".join(parts)


def _state(row: str, state: str, decided: Decided) -> str:
    if state == "definite":
        return "won" if decided.winner in (row, "") else "matched"
    return "maybe" if state == "maybe" else "lost"


def _then(row: Row) -> str:
    if isinstance(row.then, Unknown):
        return "unknown"
    return ", ".join(formula_text(node) for node in row.then)


def _inputs(nodes: tuple[tree.Node, ...], subjects: list[Answer]) -> tuple[TraceInput, ...]:
    return tuple(
        TraceInput(formula_text(node), subject, node.type.unit.symbol if node.type else "")
        for node, subject in zip(nodes, subjects, strict=True)
    )


def _doubtful(item: Judged) -> tuple[int, ...]:
    return tuple(i for i, held in enumerate(item.cells) if isinstance(held, UnknownValue))
