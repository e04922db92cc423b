"""The library: `engine.load()` gives a `RuleBook`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.readers.document import InputError, document_of
from engine.readers.profile import Profile, admit
from engine.reference.trace import TraceNode
from engine.run.bundle import Bundle, open_bundle
from engine.run.explain import explain, explainable
from engine.run.pipeline import Run, decide
from engine.run.policy import read_policy
from engine.run.recommendation import Recommendation, recommend
from engine.run.values import Values


class RuleBook:
    """A rule book and its catalog.

    Profiles are plain mappings, nested or with dotted keys. Bad input raises `ProblemError`
    (its `problems` say what, where and what to do).
    """

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle

    @classmethod
    def load(cls, root: str | None = None) -> RuleBook:
        """The book under `root`, compiled if it has changed."""
        return cls(open_bundle(root))

    @property
    def version(self) -> str:
        return self.bundle.book.version

    @property
    def digest(self) -> str:
        return self.bundle.book.digest

    def recommend(
        self,
        profile: Mapping[str, Any],
        *,
        policy: Mapping[str, Any] | None = None,
        language: str = "en",
        top: int = 8,
        what_if: bool = False,
    ) -> Recommendation:
        """The answer to a profile; `policy` holds own values for parameters by id.

        `language`: en or zh; `top`: how many options are listed, at least one (else ValueError).
        """
        if language not in ("en", "zh") or not isinstance(top, int) or top < 1:
            raise ValueError("language is en or zh, top a whole number of at least 1")
        run = self._run(profile, policy, language)
        return recommend(run, language=language, top=top, what_if=what_if)

    def explain(
        self,
        decision: str,
        profile: Mapping[str, Any],
        *,
        policy: Mapping[str, Any] | None = None,
    ) -> TraceNode:
        """How a decision came about; raises LookupError for a name the book does not have."""
        run = self._run(profile, policy, "en")
        report = self.bundle.book.report
        values = Values(run, report["rows"], report["currency"])
        names = explainable(values)
        if decision not in names:
            raise LookupError(f"nothing in the book is called {decision}")
        return explain(run, values, names[decision])

    def validate(self, profile: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What is wrong with a profile: `[{code, message, expected, suggestion}]`, empty when it
        is valid."""
        try:
            self._admit(profile, "en")
        except InputError as error:
            return [
                {
                    "code": problem.code,
                    "message": problem.message,
                    "expected": problem.expected,
                    "suggestion": problem.suggestion,
                }
                for problem in error.problems
            ]
        return []

    def _admit(self, profile: Mapping[str, Any], language: str) -> Profile:
        book = self.bundle.book
        return admit(
            document_of(profile, language=language),
            book.facts,
            self.bundle.catalog.tables,
            required=book.report.get("required", ()),
            language=language,
        )

    def _run(
        self, profile: Mapping[str, Any], policy: Mapping[str, Any] | None, language: str
    ) -> Run:
        overrides = {}
        if policy:
            document = document_of({"parameters": policy}, "<policy>", language)
            overrides = read_policy([document], self.bundle.book.parameters, language)
        return decide(self.bundle, self._admit(profile, language), overrides)
