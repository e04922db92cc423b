"""The closest known spelling of a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`, or "" when none is like it.

    Upper and lower case count as the same; a last segment (`weights` of
    `needs.memory.weights`) counts as much as the whole.
    """
    from difflib import get_close_matches  # slow to import, and rarely needed

    by_form: dict[str, str] = {}
    for candidate in known:
        by_form.setdefault(candidate.lower(), candidate)
        by_form.setdefault(candidate.rpartition(".")[2].lower(), candidate)
    found = get_close_matches(name.lower(), by_form, n=1, cutoff=0.6)
    if not found and "." in name:
        found = get_close_matches(name.rpartition(".")[2].lower(), by_form, 1, 0.75)
    return by_form[found[0]] if found else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean "…"?`, or "" when nothing is close."""
    found = closest(name, known)
    return f'did you mean "{found}"?' if found else ""
