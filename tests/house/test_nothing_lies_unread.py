"""Nothing of the catalog lies unread: rules, answer, views or pages read it, or it says why."""

from __future__ import annotations

import pytest

from tests.house.reads import (
    book,
    everything_read,
    of_rules,
    of_the_answer,
    of_the_pages,
    of_the_views,
)

# Where a row is from and who saw the page: kept for people who check a figure, read by tests.
PROVENANCE = {"source", "seen", "read_on", "confidence", "date_precision"}

# Tables that no rule and no answer reads, and what they are for.
LOOKED_UP = {
    "interconnects": "a table to look links up in; rules read the link of each card",
    "cuda_toolkits": "a table to look drivers up in: `catalog cuda`",
    "cuda_architectures": "a table to look support up in; rules read the generation of a card",
    "framework_builds": "a table to look builds up in: `catalog builds`",
    "accelerator_frameworks": "a table to look plug-ins up in; versions change by the month",
    "model_families": "the reader of a config.json asks it; on pages: `catalog families`",
    "price_history": "past prices; no price is projected from them, for they fell and then rose",
    "operating_ratios": "the sources of parameters: PUE, failures, changes of rents",
}

# Columns that nobody reads, and why they stay.
UNREAD = {
    "accelerators": {
        "architecture": "a name for people; rules read the generation",
        "year": "how old a card is decides nothing that its figures do not",
        "export_status": "law of a day; the rules on regulation read dated texts",
        "evidence_grade": "how well a row is founded; the marks of each figure are shown instead",
    },
    "models": {
        "name": "the id and its aliases name a model",
        "parameters_basis": "says how the count was made",
        "nope_dim": "a size of compressed attention; rules read its compressed sizes",
        "value_head_dim": "a size of compressed attention, as above",
    },
    "offers": {"minimum_charge": "as written; rules read the seconds of the provider"},
    "providers": {
        "spot_ratio_low": "the same as of its spot product, which is shown",
        "spot_ratio_high": "the same as of its spot product, which is shown",
        "spot_ratio_n": "how many prices the ratio was measured on",
        "reserved_n": "how many prices the ratio was measured on",
        "included_bandwidth_mbit_per_s": "one provider states it; it is among its printed terms",
    },
    "spot_terms": {"ratio_n": "how many prices the ratio was measured on"},
    "interruption_bands": {"provider": "the family of an instance leads to its row"},
    "storage_fees": {"billed_when_stopped": "rules read what a provider bills when stopped"},
    "cuda_toolkits": {
        "major": "part of the id", "minor": "part of the id", "update": "part of the id",
        "linux_driver_floor_branch": "the branch of the driver shown",
        "new_compute_capabilities": "for people",
    },
    "cuda_architectures": {
        "found_on": "for people", "first_cuda_major": "part of the version shown",
        "last_cuda_major": "part of the version shown", "last_driver_branch": "for people",
    },
    "framework_builds": {
        "framework": "part of the id", "version": "part of the id",
        "cuda_major": "part of the version shown", "cudnn": "for people", "nccl": "for people",
        "python": "for people", "linux_driver_floor_branch": "the branch of the driver shown",
    },
    "accelerator_frameworks": {"id": "the package names it", "in_python_index": "for people"},
    "country_lists": {"id": "list and country name it"},
    "price_history": {
        "id": "the series names it", "provider": "part of the series",
        "accelerator": "part of the series",
    },
    "operating_ratios": {
        "what_en": "the id says it in the view", "what_zh": "the id says it in the view",
        "place_zh": "the view is of one language",
    },
}  # fmt: skip


@pytest.mark.parametrize("table", sorted(book().tables))
def test_a_rule_or_the_answer_reads_a_table_or_it_is_named(table: str) -> None:
    read = any(one == table for one, _ in (*of_rules(), *of_the_answer()))
    assert read != (table in LOOKED_UP)
    if not read:
        assert any(one == table for one, _ in (*of_the_views(), *of_the_pages()))


@pytest.mark.parametrize("table", sorted(book().tables))
def test_a_column_is_read_or_named(table: str) -> None:
    columns = {column.name for column in book().tables[table].columns}
    unread = {name for name in columns if (table, name) not in everything_read()}
    named = set(UNREAD.get(table, {}))
    assert unread - named - PROVENANCE == set(), "nobody reads these: use them or say why they stay"
    assert named - unread == set(), "these are read after all"


def test_the_reads_found_are_of_columns_that_exist() -> None:
    for table, column in everything_read():
        assert book().tables[table].column(column) is not None, (table, column)


def test_a_read_inside_an_aggregate_a_lookup_and_a_join_is_found() -> None:
    rules = set(of_rules())
    assert ("storage_fees", "kind") in rules  # any(for f in catalog.storage_fees …)
    assert ("providers", "minimum_charge_seconds") in rules  # lookup(providers, …)
    assert ("spot_families", "band") in rules  # a join of a relation
    assert ("accelerators", "memory_gib") in rules  # a source of a relation
