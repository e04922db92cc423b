"""One entry of the book as HTML: its table or formula, why, sources and examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from engine.book.model import (
    Advice,
    Curve,
    Decision,
    Example,
    Fact,
    Formula,
    Parameter,
    Ranking,
    Relation,
    Source,
    Table,
    Text,
    Unknown,
)
from engine.language import tree
from engine.readers.spelling import spell_value
from engine.reference.writing import cell_text, formula_text
from engine.site.markup import code, listed, sentence, table
from engine.site.pen import Pen


def fact_entry(pen: Pen, fact: Fact, used_by: Sequence[str]) -> Iterator[str]:
    """Type, range, what absence means, and the help a person gets."""
    rows = [(pen.say("type"), _fact_type(pen, fact))]
    if fact.type.kind == "number" and not fact.is_list:
        rows.append((pen.say("range"), _range(pen, fact.type.low, fact.type.high)))
        rows.append((pen.say("unit"), escape(fact.type.unit.symbol)))
    if fact.asked:
        rows.append((pen.say("default"), escape(pen.say("asked"))))
    elif fact.optional:
        rows.append((pen.say("default"), escape(pen.say("optional"))))
    elif fact.default is not None:
        shown = code(formula_text(fact.default))
        rows.append((pen.say("default"), f"{shown} {sentence(pen.text(fact.because))}"))
    if fact.derive is not None:
        rows.append((pen.say("computed_as"), code(formula_text(fact.derive))))
    yield from _properties(rows)
    if fact.help.en:
        yield f"<p>{sentence(pen.text(fact.help))}</p>"
    yield from _sources(pen, fact.source)
    yield from _readers(pen, used_by)


def parameter_entry(pen: Pen, parameter: Parameter, used_by: Sequence[str]) -> Iterator[str]:
    """Value, unit, range, dates and rationale."""
    kind = parameter.type
    if parameter.steps:
        rows = [(pen.say("steps"), ", ".join(spell_value(step) for step in parameter.steps))]
    else:
        rows = [(pen.say("value"), f"<strong>{escape(spell_value(parameter.value))}</strong>")]
    if kind.kind == "number":
        rows.append((pen.say("unit"), escape(kind.unit.symbol)))
        if not parameter.steps:
            rows.append((pen.say("range"), _range(pen, kind.low, kind.high)))
    if kind.values:
        rows.append((pen.say("values"), ", ".join(code(value) for value in kind.values)))
    rows.append((pen.say("as_of"), escape(parameter.as_of)))
    if parameter.review_by:
        rows.append((pen.say("review_by"), escape(parameter.review_by)))
    yield from _properties(rows)
    if parameter.rationale.en:
        yield f"<p>{sentence(pen.text(parameter.rationale))}</p>"
    yield from _sources(pen, parameter.source)
    yield from _readers(pen, used_by)


def decision_entry(pen: Pen, name: str, decision: Decision) -> Iterator[str]:
    """A table, formula or curve with everything said about it."""
    about = [_type_words(pen, decision)]
    if decision.basis:
        about.append(f"{pen.label('basis')}{code(decision.basis)}")
    yield f'<p class="faint">{" · ".join(part for part in about if part)}</p>'
    if decision.because.en:
        yield f"<p>{sentence(pen.text(decision.because))}</p>"
    yield from decision_body(pen, name, decision)
    yield from _sources(pen, decision.source)
    yield from _examples(pen, decision.examples)


def decision_body(pen: Pen, name: str, decision: Decision) -> Iterator[str]:
    """The table, formula or curve itself."""
    body = decision.body
    if isinstance(body, Formula):
        yield f"<pre><code>{escape(formula_text(body.expression))}</code></pre>"
        reads = pen.reads([body.expression])
        if reads:
            yield f'<p class="faint">{pen.label("reads")}{reads}</p>'
    elif isinstance(body, Table):
        yield f'<p class="faint">{pen.label("hit")}{pen.say(f"hit_{body.hit}")}</p>'
        yield _decision_table(pen, name, body)
        reads = pen.reads(body.inputs)
        if reads:
            yield f'<p class="faint">{pen.label("reads")}{reads}</p>'
    else:
        yield from _curve(body)


def advice_table(pen: Pen, name: str, advice: Advice) -> str:
    """Every finding of an advice table with the conditions that bring it up."""
    rows = []
    for row in advice.rows:
        remedy = f'<br><span class="faint">{sentence(pen.text(row.remedy))}</span>'
        rows.append(
            (
                _row_name(pen, name, row.id),
                _conditions(advice.inputs, row.when),
                f"{code(row.verdict)} {code(row.severity)}",
                sentence(pen.text(row.message)) + (remedy if row.remedy.en else ""),
                pen.short_sources(row.source),
            )
        )
    header = (pen.say("row"), pen.say("when"), pen.say("severity"), pen.say("then"))
    return table((*header, pen.say("source")), rows)


def advice_entry(pen: Pen, name: str, advice: Advice) -> Iterator[str]:
    yield advice_table(pen, name, advice)
    reads = pen.reads(advice.inputs)
    if reads:
        yield f'<p class="faint">{pen.label("reads")}{reads}</p>'
    yield from _examples(pen, [example for row in advice.rows for example in row.examples])


def relation_entry(pen: Pen, relation: Relation) -> Iterator[str]:
    """What a relation combines, and the list of its columns (each an entry of its own)."""
    items = "".join(f"<li>{_relation_source(pen, source)}</li>" for source in relation.sources)
    yield f"<p>{pen.say('each_row_of')}</p><ul>{items}</ul>"
    if relation.where:
        conditions = "<br>".join(code(formula_text(node)) for node, _ in relation.where)
        yield f"<p>{pen.label('kept_where')}{conditions}</p>"


def ranking_entry(pen: Pen, ranking: Ranking) -> Iterator[str]:
    rows = [(pen.say("each_row_of"), pen.id_link(ranking.relation))]
    if ranking.keep is not None:
        rows.append((pen.say("kept_where"), code(formula_text(ranking.keep))))
    order = [
        code(formula_text(node)) + (" ↓" if descending else "") for node, descending in ranking.by
    ]
    rows.append((pen.say("ordered_by"), "<br>".join(order)))
    yield from _properties(rows)


# ---------------------------------------------------------------- parts


def _properties(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    shown = [(label, value) for label, value in rows if value]
    cells = "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in shown)
    yield f'<dl class="properties">{cells}</dl>'


def _sources(pen: Pen, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f'<p class="sources">{pen.label("source")}{pen.sources(names)}</p>'


def _readers(pen: Pen, names: Sequence[str]) -> Iterator[str]:
    if names:
        found = listed((pen.id_link(name) for name in names), pen.language)
        yield f'<p class="faint">{pen.label("used_by")}{found}</p>'


def _range(pen: Pen, low: float, high: float) -> str:
    return f"[{spell_value(low)}, {spell_value(high)}]"


def _fact_type(pen: Pen, fact: Fact) -> str:
    shown = pen.say(f"type_{fact.kind}")
    if fact.type.values:
        shown += " " + ", ".join(code(value) for value in fact.type.values)
    if fact.key_of:
        shown += f" {code(fact.key_of)}"
    if fact.fields and fact.kind != "list":
        shown += "<br>" + ", ".join(
            f"{code(one.name)} {escape(pen.text(one.label))}".strip() for one in fact.fields
        )
    return shown


def _type_words(pen: Pen, decision: Decision) -> str:
    outputs = decision.outputs or {"": decision.type}
    found = []
    for name, kind in outputs.items():
        if kind.values:
            shown = ", ".join(code(value) for value in kind.values)
        elif kind.kind == "number":
            shown = escape(kind.unit.symbol or pen.say("type_number"))
        else:
            shown = pen.say(f"type_{kind.kind}")
        found.append(f"{code(name)} {shown}" if name else shown)
    return " · ".join(found)


def _row_name(pen: Pen, owner: str, row: str) -> str:
    anchor = f"{owner}:{row}"
    place = pen.places.index.get(anchor)
    if place is not None and place.page == pen.page:
        return f'<span id="{escape(anchor)}">{code(row)}</span>'
    return code(row) if place is None else pen.link(place, code(row))


def _decision_table(pen: Pen, name: str, body: Table) -> str:
    """Conditions and outcome of each row; conditions that hold for anything are left out."""
    rows = []
    for row in body.every_row:
        if isinstance(row.then, Unknown):
            then = f"<em>{pen.say('unknown')}</em>"
            if row.then.asks:
                asks = listed((pen.id_link(path) for path in row.then.asks), pen.language)
                then += f"<br>{pen.label('asked')}{asks}"
        else:
            then = "<br>".join(
                (f"{code(output.name)} = " if output.name else "") + _outcome(pen, node)
                for output, node in zip(body.outputs, row.then, strict=True)
            )
        last = row is body.otherwise
        when = pen.say("otherwise") if last else _conditions(body.inputs, row.when)
        rows.append(
            (
                _row_name(pen, name, row.id),
                when or pen.say("anything"),
                then,
                sentence(pen.text(row.because)),
                pen.short_sources(row.source),
            )
        )
    header = [pen.say(name) for name in ("row", "when", "then", "because", "source")]
    return table(header, rows)


def _outcome(pen: Pen, node: tree.Node) -> str:
    """An expression; a value of a closed list with the words for it."""
    if isinstance(node, tree.Literal) and isinstance(node.value, str):
        words = pen.figures.word(node.value)
        plain = code(node.value)
        return plain if words == node.value else f"{plain}<br>{escape(words)}"
    return code(formula_text(node))


def _conditions(inputs: Sequence[tree.Node], cells: Sequence[tree.Cell]) -> str:
    return "<br>".join(
        code(_condition(formula_text(node), cell_text(cell)))
        for node, cell in zip(inputs, cells, strict=True)
        if cell.tests
    )


def _condition(subject: str, cell: str) -> str:
    """`x < 5`, `x = "a"`, `x in ("a", "b")`, `x` and `not x`."""
    if cell == "true":
        return subject
    if cell == "false":
        return f"not {subject}" if subject.replace(".", "").isidentifier() else f"not ({subject})"
    if cell.startswith(("<", ">")) and "," not in cell:
        return f"{subject} {cell}"
    if cell.startswith("not("):
        return f"{subject} not in ({cell[4:-1]})"
    if cell.startswith(("[", "(")) or "," in cell:
        return f"{subject} in {cell if cell.startswith(('[', '(')) else f'({cell})'}"
    return f"{subject} = {cell}"


def _curve(body: Curve) -> Iterator[str]:
    for key, points in body.segments:
        header = [escape(body.x_type.unit.symbol or "x"), *(spell_value(x) for x, _ in points)]
        row = [escape(body.y_type.unit.symbol or "y"), *(spell_value(y) for _, y in points)]
        title = f"<p>{code(key)}</p>" if key else ""
        yield title + table(header, [row], [False, *([True] * len(points))])
    yield f'<p class="faint">… {code(body.below)} · {code(body.above)} …</p>'


def _relation_source(pen: Pen, source: Source) -> str:
    shown = f"{code(source.alias)}: {code(source.kind)}"
    if source.kind in ("relation", "group", "fact"):
        shown += f" {pen.id_link(source.name)}"
    elif source.name:
        shown += f" {code(source.name)}"
    if source.on:
        pairs = (f"{source.alias}.{column} = {formula_text(node)}" for column, node in source.on)
        shown += " " + code(" and ".join(pairs))
    return shown


def _examples(pen: Pen, examples: Sequence[Example]) -> Iterator[str]:
    if not examples:
        return
    items = []
    for example in examples:
        stated = {**_shown(example.given), **_shown(example.assume)}
        given = ", ".join(code(f"{path} = {value}") for path, value in stated.items())
        expect = "unknown" if example.expect is None else example.expect
        outcome = code(_plain(expect))
        arrow = f"{given} → {outcome}" if given else outcome
        items.append(f'<li>{escape(example.name)}<br><span class="faint">{arrow}</span></li>')
    shown = "".join(items)
    summary = f"{pen.say('examples')} ({len(items)})"
    yield f"<details><summary>{summary}</summary><ul>{shown}</ul></details>"


def _shown(values: Mapping[str, Any]) -> dict[str, str]:
    return {path: _plain(value) for path, value in values.items()}


def _plain(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_plain(inner) for inner in value) + "]"
    return spell_value(value)


def title_of(entry: Any) -> Text:
    found: Text = entry.label if isinstance(entry, Fact) else entry.title
    return found
