"""The pages generated from a book: one for each rule file and each example, and lists of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from html import escape
from typing import Any

from engine.book.dates import date_text
from engine.book.model import Decision, Parameter
from engine.language import tree
from engine.readers.spelling import spell_value
from engine.site import entries
from engine.site.answers import answer_sections, section_html
from engine.site.library import Library
from engine.site.markup import code, markdown_text, table
from engine.site.pen import Pen, named
from engine.site.places import ANSWERS, SOURCES, Places, file_of, page_of
from engine.site.words import say

INDEX, PARAMETERS, FACTS = (
    "reference/index.md",
    "reference/parameters.md",
    "reference/facts.md",
)
# Pages without macros: formulas may hold anything.
_HEAD = "---\nrender_macros: false\n---\n\n"

Navigation = list[dict[str, Any]]


class Pages:
    """The generated part of one edition."""

    def __init__(self, library: Library, language: str, folders: Mapping[str, str]) -> None:
        self.library, self.language, self.folders = library, language, folders
        self.places = Places(library.book)

    def pen(self, page: str) -> Pen:
        return Pen(self.library, self.places, self.language, page)

    def every(self) -> Iterator[tuple[str, str]]:
        """(path of the Markdown file, content) of every generated page."""
        yield INDEX, self._index()
        yield PARAMETERS, self._parameters()
        yield FACTS, self._facts()
        yield SOURCES, self._sources()
        for name in self.files:
            yield page_of(name), self._rule_file(name)
        for preset in self.library.examples:
            yield f"{ANSWERS}/{preset}.md", self._answer(preset)
        for path in self.documents:
            yield document_page(path), self._document(path)

    def navigation(self) -> Navigation:
        """The generated pages as MkDocs lists them."""
        rules: list[Any] = [INDEX, PARAMETERS, FACTS, SOURCES, *map(document_page, self.documents)]
        for folder, names in self._by_folder().items():
            pages = [{self._title(name): page_of(name)} for name in names]
            rules.append({self.folders.get(folder, folder): pages})
        answers = [
            {self.library.title(preset, self.language): f"{ANSWERS}/{preset}.md"}
            for preset in self.library.examples
        ]
        return [{say("answers", self.language): answers}, {say("reference", self.language): rules}]

    # ------------------------------------------------------------ rule files

    @cached_property
    def files(self) -> dict[str, dict[str, Any]]:
        """What each rule file holds, by its id: the entries by their full ids in book order."""
        book = self.library.book
        found: dict[str, dict[str, Any]] = {}
        stated: dict[str, Any] = {**book.facts, **book.parameters}
        for name, entry in stated.items():
            found.setdefault(file_of(entry.position.file), {})[name] = entry
        decided: dict[str, Any] = {
            **book.decisions, **book.relations, **book.rankings, **book.advice,
        }  # fmt: skip
        for name, entry in decided.items():
            found.setdefault(name.rpartition(".")[0], {})[name] = entry
        return {
            name: dict(sorted(held.items(), key=lambda item: item[1].position.line))
            for name, held in sorted(found.items())
            if held
        }

    def _by_folder(self) -> dict[str, list[str]]:
        """Rule files by folder; folders in the order the edition names them, then the others."""
        found: dict[str, list[str]] = {folder: [] for folder in self.folders}
        for name in self.files:
            found.setdefault(name.partition(".")[0], []).append(name)
        return {folder: names for folder, names in found.items() if names}

    def _title(self, file_id: str) -> str:
        text = self.library.book.titles.get(file_id)
        return text.in_language(self.language) if text is not None else file_id

    def _rule_file(self, name: str) -> str:
        pen = self.pen(page_of(name))
        lines = [f"{_HEAD}# {markdown_text(self._title(name))} {{#{name}}}", ""]
        path = f"rules/{name.replace('.', '/')}.yaml"
        lines += [f'<p class="faint">{code(path)}</p>', ""]
        for full, entry in self.files[name].items():
            lines += self._entry(pen, full, entry, "##")
            for column in getattr(entry, "columns", ()):
                own = f"{full}.{column.decision.id}"
                lines += self._entry(pen, own, column.decision, "###")
        return "\n".join(lines)

    def _entry(self, pen: Pen, name: str, entry: Any, level: str) -> Iterator[str]:
        title = pen.text(entries.title_of(entry)) or name.rpartition(".")[2]
        yield f"{level} {markdown_text(title)} {{#{name}}}"
        yield ""
        yield f'<div class="entry"><p>{code(name)}</p>{"".join(self._body(pen, name, entry))}</div>'
        yield ""

    def _body(self, pen: Pen, name: str, entry: Any) -> Iterator[str]:
        match type(entry).__name__:
            case "Fact":
                return entries.fact_entry(pen, entry, self._readers.get(name, ()))
            case "Parameter":
                return entries.parameter_entry(pen, entry, self._readers.get(name, ()))
            case "Decision":
                return entries.decision_entry(pen, name, entry)
            case "Advice":
                return entries.advice_entry(pen, name, entry)
            case "Relation":
                return entries.relation_entry(pen, entry)
            case _:
                return entries.ranking_entry(pen, entry)

    @cached_property
    def _readers(self) -> dict[str, list[str]]:
        """The decisions and columns that read each parameter and fact."""
        book = self.library.book
        every: dict[str, Decision] = dict(book.decisions)
        for relation in book.relations.values():
            for column in relation.columns:
                every[f"{relation.id}.{column.decision.id}"] = column.decision
        found: dict[str, dict[str, None]] = {}
        for name, decision in every.items():
            for read in _names_read(decision.body):
                if read in book.parameters or read in book.facts:
                    found.setdefault(read, {})[name] = None
        for name, advice in book.advice.items():
            for read in _names_read((advice.inputs, tuple(row.when for row in advice.rows))):
                if read in book.parameters or read in book.facts:
                    found.setdefault(read, {})[name] = None
        return {name: list(readers) for name, readers in found.items()}

    # ------------------------------------------------------------ lists

    def _index(self) -> str:
        pen = self.pen(INDEX)
        newest = date_text(self.library.bundle.catalog.newest)
        intro = pen.say("reference_intro", version=self.library.book.version, newest=newest)
        lines = [f"{_HEAD}# {pen.say('reference')} {{#reference}}", "", intro, ""]
        for folder, names in self._by_folder().items():
            lines += [f"## {markdown_text(self.folders.get(folder, folder))} {{#{folder}}}", ""]
            rows = [
                (
                    f'<a href="{pen.at(page_of(name))}">{escape(self._title(name))}</a>',
                    code(f"rules/{name.replace('.', '/')}.yaml"),
                    str(len(self.files[name])),
                )
                for name in names
            ]
            header = (pen.say("title"), pen.say("rules"), "#")
            lines += [table(header, rows, (False, False, True)), ""]
        return "\n".join(lines)

    def _parameters(self) -> str:
        pen = self.pen(PARAMETERS)
        names = ("parameter", "value", "unit", "range", "source", "as_of", "review_by")
        lines = [f"{_HEAD}# {pen.say('parameters')} {{#parameters}}", ""]
        for name, held in self.files.items():
            found = {key: one for key, one in held.items() if isinstance(one, Parameter)}
            if not found:
                continue
            rows = [_parameter_row(pen, key, one) for key, one in found.items()]
            lines += [f"## {markdown_text(self._title(name))} {{#{name}}}", ""]
            lines += [table([pen.say(key) for key in names], rows), ""]
        return "\n".join(lines)

    def _facts(self) -> str:
        pen = self.pen(FACTS)
        lines = [f"{_HEAD}# {pen.say('facts')} {{#facts}}", ""]
        facts = self.library.book.facts
        for name, held in self.files.items():
            found = [key for key in held if key in facts]
            if not found:
                continue
            rows = [
                (
                    pen.id_link(key),
                    escape(pen.text(facts[key].label)),
                    escape(pen.say(f"type_{facts[key].kind}")),
                    escape(facts[key].type.unit.symbol),
                )
                for key in found
            ]
            header = [pen.say(key) for key in ("fact", "name", "type", "unit")]
            lines += [f"## {markdown_text(self._title(name))} {{#{name}}}", "", table(header, rows)]
            lines.append("")
        return "\n".join(lines)

    def _sources(self) -> str:
        """Every source with the entries that cite it."""
        pen = self.pen(SOURCES)
        guide, others = [], []
        for name, entry in self.library.book.sources.items():
            anchor = f'<span id="{escape(name)}">{code(name)}</span>'
            cited = ", ".join(pen.id_link(one) for one in self._cited.get(name, ()))
            title = escape(pen.source_title(entry))
            if "url" not in entry:
                guide.append((anchor, title, cited))
                continue
            address = str(entry["url"])
            if address.startswith(("http://", "https://")):
                title = f'<a href="{escape(address)}" rel="noopener">{title}</a>'
            elif address.partition("#")[0] in self.documents:
                path, _, part = address.partition("#")
                title = f'<a href="{escape(pen.at(document_page(path), part))}">{title}</a>'
            else:
                title += f"<br>{code(address)}"
            others.append(
                (
                    anchor,
                    title,
                    escape(str(entry.get("kind", ""))),
                    str(entry.get("date", "")),
                    cited,
                )
            )
        say_all = [pen.say(key) for key in ("id", "title", "cited_by")]
        more = [pen.say(key) for key in ("id", "title", "kind", "date", "cited_by")]
        return "\n".join(
            [
                f"{_HEAD}# {pen.say('sources')} {{#sources}}", "",
                f"## {pen.say('guide')} {{#guide}}", "", table(say_all, guide), "",
                f"## {pen.say('sources')} {{#others}}", "", table(more, others), "",
            ]
        )  # fmt: skip

    @cached_property
    def documents(self) -> list[str]:
        """The documents of the repository that sources lead to."""
        addresses = (str(entry.get("url", "")) for entry in self.library.book.sources.values())
        paths = dict.fromkeys(address.partition("#")[0] for address in addresses)
        return [path for path in paths if (self.library.root / path).is_file()]

    def _document(self, path: str) -> str:
        """A document as it stands; it has one language."""
        text = (self.library.root / path).read_text(encoding="utf-8")
        note = f"*{say('one_language', self.language)}*\n\n" if self.language != "en" else ""
        head, _, rest = text.partition("\n")
        return f"{_HEAD}{head.rstrip()} {{#document}}\n\n{note}{rest}"

    @cached_property
    def _cited(self) -> dict[str, list[str]]:
        found: dict[str, dict[str, None]] = {}
        for anchor, place in self.places.index.items():
            if place.kind != "source":
                for name in getattr(place.entry, "source", ()):
                    found.setdefault(name, {})[anchor] = None
        return {name: list(citing) for name, citing in found.items()}

    # ------------------------------------------------------------ answers

    def _answer(self, preset: str) -> str:
        """The profile, the command and every section of its answer."""
        pen = self.pen(f"{ANSWERS}/{preset}.md")
        path = self.library.presets[preset]
        stated = path.relative_to(self.library.root).as_posix()
        option = " --lang zh" if self.language == "zh" else ""
        title = markdown_text(self.library.title(preset, self.language))
        lines = [f"{_HEAD}# {title} {{#answer}}", ""]
        for section in answer_sections(pen, preset):
            body = section_html(pen, section)
            if section.id != "answer":
                lines += [f"## {markdown_text(section.title)} {{#{section.id}}}", ""]
            lines += [f'<div class="answer" data-preset="{preset}">{body}</div>', ""]
        lines += [f"## {pen.say('profile')} {{#profile}}", "", "```yaml"]
        lines += [path.read_text(encoding="utf-8").rstrip(), "```", ""]
        lines += [f"## {pen.say('command')} {{#command}}", "", "```sh"]
        lines += [f"gpuwise recommend {stated}{option}", "```", ""]
        return "\n".join(lines)


def document_page(path: str) -> str:
    return f"reference/{path.rpartition('/')[2]}"


def _parameter_row(pen: Pen, name: str, parameter: Parameter) -> tuple[str, ...]:
    kind = parameter.type
    value = ", ".join(spell_value(step) for step in parameter.steps) or spell_value(parameter.value)
    span = f"[{spell_value(kind.low)}, {spell_value(kind.high)}]" if kind.kind == "number" else ""
    return (
        f"{pen.id_link(name)}<br>{escape(pen.text(parameter.title))}",
        escape(value),
        escape(kind.unit.symbol),
        span if not parameter.steps else "",
        pen.short_sources(parameter.source),
        escape(parameter.as_of),
        escape(parameter.review_by),
    )


def _names_read(value: Any) -> Iterator[str]:
    """Ids read anywhere inside a body."""
    if isinstance(value, tree.Node):
        from engine.language.walk import walk

        yield from filter(None, map(named, walk(value)))
    elif isinstance(value, tuple):
        for inner in value:
            yield from _names_read(inner)
    elif hasattr(value, "__slots__"):
        for field in type(value).__slots__:
            yield from _names_read(getattr(value, field, None))
