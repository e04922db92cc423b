"""How long data travels, against arithmetic done by hand and measurements of others."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from tests.rules.ask import Answer

BASE: dict[str, Any] = {"task": "lora", "model": {"name": "llama-3.1-8b"}}


def transfer(**data: Any) -> Answer:
    tool = data.pop("tool", None)
    stated: dict[str, Any] = BASE | {"data": data}
    return Answer(stated | ({"transfer": {"tool": tool}} if tool else {}))


def test_fifty_gigabytes_over_five_megabits_take_nearly_a_day() -> None:
    # Guide A5.2a: 50 GB × 8 / 5 Mbit/s = 80,000 s = 22.2 h.
    answer = transfer(size_gb=50)  # the default uplink is the guide's 5 Mbit/s
    assert answer.decision("needs.transfer.upload_at_line_rate") == pytest.approx(80_000 / 3600)
    # 1,460 of 1,538 bytes of a frame are data, and encryption takes a little more.
    assert 22.2 < answer.decision("needs.transfer.upload_hours") < 80_000 / 3600 / 0.9
    assert answer.decision("needs.transfer.upload_hours_cautious") > 40


@pytest.mark.parametrize(("gbit", "nominal_minutes"), [(1, 400 / 60), (10, 40 / 60)])
def test_fifty_gigabytes_inside_the_region_take_minutes(
    gbit: float, nominal_minutes: float
) -> None:
    # Guide A5.2b: 50 GB × 8 / 1 Gbit/s = 400 s; at 10 Gbit/s 40 s.
    minutes = transfer(size_gb=50, object_storage_gbit_per_s=gbit).decision(
        "needs.transfer.read_minutes"
    )
    assert nominal_minutes < minutes < 1.3 * nominal_minutes


@pytest.mark.parametrize(("tool", "hours"), [("scp", 23.1 * 24), ("rsync", 27.8), ("rclone", 1.39)])
def test_a_terabyte_of_small_files_takes_what_was_measured(tool: str, hours: float) -> None:
    # astronomy-commons/lsdb issue 1446: 0.5, 10 and 200 MB/s; 10^6 MB / 0.5 MB/s = 23.1 days.
    answer = transfer(size_gb=1000, files=10_000_000, uplink_mbit_per_s=10_000, tool=tool)
    assert answer.decision("needs.transfer.upload_hours") == pytest.approx(hours, rel=0.01)


def test_one_ssh_channel_is_bound_by_its_window_not_by_the_line() -> None:
    # 2 MiB every 30 ms are 69.9 MB/s on any line.
    profile = BASE | {
        "data": {"size_gb": 100, "files": 10},
        "hardware": {"network_gbit_per_s": 100},
        "transfer": {"operation": "file_copy", "tool": "scp"},
    }
    found = Answer(profile).decision("needs.transfer.rate")
    assert found == pytest.approx(2 * 1024**2 / 0.030 / 1e9)


def test_a_band_is_never_upside_down() -> None:
    for tool in ("scp", "rsync", "rclone"):
        for files in (None, 10, 10_000_000):
            data: dict[str, Any] = {"size_gb": 100, "uplink_mbit_per_s": 1000}
            if files:
                data["files"] = files
            answer = transfer(**data, tool=tool)
            line = answer.decision("needs.transfer.upload_at_line_rate")
            likely = answer.decision("needs.transfer.upload_hours")
            assert line < likely <= answer.decision("needs.transfer.upload_hours_cautious")


def test_an_unmeasured_tool_gives_no_rate() -> None:
    profile = BASE | {
        "data": {"size_gb": 100},
        "transfer": {"operation": "file_copy", "tool": "pigeon"},
    }
    assert Answer(profile).decision("needs.transfer.rate") is None


# dvassallo/s3-benchmark, README, April 2019: best MB/s of an instance type reading objects of the
# same region, with the Gbit/s the provider prints for its network.
OBJECT_READS = [
    (100, 8003),  # c5n.18xlarge
    (100, 6269),  # p3dn.24xlarge
    (25, 2709),  # m5.24xlarge
    (25, 2710),  # p3.16xlarge
    (25, 2705),  # m4.16xlarge
    (10, 1400),  # r4.8xlarge
    (10, 1387),  # m5.12xlarge
]


def test_object_reads_agree_with_the_measured_machines() -> None:
    shares = []
    for gbit, measured in OBJECT_READS:
        data = {"size_gb": 1, "files": 1, "object_storage_gbit_per_s": gbit}
        answer = Answer(BASE | {"data": data, "transfer": {"operation": "object_read"}})
        assert answer.decision("needs.transfer.rate_cautious") * 1000 <= measured
        shares.append(measured / (answer.decision("needs.transfer.rate") * 1000))
    assert statistics.median(shares) == pytest.approx(1, abs=0.1)
