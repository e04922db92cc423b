"""Policy files: an organisation's own values for parameters, inside their allowed ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.book.model import Parameter
from engine.book.yaml_reader import Located
from engine.language.problems import Problem
from engine.readers.document import Document, InputError
from engine.readers.hints import did_you_mean
from engine.readers.messages import problem, word
from engine.readers.values import Checker, RefusedError, describe


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
        for name, entry in _entries(document, language, problems):
            known = _resolve(name, parameters)
            if known is None:
                hint = did_you_mean(name, list(parameters), language)
                problems.append(
                    problem("policy_unknown", entry.where, language, name=name, hint=hint)
                )
                continue
            try:
                overrides[known] = _value(parameters[known], entry, language)
                places[known] = entry
            except RefusedError as refused:
                problems.append(refused.finding)
    if not problems:
        problems = _misordered(overrides, places, parameters, language)
    if problems:
        raise InputError(problems, texts)
    return overrides


def _entries(
    document: Document, language: str, problems: list[Problem]
) -> list[tuple[str, Located]]:
    root = document.root.value
    body = root.get("parameters") if isinstance(root, dict) else None
    if isinstance(root, dict) and body is None:
        wanted = "parameters: {name: value}"
        where = document.root.position
        problems.append(problem("required", where, language, expected=wanted, field="parameters"))
        return []
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
        return []
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
    return _flat("", body)


def _flat(prefix: str, entry: Located) -> list[tuple[str, Located]]:
    found: list[tuple[str, Located]] = []
    for name, inner in entry.value.items():
        path = f"{prefix}.{name}" if prefix else name
        found += _flat(path, inner) if isinstance(inner.value, dict) else [(path, inner)]
    return found


def _resolve(name: str, parameters: Mapping[str, Parameter]) -> str | None:
    """The parameter of that id, or the only one that ends with it."""
    if name in parameters:
        return name
    ends = [known for known in parameters if known.endswith("." + name)]
    return ends[0] if len(ends) == 1 else None


def _value(parameter: Parameter, entry: Located, language: str) -> Any:
    if parameter.steps or parameter.type.low == parameter.type.high:
        raise RefusedError(problem("policy_fixed", entry.where, language, name=parameter.id))
    checker = Checker({}, {}, Path(), language)
    return checker.cell(parameter.id, parameter.type, "", entry)


def _misordered(
    overrides: Mapping[str, Any],
    places: Mapping[str, Located],
    parameters: Mapping[str, Parameter],
    language: str,
) -> list[Problem]:
    """Declared orderings (`at_most`) that the overrides break."""
    found = []
    for parameter in parameters.values():
        for other in parameter.at_most:
            value = overrides.get(parameter.id, parameter.value)
            limit = overrides.get(other, parameters[other].value)
            if value > limit:
                place = places.get(parameter.id) or places[other]
                found.append(
                    problem(
                        "policy_order",
                        place.where,
                        language,
                        name=parameter.id,
                        value=value,
                        other=other,
                        limit=limit,
                    )
                )
    return found
