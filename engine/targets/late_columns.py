"""Columns that nothing in the book reads, computed for the rows that somebody asks for.

Of a relation with such columns the rows are built without them; a function of its own makes
whole rows of those, one by one or all. The sources of a row are found again by their numbers,
as rankings do.
"""

from __future__ import annotations

from engine.book.model import Relation
from engine.targets.emit import Emitter, Frame
from engine.targets.rankings import FinishedColumns, SourceRow
from engine.targets.relations import RowColumns
from engine.targets.rows import Cell
from engine.targets.statements import Assign, Each, Return
from engine.targets.values import ATOM, Value

FEWEST = 3  # columns; for fewer a function of their own gains nothing


def emit_late_columns(
    emitter: Emitter, relation: Relation, rows: Value, cells: dict[str, Cell]
) -> str:
    """A view of `rows`, which hold `cells` alone, as an expression: its rows are whole."""
    child = Emitter(emitter.module, emitter)
    syntax, module = emitter.syntax, emitter.module
    child.frames = [Frame([]), Frame([])]
    given, item, made = child.fresh("r"), child.fresh("s"), child.fresh("r")
    columns = _LateColumns(relation, FinishedColumns(item, cells))
    child.columns = columns
    for place, source in enumerate(relation.sources):
        clean = source.kind in ("relation", "group")
        row = SourceRow(item, place, source, clean)
        child.aliases[source.alias] = (1, row)
        if source.kind == "group":
            child.current = 1
            members = f"{row.groups(child).code}[{item}[{place}]][1]"
            child.members = (source.name, child.bind(Value(members, rank=ATOM), "g"))
    child.current = 1
    texts = [f"{item}[{place}]" for place in range(len(relation.sources))]
    for column in relation.columns:
        name = column.decision.id
        texts.append(
            f"{item}[{cells[name].position}]"
            if name in cells
            else child.full(columns.value(child, name))
        )
    child.do(syntax.append(made, syntax.listed(texts)))
    body = child.out
    child.current = 0
    child.out.insert(0, Assign(made, syntax.empty_list))
    child.out.append(Each("", item, given, body))
    child.out.append(Return(made))
    reads = list(child.parameters)
    child.parameters = {given: None, **child.parameters}
    name = module.add_function("W", child)
    emitter.use(*reads)
    first = len(relation.sources)
    places = [str(place) for place in range(first)]
    names = [column.decision.id for column in relation.columns]
    places += [str(cells[name].position) if name in cells else syntax.null for name in names]
    # What groups are made of is read once for all rows.
    together = syntax.literal(any(source.kind == "group" for source in relation.sources))
    arguments = [name, module.constant(syntax.listed(places)), rows.code, syntax.listed(reads)]
    view = f"{module.runtime('view')}({', '.join([*arguments, together])})"
    return emitter.full(Value(view, rows.nulls))


class _LateColumns(RowColumns):
    """The columns of finished rows: those they hold, and those computed from them."""

    def __init__(self, relation: Relation, finished: FinishedColumns) -> None:
        super().__init__(relation)
        self.finished = finished
        self.group_level = 1

    def level(self, emitter: Emitter, name: str) -> int:
        return 1 if name in self.finished.cells else super().level(emitter, name)

    def value(self, emitter: Emitter, name: str) -> Value:
        if name in self.finished.cells:
            return self.finished.value(emitter, name)
        return super().value(emitter, name)
