"""What an evaluation reached, to tell what the examples of a book leave untouched."""

from __future__ import annotations

from typing import Any

from engine.book.model import Table
from engine.language import tree
from engine.reference.tables import Decided
from engine.reference.values import UnknownValue

Hit = tuple[Any, ...]


class Hits:
    """`reached` holds ("row", decision, row) for a row that answered or was collected,
    ("near", decision, row) for one that lost by one cell, ("cell", decision, row, column, held)
    for cells that were true or false, ("advice", table, row) for a row that held,
    ("segment", curve, key, number) and, for conditionals, (id of the node, "then" or "else").

    Nothing counts while `watching` is False: of a relation with thousands of rows some row
    reaches everything.
    """

    def __init__(self) -> None:
        self.reached: set[Hit] = set()
        self.watching = True

    def table(self, name: str, table: Table, decided: Decided) -> None:
        if not self.watching:
            return
        if decided.winner:
            self.reached.add(("row", name, decided.winner))
        for item in decided.judged:
            for column, held in enumerate(item.cells):
                if not isinstance(held, UnknownValue):
                    self.reached.add(("cell", name, item.row.id, column, held))
            if item.state == "definite" and table.hit == "collect":
                self.reached.add(("row", name, item.row.id))
            elif sum(held is False for held in item.cells) == 1:
                self.reached.add(("near", name, item.row.id))

    def advice(self, table: str, row: str) -> None:
        self.reached.add(("advice", table, row))

    def segment(self, curve: str, key: str, number: int) -> None:
        if self.watching:
            self.reached.add(("segment", curve, key, number))

    def branch(self, node: tree.If, taken: str) -> None:
        if self.watching:
            self.reached.add((id(node), taken))
