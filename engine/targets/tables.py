"""Decision tables: an if-chain where every input is known, bit sets where one is missing.

With all inputs known the first row whose cells hold answers, so a chain of conditions is all
there is to emit. When an input is missing, a row may hold or not: `yes` is the set of rows that
certainly hold, `possible` that of the rows that are not out, and the answer is known only if
every possible row before the first certain one gives the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.book.model import Row, Table, Unknown
from engine.language import tree
from engine.targets.analysis import safe, same_tree_key
from engine.targets.conditions import cell_holds, kleene_values
from engine.targets.emit import Emitter
from engine.targets.narrowing import steps
from engine.targets.statements import Assign, If, Return, Statement
from engine.targets.table_bits import (
    BitSetWriter,
    collected,
    literal_rank,
    rank_orders,
    returned,
    row_values,
)
from engine.targets.values import ATOM, Value

# Larger tables get a function of their own: outside loops, where one call costs little, and in
# loops, where a call costs as much as testing several rows.
INLINE_ROWS = 8
INLINE_ROWS_IN_LOOPS = 40


def emit_table(emitter: Emitter, table: Table, label: str) -> list[Value]:
    """The outputs of a table, each a variable (or a constant); `label` names it in coverage."""
    if len(table.rows) > (INLINE_ROWS_IN_LOOPS if emitter.current > 0 else INLINE_ROWS):
        return _in_function(emitter, table, label)
    return emit_here(emitter, table, label)


def emit_here(emitter: Emitter, table: Table, label: str) -> list[Value]:
    return TableWriter(emitter, table, label).write()


def _in_function(emitter: Emitter, table: Table, label: str) -> list[Value]:
    name, nullable, child = table_function(emitter, table, label)
    call = f"{name}({', '.join(child.parameters)})"
    emitter.use(*child.parameters)
    return unpack(emitter, call, nullable)


def table_function(emitter: Emitter, table: Table, label: str) -> tuple[str, list[bool], Emitter]:
    """A function of what the table reads, and which of its outputs may be unknown.

    In a loop the inputs are computed outside the function, where they may move further out.
    """
    child = Emitter(emitter.module, emitter)
    writer = TableWriter(child, table, label)
    if emitter.current > 0:
        writer.subjects = {
            index: child.read(emitter.bind(emitter.emit(table.inputs[index])))
            for index in writer.used
        }
    nullable = writer.write_returning()
    return emitter.module.add_function("D", child), nullable, child


def unpack(emitter: Emitter, call: str, nullable: Sequence[bool]) -> list[Value]:
    """The results of a function in variables."""
    names = [emitter.fresh() for _ in nullable]
    if len(names) == 1:
        emitter.out.append(Assign(names[0], call))
    else:
        emitter.out.extend(emitter.syntax.unpack(names, call))
    return [
        Value(name, (name,) if may_be_unknown else (), ATOM, stored=True)
        for name, may_be_unknown in zip(names, nullable, strict=True)
    ]


class TableWriter:
    """Writes one table. `subjects`: the values of its inputs, where they are computed."""

    def __init__(
        self,
        emitter: Emitter,
        table: Table,
        label: str,
        subjects: dict[int, Value] | None = None,
    ) -> None:
        self.emitter, self.syntax, self.table = emitter, emitter.syntax, table
        self.label = label
        self.width = len(table.outputs)
        self.subjects: dict[int, Value] = subjects or {}
        self.used = [
            index
            for index in range(len(table.inputs))
            if any(row.when[index].tests for row in table.rows)
        ]

    def _prepare(self) -> tuple[tuple[str, ...], bool]:
        """What must be known for the chain of conditions, and whether there can be one."""
        emitter, table = self.emitter, self.table
        if not self.subjects:
            self.subjects = {i: emitter.bind(emitter.emit(table.inputs[i])) for i in self.used}
        operands = [
            emitter.emit(part)
            for row in table.rows
            for index in self.used
            for test in row.when[index].tests
            for part in (test.low, test.high)
            if part is not None and not isinstance(part, tree.Literal)
        ]
        everything = [*self.subjects.values(), *operands]
        never = any(value.unknown for value in everything)
        ordered = table.hit != "priority" or self._literal_outputs()
        return emitter.open_nulls(*everything), ordered and not never

    def write(self) -> list[Value]:
        """The table in place."""
        emitter, table = self.emitter, self.table
        nulls, fast = self._prepare()
        if fast and not nulls:
            return self._known()
        names = [emitter.fresh() for _ in table.outputs]
        with emitter.branch() as slow:
            self._call_bitset(names)
        if not fast:
            emitter.out.extend(slow)
        else:
            with emitter.branch(emitter.closure(nulls)) as quick:
                self._known(names)
            checks = self.syntax.both([self.syntax.not_null(name) for name in nulls])
            emitter.out.append(If(checks, quick, slow))
        return [Value(name, (name,), ATOM, stored=True) for name in names]

    def write_returning(self) -> list[bool]:
        """The table as the body of a function; says which outputs may be unknown."""
        emitter = self.emitter
        nullable = [False] * self.width
        if self.table.hit == "collect":
            values = self.write()
            emitter.out.append(Return(returned(emitter, values)))
            return [True] * self.width
        nulls, fast = self._prepare()
        if fast and not nulls:
            emitter.out.extend(self._returning(nullable))
            return nullable
        if fast:
            with emitter.branch(emitter.closure(nulls)) as quick:
                quick.extend(self._returning(nullable))
            checks = self.syntax.both([self.syntax.not_null(name) for name in nulls])
            emitter.out.append(If(checks, quick))
        emitter.out.append(Return(self._bitset_call()))
        return [True] * self.width

    def _returning(self, nullable: list[bool]) -> list[Statement]:
        quick = self.emitter.module.dispatch(self.emitter, self.table, self.subjects, self.label)
        if quick is not None:
            code, may_be_unknown = quick
            nullable[:] = may_be_unknown
            return [Return(code)]
        return self._chain(self._ordered(), (), nullable)

    def write_chain(self) -> list[bool]:
        """The body of a function for known inputs; says which outputs may be unknown."""
        nullable = [False] * self.width
        self.emitter.out.extend(self._chain(self._ordered(), (), nullable))
        return nullable

    def _literal_outputs(self) -> bool:
        rows = [*self.table.rows, *([self.table.otherwise] if self.table.otherwise else [])]
        return all(
            not isinstance(row.then, Unknown)
            and all(isinstance(node, tree.Literal) for node in row.then)
            for row in rows
        )

    # ------------------------------------------------------------ every input known

    def _known(self, into: Sequence[str] = ()) -> list[Value]:
        """The outputs in new variables, or in those given."""
        if self.table.hit == "collect":
            values = self._collect_known()
            for name, value in zip(into, values, strict=False):
                self.emitter.out.append(Assign(name, self.emitter.full(value)))
            return values
        names = list(into) or [self.emitter.fresh() for _ in self.table.outputs]
        nullable = [False] * self.width
        self.emitter.out.extend(self._chain(self._ordered(), names, nullable))
        return [
            Value(name, (name,) if may_be_unknown else (), ATOM, stored=True)
            for name, may_be_unknown in zip(names, nullable, strict=True)
        ]

    def _ordered(self) -> list[Row]:
        """Rows in the order in which the first that holds answers."""
        rows = list(self.table.rows)
        if self.table.hit != "priority":
            return rows
        ranks = rank_orders(self.table)
        return sorted(rows, key=lambda row: literal_rank(row, ranks))

    def _chain(
        self, rows: Sequence[Row], names: Sequence[str], nullable: list[bool]
    ) -> list[Statement]:
        """`if row 1: … elif row 2: …`, built from the last row up."""
        kinds = {index: self.table.inputs[index].type for index in self.used}
        tried = list(steps(rows, kinds))
        statements: list[Statement] = []
        if not tried or tried[-1].columns:
            statements = self._last(names, nullable)
        for step in reversed(tried):
            condition = self._condition(step.row, step.columns)
            if condition.constant is False:
                continue
            body = self._outputs(step.row, names, nullable)
            if condition.constant is True:
                statements = body
            else:
                statements = [If(condition.code, body, statements)]
        return statements

    def _last(self, names: Sequence[str], nullable: list[bool]) -> list[Statement]:
        if self.table.otherwise is not None:
            return self._outputs(self.table.otherwise, names, nullable)
        for index, output in enumerate(self.table.outputs):
            nullable[index] |= output.type.nullable
        return self._deliver([self.emitter.unknown()] * self.width, names)

    def _deliver(self, values: Sequence[Value], names: Sequence[str]) -> list[Statement]:
        """Outputs into variables, or without any names the end of the function."""
        if not names:
            return [Return(returned(self.emitter, values))]
        return [
            Assign(name, self.emitter.full(value))
            for name, value in zip(names, values, strict=True)
        ]

    def _condition(self, row: Row, columns: Sequence[int]) -> Value:
        cells = [self._cell(index, row.when[index]) for index in columns]
        return kleene_values(self.emitter, cells, conjunction=True)

    def _cell(self, index: int, cell: tree.Cell) -> Value:
        """A cell's condition, computed in the outermost loop that it needs."""
        emitter, subject = self.emitter, self.subjects[index]
        level = emitter.current
        nodes = (self.table.inputs[index], cell)
        if level > 0 and all(safe(node, emitter.declared) for node in nodes):
            level = max(emitter.level(node) for node in nodes)
        if level == emitter.current:
            return cell_holds(emitter, subject, cell)
        with emitter.at(level):
            key = ("cell", subject.code, same_tree_key(cell))
            found = emitter.frame.find(key)
            if found is None:
                found = emitter.bind(cell_holds(emitter, subject, cell))
                emitter.frame.caches[-1][key] = found
        return found

    def _outputs(self, row: Row, names: Sequence[str], nullable: list[bool]) -> list[Statement]:
        with self.emitter.branch() as body:
            values = row_values(self.emitter, self.table, row)
            for index, value in enumerate(values):
                nullable[index] |= value.unknown or bool(self.emitter.open_nulls(value))
            body.extend(self.emitter.module.mark("row", self.label, row.id))
            body.extend(self._deliver(values, names))
        return body

    def _collect_known(self) -> list[Value]:
        emitter, table, syntax = self.emitter, self.table, self.syntax
        lists = [emitter.fresh() for _ in table.outputs]
        emitter.out.extend(Assign(name, syntax.empty_list) for name in lists)
        for row in table.rows:
            used = [index for index in self.used if row.when[index].tests]
            condition = self._condition(row, used)
            with emitter.branch() as body:
                for name, value in zip(lists, row_values(emitter, table, row), strict=True):
                    emitter.do(syntax.append(name, emitter.full(value)))
            body.extend(emitter.module.mark("row", self.label, row.id))
            if condition.constant is True:
                emitter.out.extend(body)
            elif condition.constant is not False:
                emitter.out.append(If(condition.code, body))
        return collected(emitter, table, lists)

    # ------------------------------------------------------------ some input missing

    def _bitset_call(self) -> str:
        """A call of the function that also answers when inputs are missing."""
        child = Emitter(self.emitter.module, self.emitter)
        subjects = {index: child.read(value) for index, value in self.subjects.items()}
        BitSetWriter(child, self.table, self.label, subjects).write()
        function = self.emitter.module.add_function("U", child)
        self.emitter.use(*child.parameters)
        return f"{function}({', '.join(child.parameters)})"

    def _call_bitset(self, names: Sequence[str]) -> None:
        call = self._bitset_call()
        if len(names) == 1:
            self.emitter.out.append(Assign(names[0], call))
        else:
            self.emitter.out.extend(self.syntax.unpack(names, call))
