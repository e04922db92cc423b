"""One run: facts at the door, parameters in force, and what the fast target makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from engine.readers.profile import Given, Profile
from engine.reference.evaluator import Reference
from engine.reference.expressions import Scope
from engine.reference.packed import evaluate_packed
from engine.run.bundle import Bundle, bodies


class Run:
    """A profile decided by a book.

    `given` are the stated facts that belong to this work, with the date prices are judged from
    filled in; `set_aside` the paths of those that do not, in the order stated: the answer is the
    same without them. `overrides` are the parameters a policy changed, `outcome` is the result of
    the compiled book (see the targets).
    """

    def __init__(
        self, bundle: Bundle, profile: Profile, given: Given, overrides: Mapping[str, Any]
    ) -> None:
        self.bundle, self.profile = bundle, profile
        self.given, self.belongs = dict(given), belonging(bundle, given)
        # What belongs only by a fact that is set aside goes with it.
        while any(not self.belongs(path) for path in self.given):
            self.given = {path: self.given[path] for path in self.given if self.belongs(path)}
            self.belongs = belonging(bundle, self.given)
        self.set_aside = tuple(path for path in given if path not in self.given)
        self.overrides = dict(overrides)
        path = str(bundle.book.report.get("as_of", ""))
        self.as_of_assumed = path not in profile.given
        self.as_of = float(given.get(path, bundle.catalog.newest))
        self.outcome: Mapping[str, Any] = self.again({})
        self._references: dict[tuple[str, Any, tuple[str, ...]], Reference] = {}
        self._decisions: dict[tuple[str, Any], Mapping[str, Any]] = {}

    @cached_property
    def parameters(self) -> dict[str, Any]:
        return {**self.bundle.parameters, **self.overrides}

    @cached_property
    def reference(self) -> Reference:
        """The reference evaluator on the same inputs; it explains what the fast target decided."""
        return self._reference(brief=True)

    @cached_property
    def tracing(self) -> Reference:
        """The same with every row of tables judged, as traces show them."""
        return self._reference(brief=False)

    def _reference(self, brief: bool) -> Reference:
        return Reference(
            self.bundle.book,
            self.bundle.catalog,
            self.given,
            parameters=self.overrides,
            rankings=_known(self.outcome["rankings"]),
            relations=_known(self.outcome["relations"]),
            brief=brief,
            bodies=bodies(self.bundle) if brief else None,
        )

    def reference_with(self, path: str, value: Any, left_open: tuple[str, ...]) -> Reference:
        """`Reference.with_facts` with one fact changed; several choices ask for the same."""
        key = (path, value, left_open)
        if key not in self._references:
            self._references[key] = self.reference.with_facts({path: value}, left_open)
        return self._references[key]

    def decisions_with(self, path: str, value: Any) -> Mapping[str, Any]:
        """The decisions of `again` with one fact changed."""
        if (path, value) not in self._decisions:
            self._decisions[path, value] = self.again({path: value})["decisions"]
        return self._decisions[path, value]

    def again(self, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """The outcome when some facts were different (None: not stated); changes to facts of other
        work are none."""
        changed = {path: changes[path] for path in changes if self.belongs(path)}
        given = {**self.given, **changed}
        given = {path: value for path, value in given.items() if value is not None}
        return self.bundle.decide(given, self.parameters, self.bundle.tables)


def belonging(bundle: Bundle, given: Mapping[str, Any]) -> Callable[[str], bool]:
    """Tells of a fact whether it can matter to the work described by `given`, by its `relevant`."""
    packed = bodies(bundle)
    reference = Reference(bundle.book, bundle.catalog, given, brief=True, bodies=packed)
    scope = Scope(reference)  # asked for hundreds of facts

    def belongs(path: str) -> bool:
        _, _, relevant = packed.fact(path)
        return relevant is None or evaluate_packed(relevant, scope) is not False

    return belongs


def _known(results: Mapping[str, Any]) -> dict[str, Any]:
    return {name: result for name, result in results.items() if result is not None}


def decide(bundle: Bundle, profile: Profile, overrides: Mapping[str, Any]) -> Run:
    """Run the compiled book on an admitted profile.

    The date prices are judged from is a fact named by the report (`as_of`); when it is not stated
    it is the newest date of the catalog, never the clock.
    """
    given = dict(profile.given)
    path = str(bundle.book.report.get("as_of", ""))
    if path in bundle.book.facts:
        given.setdefault(path, float(bundle.catalog.newest))
    return Run(bundle, profile, given, overrides)
