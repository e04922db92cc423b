"""What the commands that run a book share: opening it, and reading what the user states."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from engine.cli.console import Console
from engine.cli.messages import COMMAND_LINE, usage_problem
from engine.language.frozen import frozen
from engine.language.patterns import late
from engine.language.problems import ProblemError
from engine.readers.document import Document, parse_document, read_document
from engine.readers.messages import problem
from engine.readers.profile import Profile, admit
from engine.run.bundle import Bundle, NoBookError, open_bundle
from engine.run.pipeline import Run, decide
from engine.run.policy import read_policy

_PATH = late(r"[A-Za-z_][\w.]*")


@frozen
class Inputs:
    """A profile at the door and the parameters in force, ready to be decided."""

    bundle: Bundle
    profile: Profile
    overrides: Mapping[str, Any]
    language: str

    def decide(self) -> Run:
        return decide(self.bundle, self.profile, self.overrides)

    def settings(self, top: int, what_if: bool) -> dict[str, Any]:
        """The options that shape the answer, for a decision record."""
        return {"language": self.language, "top": top, "what_if": what_if}


def open_book(folder: str | None, console: Console) -> Bundle:
    """The rule book, compiled if it has changed since it was last used."""
    try:
        return open_bundle(folder)
    except NoBookError as error:
        raise ProblemError(usage_problem("no_book", console.language, folder=str(error))) from None


def read_inputs(bundle: Bundle, arguments: argparse.Namespace, language: str) -> Inputs:
    """The profile of the command line with its settings and policies; raises InputError."""
    policies = [read_document(path, language) for path in arguments.policy]
    overrides = read_policy(policies, bundle.book.parameters, language)
    document = read_document(arguments.profile, language)
    named = ((name, getattr(arguments, name)) for name in ("objective", "currency", "as_of"))
    texts = [*arguments.set, *(f"{name}={value}" for name, value in named if value)]
    settings = [setting(text, language) for text in texts]
    profile = admitted(bundle, document, settings, language)
    return Inputs(bundle, profile, overrides, language)


def admitted(
    bundle: Bundle, document: Document, settings: list[Document], language: str
) -> Profile:
    report = bundle.book.report
    return admit(
        document,
        bundle.book.facts,
        bundle.catalog.tables,
        settings=settings,
        required=report.get("required", ()),
        language=language,
    )


def setting(text: str, language: str) -> Document:
    """`path=value` as a small document; the value is read as YAML."""
    path, equals, value = text.partition("=")
    if not equals or not _PATH.fullmatch(path.strip()) or not value.strip():
        raise ProblemError(
            problem("setting", COMMAND_LINE, language, text=text, example="model.layers=32")
        )
    name = path.strip()
    document = parse_document(f"{name}: {value.strip()}", f"--set {name}", language)
    if not isinstance(document.root.value, dict) or list(document.root.value) != [name]:
        raise ProblemError(
            problem("setting", COMMAND_LINE, language, text=text, example="model.layers=32")
        )
    return document
