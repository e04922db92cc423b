"""Suggestions: what a misspelt field, value or catalog id was probably meant to be."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.book.model import Fact
from engine.language.tree import Fact as FactNode
from engine.language.tree import Lookup, Node
from engine.language.walk import walk
from engine.readers.messages import word


def closest(text: str, choices: Collection[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """The `count` nearest of `choices`, nearest first; [] when nothing is near."""
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for choice in choices:
        folded.setdefault(_fold(choice), choice)
    found = get_close_matches(_fold(text), list(folded), n=count, cutoff=cutoff)
    return [folded[name] for name in found]


def _fold(text: str) -> str:
    return text.lower().replace("-", "_").replace(" ", "_")


def did_you_mean(text: str, choices: Collection[str], language: str) -> str:
    """“did you mean …?”, with a word where only the case differs; "" when nothing is near."""
    same = [choice for choice in choices if choice.lower() == text.lower()]
    if same and same[0] != text:
        return word("case", language, guess=same[0])
    guesses = closest(text, choices, cutoff=0.85) or closest(text, choices, 3)
    if not guesses:
        return ""
    if len(guesses) == 1 or _fold(guesses[0]) == _fold(text):
        return word("did_you_mean", language, guess=guesses[0])
    return word("did_you_mean_any", language, guesses=", ".join(guesses))


def unknown_field_hint(
    path: str, facts: Mapping[str, Fact], groups: Collection[str], language: str
) -> str:
    """What a field that does not exist was meant to be: a neighbour, or one of another group."""
    group, _, name = path.rpartition(".")
    neighbours = [known for known in [*facts, *groups] if known.rpartition(".")[0] == group]
    guess = closest(path, neighbours)
    if guess:
        return word("did_you_mean", language, guess=guess[0])
    elsewhere = [known for known in facts if known.rpartition(".")[2] == name]
    if not elsewhere:
        by_name = {known.rpartition(".")[2]: known for known in facts}
        elsewhere = [by_name[near] for near in closest(name, by_name)]
    if len(elsewhere) == 1:
        return word("did_you_mean", language, guess=elsewhere[0])
    if elsewhere:
        return word("did_you_mean_any", language, guesses=", ".join(elsewhere[:4]))
    return word("no_guess", language)


def stated_instead(path: str, facts: Mapping[str, Fact]) -> list[str]:
    """The facts that would be looked up by the key fact `path` and can be stated directly."""
    return [
        fact.path
        for fact in facts.values()
        if fact.derive is not None and any(_looks_up(node, path) for node in walk(fact.derive))
    ]


def _looks_up(node: Node, path: str) -> bool:
    return isinstance(node, Lookup) and isinstance(node.key, FactNode) and node.key.path == path
