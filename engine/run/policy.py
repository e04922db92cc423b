"""Policy files: an organisation's own values for parameters, inside their allowed ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.book.model import Parameter
from engine.book.parameters import orderings
from engine.book.yaml_reader import Located
from engine.language.problems import Problem
from engine.readers.document import Document, InputError
from engine.readers.expected import describe
from engine.readers.hints import did_you_mean
from engine.readers.messages import problem, word
from engine.readers.values import Checker, RefusedError


def read_policy(
    documents: Sequence[Document], parameters: Mapping[str, Parameter], language: str = "en"
) -> dict[str, Any]:
    """Parameter id → value, later files over earlier ones.

    A policy is a mapping `parameters: {id: value}`, with `name` and `notes` if wanted. Raises
    `InputError` with everything that is wrong.
    """
    overrides: dict[str, Any] = {}
    places: dict[str, Located] = {}
    problems: list[Problem] = []
    texts = {document.file: document.lines for document in documents}
    for document in documents:
        for name, entry in _entries(document, language, problems).items():
            if name not in parameters:
                hint = did_you_mean(name, parameters, language)
                problems.append(
                    problem("policy_unknown", entry.where, language, name=name, hint=hint)
                )
                continue
            try:
                overrides[name] = _value(parameters[name], entry, language)
                places[name] = entry
            except RefusedError as refused:
                problems.append(refused.finding)
    if overrides and not problems:
        problems = _misordered(overrides, places, parameters, language)
    if problems:
        raise InputError(problems, texts)
    return overrides


def _entries(document: Document, language: str, problems: list[Problem]) -> dict[str, Located]:
    root = document.root.value
    body = root.get("parameters") if isinstance(root, dict) else None
    if isinstance(root, dict) and body is None:
        wanted = "parameters: {name: value}"
        where = document.root.position
        problems.append(problem("required", where, language, expected=wanted, field="parameters"))
        return {}
    if not isinstance(root, dict) or body is None or not isinstance(body.value, dict):
        found = body if body is not None else document.root
        problems.append(
            problem(
                "not_mapping",
                found.where,
                language,
                what=word("policy", language),
                found=describe(found.value, language),
                expected="parameters: {name: value}",
            )
        )
        return {}
    extra = [name for name in root if name not in ("parameters", "name", "notes")]
    problems.extend(
        problem(
            "unknown_field",
            root[name].where,
            language,
            field=name,
            hint=word("group_fields", language, fields="parameters, name, notes"),
        )
        for name in extra
    )
    entries: dict[str, Located] = body.value
    return entries


def _value(parameter: Parameter, entry: Located, language: str) -> Any:
    if parameter.steps or parameter.type.low == parameter.type.high:
        raise RefusedError(problem("policy_fixed", entry.where, language, name=parameter.id))
    checker = Checker({}, {}, "", language)
    return checker.cell(parameter.id, parameter.type, "", entry)


def _misordered(
    overrides: Mapping[str, Any],
    places: Mapping[str, Located],
    parameters: Mapping[str, Parameter],
    language: str,
) -> list[Problem]:
    """Declared orderings (`at_most`) that the overrides break."""
    found = []
    for low, high in orderings(parameters):
        value = overrides.get(low, parameters[low].value)
        limit = overrides.get(high, parameters[high].value)
        if value > limit:
            place = places.get(low) or places[high]
            found.append(
                problem(
                    "policy_order",
                    place.where,
                    language,
                    name=low,
                    value=value,
                    other=high,
                    limit=limit,
                )
            )
    return found
