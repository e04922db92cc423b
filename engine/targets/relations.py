"""Relations as nested loops, one function each.

Every column and every `where` is computed in the outermost loop it needs, filters first. A
function returns the list of rows, or unknown when its sources are.
"""

from __future__ import annotations

from collections.abc import Container

from engine.book.model import Formula, Relation, RelationColumn, Source, Table
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type
from engine.language.walk import walk
from engine.targets.analysis import safe
from engine.targets.emit import Emitter, Frame
from engine.targets.expressions import output
from engine.targets.rows import Cell, PlainRow, TupleRow
from engine.targets.statements import Assign, Each, If, Leave, Return, Statement
from engine.targets.tables import emit_table
from engine.targets.values import ATOM, CHOICE, Value


def emit_relation(
    emitter: Emitter, relation: Relation, names: Container[str]
) -> tuple[Value, dict[str, Cell]]:
    """The rows in a variable of the enclosing function, and how its columns are read.

    The rows hold the columns in `names`.
    """
    child = Emitter(emitter.module, emitter)
    writer = _RelationWriter(child, relation, names)
    writer.write()
    name = emitter.module.add_function("R", child)
    emitter.use(*child.parameters)
    rows = emitter.fresh("r")
    emitter.out.append(Assign(rows, f"{name}({', '.join(child.parameters)})"))
    nulls = (rows,) if writer.may_be_unknown else ()
    return Value(rows, nulls, ATOM, stored=True), writer.cells()


class RowColumns:
    """The own columns of a row being built, each computed when first needed."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation.id
        self.by_name = {column.decision.id: column for column in relation.columns}
        self.done: dict[str, Value] = {}
        self.levels: dict[str, int] = {}
        self.group_level = next(
            (
                number + 1
                for number, source in enumerate(relation.sources)
                if source.kind == "group"
            ),
            0,
        )

    def level(self, emitter: Emitter, name: str) -> int:
        if name not in self.levels:
            trees = _trees(self.by_name[name])
            self.levels[name] = max((emitter.level(node) for node in trees), default=0)
        return self.levels[name]

    def value(self, emitter: Emitter, name: str) -> Value:
        if name not in self.done:
            column = self.by_name[name]
            with emitter.at(self.level(emitter, name)):
                self.done[name] = self._compute(emitter, column)
        return self.done[name]

    def _compute(self, emitter: Emitter, column: RelationColumn) -> Value:
        body = column.decision.body
        if isinstance(body, Formula):
            return emitter.bind(output(emitter, body.expression), "c")
        assert isinstance(body, Table)
        (value,) = emit_table(emitter, body, f"{self.relation}.{column.decision.id}")
        return emitter.bind(value, "c")

    def declared(self, name: str) -> Type | None:
        return self.by_name[name].decision.type


def _trees(column: RelationColumn) -> list[Node]:
    body = column.decision.body
    if isinstance(body, Formula):
        return [body.expression]
    assert isinstance(body, Table)
    found: list[Node] = list(body.inputs)
    for row in [*body.rows, *([body.otherwise] if body.otherwise is not None else [])]:
        found.extend(row.when)
        if isinstance(row.then, tuple):
            found.extend(row.then)
    return found


class _RelationWriter:
    def __init__(self, emitter: Emitter, relation: Relation, names: Container[str]) -> None:
        self.emitter, self.relation = emitter, relation
        self.held = [column for column in relation.columns if column.decision.id in names]
        self.syntax, self.module = emitter.syntax, emitter.module
        self.columns = RowColumns(relation)
        self.may_be_unknown = False
        self.numbers: list[str] = []
        self.loops: list[tuple[str, str, str]] = []  # (number, item, items) of each source

    def write(self) -> None:
        emitter, relation = self.emitter, self.relation
        emitter.columns = self.columns
        emitter.frames = [Frame([]) for _ in range(len(relation.sources) + 1)]
        rows = emitter.fresh("r")
        emitter.out.append(Assign(rows, self.syntax.empty_list))
        for level in range(len(relation.sources) + 1):
            emitter.current = level
            for node, needs in relation.where:
                if needs == level:
                    self._columns_of(node)
                    self._where(node, level, rows)
            if level < len(relation.sources):
                self._source(level, relation.sources[level])
        emitter.current = len(relation.sources)
        self.values = {
            column.decision.id: self.columns.value(emitter, column.decision.id)
            for column in self.held
        }
        texts = [*self.numbers, *(emitter.full(value) for value in self.values.values())]
        emitter.do(self.syntax.append(rows, self.syntax.listed(texts)))
        self._nest(rows)

    def _nest(self, rows: str) -> None:
        """Put each loop at the end of the level around it."""
        frames = self.emitter.frames
        for level in range(len(self.loops), 0, -1):
            number, item, items = self.loops[level - 1]
            frames[level - 1].out.append(Each(number, item, items, frames[level].out))
        self.emitter.current = 0
        self.emitter.out.append(Return(rows))

    def _columns_of(self, node: Node) -> None:
        """Computes the columns a filter reads, outside of the filter's own branches."""
        needed: set[str] = set()
        waiting = [node]
        while waiting:
            for part in walk(waiting.pop()):
                if isinstance(part, tree.Column) and not part.alias and part.name not in needed:
                    needed.add(part.name)
                    waiting.extend(_trees(self.columns.by_name[part.name]))
        for column in self.relation.columns:
            if column.decision.id in needed:
                self.columns.value(self.emitter, column.decision.id)

    def _where(self, node: Node, level: int, rows: str) -> None:
        if isinstance(node, tree.And):
            # One after the other, so that what the first rejects costs nothing more.
            for part in node.parts:
                self._where(part, level, rows)
            return
        held = self.emitter.emit(node)
        if held.constant is True:
            return
        if self.emitter.open_nulls(held) or held.unknown:
            held = Value(self.emitter.operand(held))
        stop: Statement = Leave("continue") if level else Return(rows)
        self.emitter.out.append(If(self.syntax.negate(held).code, [stop]))

    # ------------------------------------------------------------ sources

    def _source(self, level: int, source: Source) -> None:
        emitter = self.emitter
        number, item = emitter.fresh("i"), emitter.fresh("s")
        self.numbers.append(number)
        if source.kind == "steps":
            self.loops.append((number, item, self._steps(source)))
            emitter.aliases[source.alias] = (level + 1, PlainRow(item))
            return
        rows, cells = self._rows(source)
        if source.kind == "group":
            pair, members = emitter.fresh("g"), emitter.fresh("g")
            emitter.members = (source.name, Value(members, (), ATOM, stored=True))
            self.loops.append((number, pair, rows.code))
            emitter.frames[level + 1].out.extend(self.syntax.unpack([item, members], pair))
        elif source.on:
            self._join(level, source, rows, cells, (number, item))
        else:
            self.loops.append((number, item, rows.code))
        clean = source.kind in ("relation", "group")
        row = TupleRow(item, cells, source.optional, clean)
        emitter.aliases[source.alias] = (level + 1, row)

    def _stop_if_unknown(self, code: str) -> None:
        self.may_be_unknown = True
        self.emitter.out.append(If(self.syntax.is_null(code), [Return(self.syntax.null)]))

    def _rows(self, source: Source) -> tuple[Value, dict[str, Cell]]:
        """The rows of a source and how they are read; unknown rows end the function."""
        emitter, module = self.emitter, self.module
        if source.kind == "table":
            return module.table(emitter, source.name)
        if source.kind == "fact":
            rows, cells = module.fact_rows(emitter, source.name)
        else:
            rows, cells = module.relation(emitter, source.name)
        if emitter.open_nulls(rows):
            self._stop_if_unknown(rows.code)
        if source.kind != "group":
            return rows, cells
        groups = emitter.fresh("g")
        with emitter.at(self._level_of(rows)):
            emitter.out.append(Assign(groups, grouped_code(emitter, source, rows, cells)))
        return Value(groups, (), ATOM, stored=True), group_cells(source, cells)

    def _level_of(self, rows: Value) -> int:
        """Where something made of all rows may be computed: at the start, if they are known."""
        return self.emitter.current if rows.nulls else 0

    def _steps(self, source: Source) -> str:
        emitter = self.emitter
        assert source.start is not None and source.stop is not None and source.step is not None
        nodes = (source.start, source.stop, source.step)
        level = max(emitter.level(node) for node in nodes)
        if not all(safe(node, emitter.declared) for node in nodes):
            level = emitter.current
        with emitter.at(level):
            values = [emitter.emit(node) for node in nodes]
            function = self.module.runtime("steps")
            arguments = ", ".join(value.within(CHOICE) for value in values)
            bound = emitter.bind(emitter.strict(f"{function}({arguments})", values))
        if bound.unknown or emitter.open_nulls(bound):
            self._stop_if_unknown(bound.code)
        return bound.code

    def _join(
        self,
        level: int,
        source: Source,
        rows: Value,
        cells: dict[str, Cell],
        names: tuple[str, str],
    ) -> None:
        """Row numbers through an index; an unknown key matches nothing."""
        emitter, syntax, module = self.emitter, self.syntax, self.module
        number, item = names
        keys = [emitter.bind(emitter.emit(node)) for _, node in source.on]
        columns = [(name, cells[name].position) for name, _ in source.on]
        if source.kind == "table":
            lookup = module.table_index(emitter, source.name, columns)
        else:
            lookup = emitter.fresh("x")
            positions = syntax.listed([str(position) for _, position in columns])
            with emitter.at(self._level_of(rows)):
                call = f"{module.runtime('index')}({rows.code}, {positions})"
                emitter.out.append(Assign(lookup, call))
        found = syntax.found(lookup, [key.code for key in keys])
        nulls = emitter.open_nulls(*keys)
        if any(key.unknown for key in keys):
            found = syntax.no_rows
        elif nulls:
            checks = syntax.both([syntax.not_null(name) for name in nulls])
            found = syntax.choose(checks, found, syntax.no_rows)
        row = f"{rows.code}[{number}]"
        if source.optional:
            found = syntax.or_one_blank(found)
            blank = module.blank_row(max(cell.position for cell in cells.values()) + 1)
            row = syntax.choose(syntax.not_null(number), row, blank)
        emitter.frames[level + 1].out.append(Assign(item, row))
        self.loops.append(("", number, found))

    # ------------------------------------------------------------ for readers of the rows

    def cells(self) -> dict[str, Cell]:
        """Where the relation's columns stand in its rows."""
        first = len(self.relation.sources)
        return {
            column.decision.id: Cell(
                first + place,
                column.decision.type,
                self._nullable(self.values[column.decision.id]),
            )
            for place, column in enumerate(self.held)
        }

    @staticmethod
    def _nullable(value: Value) -> bool:
        return value.unknown or bool(value.nulls)


def grouped_code(emitter: Emitter, source: Source, rows: Value, cells: dict[str, Cell]) -> str:
    """Groups as (values of `by`, member rows), in order of first appearance."""
    positions = [str(cells[name].position) for name in source.by]
    function = emitter.module.runtime("grouped")
    return f"{function}({rows.code}, {emitter.syntax.listed(positions)})"


def group_cells(source: Source, cells: dict[str, Cell]) -> dict[str, Cell]:
    return {
        name: Cell(place, cells[name].type, cells[name].nullable)
        for place, name in enumerate(source.by)
    }
