"""Proof that a value only rises, or only falls, with a number."""

from __future__ import annotations

import pytest

from tests.unit.small_book import book_of, codes, findings, formula, table

BREAK_EVEN = "if load - own > smallest then min(never, fixed / (load - own)) else never"
HELPERS = """
  own: {title: {en: Own, zh: 自有}, unit: ratio, formula: signed * signed}
  fixed: {title: {en: Fixed, zh: 固定}, unit: ratio, formula: 3 + abs(signed)}
"""


def claim(text: str, how: str, more: str = "") -> list[str]:
    return codes(book_of(formula(f"'{text}'", f"{how}\n{more}") + HELPERS))


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("load + 1", "increasing: [load]"),
        ("3 - load * 2", "decreasing: [load]"),
        ("load * load", "increasing: [load]"),
        ("signed * 2 - load", "increasing: [signed]"),
        ("-signed", "decreasing: [signed]"),
        ("5 / (load + 1)", "decreasing: [load]"),
        ("max(0, 1 - 7 / (load + 1))", "increasing: [load]"),
        ("floor(load) + ceiling(load / 3) + sqrt(load) + round_half_up(load, 1)",
         "increasing: [load]"),
        ("abs(load)", "increasing: [load]"),
        ("power(load, cards)", "increasing: [load]"),
        ("if load > 20 then 5 else 3", "increasing: [load]"),
        ("if load > 20 then load else 20", "increasing: [load]"),
        ("if load > 20 then load * 2 else load", "increasing: [load]"),
        ("if urgent then load else load * 2", "increasing: [load]"),
        ("if urgent and load >= 20 then 5 else 3", "increasing: [load]"),
        ("if not (load < 20) then 5 else 3", "increasing: [load]"),
        ("if load in (<= 20) then 5 else 3", "decreasing: [load]"),
        (BREAK_EVEN, "decreasing: [load]"),
        (BREAK_EVEN, "increasing: [own]"),
        (BREAK_EVEN, "increasing: [fixed]"),
        ("first_at_least(ladder, load)", "increasing: [load]"),
        ("min(load * 100, never)", "increasing: [never]"),
        ("load * low_cut", "increasing: [load, low_cut]"),
        ("given_or_derived", "increasing: [load, given_or_derived]"),
        ("min(3, max(load, signed))", "increasing: [signed]"),
    ],
)  # fmt: skip
def test_what_follows_from_signs_is_proven(text: str, how: str) -> None:
    assert claim(text, how) == []


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("load + 1", "decreasing: [load]"),
        ("load * signed", "increasing: [load]"),
        ("load - load * 0.5", "increasing: [load]"),  # true, and not visible to signs
        ("signed * signed", "increasing: [signed]"),
        ("abs(signed)", "increasing: [signed]"),
        ("power(signed, cards)", "increasing: [signed]"),
        ("power(load, cards)", "increasing: [cards]"),  # nothing is claimed in exponents
        ("if load > 20 then 3 else load", "increasing: [load]"),
        ("if load = 20 then 3 else 2", "increasing: [load]"),
        ("if load > 32 then load * 0.9 else load", "increasing: [load]"),
        ("load / (signed + 6)", "increasing: [signed]"),
    ],
)
def test_what_is_not_is_refused(text: str, how: str) -> None:
    assert claim(text, how) == ["B220"]


def test_a_refusal_points_at_the_term_that_moves_both_ways() -> None:
    book = book_of(formula("'load + abs(signed)'", "increasing: [signed]"))
    (problem,) = findings(book)
    assert "`abs(signed)` can move both ways" in problem.message
    assert (problem.position.line, problem.position.column) == (7, 22)


def test_a_claim_on_a_number_that_has_no_influence_is_refused() -> None:
    assert claim("load + 1", "increasing: [signed]") == ["B221"]


def test_only_numbers_rise() -> None:
    book = book_of(table("load", "one | <= 50 | a\ntwo | > 50 | b", "increasing: [load]"))
    assert codes(book) == ["B222"]


def test_claims_go_through_other_decisions() -> None:
    middle = """
  middle: {title: {en: Middle, zh: 中间}, unit: ratio, formula: 100 - load}
"""
    assert codes(book_of(formula("middle * 2", "decreasing: [load]") + middle)) == []
    assert codes(book_of(formula("middle * 2", "increasing: [middle]") + middle)) == []
    assert codes(book_of(formula("middle * 2", "increasing: [load]") + middle)) == ["B220"]


CURVE = """
  curve:
    title: {en: Curve, zh: 曲线}
    unit: ratio
    curve: {x: {unit: ratio, range: [0, 100]}, points: {serve: [[0, 1], [50, 3]], tune: [[0, 2], [50, {TOP}]], draw: [[0, 1], [9, 1]]}, below: hold, above: hold}
"""  # noqa: E501


def test_curves_rise_when_every_one_used_does() -> None:
    text = formula("interpolate(curve, task, load)", "increasing: [load]")
    assert codes(book_of(text + CURVE.replace("{TOP}", "2.5"))) == []
    assert codes(book_of(text + CURVE.replace("{TOP}", "1.5"))) == ["B220"]


STEPS = """
low  | < 10        | -     | {}
mid  | [10..50]    | false | {}
mid2 | [10..50]    | true  | {}
high | > 50        | -     | {}
"""


def stairs(values: list[str], how: str, rows: str = STEPS) -> list[str]:
    more = f"unit: ratio\n{how}"
    return codes(book_of(table("load, urgent", rows.format(*values), more)))


def test_tables_rise_when_every_step_does() -> None:
    assert stairs(["1", "2", "3", "4"], "increasing: [load]") == []
    assert stairs(["1", "2", "3", "2"], "increasing: [load]") == ["B220"]
    assert stairs(["4", "3", "2", "1"], "decreasing: [load]") == []
    assert stairs(["1", "load * 0 + 2", "load / 10 + 1", "200"], "increasing: [load]") == []
    assert stairs(["1", "low_cut", "low_cut", "high_cut"], "increasing: [load]") == []
    assert stairs(["low_cut", "1", "1", "4"], "increasing: [load]") == ["B220"]


def test_tables_with_cuts_at_parameters_rise_too() -> None:
    rows = STEPS.replace("10", "low_cut").replace("50", "high_cut")
    assert stairs(["1", "2", "3", "4"], "increasing: [load]", rows) == []


STEPPED = """
id: profile.more
title: {en: More, zh: 更多}
facts:
  stepped:
    type: number
    unit: ratio
    range: [0, 100]
    derive: "{DERIVE}"
    default: 1
    because: {en: A start., zh: 起点。}
    label: {en: Stepped, zh: 阶梯值}
"""


@pytest.mark.parametrize(
    "derive",
    [
        "first_at_least(ladder, load)",  # it ends, and the default is lower than its last step
        "if load > 20 then max(5, signed) else 3",  # `signed` may not be stated
        "if urgent then load else load * load / 100",  # `urgent` may not; both are equal at 0, 100
        "if load > 20 and urgent then 5 else 3",
    ],
)
def test_a_default_that_may_step_in_breaks_a_claim(derive: str) -> None:
    text = formula("stepped", "increasing: [load]")
    facts = STEPPED.replace("{DERIVE}", derive)
    assert codes(book_of(text, rules__profile__more=facts)) == ["B220"]


def test_a_default_cannot_step_in_where_only_the_claimed_number_may_be_missing() -> None:
    text = formula("stepped", "increasing: [load]")
    facts = STEPPED.replace("{DERIVE}", "if load > 20 then load else 20")
    assert codes(book_of(text, rules__profile__more=facts)) == []


RELATION = """
relations:
  options:
    title: {en: Options, zh: 选项}
    from:
      - {as: k, steps: {from: one_step, to: five_steps, by: one_step}}
    where: [{WHERE}]
    key: []
    max_rows: 10
    columns:
      cost:
        title: {en: Cost, zh: 成本}
        unit: ratio
        formula: k.value * load + low_cut
        increasing: [load, k.value]
      saved: {title: {en: Saved, zh: 节省}, unit: ratio, formula: 9999 - cost, decreasing: [cost]}
"""
STEP_PARAMETERS = """
id: parameters.steps
title: {en: Steps, zh: 步}
parameters:
  one_step: {title: {en: One, zh: 一}, value: 1, unit: ratio, range: [1, 1], rationale: {en: Chosen., zh: 选定。}}
  five_steps: {title: {en: Five, zh: 五}, value: 5, unit: ratio, range: [1, 9], rationale: {en: Chosen., zh: 选定。}}
"""  # noqa: E501


def over_rows(text: str, how: str, where: str = "k.value < 4") -> list[str]:
    extra = RELATION.replace("{WHERE}", where)
    book = book_of(formula(f"'{text}'", how), extra, rules__parameters__steps=STEP_PARAMETERS)
    return codes(book)


def test_claims_go_through_columns_and_rows() -> None:
    assert over_rows("sum(for o in options return o.cost)", "increasing: [load]") == []
    assert over_rows("sum(for o in options return o.saved)", "decreasing: [load]") == []
    assert over_rows("min(for o in options return o.cost)", "increasing: [low_cut]") == []
    several = "count(for o in options where o.cost > 50)"
    assert over_rows(several, "increasing: [load]") == []
    assert over_rows("sum(for o in options where o.cost > 50 return o.cost)",
                     "increasing: [load]") == []  # fmt: skip
    assert over_rows("min(for o in options where o.cost > 50 return o.cost)",
                     "increasing: [load]") == ["B220"]  # fmt: skip
    assert over_rows("sum(for o in options return o.saved)", "increasing: [load]") == ["B220"]


def test_rows_that_come_and_go_prove_nothing() -> None:
    text = "sum(for o in options return o.cost)"
    assert over_rows(text, "increasing: [load]", "k.value < high_cut") == []
    assert over_rows(text, "increasing: [high_cut]", "k.value < high_cut") == ["B220"]


RANKED = """
relations:
  choices:
    title: {en: Choices, zh: 选择}
    from:
      - {as: k, steps: {from: one_step, to: five_steps, by: one_step}}
    key: [name]
    max_rows: 10
    columns:
      name: {title: {en: Name, zh: 名称}, type: text, formula: '{NAME}'}
      rank: {title: {en: Rank, zh: 名次}, unit: ratio, formula: '{RANK}'}
      cost: {title: {en: Cost, zh: 成本}, unit: ratio, formula: k.value + load}
rankings:
  chosen: {title: {en: Chosen, zh: 选定}, of: choices, by: [rank]}
"""
FLAT = """
  flat:
    title: {en: Flat, zh: 平线}
    unit: ratio
    curve: {x: {unit: ratio, range: [0, 100]}, points: [[0, 1], [50, 1]], below: hold, above: refuse}
"""  # noqa: E501


def over_ranking(name: str, rank: str) -> list[str]:
    extra = RANKED.replace("{NAME}", name).replace("{RANK}", rank)
    text = formula("best(chosen).cost", "increasing: [load]") + FLAT
    return codes(book_of(text, extra, rules__parameters__steps=STEP_PARAMETERS))


def test_a_claim_goes_through_a_ranking_whose_order_stays() -> None:
    assert over_ranking('"a"', "k.value") == []


def test_ties_broken_by_a_key_that_moves_prove_nothing() -> None:
    name = 'if k.value > 2 and load > 50 or k.value < 2 and load < 50 then "a" else "b"'
    assert over_ranking(name, "one_step") == ["B220"]


def test_an_order_in_which_a_row_becomes_unknown_proves_nothing() -> None:
    # Beyond 50 the first row has no rank and comes last: the next one, dearer, takes its place.
    assert over_ranking('"a"', "if k.value < 2 then interpolate(flat, load) else 2") == ["B220"]
