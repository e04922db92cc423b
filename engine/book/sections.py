"""Rule files as read: every entry by kind and full id, shapes checked, nothing resolved yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.book.model import Text
from engine.book.problems import Findings
from engine.book.shape import check_shape, load_schema
from engine.book.yaml_reader import Located, read_yaml
from engine.language.problems import Position

EntryKind = Literal["parameter", "decision", "relation", "ranking", "advice"]
_SECTIONS: tuple[tuple[str, EntryKind], ...] = (
    ("decisions", "decision"),
    ("relations", "relation"),
    ("rankings", "ranking"),
    ("advice", "advice"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file. `id` is full, `name` the last part, `file` the id of its file."""

    kind: EntryKind
    id: str
    name: str
    file: str
    body: Located


@dataclass
class Sections:
    """Everything the rule files hold, in file order."""

    facts: dict[str, Located] = field(default_factory=dict)
    parameters: dict[str, Entry] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    titles: dict[str, Text] = field(default_factory=dict)


def plain_text(located: Located | None) -> Text:
    """A text without placeholders."""
    if located is None:
        return Text()
    return Text(located.value["en"].value, located.value["zh"].value)


def texts(located: Located | None) -> tuple[str, ...]:
    """A list of texts; () when absent."""
    return tuple(item.value for item in located.value) if located is not None else ()


def read_sections(files: Mapping[str, str | bytes], findings: Findings) -> Sections:
    """Reads rule files, given as {path under the root: text}."""
    schema = load_schema("rule-file.schema.json")
    sections = Sections()
    for path in sorted(files):
        with findings.collecting():
            located = read_yaml(files[path], path)
            problems = check_shape(located, schema)
            findings.problems.extend(problems)
            if not problems:
                _add_file(path, located.value, sections, findings)
    return sections


def _add_file(path: str, content: dict[str, Any], sections: Sections, findings: Findings) -> None:
    file_id = content["id"].value
    expected = path.removeprefix("rules/").removesuffix(".yaml").replace("/", ".")
    if file_id != expected:
        findings.add(
            "B010",
            f'the id "{file_id}" is not the path of the file',
            content["id"].position,
            expected,
            "rename the file or the id",
        )
    sections.titles[file_id] = plain_text(content["title"])
    if "facts" in content:
        _law(content["facts"], path, "rules/profile/", "facts", findings)
        for fact, body in content["facts"].value.items():
            _unique(fact, body.where, sections.facts, "fact", findings)
            sections.facts[fact] = body
    if "parameters" in content:
        _law(content["parameters"], path, "rules/parameters/", "parameters", findings)
        for name, body in content["parameters"].value.items():
            _unique(name, body.where, sections.parameters, "parameter", findings)
            sections.parameters[name] = Entry("parameter", name, name, file_id, body)
    for section, kind in _SECTIONS:
        if section not in content:
            continue
        for name, body in content[section].value.items():
            entry_id = f"{file_id}.{name}"
            _unique(entry_id, body.where, sections.entries, "entry", findings)
            sections.entries[entry_id] = Entry(kind, entry_id, name, file_id, body)
            sections.titles[entry_id] = plain_text(body.value["title"])


def _law(located: Located, path: str, folder: str, what: str, findings: Findings) -> None:
    if not path.startswith(folder):
        findings.add(
            "B011", f"{what} outside {folder}", located.where, f"a file under {folder}",
            f"move the {what} there",
        )  # fmt: skip


def _unique(
    name: str, position: Position, known: Mapping[str, Any], what: str, findings: Findings
) -> None:
    if name in known:
        first = known[name]
        where = first.body.where if isinstance(first, Entry) else first.where
        findings.add(
            "B012", f'the {what} "{name}" exists already', position, "a name of its own",
            f"the first one is at {where}",
        )  # fmt: skip
