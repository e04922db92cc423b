"""Macros of the pages: values, tables, sources and answers of the book, put into prose.

MkDocs-macros calls `define_env`. A macro asked for something that does not exist fails the build
with the file and line of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from html import escape
from inspect import signature
from pathlib import Path
from typing import Any

from engine.book.model import Advice, Decision, TableSchema
from engine.readers.hints import did_you_mean
from engine.site.accuracy import (
    bands_table,
    constants_table,
    held_out_table,
    kinds_table,
    metrics_table,
    nearest_table,
    promises_table,
    speed_table,
)
from engine.site.answers import answer_card
from engine.site.entries import advice_table, decision_body
from engine.site.library import Library, SiteError, open_library
from engine.site.markup import code, listed, markdown_text, table
from engine.site.pen import Pen
from engine.site.places import ANSWERS, Place, Places, relative
from engine.site.tapes import tape

_MARKS = {"unseen": "?", "conflict": "!", "confirmed_with_conflict": "!"}


class Macros:
    """The macros of one edition; `env` is the plugin, which knows the page at hand."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.library: Library = open_library(str(Path(env.conf["config_file_path"]).parent))
        self.places = Places(self.library.book)
        self._anchored: tuple[str, set[str]] = ("", set())

    @property
    def language(self) -> str:
        return str(self.env.conf["theme"]["language"])

    @property
    def page(self) -> str:
        return str(self.env.page.file.src_uri)

    def pen(self) -> Pen:
        return Pen(self.library, self.places, self.language, self.page)

    def failing_here(self, name: str, macro: Callable[..., str]) -> Callable[..., str]:
        """The macro, its errors naming the file and line that asked."""

        @wraps(macro)
        def called(*arguments: Any, **options: Any) -> str:
            try:
                signature(macro).bind(*arguments, **options)
                return macro(*map(str, arguments), **options)
            except (SiteError, TypeError) as error:
                raise SiteError(f"{self._line(name, arguments)}: {name}: {error}") from None

        return called

    def _line(self, name: str, arguments: Sequence[Any]) -> str:
        """The first line of the page that calls the macro with these arguments."""
        path = str(self.env.page.file.abs_src_path)
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        wanted = [str(argument) for argument in arguments]
        call = re.compile(rf"\b{name}\s*\(")
        for number, line in enumerate(lines, 1):
            asked = line[found.start() :] if (found := call.search(line)) else ""
            if asked and all(text in asked for text in wanted):
                return f"{path}:{number}"
        return path

    # ------------------------------------------------------------ values

    def parameter(self, name: str) -> str:
        """The value of a parameter with its unit, linked to its rationale."""
        place = self.places.find(name, "parameter")
        found = place.entry
        figures = self.pen().figures
        if found.steps:
            unit = found.type.unit.symbol
            last = figures.number(found.steps[-1], unit)
            parts = [figures.number(step, "") for step in found.steps[:-1]]
            return self._value(place, listed([*parts, last], self.language))
        return self._value(place, figures.value(found.value, found.type))

    def as_of(self, name: str) -> str:
        """The day a parameter speaks for."""
        return markdown_text(str(self.places.find(name, "parameter").entry.as_of))

    def review_by(self, name: str) -> str:
        """The day by which a parameter is to be looked at again."""
        found = str(self.places.find(name, "parameter").entry.review_by or "")
        if not found:
            raise SiteError(f"{name} has no day of review")
        return markdown_text(found)

    def decision(self, name: str, preset: str) -> str:
        """What a decision says about a preset, linked to its rule."""
        owner, _, output = name.rpartition(".")
        try:
            place, output = self.places.find(name, "decision"), ""
        except SiteError:
            if not owner or output not in getattr(self._maybe(owner), "outputs", {}):
                raise
            place = self.places.find(owner, "decision")
        outputs = place.entry.outputs
        if output not in outputs:
            raise SiteError(f"{place.anchor} has several outputs: {', '.join(outputs) or 'none'}")
        full = f"{place.anchor}.{output}" if output else place.anchor
        values = self.library.values(preset)
        value = values.value(full)
        if value is None:
            raise SiteError(f"{full} is unknown for {preset}: state what it needs")
        figures, kind = self.pen().figures, outputs[output]
        if kind.kind == "number":
            return self._value(place, figures.number(float(value), values.unit(kind)))
        return self._value(place, figures.value(value, kind))

    def _maybe(self, name: str) -> Decision | None:
        try:
            found: Decision = self.places.find(name, "decision").entry
            return found
        except SiteError:
            return None

    def stated(self, path: str, preset: str) -> str:
        """A fact as a preset states it or as the book assumes it, linked to the fact."""
        place = self.places.find(path, "fact")
        value = self.library.run(preset).outcome["facts"].get(place.anchor)
        if value is None:
            raise SiteError(f"{preset} does not state {place.anchor}")
        return self._value(place, self.pen().figures.value(value, place.entry.type))

    def cell(self, name: str, key: str, column: str) -> str:
        """A figure of the catalog with its unit."""
        schema, rows = self._table(name)
        found = next((row for row in rows if row[_number(schema, schema.key)] == key), None)
        if found is None:
            keys = [str(row[_number(schema, schema.key)]) for row in rows]
            raise SiteError(f"{name} has no row {key!r} {did_you_mean(key, keys, 'en')}".rstrip())
        one = schema.columns[_number(schema, column)]
        return markdown_text(
            self.pen().figures.value(found[_number(schema, column)], one.type, date=one.date)
        )

    def claim(self, name: str) -> str:
        """A figure that a source states, in the words of the page's language.

        Sources with a page of their own are cited here; statements of the guide by `guide`.
        """
        found = self.library.claims.get(name)
        if found is None:
            hint = did_you_mean(name, [*self.library.claims], "en")
            raise SiteError(f"there is no claim {name!r} in the file of claims {hint}".rstrip())
        pages = [one for one in found.source if "url" in self.library.book.sources[one]]
        cited = self._cite(pages) if pages else ""
        return markdown_text(found.text.in_language(self.language)) + cited

    # ------------------------------------------------------------ links

    def guide(self, *names: str) -> str:
        """Statements of the guide that a sentence rests on: a small anchor and link for each."""
        for name in names:
            self.places.find(name, "source")
        return self._cite(names, anchors=True)

    def source(self, name: str) -> str:
        """A source by its title, linked to the list of sources."""
        place = self.places.find(name, "source")
        title = self.pen().source_title(place.entry)
        return f"[{markdown_text(title)}]({place.markdown_from(self.page)})"

    def rule(self, name: str) -> str:
        """An entry of the book by its title, linked to its page."""
        place = self.places.find(
            name, "decision", "advice", "relation", "ranking", "column", "parameter", "fact"
        )
        title = place.entry.label if place.kind == "fact" else place.entry.title
        shown = title.in_language(self.language) or place.anchor
        return f"[{markdown_text(shown)}]({place.markdown_from(self.page)})"

    def answer_link(self, preset: str, shown: str) -> str:
        """A link to the page with the whole answer to an example."""
        if preset not in self.library.examples:
            raise SiteError(f"{preset!r} is no example: {', '.join(self.library.examples)}")
        return f"[{markdown_text(shown)}]({relative(f'{ANSWERS}/{preset}.md', self.page)})"

    def _cite(self, names: Sequence[str], anchors: bool = False) -> str:
        page, seen = self._anchored
        if page != self.page:
            self._anchored = (self.page, seen := set())
        parts = []
        for name in names:
            link = f"[{markdown_text(name)}]({self.places.index[name].markdown_from(self.page)})"
            if anchors and name not in seen:
                seen.add(name)
                link = f'<span id="guide-{escape(name)}"></span>' + link
            parts.append(link)
        return f'<sup class="cite">{" ".join(parts)}</sup>'

    def _value(self, place: Place, shown: str) -> str:
        return f"[{markdown_text(shown)}]({place.markdown_from(self.page)}){{ .value }}"

    # ------------------------------------------------------------ blocks

    def rule_table(self, name: str) -> str:
        """The table, formula or curve of a decision or column, or the findings of advice."""
        place = self.places.find(name, "decision", "column", "advice")
        pen = self.pen()
        if isinstance(place.entry, Advice):
            return _block(advice_table(pen, place.anchor, place.entry))
        return _block("".join(decision_body(pen, place.anchor, place.entry)))

    def catalog_table(self, name: str, *columns: str, rows: Sequence[str] = ()) -> str:
        """Columns of a catalog table, all rows or those with the keys named, in that order."""
        schema, data = self._table(name)
        numbers = [_number(schema, column) for column in columns]
        key = _number(schema, schema.key)
        held = {str(row[key]): row for row in data}
        missing = [one for one in rows if one not in held]
        if missing:
            hint = did_you_mean(missing[0], [*held], "en")
            raise SiteError(f"{name} has no row {', '.join(missing)} {hint}".rstrip())
        flags = self.library.bundle.catalog.tables[schema.name].flags
        pen = self.pen()
        marks: set[str] = set()
        body = []
        for one in rows or held:
            cells = []
            for number in numbers:
                column, value = schema.columns[number], held[one][number]
                mark = _MARKS.get(flags.get(one, {}).get(column.name, ""), "")
                marks.add(mark)
                shown = pen.say("missing") if value is None else _cell(pen, value, column)
                cells.append(f"{escape(shown)} {mark}".rstrip())
            body.append(cells)
        header = [_header(pen, schema.columns[number]) for number in numbers]
        right = [
            schema.columns[number].type.kind == "number" and not schema.columns[number].date
            for number in numbers
        ]
        told = [("?", "mark_unseen"), ("!", "mark_conflict")]
        notes = "".join(
            f'<p class="faint">{mark} {pen.say(words)}</p>' for mark, words in told if mark in marks
        )
        return _block(table(header, body, right) + notes)

    def accuracy_table(self, name: str) -> str:
        """The errors of all kinds of a file of measurements."""
        return _block(kinds_table(self.pen(), self.library.accuracy(name)))

    def accuracy_by_figure(self, name: str) -> str:
        """The same for each figure that was measured."""
        return _block(metrics_table(self.pen(), self.library.accuracy(name)))

    def nearest(self, name: str, preset: str) -> str:
        """The measured rows most like an example."""
        found = self.library.nearest(name, preset, 3)
        if not found:
            raise SiteError(f"nothing like {preset} was measured")
        return _block(nearest_table(self.pen(), found))

    def held_out(self, part: str) -> str:
        """Cross-validated figures: `kinds`, `bands`, `constants`, `speed` or `promises`."""
        makers = {
            "kinds": held_out_table, "bands": bands_table, "constants": constants_table,
            "speed": speed_table, "promises": promises_table,
        }  # fmt: skip
        if part not in makers:
            raise SiteError(f"{part!r} is none of {', '.join(makers)}")
        return _block(makers[part](self.pen(), self.library.held_out))

    def tape(self, preset: str, *lines: str) -> str:
        """A calculation for a preset, line by line, so that a reader can repeat it."""
        return _block(tape(self.pen(), preset, lines))

    def answer(self, preset: str) -> str:
        """What `recommend` answers to an example, in short."""
        if preset not in self.library.examples:
            raise SiteError(f"{preset!r} is no example: {', '.join(self.library.examples)}")
        shown = self.pen().say("answer_in_full")
        return f"{_block(answer_card(self.pen(), preset))}\n{self.answer_link(preset, shown)}\n"

    def _table(self, name: str) -> tuple[TableSchema, Sequence[tuple[Any, ...]]]:
        schema = self.library.book.tables.get(name)
        if schema is None:
            tables = ", ".join(self.library.book.tables)
            raise SiteError(f"the catalog has no table {name!r}; it has {tables}")
        return schema, self.library.bundle.catalog.tables[name].rows


def _block(html: str) -> str:
    """HTML that Markdown leaves alone."""
    return f"\n<div>{html}</div>\n"


def _number(schema: TableSchema, name: str) -> int:
    for number, column in enumerate(schema.columns):
        if column.name == name:
            return number
    names = ", ".join(column.name for column in schema.columns)
    raise SiteError(f"{schema.name} has no column {name!r}; it has {names}")


def _cell(pen: Pen, value: Any, column: Any) -> str:
    if column.type.kind == "number" and not column.date:
        return pen.figures.number(float(value), "")
    return pen.figures.value(value, column.type, date=column.date)


def _header(pen: Pen, column: Any) -> str:
    label = escape(pen.text(column.label) or column.name)
    unit = column.type.unit.symbol if column.type.kind == "number" and not column.date else ""
    return f"{label}<br>{code(unit)}" if unit not in ("", "count", "ratio") else label


NAMES = (
    "accuracy_by_figure", "accuracy_table", "answer", "answer_link", "as_of", "catalog_table",
    "cell", "claim", "decision", "guide", "held_out", "nearest", "parameter", "review_by", "rule",
    "rule_table", "source", "stated", "tape",
)  # fmt: skip


def define_env(env: Any) -> None:
    """Register the macros with the plugin."""
    macros = Macros(env)
    for name in NAMES:
        env.macro(macros.failing_here(name, getattr(macros, name)), name)
