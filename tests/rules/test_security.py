"""Security is judged by what is stated: a bad fact denies, a missing one asks, else nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import Answer, book

SAFE = {
    "keys_in_code": False,
    "key_service": True,
    "encrypted_at_rest": True,
    "encrypted_in_transit": True,
    "least_privilege": True,
    "audit_logs": True,
    "private_network": True,
    "image_provenance": True,
    "multi_tenant": False,
}
# Personal records that may go anywhere and are trained on for a short while: rented machines.
PERSONAL: dict[str, Any] = {
    "task": "lora",
    "model": {"name": "llama-3.1-8b"},
    "training": {"tokens_b": 0.01},
    "usage": {"sustained_utilisation": 0.02, "months": 1},
    "data": {
        "may_leave_premises": True,
        "may_leave_country": True,
        "sensitivity": "sensitive_personal",
        "can_be_deidentified": False,
        "size_gb": 1,
    },
}


def checks(profile: dict[str, Any], **security: bool) -> dict[str, bool | None]:
    return Answer(profile | {"security": security}).advice("advice.security.checks")


def test_nothing_is_said_of_work_that_is_kept_safe() -> None:
    assert set(checks(PERSONAL, **SAFE).values()) == {False}


@pytest.mark.parametrize(
    ("fact", "check"),
    [
        ("keys_in_code", "keys_in_code"),
        ("key_service", "sensitive_without_key_service"),
        ("encrypted_at_rest", "unencrypted_at_rest"),
        ("encrypted_in_transit", "unencrypted_in_transit"),
        ("least_privilege", "broad_rights"),
        ("audit_logs", "no_audit_logs"),
        ("private_network", "sensitive_on_a_public_network"),
        ("image_provenance", "images_of_unknown_origin"),
        ("multi_tenant", "shared_with_strangers"),
    ],
)
def test_one_bad_fact_gives_one_finding_and_a_missing_one_a_question(fact: str, check: str) -> None:
    bad = checks(PERSONAL, **SAFE | {fact: not SAFE[fact]})
    assert [id for id, holds in bad.items() if holds] == [check]
    missing = checks(PERSONAL, **{name: value for name, value in SAFE.items() if name != fact})
    assert [id for id, holds in missing.items() if holds is None] == [check]


def test_all_but_the_origin_of_images_denies() -> None:
    rows = {row.id: row for row in book().bundle.book.advice["advice.security.checks"].rows}
    found = checks(PERSONAL, **{name: not value for name, value in SAFE.items()})
    denied = {id for id, holds in found.items() if holds and rows[id].verdict == "deny"}
    assert {id for id, holds in found.items() if holds} - denied == {"images_of_unknown_origin"}
    assert rows["keys_in_code"].severity == "critical"


def test_public_data_asks_only_for_what_could_cost_money() -> None:
    public = PERSONAL | {"data": PERSONAL["data"] | {"sensitivity": "public"}}
    asked = {id for id, holds in checks(public).items() if holds is None}
    # A5.4a: keys and rights; B.15: a foreign image runs beside whatever the machine holds.
    assert asked == {"keys_in_code", "broad_rights", "images_of_unknown_origin"}


def test_the_answer_shows_the_denials_first() -> None:
    found = book().recommend(PERSONAL | {"security": {"keys_in_code": True}}).to_dict()
    assert found["checks"][0]["id"] == "keys_in_code"
    assert found["checks"][0]["verdict"] == "deny"
    asks = {check["id"]: check["asks"] for check in found["checks"] if check["verdict"] == "ask"}
    assert asks["no_audit_logs"] == ["security.audit_logs"]
