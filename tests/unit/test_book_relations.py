"""Names inside relations, their sources, conditions and rankings."""

# ruff: noqa: E501  (rule texts in one line each)
from __future__ import annotations

import pytest

from engine.book.load import load_book_from
from engine.language.tree import Column, DecisionValue
from tests.unit.book_samples import problem_of, problems_of, sample_book, with_rules

RELATION = "relations: {r: {title: {en: a, zh: b}, max_rows: 10, "
COLUMN = "columns: {x: {title: {en: a, zh: b}, unit: ratio, formula: 1}}"


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("from: [{as: c}], " + COLUMN, "B054", "needs one of"),
        ("from: [{as: c, table: cards}], " + COLUMN, "B110", 'no catalog table "cards"'),
        ("from: [{as: c, relation: cards}], " + COLUMN, "B110", 'no relation "cards"'),
        ("from: [{as: c, fact: cards}], " + COLUMN, "B110", 'no fact "cards"'),
        ("from: [{as: c, fact: task}], " + COLUMN, "B091", "is a single value"),
        ("from: [{as: model, table: models}], " + COLUMN, "B111", "already means"),
        ("from: [{as: x, table: models}], " + COLUMN, "B111", "already means"),
        ("from: [{as: m, table: models}, {as: m, table: formats}], " + COLUMN, "B111", ""),
        ("from: [{as: m, table: models, optional: true}], " + COLUMN, "B054", "needs `on`"),
        ("from: [{as: m, table: models, by: [id]}], " + COLUMN, "B054", "`by` goes with"),
        ("from: [{as: m, table: models, on: {idd: m.id}}], " + COLUMN, "B112", 'no column "idd"'),
        ("from: [{as: m, table: models, on: {id: m.id}}], " + COLUMN, "B054", "with itself"),
        ("from: [{as: m, table: models, on: {parameters_b: task}}], " + COLUMN, "B120", ""),
        ("from: [{as: g, group: levels, by: [hours]}], " + COLUMN, "B112", 'no column "hours"'),
        ("from: [{as: k, steps: {from: 0, to: 5, by: 0}}], " + COLUMN, "B054", "0 or less"),
        ("from: [{as: k, steps: {from: 0, to: owned_step, by: 1}}], " + COLUMN, "B121", ""),
        (
            "from: [{as: k, steps: {from: 0, to: serving.target_tokens_per_s, by: busy_rate}}], "
            + COLUMN,
            "B054",
            "known numbers",
        ),
        (
            "from: [{as: m, table: models}], where: [m.experts > 1], " + COLUMN,
            "B052",
            "can be unknown",
        ),
        ("from: [{as: m, table: models}], where: [m.parameters_b], " + COLUMN, "B120", ""),
        ("from: [{as: m, table: models}], key: [m.parameters_b], " + COLUMN, "B053", ""),
        (
            "from: [{as: m, table: models}], columns: {task: {title: {en: a, zh: b}, unit: ratio, formula: 1}}",
            "B051",
            "the name of a fact",
        ),
        (
            "from: [{as: m, table: models}], columns: {x: {title: {en: a, zh: b}, type: text, formula: m.nam}}",
            "B112",
            '"m" has no column "nam"',
        ),
        (
            "from: [{as: m, table: models}], columns: {x: {title: {en: a, zh: b}, unit: ratio, formula: x}}",
            "B092",
            "x → x",
        ),
        (
            "from: [{as: m, table: models}], columns: {x: {title: {en: a, zh: b}, unit: count, formula: count(for q in r)}}",
            "B092",
            "extra.rules.r → extra.rules.r",
        ),
        (
            "from: [{as: m, table: models}], columns: {x: {title: {en: a, zh: b}, hit: collect, values: [a], "
            "inputs: [task], rows: [{id: r, when: ['-'], then: a}]}}",
            "B050",
            "a single value",
        ),
    ],
)
def test_a_faulty_relation_is_told_where_it_stands(text, code, says):
    problem = problem_of(with_rules(RELATION + text + "}}"))
    assert problem.code == code and says in problem.message, problem
    assert problem.position.line == 3 and problem.position.column > 0


def test_a_list_that_can_be_missing_is_no_source():
    files = with_rules(
        "facts: {x.rows: {type: list, max_rows: 5, asked: true, label: {en: a, zh: b}}}",
        "rules/profile/extra.yaml",
    )
    text = str(
        with_rules(RELATION + "from: [{as: c, fact: x.rows}], " + COLUMN + "}}")[
            "rules/extra/rules.yaml"
        ]
    )
    problem = problem_of({**files, "rules/extra/rules.yaml": text})
    assert (problem.code, problem.suggestion) == ("B054", "give the fact `default: []`")


def test_a_condition_is_split_so_that_each_part_is_tested_as_early_as_possible():
    text = (
        "relations: {r: {title: {en: a, zh: b}, max_rows: 10, from: [{as: m, table: models}, "
        "{as: f, table: formats}], where: ['m.parameters_b > 1 and (f.bytes > 0 and objective = \"cost\")'], "
        + COLUMN
        + "}}"
    )
    text = text.replace("m.parameters_b > 1", "m.parameters_b / one > 1").replace(
        "f.bytes > 0", "f.bytes > 0"
    )
    files = with_rules(text)
    files["rules/parameters/extra.yaml"] = (
        "id: parameters.extra\ntitle: {en: a, zh: b}\n"
        "parameters: {one: {title: {en: a, zh: b}, value: 1, unit: billion}}\n"
    )
    where = load_book_from(files).relations["extra.rules.r"].where
    assert [level for _, level in where] == [1, 2, 0]


def test_names_resolve_nearest_first():
    text = """decisions:
  cost: {title: {en: x, zh: y}, unit: ratio, formula: 1}
  own: {title: {en: x, zh: y}, unit: ratio, formula: cost}
  other: {title: {en: x, zh: y}, unit: USD, formula: burst.lowest_cost}
  bare: {title: {en: x, zh: y}, unit: USD, formula: lowest_cost}
  output: {title: {en: x, zh: y}, unit: ratio, formula: placement.billing.discount}
relations:
  r:
    title: {en: x, zh: y}
    from: [{as: p, relation: plans}]
    max_rows: 10
    columns:
      cost: {title: {en: x, zh: y}, unit: USD, formula: p.cost}
      twice: {title: {en: x, zh: y}, unit: USD, formula: cost * 2}
"""
    book = load_book_from(with_rules(text))
    read = book.decisions["extra.rules.own"].body.expression
    assert isinstance(read, DecisionValue) and read.id == "extra.rules.cost"
    for name in ("other", "bare"):
        read = book.decisions[f"extra.rules.{name}"].body.expression
        assert isinstance(read, DecisionValue) and read.id == "money.burst.lowest_cost"
    read = book.decisions["extra.rules.output"].body.expression
    assert (read.id, read.output) == ("sourcing.placement.billing", "discount")
    twice = book.relations["extra.rules.r"].columns[1].decision.body.expression
    assert isinstance(twice.left, Column) and (twice.left.alias, twice.left.name) == ("", "cost")


def test_a_name_with_two_meanings_is_refused():
    text = """decisions:
  lowest_cost: {title: {en: x, zh: y}, unit: USD, formula: burst.lowest_cost}
"""
    files = with_rules(text)
    files["rules/extra/more.yaml"] = (
        "id: extra.more\ntitle: {en: a, zh: b}\n"
        "decisions: {d: {title: {en: x, zh: y}, unit: USD, formula: lowest_cost}}\n"
    )
    problem = problem_of(files)
    assert problem.code == "B090"
    assert problem.message == (
        '"lowest_cost" can mean extra.rules.lowest_cost or money.burst.lowest_cost'
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("of: plan, by: [cost]", "B110"),
        ("of: plans, by: [costs]", "B110"),
        ("of: plans, by: [cost], keep: cost", "B120"),
        ("of: offered, by: [price], pareto: [price, offer_id]", "B055"),
    ],
)
def test_a_faulty_ranking_is_told(text, code):
    found = problems_of(with_rules("rankings: {r: {title: {en: a, zh: b}, " + text + "}}"))
    assert [one.code for one in found] == [code]


def test_a_faulty_advice_row_is_told():
    text = """advice:
  a:
    title: {en: x, zh: y}
    inputs: [serving.batch]
    rows:
      - {id: one, when: ["> 3"], verdict: warn, severity: low, message: {en: "{nothing}", zh: x}}
      - {id: one, when: ["> 3"], verdict: warn, severity: low, message: {en: x, zh: x}}
      - {id: two, when: [">"], verdict: warn, severity: low, message: {en: x, zh: x}}
"""
    found = problems_of(with_rules(text))
    assert [(one.code, one.position.line) for one in found] == [("B042", 9), ("B101", 10)]


def test_known_may_read_a_column_that_only_repeats_the_catalog():
    text = """relations:
  r:
    title: {en: x, zh: y}
    from: [{as: o, relation: offered}]
    max_rows: 10
    columns:
      again: {title: {en: x, zh: y}, unit: USD/hour, formula: o.price}
      stated: {title: {en: x, zh: y}, type: boolean, formula: known(o.price) and known(again)}
"""
    columns = load_book_from(with_rules(text)).relations["extra.rules.r"].columns
    assert not columns[1].decision.type.nullable
    assert sample_book().relations["hardware.options.offered"].columns
