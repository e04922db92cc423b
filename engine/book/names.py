"""Which entry a written name means, and how the book writes the name of a value itself.

The order is: full id; entry of the same file; unique ending of a full id (`memory.weights`, or
`weights` alone). Two meanings in one step are an error (B090).
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.book.problems import refuse
from engine.book.sections import Entry, EntryKind, Sections
from engine.language.problems import Position
from engine.language.tree import Column, DecisionValue, Fact, Node, Parameter


class Names:
    """The names of decisions, relations, rankings and advice by kind."""

    def __init__(self, sections: Sections) -> None:
        self.entries = sections.entries
        self._endings: dict[EntryKind, dict[str, list[str]]] = {}
        for entry in sections.entries.values():
            endings = self._endings.setdefault(entry.kind, {})
            parts = entry.id.split(".")
            for index in range(len(parts)):
                endings.setdefault(".".join(parts[index:]), []).append(entry.id)

    def local(self, kind: EntryKind, name: str, file: str) -> str | None:
        """The entry of the same file with this name."""
        entry = self.entries.get(f"{file}.{name}")
        return entry.id if entry is not None and entry.kind == kind else None

    def ending(self, kind: EntryKind, name: str, position: Position) -> str | None:
        """The one entry whose full id is the name or ends with it."""
        entry = self.entries.get(name)
        if entry is not None and entry.kind == kind:
            return entry.id
        found = self._endings.get(kind, {}).get(name, [])
        if len(found) > 1:
            raise ambiguous(name, found, position)
        return found[0] if found else None

    def find(self, kind: EntryKind, name: str, file: str, position: Position) -> str | None:
        """The entry a name means in a file; None when there is none."""
        return self.local(kind, name, file) or self.ending(kind, name, position)

    def of_kind(self, kind: EntryKind) -> Iterable[Entry]:
        return (entry for entry in self.entries.values() if entry.kind == kind)

    def candidates(self, kind: EntryKind, file: str) -> Iterable[str]:
        """Names of a kind as one would write them here."""
        for entry in self.of_kind(kind):
            yield entry.name if entry.file == file else entry.id


def ambiguous(name: str, found: Iterable[str], position: Position) -> Exception:
    """The error for a name with several meanings."""
    meanings = sorted(found)
    shown = " or ".join(meanings[:3]) + (" or others" if len(meanings) > 3 else "")
    return refuse(
        "B090", f'"{name}" can mean {shown}', position, "one meaning", "write the full id"
    )


def canonical(node: Node) -> str:
    """How claims and examples name a value: unique inside the entry's scope."""
    match node:
        case Fact(path=path):
            return path
        case Parameter(id=parameter):
            return parameter
        case DecisionValue(id=decision, output=output):
            return f"{decision}.{output}" if output else decision
        case Column(alias=alias, name=name):
            return f"{alias}.{name}" if alias else name
    raise AssertionError(f"not a name: {node}")
