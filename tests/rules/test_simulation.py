"""Scientific computing: precision first, then what limits the code; queues beside idle cards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer

SOLVE: dict[str, Any] = {
    "task": "scientific",
    "science": {
        "precision_needed": "fp64", "bound": "compute", "working_set_gib": 14,
        "scaling": "ensemble",
    },
}  # fmt: skip
LATTICE: dict[str, Any] = {
    "task": "scientific",
    "science": {"precision_needed": "fp32", "code": "fluidx3d", "size": 1e8, "steps": 100_000},
}
CARDS = "hardware.simulation.simulated"


def solve(**changes: Any) -> Answer:
    science = {**SOLVE["science"], **changes}
    return Answer(
        {**SOLVE, "science": {name: value for name, value in science.items() if value is not None}}
    )


@pytest.mark.parametrize("bound", ["compute", "bandwidth", "unknown"])
@pytest.mark.parametrize("code", ["other", "openfoam", "lammps", "vasp"])
@pytest.mark.parametrize("objective", ["cost", "time", "balanced"])
def test_double_precision_never_ranks_a_gaming_card(bound: str, code: str, objective: str) -> None:
    science = {**SOLVE["science"], "bound": bound, "code": code}
    answer = Answer({**SOLVE, "objective": objective, "science": science})
    ranked = answer.ranked()
    assert ranked
    assert {row["segment"] for row in ranked} == {"datacenter"}


def test_cards_of_a_fraction_of_double_precision_say_so() -> None:
    def able(card: str) -> str:
        row = Answer({**SOLVE, "hardware": {"gpu": card}}).rows(CARDS)[0]
        return str(row["able"])

    # FP64 over FP32, vendors' figures: RTX 4090 1.29 / 82.6, L40S 1.41 / 91.6, H800 1 / 67,
    # B300 1.2 / 75; A100 9.7 / 19.5, V100 7.8 / 15.7, MI300X 81.7 / 163.4.
    for card in ("rtx4090", "l40s", "h800-sxm", "b300", "rtx-pro-6000-server"):
        assert able(card) == "precision_too_slow"
    for card in ("a100-sxm-80", "v100-sxm2-32", "mi300x", "h100-sxm", "b200"):
        assert able(card) == "able"
    assert able("tpu-v5p") == "code_unsupported"
    assert able("a10") == "capability_unknown", "no FP64 figure of it is published"


def test_single_precision_admits_gaming_cards() -> None:
    assert {row["segment"] for row in solve(precision_needed="fp32").ranked()} >= {"consumer"}


def test_speeds_are_vector_rates_against_an_a100() -> None:
    rows = {row["card_id"]: row for row in solve().rows(CARDS)}
    assert rows["a100-sxm-80"]["speed_p50"] == pytest.approx(1)
    assert rows["v100-sxm2-32"]["speed_p50"] == pytest.approx(7.8 / 9.7)
    assert rows["mi300x"]["speed_p50"] == pytest.approx(81.7 / 9.7)
    bound = {row["card_id"]: row for row in solve(bound="bandwidth").rows(CARDS)}
    # Triad shares: 0.9 on NVIDIA, 0.75 on AMD cards; an A100 reaches 1,835 GB/s.
    assert bound["h100-sxm"]["speed_p50"] == pytest.approx(3350 * 0.9 / 1835)
    assert bound["mi300x"]["speed_p50"] == pytest.approx(5300 * 0.75 / 1835)


def test_an_unprofiled_code_counts_by_its_worse_side() -> None:
    rows = {row["card_id"]: row for row in solve(bound="unknown").rows(CARDS)}
    for row in rows.values():
        if row["able"] == "able":
            worse = min(row["by_arithmetic"], row["by_bandwidth"])
            assert row["speed_p10"] == pytest.approx(worse) and row["speed_p10"] <= row["speed_p50"]


def test_what_is_not_said_is_asked() -> None:
    assert solve(precision_needed=None).ranked() == []
    nothing = solve(working_set_gib=None)
    # Cards without the arithmetic are out whatever the size; of the others nothing is said.
    assert nothing.ranked() == []
    assert {row["fit"] for row in nothing.layouts()} == {None, "does_not_fit"}
    assert all(row["fit"] is None for row in nothing.layouts() if row["precision_supported"])


# Million cell updates a second, FluidX3D's published table in FP32.
UPDATES = {
    "a100-pcie-40": 8526, "a30": 5004, "h100-sxm": 17602, "v100-pcie-16": 5128, "rtx4090": 5624,
    "rtx3090ti": 5717, "rtx-a4000": 2500, "a10": 2931, "h100-nvl": 20303, "l40s": 3788,
    "a40": 3378,
}  # fmt: skip


def test_lattice_updates_follow_published_runs() -> None:
    rows = {row["card_id"]: row for row in Answer(LATTICE).rows(CARDS)}
    errors = sorted(
        abs(rows[card]["lattice_updates"] / value - 1) for card, value in UPDATES.items()
    )
    assert errors[len(errors) // 2] < 0.1 and errors[-1] < 0.3


def test_a_lattice_run_takes_its_cells_and_steps() -> None:
    best = Answer(LATTICE).ranked(card_id="a100-pcie-80", cards=1)[0]
    # 1,935 GB/s × 0.79 over 153 bytes: 9,991 million updates a second; 1e8 cells: 99.9 steps a
    # second, at the cautious 0.8 of it 100,000 steps take 1,251 seconds.
    assert best["hours"] * 3600 == pytest.approx(
        100_000 / (1935e9 * 0.79 / 153 / 1e8 * 0.8), rel=1e-3
    )
    # 93 bytes a cell and half a gibibyte of driver.
    assert best["memory_p50_gib"] == pytest.approx(1e8 * 93 / 2**30 + 0.5)


# GROMACS, STMV, 1.07 million atoms: milliseconds a step.
STEPS = [("a100-sxm-80", 1, 7.448), ("h100-sxm", 2, 2.304), ("h100-sxm", 4, 1.329),
         ("h100-sxm", 8, 0.886), ("rtx-pro-6000-server", 2, 1.6),
         ("rtx-pro-6000-server", 4, 1.041), ("rtx-pro-6000-server", 8, 1.035)]  # fmt: skip


@pytest.mark.parametrize(("card", "cards", "measured"), STEPS)
def test_molecular_dynamics_agrees_with_published_steps(
    card: str, cards: int, measured: float
) -> None:
    profile = {
        "task": "scientific", "hardware": {"gpu": card, "count": cards},
        "science": {"precision_needed": "mixed", "code": "gromacs", "size": 1_070_000,
                    "working_set_gib": 8, "scaling": "multi_gpu"},
    }  # fmt: skip
    rows = Answer(profile).layouts(cards=cards)
    assert 1000 / rows[0]["results_p50"] == pytest.approx(measured, rel=0.15)


def test_cards_in_slots_gain_nothing_past_four() -> None:
    science = {**SOLVE["science"], "precision_needed": "fp32", "scaling": "multi_gpu"}
    rows = {
        row["cards"]: row
        for row in Answer({**SOLVE, "science": science}).layouts(card_id="rtx-pro-6000-server")
    }
    assert rows[8]["results_p50"] <= rows[4]["results_p50"] * 1.01
    assert rows[4]["memory_p50_gib"] == pytest.approx(14 / 4 + 0.5), (
        "coupled cards share the problem"
    )


def test_idle_own_cards_come_before_buying() -> None:
    usage = {"people": 12, "jobs_per_week": 20, "gpu_hours_per_job": 30}
    owned = [{"gpu": "a100-sxm-80", "count": 8, "utilisation": 0.3}]
    answer = Answer({**SOLVE, "usage": usage, "owned": owned})
    assert answer.decision("hardware.idle.idle") == pytest.approx(8 * 0.7 * 168)  # 940.8
    assert answer.decision("needs.queue.card_hours_wanted") == 600
    assert answer.decision("hardware.idle.answer") == "idle_covers"
    gaming = [{"gpu": "rtx4090", "count": 8, "utilisation": 0.3}]
    assert Answer({**SOLVE, "usage": usage, "owned": gaming}).decision("hardware.idle.idle") == 0
    silent = Answer({**SOLVE, "usage": usage, "owned": [{"gpu": "a100-sxm-80", "count": 8}]})
    assert silent.decision("hardware.idle.answer") is None
