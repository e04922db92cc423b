"""Checks one value against the fact it is stated for, and brings it into the fact's unit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from engine.book.dates import date_text, day_number
from engine.book.model import Fact, TableData
from engine.book.yaml_reader import Located
from engine.language.patterns import late
from engine.language.printable import printable, unprintable
from engine.language.problems import Position, Problem, ProblemError
from engine.language.types import Type
from engine.readers.expected import (
    cell_expected,
    describe,
    expectation,
    number_expected,
    text_expected,
    unit_hint,
    unit_name,
    unit_tail,
)
from engine.readers.hints import did_you_mean, stated_instead
from engine.readers.messages import problem, translated, word
from engine.readers.spelling import as_double, ascii_digits, spell, spell_value, split_currency

_BARE = late(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SEPARATED = late(r"[-+]?[0-9]{1,3}([,_ ][0-9]{3})+(\.[0-9]+)?")
_AMOUNT = late(r"([-+]?[0-9]+(?:\.[0-9]+)?)\s*(/.*)?")
_YES = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_YES |= {"true": "true", "false": "false", "1": "true", "0": "false", "是": "true", "否": "false"}


class RefusedError(Exception):
    """One value was refused."""

    def __init__(self, finding: Problem) -> None:
        self.finding = finding
        super().__init__(str(finding))


class Checker:
    """Checks values of one profile; `notices` collects what was understood in an unusual way."""

    def __init__(
        self,
        facts: Mapping[str, Fact],
        tables: Mapping[str, TableData],
        folder: str,
        language: str,
    ) -> None:
        self.facts = facts
        self.tables = tables
        self.folder = folder
        self.language = language
        self.notices: list[str] = []
        self.stated_currencies: dict[str, str] = {}
        self.implied_currencies: dict[str, str] = {}

    def value(self, fact: Fact, entry: Located) -> tuple[Any, list[Problem]]:
        """The value in the fact's terms, or the reasons why it is refused."""
        try:
            if fact.is_list:
                return self.rows(fact, entry)
            return self.scalar(fact, entry), []
        except RefusedError as refused:
            return None, [refused.finding]

    # ------------------------------------------------------------ scalars

    def scalar(self, fact: Fact, entry: Located) -> Any:
        path = fact.path
        if entry.value is None:
            raise self.refuse("null", entry.where, field=path)
        if fact.kind == "date":
            return self.date(fact, entry)
        if fact.kind in ("key", "text", "enumeration"):
            return self.listed(fact, path, entry, self.text(path, fact.type, fact.key_of, entry))
        if fact.kind == "boolean":
            return self.boolean(path, entry)
        return self.number(path, fact.type, entry)

    def date(self, fact: Fact, entry: Located) -> float:
        if isinstance(entry.value, str):
            day = day_number(entry.value)
            if day is not None and fact.type.low <= day <= fact.type.high:
                return float(day)
            if day is not None:
                low, high = date_text(fact.type.low), date_text(fact.type.high)
                raise self.refuse(
                    "out_of_range",
                    entry.position,
                    expected=word("between", self.language, low=low, high=high),
                    field=fact.path,
                    value=entry.value,
                    hint="",
                )
        shown = (
            entry.value if isinstance(entry.value, str) else describe(entry.value, self.language)
        )
        raise self.refuse(
            "bad_date",
            entry.position,
            expected=word("date", self.language),
            field=fact.path,
            value=shown,
        )

    def boolean(self, path: str, entry: Located) -> bool:
        if isinstance(entry.value, bool):
            return entry.value
        hint = ""
        written = entry.raw or (entry.value if isinstance(entry.value, str) else "")
        if written.lower() in _YES:
            hint = word("write_boolean", self.language, text=_YES[written.lower()])
        raise self.wrong_type(path, entry, word("boolean", self.language), hint)

    def number(self, path: str, kind: Type, entry: Located) -> float:
        value = entry.value
        expected = number_expected(kind, self.language)
        if isinstance(value, str):
            value = self.quantity(path, kind, entry, value)
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong_type(path, entry, expected)
        value = as_double(value)
        if not math.isfinite(value):
            raise self.refuse("not_finite", entry.position, expected=expected, field=path)
        if kind.integer and not value.is_integer():
            raise self.wrong_type(path, entry, expected)
        if not kind.low <= value <= kind.high:
            between = word("between", self.language, low=spell(kind.low), high=spell(kind.high))
            raise self.refuse(
                "out_of_range",
                entry.position,
                expected=f"{between}{unit_tail(kind.unit)}",
                field=path,
                value=spell(value),
                hint=self.percent_hint(kind, value),
            )
        return value + 0.0

    def percent_hint(self, kind: Type, value: float) -> str:
        if (kind.low, kind.high) == (0.0, 1.0) and 1 < value <= 100:
            return word("percent", self.language, value=spell(value), ratio=spell(value / 100))
        return ""

    def quantity(self, path: str, kind: Type, entry: Located, text: str) -> float:
        """A text such as “50 GB” in the unit of the fact."""
        stripped = text.strip()
        hint = ""
        plain = ascii_digits(stripped)
        if plain != stripped:
            raise self.refuse(
                "odd_digits",
                entry.position,
                expected=number_expected(kind, self.language),
                field=path,
                text=_short(stripped),
                plain=plain,
            )
        if _BARE.fullmatch(stripped):
            hint = word("write_bare", self.language, text=stripped)
            raise self.wrong_type(path, entry, number_expected(kind, self.language), hint)
        if stripped.lower().lstrip("+-.") in ("nan", "inf", "infinity"):
            raise self.refuse(
                "not_finite",
                entry.position,
                expected=number_expected(kind, self.language),
                field=path,
            )
        if _SEPARATED.fullmatch(stripped):
            digits = re.sub("[,_ ]", "", stripped)
            hint = word("no_separators", self.language, text=digits)
            raise self.wrong_type(path, entry, number_expected(kind, self.language), hint)
        code, amount = split_currency(stripped)
        if code and any(name == "money" for name, _ in kind.unit.dimension):
            return self.money(path, kind, entry, code, amount)
        return self.convert(path, kind, entry, stripped)

    def convert(self, path: str, kind: Type, entry: Located, text: str) -> float:
        from engine.language.quantity import convert

        try:
            return convert(text, kind.unit, entry.position)
        except ProblemError as error:
            found = error.problems[0]
        if found.code == "E122":
            raise self.refuse(
                "wrong_dimension",
                entry.position,
                expected=number_expected(kind, self.language),
                field=path,
                text=_short(text),
                unit=unit_name(kind.unit, self.language),
                hint=unit_hint(kind, self.language),
            )
        shown = translated(found, self.language)
        raise RefusedError(
            Problem(
                shown.code,
                f"{path}: {shown.message}",
                shown.position,
                shown.expected,
                shown.suggestion,
            )
        )

    def money(self, path: str, kind: Type, entry: Located, code: str, amount: str) -> float:
        """An amount with its currency; the group's currency follows when it is not stated."""
        stated = self.currency_fact(path)
        in_force = self.stated_currencies.get(stated) or self.implied_currencies.get(stated)
        if in_force and code != in_force:
            raise self.refuse(
                "wrong_currency",
                entry.position,
                field=path,
                found=code,
                other=stated,
                currency=in_force,
                expected=in_force,
            )
        parts = _AMOUNT.fullmatch(amount)
        if parts is None:
            raise self.refuse(
                "bad_quantity",
                entry.position,
                expected=number_expected(kind, self.language),
                field=path,
                text=_short(str(entry.value)),
                hint=unit_hint(kind, self.language, f"{code} 20000"),
            )
        if stated:
            self.implied_currencies.setdefault(stated, code)
        if not parts[2]:
            return float(parts[1])
        return self.convert(path, kind, entry, f"{parts[1]} money{parts[2]}")

    def currency_fact(self, path: str) -> str:
        """The fact that says in which currency `path` is: of its group, else the general one."""
        own = f"{path.rpartition('.')[0]}.currency"
        return own if own in self.facts else "currency" if "currency" in self.facts else ""

    def text(self, path: str, kind: Type, key_of: str, entry: Located) -> str:
        value = entry.value
        if not isinstance(value, str):
            hint = ""
            if isinstance(value, (int, float)) and kind.values is None:
                hint = word("quote", self.language, text=entry.raw or spell_value(value))
            raise self.wrong_type(path, entry, text_expected(kind, key_of, self.language), hint)
        if not value.strip():
            raise self.refuse("null", entry.position, field=path)
        free = not key_of and kind.values is None  # only free text may run over several lines
        spelt = unprintable(value, lines=free)
        if spelt:
            raise self.refuse("invisible", entry.position, field=path, spelt=spelt)
        if key_of:
            return self.key(path, key_of, entry, value)
        if kind.values is not None and value not in kind.values:
            raise self.refuse(
                "unknown_value",
                entry.position,
                expected=text_expected(kind, "", self.language),
                field=path,
                value=_short(value),
                hint=did_you_mean(value, kind.values, self.language),
            )
        return value

    def key(self, path: str, table: str, entry: Located, value: str) -> str:
        """The catalog id that `value` names: the id itself, an alias, or either in other case."""
        names = key_names(self.tables[table])
        if value in names:
            return names[value]
        same = {key for name, key in names.items() if name.lower() == value.lower()}
        if len(same) == 1:
            return same.pop()
        if same:
            raise self.refuse(
                "ambiguous_key",
                entry.position,
                field=path,
                value=_short(value),
                choices=", ".join(sorted(same)),
            )
        ids = sorted(set(names.values()))
        hints = [did_you_mean(value, ids, self.language)]
        if not hints[0]:
            hints = [did_you_mean(value, names, self.language)]
        others = stated_instead(path, self.facts)
        if others:
            fields = ", ".join(others[:8]) + (", …" if len(others) > 8 else "")
            hints.append(word("leave_out", self.language, field=path, fields=fields))
        raise self.refuse(
            "unknown_key",
            entry.position,
            field=path,
            value=_short(value),
            expected=word("catalog_id", self.language, table=table),
            hint=" ".join(hint for hint in hints if hint),
        )

    # ------------------------------------------------------------ rows

    def rows(self, fact: Fact, entry: Located) -> tuple[Any, list[Problem]]:
        value = entry.value
        if value is None:
            raise self.refuse("null", entry.where, field=fact.path)
        if fact.kind == "distribution" and isinstance(value, str):
            return self.curve(fact, entry, value), []
        if not isinstance(value, tuple):
            hint = ""
            if fact.kind == "list" and not isinstance(value, dict):
                shown = entry.raw or spell_value(value)
                hint = word("write_list", self.language, text=shown)
            raise self.wrong_type(fact.path, entry, expectation(fact, self.language), hint)
        if fact.max_rows and len(value) > fact.max_rows:
            raise self.refuse(
                "too_many_rows",
                entry.position,
                field=fact.path,
                count=len(value),
                limit=fact.max_rows,
            )
        rows: list[tuple[Any, ...]] = []
        problems: list[Problem] = []
        for number, item in enumerate(value, 1):
            path = f"{fact.path}[{number}]"
            try:
                if fact.kind == "list":
                    rows.append((self.item(fact, path, item),))
                else:
                    row, wrong = self.record(fact, path, item)
                    rows.append(row)
                    problems.extend(wrong)
            except RefusedError as refused:
                problems.append(refused.finding)
        return rows, problems

    def item(self, fact: Fact, path: str, entry: Located) -> Any:
        column = fact.fields[0] if fact.fields else None
        kind = column.type if column else fact.type
        key_of = fact.key_of or (column.key_of if column else "")
        return self.listed(fact, path, entry, self.cell(path, kind, key_of, entry))

    def listed(self, fact: Fact, path: str, entry: Located, value: Any) -> Any:
        """The text of a catalog column that `value` is, in its case; other values as they are."""
        if not (fact.found_in or fact.pattern):
            return value
        if fact.pattern and re.fullmatch(fact.pattern, value):
            return value
        known = self.column_texts(fact)
        same = known.get(value.lower(), set())
        if value in same:
            return value
        if len(same) == 1:
            return next(iter(same))
        names = sorted(name for names in known.values() for name in names)
        tables = ", ".join(dict.fromkeys(table for table, _ in fact.found_in))
        raise self.refuse(
            "unknown_key",
            entry.position,
            expected=word("of_form", self.language, table=tables, form=fact.pattern)
            if fact.pattern
            else word("in_catalog", self.language, table=tables),
            field=path,
            value=_short(value),
            hint=did_you_mean(value, names, self.language),
        )

    def column_texts(self, fact: Fact) -> dict[str, set[str]]:
        """Texts in lower case → as they stand in the columns of the fact."""
        found: dict[str, set[str]] = {}
        for table, number in fact.found_in:
            for row in self.tables[table].rows:
                text = row[number]
                if isinstance(text, str):
                    found.setdefault(text.lower(), set()).add(text)
        return found

    def cell(self, path: str, kind: Type, key_of: str, entry: Located) -> Any:
        if entry.value is None:
            raise self.refuse("null", entry.where, field=path)
        if kind.kind == "number":
            return self.number(path, kind, entry)
        if kind.kind == "boolean":
            return self.boolean(path, entry)
        return self.text(path, kind, key_of, entry)

    def record(
        self, fact: Fact, path: str, entry: Located
    ) -> tuple[tuple[Any, ...], list[Problem]]:
        if not isinstance(entry.value, dict):
            raise self.wrong_type(path, entry, word("mapping", self.language))
        names = [column.name for column in fact.fields]
        problems = [
            problem(
                "unknown_field",
                inner.where,
                self.language,
                expected=word("one_of", self.language, choices=", ".join(names)),
                field=f"{path}.{name}",
                hint=did_you_mean(name, names, self.language)
                or word("group_fields", self.language, fields=", ".join(names)),
            )
            for name, inner in entry.value.items()
            if name not in names
        ]
        row: list[Any] = []
        for column in fact.fields:
            inner = entry.value.get(column.name)
            if inner is None:
                row.append(None)
                if not column.type.nullable and not problems:
                    problems.append(
                        problem(
                            "missing_in_row",
                            entry.position,
                            self.language,
                            expected=cell_expected(column, self.language),
                            field=f"{path}.{column.name}",
                            name=column.name,
                        )
                    )
                continue
            try:
                where = f"{path}.{column.name}"
                row.append(self.cell(where, column.type, column.key_of, inner))
            except RefusedError as refused:
                problems.append(refused.finding)
                row.append(None)
        return tuple(row), problems

    def curve(self, fact: Fact, entry: Located, path: str) -> list[tuple[Any, ...]]:
        from pathlib import Path

        from engine.readers.load_curve import read_load_curve

        try:
            rows, notice = read_load_curve(Path(self.folder, path), fact, self.language)
        except ProblemError as error:
            finding = error.problems[0]
            if finding.position.line == 0:
                finding = Problem(
                    finding.code,
                    finding.message,
                    entry.position,
                    finding.expected,
                    finding.suggestion,
                )
            raise RefusedError(finding) from error
        if notice:
            self.notices.append(notice)
        return rows

    # ------------------------------------------------------------ currencies

    def note_currencies(self, entries: Iterable[tuple[str, Located]]) -> None:
        """Remember which currencies are stated, wherever in the file they stand."""
        for path, entry in entries:
            if path.rpartition(".")[2] == "currency" and isinstance(entry.value, str):
                self.stated_currencies[path] = entry.value

    # ------------------------------------------------------------ refusals

    def wrong_type(self, path: str, entry: Located, expected: str, hint: str = "") -> RefusedError:
        found = describe(entry.value, self.language)
        if isinstance(entry.value, (int, float, str)) and not isinstance(entry.value, bool):
            found = f"{found} ({_short(entry.raw or spell_value(entry.value))})"
        return self.refuse(
            "wrong_type", entry.position, expected=expected, field=path, found=found, hint=hint
        )

    def refuse(self, name: str, position: Position, /, **values: Any) -> RefusedError:
        return RefusedError(problem(name, position, self.language, **values))


# ---------------------------------------------------------------- plain helpers


def key_names(table: TableData) -> dict[str, str]:
    """Every exact name of a row of the table → its id (aliases never hide an id)."""
    names = dict(table.aliases)
    names.update((str(row[0]), str(row[0])) for row in table.rows)
    return names


def _short(text: str) -> str:
    return printable(text, 60)
