"""What one batch runs on: a few rows of each catalog table, and profiles that suit them.

Both follow the goals of the book. Goals drawn at random say which rows of the catalog to take,
so that whatever rows tell apart gets its turn; half of the profiles pursue a goal with the rows
taken, the others are drawn freely or vary a realistic profile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.book.model import Book, Catalog, TableData
from tests.generators.choices import Choices, Seeded
from tests.generators.goals import Goal, goals, pursued
from tests.generators.profiles import Profile, Vocabulary, mutated, profile, vocabulary
from tests.generators.witnesses import Outcome, Place, witnesses

MISSING = (0.0, 0.03, 0.1, 0.3)  # share of facts left out, by turns
SMALL = 24  # a table of so many rows is taken whole in half of the batches
VARIED = 8  # profiles made of one pursuit, which costs as much as drawing some ten


@dataclass(frozen=True, slots=True)
class Origin:
    """What batches are made of."""

    book: Book
    catalog: Catalog
    examples: tuple[Profile, ...]
    words: Vocabulary
    goals: tuple[Goal, ...]
    seen: tuple[tuple[tuple[Place, ...], ...], ...]  # by example; see `witnesses`


def origin(
    book: Book,
    catalog: Catalog,
    examples: Sequence[Profile] = (),
    run: Callable[[Profile], Outcome] | None = None,
) -> Origin:
    """`run`: a profile on the whole catalog; without it no example says what rows it joins."""
    seen = witnesses(book, examples, run, Seeded(0)) if run else ()
    words = vocabulary(book, catalog)
    return Origin(book, catalog, tuple(examples), words, goals(book), seen)


@dataclass(frozen=True, slots=True)
class Aims:
    """Goals to pursue: those that no profile has reached yet come up most often."""

    goals: tuple[Goal, ...]
    open: tuple[Goal, ...]

    def draw(self, choices: Choices) -> Goal | None:
        if self.open and choices.chance(0.7):
            return choices.one_of(self.open)
        return choices.one_of(self.goals) if self.goals else None

    def of_relations(self) -> Aims:
        goals, rest = ([one for one in some if one.scope] for some in (self.goals, self.open))
        return Aims(tuple(goals), tuple(rest))


def aims(origin: Origin, missed: Collection[tuple[str, ...]]) -> Aims:
    """`missed`: the marks that nothing has come through so far."""
    return Aims(origin.goals, tuple(goal for goal in origin.goals if goal.mark in missed))


def selection(
    origin: Origin, aims: Aims, choices: Choices, rows: int, parameters: Mapping[str, Any]
) -> Catalog:
    """A few rows of each table: of goals, and those whose key an example profile names.

    Rows that name the key of a row already chosen, or that one names, are preferred for what is
    left.
    """
    catalog = origin.catalog
    whole = {False: rows, True: max(rows, SMALL)}
    large = {
        name: data.rows
        for name, data in catalog.tables.items()
        if len(data.rows) > whole[choices.chance(0.5)]
    }
    if not large:  # the whole catalog: nothing is to be chosen
        return catalog
    places = {name: {id(row): at for at, row in enumerate(all_)} for name, all_ in large.items()}
    picked: dict[str, dict[int, None]] = {name: {} for name in large}
    _of_examples(origin, choices, max(rows // 2, 1), picked)
    _of_goals(origin, aims.of_relations(), choices, rows, parameters, places, picked)
    wanted = {v for given in origin.examples for v in given.values() if isinstance(v, str)}
    texts: set[str] = set()
    named = {
        cell for name, taken in picked.items() for at in taken for cell in _texts(large[name][at])
    }
    for name, all_ in large.items():
        taken = picked[name]
        if len(taken) < rows:
            taken.update((places[name][id(row)], None) for row in all_ if row[0] in wanted)
        related = [
            row for row in all_ if row[0] in named or any(cell in texts for cell in row[1:6])
        ]
        while len(taken) < rows:
            pool = related if related and choices.chance(0.7) else all_
            taken[places[name][id(choices.one_of(pool))]] = None
        texts.update(str(all_[at][0]) for at in taken)
        named.update(cell for at in taken for cell in _texts(all_[at]))
    chosen = {
        name: TableData(tuple(large[name][at] for at in sorted(picked[name])))
        if name in large
        else data
        for name, data in catalog.tables.items()
    }
    return replace(catalog, tables=chosen)


def _texts(row: Sequence[Any]) -> list[str]:
    return [cell for cell in row if isinstance(cell, str)]


def _of_goals(
    origin: Origin,
    aims: Aims,
    choices: Choices,
    rows: int,
    parameters: Mapping[str, Any],
    places: Mapping[str, Mapping[int, int]],
    picked: dict[str, dict[int, None]],
) -> None:
    """Rows of the large tables that goals ask for."""
    for _ in range(rows * 4):
        goal = aims.draw(choices)
        if goal is None:
            return
        pursuit = pursued(goal, origin.book, origin.words, origin.catalog, choices, parameters)
        found: dict[Place, None] = {}
        for binding in pursuit.rows:
            row, name = pursuit.settle(binding), pursuit.tables[binding]
            if row is not None and name in picked:
                found[name, places[name][id(row)]] = None
        _take(picked, tuple(found), rows)


def _of_examples(
    origin: Origin, choices: Choices, rows: int, picked: dict[str, dict[int, None]]
) -> None:
    """Rows that join for some of the examples."""
    seen = [sets for sets in origin.seen if sets]
    for _ in range(rows * 4 if seen else 0):
        places = choices.one_of(choices.one_of(seen))
        _take(picked, [place for place in places if place[0] in picked], rows)


def _take(picked: dict[str, dict[int, None]], places: Sequence[Place], rows: int) -> None:
    """All of the rows or, where there is no room for them, none: they join each other."""
    added = [name for name, at in places if at not in picked[name]]
    if all(len(picked[name]) + added.count(name) <= rows for name in added):
        for name, at in places:
            picked[name][at] = None


def profiles(
    origin: Origin,
    aims: Aims,
    part: Catalog,
    choices: Choices,
    parameters: Mapping[str, Any],
    count: int,
) -> list[Profile]:
    """Profiles for the catalog rows of a batch."""
    words = vocabulary(origin.book, part)
    made: list[Profile] = []
    while len(made) < count:
        share = MISSING[len(made) // 4 % len(MISSING)]
        for _ in range(VARIED // 4):
            if origin.examples:
                made.append(mutated(words, choices, choices.one_of(origin.examples), share))
            made.append(profile(words, choices, share))
        goal = aims.draw(choices)
        if goal is None:
            continue
        pursuit = pursued(goal, origin.book, words, part, choices, parameters)
        for number in range(VARIED):
            base: Profile = {}
            if number % 2 and origin.examples:
                base = mutated(words, choices, _alike(origin, choices, pursuit.facts), share)
            elif number % 2:
                base = profile(words, choices, share)
            varied = pursuit.laid_over(base)
            made.append(mutated(words, choices, varied, share, 2) if number > 1 else varied)
    return made[:count]


def _alike(origin: Origin, choices: Choices, facts: Profile) -> Profile:
    """Of some examples, the one that says most of these facts already."""
    drawn = [choices.one_of(origin.examples) for _ in range(8)]
    return max(drawn, key=lambda one: sum(one.get(path) == facts[path] for path in facts))
