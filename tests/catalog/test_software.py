"""Software matrix: drivers ascend with toolkits, builds need what their toolkit needs."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tests.catalog.shelf import by_id, rows


def version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def test_a_newer_toolkit_ships_a_newer_driver() -> None:
    known = [
        ((row["major"], row["minor"], row["update"]), version(row["linux_driver_shipped"]))
        for row in rows("cuda_toolkits")
        if row["linux_driver_shipped"]
    ]
    drivers = [driver for _, driver in sorted(known)]
    assert drivers == sorted(drivers)


def test_the_floor_is_one_for_each_major_version() -> None:
    floors: dict[float, set[str | None]] = defaultdict(set)
    for row in rows("cuda_toolkits"):
        if row["major"] >= 11:
            floors[row["major"]].add(row["linux_driver_floor"])
    assert dict(floors) == {13: {"580"}, 12: {"525.60.13"}, 11: {"450.80.02"}}


def test_a_driver_that_ships_is_not_below_the_floor() -> None:
    for row in rows("cuda_toolkits"):
        if row["linux_driver_shipped"] and row["linux_driver_floor"] and row["major"] > 11:
            assert version(row["linux_driver_shipped"]) >= version(row["linux_driver_floor"]), row


def test_pascal_and_volta_end_with_cuda_12() -> None:
    for row in rows("cuda_architectures"):
        ended = row["last_cuda_major"] is not None
        assert ended == (row["generation"] in ("pascal", "volta")), row["id"]
        if ended:
            assert row["last_cuda_major"] == 12, row["id"]


def test_every_cuda_card_has_its_architecture() -> None:
    known = {row["compute_capability"] for row in rows("cuda_architectures")}
    for card in rows("accelerators"):
        if card["vendor"] == "NVIDIA" and card["compute_capability"]:
            assert card["compute_capability"] in known, card["id"]


def test_a_build_needs_the_floor_of_its_toolkit() -> None:
    floor = {11: 450, 12: 525, 13: 580}
    for row in rows("framework_builds"):
        if row["cuda_major"] is not None:
            assert row["linux_driver_floor_branch"] == floor[row["cuda_major"]], row["id"]


def test_builds_on_cuda_13_leave_pascal_and_volta_behind() -> None:
    for row in rows("framework_builds"):
        if row["cuda_major"] == 13:
            assert row["pascal_volta"] == "no", row["id"]
            assert row["blackwell"] == "yes", row["id"]
    assert by_id("framework_builds")["torch-2.11.0"]["cuda_major"] == 13
    assert by_id("framework_builds")["torch-2.10.0"]["cuda_major"] == 12


def test_a_build_through_another_names_one_that_is_here() -> None:
    known = set(by_id("framework_builds"))
    frameworks: dict[str, Any] = by_id("framework_builds")
    through = {row["through"] for row in frameworks.values() if row["through"]}
    missing = {name for name in through if name not in known}
    assert missing <= {"torch-2.9.0"}  # the patch release of it is listed


def test_adapters_name_the_vendors_of_cards() -> None:
    vendors = {card["vendor"] for card in rows("accelerators")} | {"several"}
    assert {row["vendor"] for row in rows("accelerator_frameworks")} <= vendors
