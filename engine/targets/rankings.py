"""Rankings: one function each, over the rows of a finished relation.

The function gives [order, undecided, pareto flags, row of the winner]; the winner is unknown
when one of its `by` values is.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from engine.book.model import Curve, Formula, Ranking, Relation, Source, Table
from engine.language import tree
from engine.language.tree import Node
from engine.language.types import Type
from engine.targets.analysis import same_tree_key
from engine.targets.emit import Emitter, Frame
from engine.targets.relations import group_cells, grouped_code
from engine.targets.rows import Cell, TupleRow, read_cell
from engine.targets.statements import Assign, Do, Each, If, Return, Statement
from engine.targets.values import ADD, ATOM, CHOICE, Value

LAST_TEXT = "\U0010ffff"  # after every text


def emit_ranking(emitter: Emitter, ranking: Ranking, relation: Relation) -> Value:
    """The call's result in a variable of the enclosing function."""
    child = Emitter(emitter.module, emitter)
    rows, cells = emitter.module.relation(child, relation.id)
    _RankingWriter(child, ranking, relation, rows, cells).write()
    name = emitter.module.add_function("K", child)
    emitter.use(*child.parameters)
    result = emitter.fresh("k")
    emitter.out.append(Assign(result, f"{name}({', '.join(child.parameters)})"))
    return Value(result, (result,) if rows.nulls else (), ATOM, stored=True)


@dataclass(frozen=True, slots=True)
class FinishedColumns:
    """The own columns of a finished row."""

    item: str
    cells: dict[str, Cell]
    group_level: int = 1

    def level(self, emitter: Emitter, name: str) -> int:
        return 1

    def value(self, emitter: Emitter, name: str) -> Value:
        cell = self.cells[name]
        with emitter.at(1):
            found = emitter.frame.find(("own", name))
            if found is None:
                found = emitter.bind(
                    read_cell(emitter, self.item, cell.position, cell.nullable), "v"
                )
                emitter.frame.caches[-1][("own", name)] = found
        return found

    def declared(self, name: str) -> Type | None:
        return self.cells[name].type


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source of a finished row, found again by its row number."""

    item: str
    place: int
    source: Source
    clean: bool = False

    def column(self, emitter: Emitter, name: str) -> Value:
        module, syntax, source = emitter.module, emitter.syntax, self.source
        number = f"{self.item}[{self.place}]"
        if source.kind == "steps":
            assert source.start is not None and source.step is not None
            start, step = emitter.emit(source.start), emitter.emit(source.step)
            code = f"{start.within(ADD)} + {number} * {step.within(ATOM)}"
            return emitter.strict(code, [start, step], ADD)
        rows, cells = self._rows(emitter)
        address = ("source", source.alias)
        row = emitter.frame.find(address)
        if row is None:
            code = f"{rows.code}[{number}]"
            if source.kind == "group":
                code += "[0]"
            if source.optional:
                blank = module.blank_row(max(cell.position for cell in cells.values()) + 1)
                code = syntax.choose(syntax.not_null(number), code, blank)
            row = emitter.bind(Value(code, rank=CHOICE), "s")
            emitter.frame.caches[-1][address] = row
        return TupleRow(row.code, cells, source.optional).column(emitter, name)

    def _rows(self, emitter: Emitter) -> tuple[Value, dict[str, Cell]]:
        module, source = emitter.module, self.source
        if source.kind == "table":
            return module.table(emitter, source.name)
        if source.kind == "fact":
            return module.fact_rows(emitter, source.name)
        rows, cells = module.relation(emitter, source.name)
        if source.kind == "relation":
            return rows, cells
        return self.groups(emitter), group_cells(source, cells)

    def groups(self, emitter: Emitter) -> Value:
        """The groups that the row is one of, each with its members."""
        source, syntax = self.source, emitter.syntax
        rows, cells = emitter.module.relation(emitter, source.name)
        with emitter.at(0):
            address = ("groups", source.alias)
            groups = emitter.frame.find(address)
            if groups is None:
                code = grouped_code(emitter, source, rows, cells)
                if rows.nulls:
                    # No rows can come of an unknown relation, but a filter may run before it.
                    code = syntax.choose(syntax.not_null(rows.code), code, syntax.no_rows)
                groups = emitter.bind(Value(code, rank=CHOICE), "g")
                emitter.frame.caches[-1][address] = groups
        return groups

    def declared(self, name: str) -> Type | None:
        return None


class _RankingWriter:
    def __init__(
        self,
        emitter: Emitter,
        ranking: Ranking,
        relation: Relation,
        rows: Value,
        cells: dict[str, Cell],
    ) -> None:
        self.emitter, self.syntax, self.module = emitter, emitter.syntax, emitter.module
        self.ranking, self.relation, self.rows = ranking, relation, rows
        self.number, self.item = emitter.fresh("i"), emitter.fresh("s")
        emitter.columns = FinishedColumns(self.item, cells)
        for place, source in enumerate(relation.sources):
            emitter.aliases[source.alias] = (1, SourceRow(self.item, place, source))
        self.formulas = {
            key: column.decision.id
            for column in relation.columns
            for key in [_formula_key(column.decision.body)]
            if key is not None and column.decision.id in cells
        }

    def write(self) -> None:
        emitter, syntax = self.emitter, self.syntax
        emitter.frames = [Frame([]), Frame([])]
        kept, undecided = emitter.fresh(), emitter.fresh()
        if self.rows.nulls:
            unknown: list[Statement] = [Return(syntax.null)]
            emitter.out.append(If(syntax.is_null(self.rows.code), unknown))
        emitter.out.extend(Assign(name, syntax.empty_list) for name in (kept, undecided))
        emitter.current = 1
        by, kinds = self._row(kept, undecided)
        body = emitter.out
        emitter.current = 0
        emitter.out.append(Each(self.number, self.item, self.rows.code, body))
        kinds_code = syntax.listed([str(kind) for kind in kinds])
        axes = syntax.literal(self.ranking.pareto is not None)
        arguments = f"{self.rows.code}, {kept}, {undecided}, {kinds_code}, {by}, {axes}"
        emitter.out.append(Return(f"{self.module.runtime('ranked')}({arguments})"))

    def _row(self, kept: str, undecided: str) -> tuple[str, list[int]]:
        """Writes what is done for each row.

        Gives how many sort keys come of `by` (unknown when one of them is never known, so that
        nothing can be the best), and the kinds of all keys.
        """
        emitter, syntax, ranking = self.emitter, self.syntax, self.ranking
        keep = None if ranking.keep is None else emitter.emit(ranking.keep)
        if keep is not None and (keep.unknown or emitter.open_nulls(keep)):
            keep = emitter.bind(keep)
            maybe = syntax.is_null(keep.code)
            emitter.out.append(If(maybe, [Do(syntax.append(undecided, self.number))]))
        with emitter.branch() as body:
            parts, kinds = [], []
            never = False
            for node, descending in ranking.by:
                value = emitter.bind(emitter.emit(node))
                if value.unknown:
                    never = True
                    continue
                parts.append(self._sort_key(value, node, descending))
                text = node.type is not None and node.type.kind == "text"
                kinds.append(-1 if text and descending else int(text))
            by = len(parts)
            for node in self.relation.key:
                value = emitter.bind(emitter.emit(self._own(node)))
                if not value.unknown:
                    parts.append(self._sort_key(value, node, False))
                    kinds.append(1 if node.type is None or node.type.kind == "text" else 0)
            axes = []
            if ranking.pareto is not None:
                axes = [emitter.full(emitter.emit(node)) for node in ranking.pareto]
            entry = syntax.listed([*parts, self.number, *axes])
            emitter.do(syntax.append(kept, entry))
        if keep is None:
            emitter.out.extend(body)
        else:
            emitter.out.append(If(keep.code, body))
        return syntax.null if never else str(by), kinds

    def _own(self, node: Node) -> Node:
        """A key as the row's own column where one holds just that."""
        name = self.formulas.get(same_tree_key(node))
        return node if name is None else tree.Column("", name, type=node.type)

    def _sort_key(self, value: Value, node: Node, descending: bool) -> str:
        """Unknown sorts last either way; descending texts are left to the sort itself."""
        syntax, code = self.syntax, value.within(ATOM)
        kind = node.type.kind if node.type is not None else "text"
        last = syntax.infinity
        if kind == "text":
            if descending:
                return self.emitter.full(value)
            last = syntax.literal(LAST_TEXT)
        elif kind == "boolean":
            code = f"1 - {code}" if descending else code
        elif descending:
            code = f"-{code}"
        nulls = self.emitter.open_nulls(value)
        if not nulls:
            return code
        return syntax.choose(syntax.both([syntax.not_null(n) for n in nulls]), code, last)


def _formula_key(body: Formula | Table | Curve) -> Hashable | None:
    if not isinstance(body, Formula):
        return None
    kind = body.expression.type
    text = kind is not None and kind.kind == "text"
    return same_tree_key(body.expression) if text else None
