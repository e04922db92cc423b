"""A whole book as one module of a script target.

`Module` knows what every fact, parameter, decision and relation is called and what it may be;
`compile_book` walks the book in dependency order and puts the pieces together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.book.model import Book, Curve, Decision, Fact, Formula, Table
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type
from engine.targets.column_reads import columns_read
from engine.targets.conditions import cell_holds, kleene_values
from engine.targets.curves import Curves
from engine.targets.emit import Emitter, RowScope
from engine.targets.expressions import output, unsigned
from engine.targets.late_columns import FEWEST, emit_late_columns
from engine.targets.rankings import emit_ranking
from engine.targets.relations import emit_relation
from engine.targets.rows import Cell, TupleRow
from engine.targets.statements import Assign, If, Return, Statement
from engine.targets.syntax import Syntax
from engine.targets.tables import emit_here, table_function, unpack
from engine.targets.values import ATOM, CHOICE, Value

LIST_KINDS = frozenset({"list", "records", "distribution"})
# Of a table whose inputs are known, by place: a call, and which outputs may be unknown.
Quick = tuple[str, list[bool]]
Dispatch = Callable[[Emitter, Table, dict[int, Value], str], "Quick | None"]


class Module:
    def __init__(
        self,
        book: Book,
        syntax: Syntax,
        dispatch: Dispatch | None = None,
        *,
        coverage: bool = False,
        late_columns: bool = False,
    ) -> None:
        self.book, self.syntax = book, syntax
        # Columns held by the rows of a relation, where some are only computed when asked for.
        self.held = _held(book) if late_columns else {}
        # Table rows and branches by place in `hits_`; None when they are not counted.
        self.marks: dict[tuple[str, ...], int] | None = {} if coverage else None
        self.implies: dict[str, frozenset[str]] = {}
        self.curves = Curves(self)
        self.functions: list[str] = []
        self.constants: list[str] = []
        self.runtime_used: dict[str, None] = {}
        self.labels: dict[str, tuple[str, str]] = {}  # variable: what it holds
        self.exported: list[tuple[str, str, tuple[str, ...]]] = []  # decision, function, reads
        self.facts: dict[str, Value] = {}
        self.decisions: dict[tuple[str, str], Value] = {}
        self.advice: dict[str, list[str]] = {}
        self.relations: dict[str, tuple[Value, dict[str, Cell]]] = {}
        self.views: dict[str, str] = {}
        self.rankings: dict[str, Value] = {}
        self._best: dict[str, str] = {}
        self._dispatch = dispatch
        self._count = 0
        self._reads: dict[object, str] = {}
        self._constant_names: dict[str, str] = {}
        self.prelude: list[Statement] = []
        self.root = Emitter(self)

    # ------------------------------------------------------------ names, constants, functions

    def name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def constant(self, code: str) -> str:
        """A constant of the module; equal ones are kept once."""
        if code not in self._constant_names:
            name = self.name("Q")
            self._constant_names[code] = name
            self.constants.append(self.syntax.constant(name, code))
        return self._constant_names[code]

    def late_constant(self, code: str) -> str:
        """A constant that names functions written so far."""
        name = self.name("Q")
        self.functions.append(self.syntax.constant(name, code))
        return name

    def runtime(self, function: str) -> str:
        self.runtime_used[function] = None
        return f"{function}_"

    def add_function(self, prefix: str, emitter: Emitter) -> str:
        name = self.name(prefix)
        names = [local for local in emitter.locals if local not in emitter.parameters]
        body = emitter.frames[0].out
        self.functions.append(self.syntax.function(name, list(emitter.parameters), names, body))
        return name

    def mark(self, *label: str) -> list[Statement]:
        """Notes at run time that a row answered or a branch was taken, when that is asked for."""
        if self.marks is None:
            return []
        place = self.marks.setdefault(label, len(self.marks))
        return [Assign(f"hits_[{place}]", "1")]

    def dispatch(
        self, emitter: Emitter, table: Table, subjects: dict[int, Value], label: str
    ) -> Quick | None:
        """A faster form than an if-chain, where the target has one."""
        return None if self._dispatch is None else self._dispatch(emitter, table, subjects, label)

    def blank_row(self, width: int) -> str:
        return self.constant(self.syntax.listed([self.syntax.null] * width))

    # ------------------------------------------------------------ inputs of the run

    def _read(self, address: object, prefix: str, code: str) -> str:
        """A variable set once, when the run starts."""
        if address not in self._reads:
            name = self.root.fresh(prefix)
            self._reads[address] = name
            self.prelude.append(Assign(name, code))
        return self._reads[address]

    def fact(self, path: str) -> Value:
        return self.facts[path]

    def parameter(self, id: str) -> Value:
        name = self._read(("parameter", id), "p", self.syntax.parameter(id))
        self.labels[name] = ("parameter", id)
        return Value(name, (), ATOM, stored=True)

    def decision(self, id: str, output: str) -> Value:
        return self.decisions[id, output]

    def table(self, emitter: Emitter, name: str) -> tuple[Value, dict[str, Cell]]:
        rows = self._read(("table", name), "T", self.syntax.table_rows(name))
        emitter.use(rows)
        schema = self.book.tables[name]
        cells = {
            column.name: Cell(position, column.type, column.type.nullable)
            for position, column in enumerate(schema.columns)
        }
        return Value(rows, (), ATOM, stored=True), cells

    def table_index(self, emitter: Emitter, name: str, columns: Sequence[tuple[str, int]]) -> str:
        code = self.syntax.table_index(name, columns)
        index = self._read(("index", name, tuple(columns)), "X", code)
        emitter.use(index)
        return index

    def fact_rows(self, emitter: Emitter, path: str) -> tuple[Value, dict[str, Cell]]:
        fact = self.book.facts[path]
        cells = {
            item.name: Cell(position, item.type, item.type.nullable)
            for position, item in enumerate(fact.fields)
        }
        if not cells:
            cells = {"value": Cell(0, None, False)}
        return emitter.read(self.facts[path]), cells

    def relation(self, emitter: Emitter, id: str) -> tuple[Value, dict[str, Cell]]:
        rows, cells = self.relations[id]
        return emitter.read(rows), cells

    def rows(self, emitter: Emitter, relation: str) -> tuple[Value, Callable[[str], RowScope]]:
        """What an aggregate runs over."""
        if relation == "members":
            return self._members(emitter)
        if relation in self.relations:
            rows, cells = self.relation(emitter, relation)
        elif relation in self.book.facts:
            rows, cells = self.fact_rows(emitter, relation)
        else:
            rows, cells = self.table(emitter, relation.removeprefix("catalog."))
        return rows, lambda item: TupleRow(item, cells, clean=relation in self.relations)

    def _members(self, emitter: Emitter) -> tuple[Value, Callable[[str], RowScope]]:
        inner: Emitter | None = emitter
        while inner is not None and inner.members is None:
            inner = inner.parent
        if inner is None or inner.members is None:
            raise LookupError("members outside a group")
        relation, rows = inner.members
        cells = self.relations[relation][1]
        return emitter.read(rows), lambda item: TupleRow(item, cells, clean=True)

    # ------------------------------------------------------------ lookups and rankings

    def lookup_row(self, emitter: Emitter, table: str, key: Value) -> Value:
        """The row with that key in a variable, unknown when there is none."""
        schema = self.book.tables[table]
        rows, cells = self.table(emitter, table)
        index = self.table_index(emitter, table, [(schema.key, cells[schema.key].position)])
        function = self.runtime("lookup")
        found = emitter.strict(f"{function}({rows.code}, {index}, {key.within(CHOICE)})", [key])
        name = emitter.fresh("w")
        emitter.out.append(Assign(name, emitter.full(found)))
        self.implies[name] = emitter.closure(found.nulls)
        return Value(name, (name,), ATOM, stored=True)

    def cell(self, emitter: Emitter, table: str, column: str, row: Value) -> Value:
        cell = self.table(emitter, table)[1][column]
        if not cell.nullable:
            return Value(f"{row.code}[{cell.position}]", row.nulls, ATOM)
        name = emitter.fresh("v")
        code = f"{row.code}[{cell.position}]"
        emitter.out.append(Assign(name, emitter.full(Value(code, row.nulls))))
        self.implies[name] = emitter.closure(row.nulls)
        return Value(name, (name,), ATOM, stored=True)

    def best(self, emitter: Emitter, ranking: str, column: str) -> Value:
        winner = self._best[ranking]
        emitter.use(winner)
        cells = self.relations[self.book.rankings[ranking].relation][1]
        cell = cells[column]
        row = Value(winner, (winner,), ATOM, stored=True)
        if not cell.nullable:
            return Value(f"{winner}[{cell.position}]", row.nulls, ATOM)
        name = emitter.fresh("v")
        emitter.out.append(
            Assign(name, emitter.full(Value(f"{winner}[{cell.position}]", row.nulls)))
        )
        return Value(name, (name,), ATOM, stored=True)

    def declared(self, node: Node) -> Type | None:
        """The declared type of what a node outside rows reads."""
        match node:
            case tree.Fact(path=path):
                return self.book.facts[path].type
            case tree.Parameter(id=id):
                return self.book.parameters[id].type
            case tree.DecisionValue(id=id, output=output):
                body = self.book.decisions[id].body
                if output and isinstance(body, Table):
                    return next(part.type for part in body.outputs if part.name == output)
                return self.book.decisions[id].type
            case tree.Lookup(table=table, column=column):
                found = self.book.tables[table].column(column)
                return None if found is None else found.type
            case tree.Best(ranking=ranking, column=column):
                return self.relations[self.book.rankings[ranking].relation][1][column].type
        return None

    # ------------------------------------------------------------ the book

    def write(self) -> None:
        """Fills the root function with the whole book."""
        for fact in self.book.facts.values():
            self._given(fact)
        writers: dict[str, Callable[[str], None]] = {
            "fact": self._complete,
            "decision": self._decide,
            "advice": self._advise,
            "relation": self._relate,
            "ranking": self._rank,
        }
        for kind, id in self.book.order:
            writers[kind](id)
        self.root.out.append(Return(self._result()))
        self.root.out[:0] = self.prelude

    def _given(self, fact: Fact) -> None:
        name = self._read(("fact", fact.path), "f", self.syntax.fact(fact.path))
        self.labels[name] = ("fact", fact.path)
        nulls: tuple[str, ...] = (name,)
        if fact.kind in LIST_KINDS and not fact.asked and not fact.optional:
            empty: list[Statement] = [Assign(name, self.syntax.no_rows)]
            self.prelude.append(If(self.syntax.is_null(name), empty))
            nulls = ()
        self.facts[fact.path] = Value(name, nulls, ATOM, stored=True)
        kind = fact.type
        if fact.kind not in LIST_KINDS and kind.kind == "number" and kind.low <= 0 <= kind.high:
            value = self.root.full(unsigned(self.root, self.facts[fact.path]))
            self.prelude.append(Assign(name, value))

    def _complete(self, path: str) -> None:
        """A fact that is not given takes what is derived, else its default."""
        fact, root = self.book.facts[path], self.root
        if fact.kind in LIST_KINDS:
            return
        name = self.facts[path].code
        open_ = True
        statements = root.out
        for node in (fact.derive, fact.default):
            if node is None or not open_:
                continue
            with root.branch() as body:
                value = output(root, node)
                body.append(Assign(name, root.full(value)))
                open_ = value.unknown or bool(root.open_nulls(value))
            statements.append(If(self.syntax.is_null(name), body))
        if not open_:
            self.facts[path] = Value(name, (), ATOM, stored=True)

    def _decide(self, id: str) -> None:
        decision, root = self.book.decisions[id], self.root
        body = decision.body
        if isinstance(body, Curve):
            return
        if isinstance(body, Formula):
            value = output(root, body.expression)
            if value.constant is None and not value.unknown:
                value = root.store(value, root.fresh("d"))
            self._name_decision(id, "", value)
            return
        self._decide_table(decision, body)

    def _decide_table(self, decision: Decision, table: Table) -> None:
        root = self.root
        if not any(cell.tests for row in table.rows for cell in row.when):
            values = emit_here(root, table, decision.id)
        else:
            function, nullable, child = table_function(root, table, decision.id)
            reads = tuple(child.parameters)
            values = unpack(root, f"{function}({', '.join(reads)})", nullable)
            if all(name in self.labels for name in reads):
                labels = tuple(self.labels[name][1] for name in reads)
                self.exported.append((decision.id, function, labels))
        names = [""] if len(values) == 1 else [output.name for output in table.outputs]
        for name, value in zip(names, values, strict=True):
            self._name_decision(decision.id, name, value)

    def _name_decision(self, id: str, output: str, value: Value) -> None:
        self.decisions[id, output] = value
        if value.stored:
            self.labels.setdefault(value.code, ("decision", f"{id}.{output}" if output else id))

    def _advise(self, id: str) -> None:
        advice, root = self.book.advice[id], self.root
        used = [
            index
            for index in range(len(advice.inputs))
            if any(row.when[index].tests for row in advice.rows)
        ]
        subjects = {index: root.bind(root.emit(advice.inputs[index])) for index in used}
        found = []
        for row in advice.rows:
            cells = [cell_holds(root, subjects[i], row.when[i]) for i in used if row.when[i].tests]
            value = kleene_values(root, cells, conjunction=True)
            found.append(root.full(root.bind(value)))
        self.advice[id] = found

    def _relate(self, id: str) -> None:
        relation = self.book.relations[id]
        names = self.held.get(id)
        if names is None:
            names = {column.decision.id for column in relation.columns}
        rows, cells = self.relations[id] = emit_relation(self.root, relation, names)
        self.views[id] = self.root.full(rows)
        if id in self.held:
            self.views[id] = emit_late_columns(self.root, relation, rows, cells)

    def _rank(self, id: str) -> None:
        ranking, root = self.book.rankings[id], self.root
        result = emit_ranking(root, ranking, self.book.relations[ranking.relation])
        self.rankings[id] = result
        winner = Value(f"{result.code}[3]", result.nulls, ATOM)
        name = root.fresh("b")
        root.out.append(Assign(name, root.full(winner)))
        self._best[id] = name

    def _result(self) -> str:
        mapping, root = self.syntax.mapping, self.root
        facts = [
            (path, root.full(self.facts[path]))
            for path, fact in self.book.facts.items()
            if fact.kind not in LIST_KINDS
        ]
        decisions = [
            (f"{id}.{output}" if output else id, root.full(value))
            for (id, output), value in self.decisions.items()
        ]
        advice = [(id, self.syntax.listed(rows)) for id, rows in self.advice.items()]
        relations = list(self.views.items())
        rankings = [(id, self._ranking(value)) for id, value in self.rankings.items()]
        return mapping(
            [
                ("facts", mapping(facts)),
                ("decisions", mapping(decisions)),
                ("advice", mapping(advice)),
                ("relations", mapping(relations)),
                ("rankings", mapping(rankings)),
            ]
        )

    def _ranking(self, result: Value) -> str:
        names = ("order", "undecided", "pareto")
        parts = [(name, f"{result.code}[{place}]") for place, name in enumerate(names)]
        return self.root.full(Value(self.syntax.mapping(parts), result.nulls))


def _held(book: Book) -> dict[str, set[str]]:
    """Of each relation with enough columns that the book does not read: those that it does."""
    read = columns_read(book)
    return {
        id: read[id]
        for id, relation in book.relations.items()
        if len(relation.columns) - len(read[id]) >= FEWEST
    }
