"""Nothing lies about: parameters are used and have a reason, texts are in both languages.

B230 unused parameter    B233 missing language    B234 placeholders differ
W235 a parameter without source or rationale (a warning)
W240 review date passed (a warning)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engine.book.contents import (
    advice_trees,
    all_decisions,
    body_trees,
    ranking_trees,
    relation_trees,
)
from engine.book.dates import day_number
from engine.book.model import Book, Table, Text
from engine.language.placeholders import PLACEHOLDER
from engine.language.problems import Position, Problem
from engine.language.tree import FirstAtLeast, Node, Parameter
from engine.language.walk import walk

_CHINESE = re.compile(r"[\u3400-\u9fff]")


def all_trees(book: Book) -> Iterator[Node]:
    """Every tree of the book, placeholders of texts included."""
    for fact in book.facts.values():
        yield from (one for one in (fact.default, fact.derive, fact.relevant) if one is not None)
    for decision in book.decisions.values():
        yield from body_trees(decision.body)
    for relation in book.relations.values():
        yield from relation_trees(relation)
    for ranking in book.rankings.values():
        yield from ranking_trees(ranking)
    for advice in book.advice.values():
        yield from advice_trees(advice)
    for _, text, _ in all_texts(book):
        yield from (node for _, node in text.reads)


def all_texts(book: Book) -> Iterator[tuple[str, Text, Position]]:
    """Every text with what it belongs to; empty ones included."""
    for fact in book.facts.values():
        for part, text in (("label", fact.label), ("help", fact.help), ("because", fact.because)):
            yield f"{part} of {fact.path}", text, fact.position
        for one in fact.fields:
            yield f"label of {fact.path}, field {one.name}", one.label, fact.position
    for parameter in book.parameters.values():
        yield f"title of {parameter.id}", parameter.title, parameter.position
        yield f"rationale of {parameter.id}", parameter.rationale, parameter.position
    for decision in all_decisions(book):
        yield f"title of {decision.id}", decision.title, decision.position
        yield f"because of {decision.id}", decision.because, decision.position
        for row in decision.body.every_row if isinstance(decision.body, Table) else ():
            yield f"because of {decision.id}, row {row.id}", row.because, row.position
    for relation in book.relations.values():
        yield f"title of {relation.id}", relation.title, relation.position
    for ranking in book.rankings.values():
        yield f"title of {ranking.id}", ranking.title, ranking.position
    for advice in book.advice.values():
        yield f"title of {advice.id}", advice.title, advice.position
        for item in advice.rows:
            yield f"message of {advice.id}.{item.id}", item.message, item.position
            yield f"remedy of {advice.id}.{item.id}", item.remedy, item.position


def check_parameters_used(book: Book) -> list[Problem]:
    """Parameters and ladders nothing reads (the report may also name them)."""
    used = {other for parameter in book.parameters.values() for other in parameter.at_most}
    for tree in all_trees(book):
        for node in walk(tree):
            if isinstance(node, Parameter):
                used.add(node.id)
            elif isinstance(node, FirstAtLeast):
                used.add(node.ladder)
    used |= {name.removeprefix("parameters.") for name in _strings(book.report)}
    return [
        Problem(
            "B230",
            f"nothing reads the parameter {parameter.id}",
            parameter.position,
            "a parameter that a rule uses",
            "use it or drop it",
        )
        for parameter in book.parameters.values()
        if parameter.id not in used
    ]


def _strings(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for value in content.values():
            yield from _strings(value)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from _strings(value)


def check_reasons(book: Book) -> list[Problem]:
    """Parameters that neither cite a source nor say why they were chosen: warnings."""
    return [
        Problem(
            "W235",
            f"{parameter.id} has neither source nor rationale",
            parameter.position,
            "where the number comes from, or why it is chosen",
            "add source: [id] or rationale",
            severity="warning",
        )
        for parameter in book.parameters.values()
        if not parameter.source and not parameter.rationale.en
    ]


def check_texts(book: Book) -> list[Problem]:
    """Texts missing in one language, or with other placeholders there."""
    found = []
    for owner, text, position in all_texts(book):
        if bool(text.en.strip()) != bool(text.zh.strip()):
            language = "Chinese" if text.en.strip() else "English"
            found.append(Problem(
                "B233", f"the {owner} has no {language} text", position, "en and zh",
            ))  # fmt: skip
        elif text.en == text.zh and len(text.en.split()) > 2 and not _CHINESE.search(text.zh):
            found.append(Problem(
                "B233", f"the {owner} is not translated", position, "a Chinese text under zh",
            ))  # fmt: skip
        elif _placeholders(text.en) != _placeholders(text.zh):
            found.append(Problem(
                "B234", f"the {owner} reads other values in Chinese than in English", position,
                "the same placeholders in both",
            ))  # fmt: skip
    return found


def _placeholders(text: str) -> set[str]:
    return {name for name, _ in PLACEHOLDER.findall(text)}


def check_reviews(book: Book, as_of_day: int) -> list[Problem]:
    """Entries whose review date lies before the given day (days since 1970-01-01): warnings."""
    found = []
    dated = [(one.id, one.review_by, one.position) for one in book.parameters.values()]
    dated += [(one.id, one.review_by, one.position) for one in all_decisions(book)]
    for owner, review_by, position in dated:
        day = day_number(review_by)
        if day is not None and day < as_of_day:
            found.append(Problem(
                "W240", f"{owner} was to be reviewed by {review_by}", position,
                "a review date in the future", "read its sources again and move the date",
                severity="warning",
            ))  # fmt: skip
    return found
