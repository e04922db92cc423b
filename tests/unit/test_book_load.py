"""A book is loaded typed and in order, and what is wrong with it is said where it stands."""

# ruff: noqa: E501  (rule texts in one line each)
from __future__ import annotations

import pytest

from engine.book.contents import all_decisions, body_trees
from engine.book.files import digest_of
from engine.book.load import load_book, load_book_from
from engine.book.model import Curve, Table, Unknown
from engine.language.problems import ProblemError
from engine.language.tree import Literal, Name
from engine.language.walk import walk
from tests.unit.book_samples import (
    SAMPLE,
    changed,
    problem_of,
    problems_of,
    sample_book,
    sample_files,
    with_rules,
)


def test_the_sample_holds_every_kind_of_entry():
    book = sample_book()
    kinds = {fact.kind for fact in book.facts.values()}
    assert kinds == {
        "number", "integer", "boolean", "enumeration", "text", "date", "key", "list", "records",
        "distribution",
    }  # fmt: skip
    tables = [one.body for one in all_decisions(book) if isinstance(one.body, Table)]
    assert {table.hit for table in tables} == {"unique", "first", "any", "priority", "collect"}
    assert any(len(table.outputs) > 1 for table in tables)
    sources = [source for one in book.relations.values() for source in one.sources]
    assert {source.kind for source in sources} == {"table", "relation", "fact", "steps", "group"}
    assert any(source.optional for source in sources)
    assert any(one.pareto for one in book.rankings.values())
    assert any(isinstance(one.body, Curve) and one.body.key_values for one in all_decisions(book))
    assert book.advice and any(one.steps for one in book.parameters.values())


def test_every_tree_is_resolved_and_typed():
    for decision in all_decisions(sample_book()):
        for tree in body_trees(decision.body):
            for node in walk(tree):
                assert not isinstance(node, Name)


def test_order_puts_what_is_read_before_what_reads_it():
    book = sample_book()
    place = {entry: index for index, entry in enumerate(book.order)}
    assert place["fact", "precision.weights"] < place["decision", "needs.speed.bytes_per_weight"]
    assert (
        place["relation", "hardware.options.layouts"]
        < place["relation", "hardware.options.offered"]
    )
    assert (
        place["ranking", "hardware.options.recommended"]
        < place["decision", "hardware.options.best_card"]
    )
    listed = {name for kind, name in book.order if kind == "decision"}
    assert listed == set(book.decisions)


def test_facts_say_what_their_absence_means():
    book = sample_book()
    assert book.facts["task"].asked and book.facts["task"].type.nullable
    assert not book.facts["objective"].type.nullable
    assert book.facts["objective"].default == Literal(
        "cost",
        type=book.facts["objective"].default.type,
        position=book.facts["objective"].default.position,
    )
    assert book.facts["model.parameters_b"].derive is not None
    assert book.facts["owned"].fields[2].date and book.facts["owned"].fields[0].key_of


def test_levels_say_in_which_loop_a_value_can_be_computed():
    relation = sample_book().relations["hardware.options.layouts"]
    levels = {column.decision.id: column.level for column in relation.columns}
    assert levels["card_id"] == 1
    assert levels["cards"] == 2 and levels["fit"] == 2
    assert [level for _, level in relation.where] == [1, 1, 2]


def test_a_group_column_that_reads_members_needs_the_group():
    relation = sample_book().relations["hardware.options.per_vendor"]
    assert {one.decision.id: one.level for one in relation.columns}["choices"] == 1


def test_columns_of_an_optional_source_can_be_unknown():
    relation = sample_book().relations["hardware.options.offered"]
    types = {one.decision.id: one.decision.type for one in relation.columns}
    assert types["price"].nullable and not types["cards"].nullable


def test_placeholders_become_reads():
    book = sample_book()
    because = book.decisions["needs.speed.experts_touched"].because
    assert [name for name, _ in because.reads] == ["serving.batch", "experts_touched"]
    row = book.advice["advice.checks.general"].rows[0]
    assert dict(row.remedy.reads).keys() == {"precision.weights"}


def test_examples_come_in_the_form_targets_take():
    book = sample_book()
    example = book.decisions["money.burst.lowest_cost"].examples[0]
    assert example.given == {"usage.load_curve": [(8.0, 1000.0)]}
    assert example.assume == {"owned_cost_per_hour": 1.0, "rented_price_per_hour": 3.0}
    fit = book.relations["hardware.options.layouts"].columns
    examples = next(one.decision for one in fit if one.decision.id == "fit").examples
    assert examples[1].assume == {"memory": 10.0, "card.memory_gib": None}
    assert examples[1].expect is None and examples[1].asks == ()


def test_unknown_is_an_answer_only_where_it_is_not_a_value():
    covered = sample_book().decisions["sourcing.placement.covered"].body
    assert isinstance(covered, Table)
    assert covered.rows[1].then == Unknown(("task",))


def test_an_interval_holds_every_value():
    kind = sample_book().decisions["needs.speed.experts_touched"].type
    assert 0 < kind.low < 0.001 and kind.high == 1.0
    surcharge = sample_book().decisions["sourcing.placement.surcharge"].type
    assert (surcharge.low, surcharge.high) == (0.0, pytest.approx(0.3))


def test_a_count_may_be_what_otherwise_says():
    text = """decisions:
  found:
    title: {en: Found, zh: 数目}
    unit: count
    hit: collect
    aggregate: count
    inputs: [task = "lora"]
    rows: [{id: much, when: ["true"], then: 1}]
    otherwise: 2.5
"""
    kind = load_book_from(with_rules(text)).decisions["extra.rules.found"].type
    assert (kind.low, kind.high, kind.integer) == (0.0, 2.5, False)


def test_the_digest_changes_with_content_and_not_with_line_ends():
    files = sample_files()
    windows = {path: str(text).replace("\n", "\r\n").encode() for path, text in files.items()}
    assert digest_of(files) == digest_of(windows) == sample_book().digest
    assert digest_of(changed("rules/version.txt", "1.0.0", "1.0.1")) != sample_book().digest


def test_a_book_is_loaded_from_a_folder():
    assert load_book(SAMPLE) == sample_book()


def test_a_folder_without_rules_is_told(tmp_path):
    with pytest.raises(ProblemError, match="B014 there are no rules here"):
        load_book(tmp_path)


# ------------------------------------------------------------------ laws of the files


@pytest.mark.parametrize(
    ("text", "path", "code"),
    [
        (
            "facts: {x.y: {type: boolean, asked: true, label: {en: a, zh: b}}}",
            "rules/a/b.yaml",
            "B011",
        ),
        (
            "parameters: {x: {title: {en: a, zh: b}, value: 1, unit: count}}",
            "rules/a/b.yaml",
            "B011",
        ),
        (
            "decisions: {task: {title: {en: a, zh: b}, unit: ratio, formula: 1}}",
            "rules/a/b.yaml",
            "B012",
        ),
        (
            "facts: {task: {type: boolean, asked: true, label: {en: a, zh: b}}}",
            "rules/profile/zz.yaml",
            "B012",
        ),
        (
            "facts: {x.y: {type: boolean, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B022",
        ),
        (
            "facts: {task.y: {type: boolean, asked: true, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B012",
        ),
        (
            "facts: {x.y: {type: boolean, default: true, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B022",
        ),
        (
            "facts: {x.y: {type: number, unit: count, asked: true, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B021",
        ),
        (
            "facts: {x.y: {type: number, unit: count, range: [2, 1], asked: true, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B021",
        ),
        (
            "facts: {x.y: {type: number, unit: gallon, range: [1, 2], asked: true, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B104",
        ),
        (
            "facts: {x.y: {type: integer, unit: count, range: [1, 2], default: 3, because: {en: a, zh: b}, "
            "label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B030",
        ),
        (
            "facts: {x.y: {type: integer, unit: count, range: [1, 2], default: serving.batch, "
            "because: {en: a, zh: b}, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B023",
        ),
        (
            "facts: {x.y: {type: key, table: model, asked: true, label: {en: a, zh: b}}}",
            "rules/profile/b.yaml",
            "B110",
        ),
        (
            "parameters: {x: {title: {en: a, zh: b}, steps: [1, 3, 2], unit: count}}",
            "rules/parameters/b.yaml",
            "B024",
        ),
        (
            "parameters: {x: {title: {en: a, zh: b}, value: 3, unit: count, range: [0, 1]}}",
            "rules/parameters/b.yaml",
            "B030",
        ),
        (
            "parameters: {x: {title: {en: a, zh: b}, value: 3, unit: count, at_most: [busy_rate]}}",
            "rules/parameters/b.yaml",
            "B025",
        ),
        (
            "parameters: {x: {title: {en: a, zh: b}, value: 2000, unit: token/second, at_most: [busy_rate]}}",
            "rules/parameters/b.yaml",
            "B025",
        ),
        (
            "parameters: {x: {title: {en: a, zh: b}, value: 1, unit: count, source: [nowhere]}}",
            "rules/parameters/b.yaml",
            "B081",
        ),
    ],
)
def test_a_law_that_is_broken_is_named_with_its_place(text, path, code):
    problem = problem_of(with_rules(text, path))
    assert problem.code == code
    assert problem.position.file == path and problem.position.line == 3


def test_no_entry_leans_on_more_than_three_sections_of_the_guide():
    text = "parameters: {x: {title: {en: a, zh: b}, value: 1, unit: count, source: [%s]}}"
    files = with_rules(text % "A1.1, A1.2, A1.3, A1.4", "rules/parameters/b.yaml")
    sources = "catalog/sources.yaml"
    files[sources] = str(files[sources]).replace("[A1.1]", "[A1.1, A1.2, A1.3, A1.4]")
    problem = problem_of(files)
    assert (problem.code, problem.message) == ("B081", '"x" cites 4 sections of the guide')


def test_the_id_of_a_file_is_its_path():
    problem = problem_of(changed("rules/needs/speed.yaml", "id: needs.speed", "id: needs.sped"))
    assert (problem.code, problem.expected) == ("B010", "needs.speed")


def test_a_missing_language_is_refused():
    problem = problem_of(changed("rules/needs/speed.yaml", ", zh: 生成速度", ""))
    assert (problem.code, problem.message) == ("B002", 'the key "zh" is missing')


# ------------------------------------------------------------------ decisions


DECISION = "decisions: {d: {title: {en: a, zh: b}, "


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("unit: ratio}", "B040", "needs one of formula, rows, curve"),
        ("formula: 1}", "B020", "the type is not stated"),
        ("unit: ratio, formula: 1, rows: [{id: r, when: ['-'], then: 1}]}", "B040", ""),
        ("unit: ratio, formula: 1, hit: first}", "B040", "`hit` belongs to a table"),
        ("unit: GiB, formula: 1}", "B121", ""),
        ("unit: ratio, formula: serving.batc / 2}", "B110", 'unknown name "serving.batc"'),
        ("type: boolean, formula: 1}", "B120", ""),
        ("values: [a], formula: '\"b\"'}", "B122", ""),
        ("values: [a], inputs: [task], rows: [{id: r, when: ['-'], then: b}]}", "B122", ""),
        (
            "values: [a], inputs: [task], rows: [{id: r, when: ['-', '-'], then: a}]}",
            "B042",
            "2 cells",
        ),
        (
            "values: [a], inputs: [task], rows: [{id: r, when: ['-'], then: [a, a]}]}",
            "B043",
            "2 values",
        ),
        (
            "values: [a], inputs: [task], rows: [{id: r, when: ['-'], then: a}, {id: r, when: ['-'], then: a}]}",
            "B042",
            "exists already",
        ),
        (
            "values: [a], inputs: [task], rows: [{id: r, when: ['lora, infrence'], then: a}]}",
            "B122",
            "",
        ),
        (
            "values: [a], inputs: [task], rows: [{id: r, when: ['-'], then: unknown, asks: [tsk]}]}",
            "B110",
            "",
        ),
        ("type: boolean, inputs: [task], rows: [{id: r, when: ['-'], then: 1}]}", "B043", ""),
        (
            "unit: ratio, hit: priority, inputs: [task], rows: [{id: r, when: ['-'], then: 1}]}",
            "B041",
            "",
        ),
        (
            "unit: ratio, aggregate: sum, inputs: [task], rows: [{id: r, when: ['-'], then: 1}]}",
            "B041",
            "aggregate goes with hit: collect",
        ),
        (
            "unit: ratio, curve: {x: {unit: count, range: [0, 9]}, points: [[2, 1], [1, 2]], below: hold, above: hold}}",
            "B044",
            "do not ascend",
        ),
        (
            "unit: ratio, curve: {x: {unit: count, range: [0, 9]}, points: [[2, 1], [10, 2]], below: hold, above: hold}}",
            "B044",
            "outside its range",
        ),
        ("unit: ratio, formula: bandwidth_efficiency}", "B091", "is a curve"),
        ("unit: ratio, formula: card_counts}", "B091", "is a ladder"),
        ("unit: ratio, formula: owned}", "B091", "is a list"),
        ("unit: ratio, formula: sourcing.placement.steps}", "B091", "gives a list"),
        ("unit: ratio, formula: sourcing.placement.billing}", "B091", "several outputs"),
        ("unit: ratio, formula: 1, because: {en: '{task:.1f}', zh: x}}", "B060", "not a number"),
        ("unit: ratio, formula: 1, because: {en: '{tusk}', zh: x}}", "B110", ""),
        (
            "unit: ratio, formula: 1, because: {en: 'a { b', zh: x}}",
            "B060",
            "a brace is not closed",
        ),
        ("unit: ratio, formula: 1, increasing: [task]}", "B071", "is not a number"),
        (
            "unit: ratio, formula: 1, examples: [{name: x, given: {tusk: lora}, expect: 1}]}",
            "B110",
            "",
        ),
        (
            "unit: ratio, formula: 1, examples: [{name: x, given: {task: lara}, expect: 1}]}",
            "B030",
            "",
        ),
        ("unit: ratio, formula: 1, examples: [{name: x, assume: {x: 1}, expect: 1}]}", "B110", ""),
        ("unit: ratio, formula: 1, examples: [{name: x, expect: y}]}", "B030", ""),
        ("unit: ratio, formula: 1, examples: [{name: x, expect: 1, row: r}]}", "B070", "no row"),
        ("unit: ratio, formula: d + 1}", "B092", "extra.rules.d → extra.rules.d"),
    ],
)
def test_a_faulty_decision_is_told_where_it_stands(text, code, says):
    problem = problem_of(with_rules(DECISION + text + "}"))
    assert problem.code == code and says in problem.message, problem
    assert problem.position.file == "rules/extra/rules.yaml"
    assert problem.position.line == 3 and problem.position.column > 0


def test_a_cycle_is_shown_and_what_needs_it_is_not_reported_again():
    text = """decisions:
  a: {title: {en: x, zh: y}, unit: ratio, formula: b}
  b: {title: {en: x, zh: y}, unit: ratio, formula: c}
  c: {title: {en: x, zh: y}, unit: ratio, formula: a}
  d: {title: {en: x, zh: y}, unit: ratio, formula: a + b}
"""
    problem = problem_of(with_rules(text))
    assert problem.code == "B092"
    assert "extra.rules.a → extra.rules.b → extra.rules.c → extra.rules.a" in problem.message
    assert problem.position.line == 6


def test_facts_may_not_need_each_other():
    text = """facts:
  x.a: {type: boolean, asked: true, derive: x.b, label: {en: x, zh: y}}
  x.b: {type: boolean, asked: true, derive: not x.a, label: {en: x, zh: y}}
"""
    assert problem_of(with_rules(text, "rules/profile/extra.yaml")).code == "B092"


def test_problems_of_several_entries_are_told_together_in_file_order():
    text = """decisions:
  a: {title: {en: x, zh: y}, unit: ratio, formula: nothing_known}
  b: {title: {en: x, zh: y}, unit: GiB, formula: 1}
  c: {title: {en: x, zh: y}, unit: ratio, formula: a}
"""
    found = problems_of(with_rules(text))
    assert [(one.code, one.position.line) for one in found] == [("B110", 4), ("B121", 5)]


def test_an_error_in_a_block_text_points_into_the_block():
    text = """decisions:
  a:
    title: {en: x, zh: y}
    unit: ratio
    formula: >-
      1 +          # one
      unknown_name
"""
    problem = problem_of(with_rules(text))
    assert (problem.position.line, problem.position.column) == (9, 7)


def test_a_very_long_chain_of_decisions_loads():
    entry = "  d{}: {{title: {{en: x, zh: y}}, unit: ratio, formula: {}}}\n"
    text = "decisions:\n" + "".join(
        entry.format(index, f"d{index + 1} * 0.5 + 0.1" if index < 600 else "0.5")
        for index in range(601)
    )
    assert len(load_book_from(with_rules(text)).decisions) == len(sample_book().decisions) + 601
