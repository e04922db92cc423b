"""Why a value is what it is: the sentence, the rule and the sources; or why it is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from engine.book.model import Book, Decision, Formula, Row, Table, Text
from engine.language import tree
from engine.language.frozen import frozen
from engine.reference.evaluator import Reference
from engine.reference.expressions import Scope
from engine.reference.reads import Read
from engine.reference.relations import find_column, source_index
from engine.reference.texts import filled
from engine.reference.values import Cause, UnknownValue

_CAUSES = {
    "missing": ("not stated: {name}", "未说明：{name}"),
    "lookup": ("the catalog has no entry for {name}", "目录中没有 {name}"),
    "curve": ("outside what was measured ({name})", "超出已测范围（{name}）"),
    "ladder": ("above the largest step of {name}", "超过 {name} 的最大一档"),
    "empty": ("nothing to choose from in {name}", "{name} 中没有可选项"),
    "no_match": ("nothing among “{name}” meets every condition", "“{name}”中没有满足全部条件的"),
    "blank": ("the catalog leaves {name} empty", "目录中 {name} 空缺"),
    "stated": ("the book makes no statement ({name})", "规则未作判断（{name}）"),
}


@frozen
class Reason:
    because: str = ""
    rule: str = ""
    source: tuple[str, ...] = ()
    basis: str = ""


def reason(reference: Reference, read: Read, language: str) -> Reason:
    """The reason of the decision or column at `read`, following values that are passed on."""
    answer = reference.read(read)
    if isinstance(answer, UnknownValue):
        rule = _name(read)
        return Reason(joined(causes(reference.book, answer, language), language), rule)
    decision, scope = _found(reference, read)
    if decision is None:
        return Reason()
    if isinstance(decision.body, Formula):
        passed = _passed_on(reference, read, decision.body.expression)
        if passed is not None and not decision.because.en:
            return reason(reference, passed, language)
        because = filled(decision.because, scope).in_language(language)
        return Reason(because, _name(read), decision.source, decision.basis or "derived")
    if isinstance(decision.body, Table):
        row = _winner(reference, read, decision.body)
        if row is not None:
            text = row.because if row.because.en else decision.because
            because = filled(text, scope).in_language(language)
            source = row.source or decision.source
            return Reason(because, f"{_name(read)}#{row.id}", source, decision.basis or "derived")
    because = filled(decision.because, scope).in_language(language)
    return Reason(because, _name(read), decision.source, decision.basis or "derived")


def _name(read: Read) -> str:
    return f"{read.id}.{read.name}" if read.kind in ("column", "best") else read.id


def _found(reference: Reference, read: Read) -> tuple[Decision | None, Scope]:
    if read.kind == "decision":
        return reference.book.decisions[read.id], Scope(reference)
    if read.kind == "column":
        row = reference.row(read.id, read.at)
        return find_column(row.relation, read.name).decision, row.scope()
    return None, Scope(reference)


def _passed_on(reference: Reference, read: Read, node: tree.Node) -> Read | None:
    """The address a formula merely repeats; None when it computes something."""
    if isinstance(node, tree.DecisionValue):
        return Read("decision", node.id, node.output)
    if not isinstance(node, tree.Column) or read.kind != "column":
        return None
    relation = reference.book.relations[read.id]
    if not node.alias:
        level = find_column(relation, node.name).level
        return Read("column", read.id, node.name, read.at[:level])
    index = source_index(relation, node.alias)
    source = relation.sources[index]
    number = read.at[index] if index < len(read.at) else None
    if source.kind != "relation" or number is None:
        return None
    rows = reference.relation(source.name)
    if isinstance(rows, UnknownValue):
        return None
    inner = find_column(reference.book.relations[source.name], node.name)
    return Read("column", source.name, node.name, rows[number].at[: inner.level])


def _winner(reference: Reference, read: Read, table: Table) -> Row | None:
    winner = reference.winner(read)
    return next((row for row in table.every_row if row.id == winner), None)


def joined(phrases: Sequence[str], language: str) -> str:
    """Phrases and whole sentences one after the other."""
    text = ""
    for phrase in phrases:
        if not text:
            text = phrase
        elif text.endswith((".", "。")):
            text += phrase if language == "zh" else f" {phrase}"
        else:
            text += f"；{phrase}" if language == "zh" else f"; {phrase}"
    return text


def causes(book: Book, answer: UnknownValue, language: str) -> list[str]:
    """Why something is unknown, each cause as a phrase; what the book says first."""
    which = 1 if language == "zh" else 0
    phrases: dict[str, None] = {}
    stated = [cause for cause in answer.causes if cause.kind == "stated"]
    rest = [cause for cause in answer.causes if cause.kind != "stated"]
    for cause in stated:
        text = _stated(book, cause)
        if text is not None and text.in_language(language):
            phrases[text.in_language(language)] = None
    if phrases:
        return list(phrases)
    for cause in (*stated, *rest):
        if cause.kind != "missing":
            phrases[_CAUSES[cause.kind][which].format(name=_label(book, cause, language))] = None
    missing = list(answer.missing())
    if missing:
        listed = ("、" if language == "zh" else ", ").join(missing)
        phrases[_CAUSES["missing"][which].format(name=listed)] = None
    return list(phrases)


def _label(book: Book, cause: Cause, language: str) -> str:
    if cause.name in book.titles:
        return book.titles[cause.name].in_language(language) or cause.name
    return cause.name


def _stated(book: Book, cause: Cause) -> Text | None:
    """What the row says that leaves the answer open."""
    owner, _, row_id = cause.name.rpartition(".")
    decision = book.decisions.get(owner)
    if decision is None:
        relation, _, column = owner.rpartition(".")
        found = book.relations.get(relation)
        if found is not None:
            decision = next((c.decision for c in found.columns if c.decision.id == column), None)
    if decision is None or not isinstance(decision.body, Table):
        return None
    rows = decision.body.every_row
    return next((row.because for row in rows if row.id == row_id), None)
