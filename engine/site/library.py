"""What the site is built from: the book, the example profiles and the quoted claims.

A preset is a profile under docs/examples (answered in full) or docs/scenarios (a few facts for one
calculation). Presets are decided once and serve every language.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from engine.book.display import with_names
from engine.book.model import Book, Text
from engine.book.yaml_reader import plain, read_yaml
from engine.language.frozen import frozen
from engine.readers.document import read_document
from engine.readers.profile import Profile, admit
from engine.run.bundle import Bundle, open_bundle
from engine.run.pipeline import Run, decide
from engine.run.recommendation import recommend
from engine.run.values import Values
from engine.site.measured import accuracy, held_out, nearest_rows

EXAMPLES, SCENARIOS = "docs/examples", "docs/scenarios"
CLAIMS, TITLES = "docs/claims.yaml", "docs/titles.yaml"


class SiteError(Exception):
    """Something a page asks for does not exist."""


@frozen
class Claim:
    """A figure that a source states and no rule uses, as it is quoted in prose."""

    text: Text
    source: tuple[str, ...]


class Library:
    """The book of a folder and what the pages beside it need."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._runs: dict[str, Run] = {}
        self._answers: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._accuracy: dict[str, Mapping[str, Any]] = {}

    @cached_property
    def bundle(self) -> Bundle:
        return open_bundle(str(self.root))

    @property
    def book(self) -> Book:
        return self.bundle.book

    # ------------------------------------------------------------ presets

    @cached_property
    def examples(self) -> dict[str, Path]:
        """The profiles that are answered in full, by name."""
        return {path.stem: path for path in sorted((self.root / EXAMPLES).glob("*.yaml"))}

    @cached_property
    def presets(self) -> dict[str, Path]:
        """Every profile that pages may refer to, by name."""
        scenarios = sorted((self.root / SCENARIOS).glob("*.yaml"))
        return {**self.examples, **{path.stem: path for path in scenarios}}

    def run(self, preset: str) -> Run:
        """A preset, decided. Raises SiteError for a name there is none of."""
        if preset not in self._runs:
            self._runs[preset] = decide(self.bundle, self._profile(preset), {})
        return self._runs[preset]

    def values(self, preset: str) -> Values:
        """The values of a preset, money in its currency."""
        report = self.book.report
        return Values(self.run(preset), report["rows"], report["currency"])

    def _profile(self, preset: str) -> Profile:
        path = self.presets.get(preset)
        if path is None:
            raise SiteError(f"there is no preset {preset!r}; there are {', '.join(self.presets)}")
        return admit(
            read_document(str(path)),
            self.book.facts,
            self.bundle.catalog.tables,
            required=self.book.report.get("required", ()),
        )

    @cached_property
    def report(self) -> Any:
        """The report of the book, with names of the catalog among its words."""
        return with_names(self.book, self.bundle.catalog)

    def answer(self, preset: str, language: str) -> Mapping[str, Any]:
        """What `recommend` answers to a preset."""
        key = (preset, language)
        if key not in self._answers:
            self._answers[key] = recommend(self.run(preset), language=language).to_dict()
        return self._answers[key]

    def title(self, preset: str, language: str) -> str:
        """The title of an example in a language; the profile's own name where there is none."""
        if preset in self._titles["examples"]:
            return self._titles["examples"][preset].in_language(language)
        return str(self.run(preset).given.get("name", preset))

    @cached_property
    def _titles(self) -> dict[str, dict[str, Text]]:
        path = self.root / TITLES
        if not path.is_file():
            return {"examples": {}, "measurements": {}}
        found = plain(read_yaml(path, TITLES))
        return {
            part: {name: Text(text["en"], text["zh"]) for name, text in entries.items()}
            for part, entries in found.items()
        }

    # ------------------------------------------------------------ measurements

    def measured(self, name: str, language: str) -> str:
        """A kind of measured work, or a measured figure, in words."""
        found = self._titles["measurements"].get(name)
        if found is None:
            raise SiteError(f"{TITLES} has no words for {name!r} under measurements")
        return found.in_language(language)

    def accuracy(self, name: str) -> Mapping[str, Any]:
        """How far the estimates are from the measured rows of a file."""
        if name not in self._accuracy:
            if name not in self.book.validation:
                raise SiteError(f"nothing says how to read measurements of {name!r}")
            self._accuracy[name] = accuracy(self.bundle, self.root, name)
        return self._accuracy[name]

    def nearest(self, name: str, preset: str, most: int) -> list[dict[str, Any]]:
        """The measured rows most like a preset."""
        facts = self.run(preset).outcome["facts"]
        return nearest_rows(self.bundle, self.root, name, facts, most)

    @cached_property
    def held_out(self) -> Mapping[str, Any]:
        """The cross-validated figures."""
        return held_out(self.root)

    # ------------------------------------------------------------ claims

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """The quoted figures by id. Raises SiteError for a source the book does not know."""
        found = plain(read_yaml(self.root / CLAIMS, CLAIMS))
        claims = {}
        for name, entry in found["claims"].items():
            source = tuple(entry["source"])
            if not all(isinstance(entry[language], str) for language in ("en", "zh")):
                raise SiteError(f"{CLAIMS}: {name} needs a text in each language")
            unknown = [one for one in source if one not in self.book.sources]
            if unknown:
                raise SiteError(f"{CLAIMS}: {name} cites {', '.join(unknown)}, which nobody knows")
            claims[name] = Claim(Text(entry["en"], entry["zh"]), source)
        return claims


@lru_cache(maxsize=1)
def open_library(root: str) -> Library:
    """The library of a folder; editions that are built together share it."""
    return Library(Path(root))
