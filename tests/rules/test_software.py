"""Steps for the software follow the card and the work; no container login is ever published."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.ask import ONE_CARD, Answer, book

ROOT = Path(__file__).resolve().parents[2]


def test_nothing_that_ships_publishes_the_login_of_a_container() -> None:
    # A4.3c: 22:22 exposes SSH and collides with the host. The one rule that denies it may name it.
    rule = ROOT / "rules" / "advice" / "software.yaml"
    for folder in ("rules", "engine", "docs", "catalog"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path != rule and path.suffix in (".py", ".yaml", ".md", ".csv"):
                assert "22:22" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize(
    ("image", "denied"),
    [("docker run -p 22:22 train:1", True), ("ubuntu:22.04", False), ("-p 8022:22 x", False)],
)
def test_a_published_login_is_denied(image: str, denied: bool) -> None:
    found = Answer(ONE_CARD | {"software": {"image": image}}).advice("advice.software.checks")
    assert found["ssh_port_published"] is denied


@pytest.mark.parametrize(
    ("vendor", "step"),
    [("NVIDIA", "check_the_driver_nvidia"), ("AMD", "check_the_driver_other")],
)
def test_the_driver_is_checked_with_the_tool_of_the_vendor(vendor: str, step: str) -> None:
    answer = Answer(ONE_CARD | {"constraints": {"vendors": [vendor]}})
    plan = answer.advice("advice.software.plan")
    drivers = {"check_the_driver_nvidia", "check_the_driver_other"}
    assert {id for id in drivers if plan[id]} == {step}


def test_a_card_of_much_arithmetic_is_questioned_for_a_service_only() -> None:
    # L40S: 362 TFLOPS and 864 GB/s; A100 40 GB: 312 and 1,555, with less memory than 48 GB;
    # A100 80 GB: 312 and 2,039.
    service = {"task": "inference", "model": {"name": "llama-3.1-8b"}}
    named = {"constraints": {"gpus": ["l40s"]}}
    check = "arithmetic_bought_for_memory"
    assert Answer(service | named).advice("advice.cards.checks")[check] is True
    assert Answer(service).advice("advice.cards.checks")[check] is False
    assert Answer(ONE_CARD | named).advice("advice.cards.checks")[check] is False
    # 2 × 1,000 requests over 2 bytes are 1,000 operations a byte; the card has 419.
    busy = service | named | {"serving": {"concurrency": 1000}}
    assert Answer(busy).advice("advice.cards.checks")[check] is False


def test_the_plan_of_a_small_experiment_is_short() -> None:
    steps = [step["id"] for step in book().recommend(ONE_CARD).to_dict()["plan"]]
    assert "compare_providers" not in steps and "put_it_into_a_container" not in steps
    assert len(steps) <= 6, steps
