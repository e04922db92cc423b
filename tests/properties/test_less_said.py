"""Leaving out what is asked for makes an answer open, never another one."""

from __future__ import annotations

import pytest

from engine.readers.profile import Profile
from engine.run.pipeline import decide
from engine.run.recommendation import recommend
from tests.generators.choices import Seeded
from tests.properties.worlds import answer, book, decision, examples, profile, ranked

DECISIONS = (
    "sourcing.placement.placement", "sourcing.placement.data_route", "sourcing.billing.billing",
    "sourcing.region.region", "sourcing.isolation.isolation",
)  # fmt: skip
GROUPS = ("data.", "place.", "usage.", "serving.", "security.", "operations.")


@pytest.mark.parametrize("block", range(6))
def test_no_answer_turns_into_another(block: int) -> None:
    asked = [path for path, fact in book().bundle.book.facts.items() if fact.asked]
    opened = 0
    for seed in range(block * 4, block * 4 + 4):
        given = profile(Seeded(f"less {seed}"), 0.05)
        before = answer(given)
        for path in asked:
            if path not in given or not path.startswith(GROUPS):
                continue
            after = answer({name: value for name, value in given.items() if name != path})
            for name in DECISIONS:
                was, now = decision(before, name), decision(after, name)
                assert now is None or now == was, (path, name, was, now)
                opened += was is not None and now is None
    assert opened


@pytest.mark.parametrize(
    "left_out", ["may_leave_premises", "can_be_deidentified", "sensitivity", "may_leave_country"]
)
def test_what_is_open_is_asked_for(left_out: str) -> None:
    data = {"may_leave_premises": False, "can_be_deidentified": True, "sensitivity": "internal",
            "may_leave_country": False, "location": "CN"}  # fmt: skip
    profile = {
        "task": "lora", "model": {"name": "llama-2-7b"}, "training": {"tokens_b": 0.02},
        "data": {name: value for name, value in data.items() if name != left_out},
    }  # fmt: skip
    found = book().recommend(profile)
    open_ones = {one["decision"] for one in found.to_dict()["status"] if not one["known"]}
    asked = {one["field"] for one in found.to_dict()["questions"] if one["headline"]}
    assert found.complete is not bool(open_ones)
    assert not open_ones or f"data.{left_out}" in asked
    if "placement" in open_ones:  # then which card to take is open too: to rent, or to buy
        assert "hardware" in open_ones


# A job of each kind, everything asked for stated; leaving one thing out may open the card that
# comes first, never change it into another.
JOBS: dict[str, dict[str, object]] = {
    "scientific, single precision": {"science.precision_needed": "fp32",
                                     "science.bound": "bandwidth",
                                     "science.working_set_gib": 10.0},
    "classical_ml, known memory": {"tabular.library": "lightgbm", "tabular.working_set_gib": 10.0},
    "rendering": {"render.engine": "cycles", "render.scene_memory_gib": 18.0,
                  "render.splittable": False},
    "transcoding": {
        "transcode.codec_in": "h264", "transcode.codec_out": "hevc", "transcode.height": 1080.0,
        "transcode.width": 1920.0, "transcode.frames_per_s": 30.0, "transcode.bit_depth": 8.0,
        "transcode.streams": 20.0, "transcode.preset": "medium",
    },
    "scientific": {"science.precision_needed": "fp64", "science.code": "fluidx3d",
                   "science.size": 1e8},
    "data_processing": {"tabular.library": "rapids", "tabular.rows": 1e7, "tabular.columns": 100.0},
    "classical_ml": {"tabular.library": "xgboost", "tabular.rows": 1e7, "tabular.columns": 100.0},
    "development": {},
}  # fmt: skip


@pytest.mark.parametrize("job", JOBS)
def test_a_job_of_which_less_is_said_gets_no_other_card(job: str) -> None:
    given = {"task": job.split(",")[0], **JOBS[job]}

    def first(said: dict[str, object]) -> object:
        best = ranked(answer(said))
        return best[0]["card_id"] if best else None

    before = first(given)
    assert before is not None
    asked = {path for path, fact in book().bundle.book.facts.items() if fact.asked}
    for path in asked & set(given):
        after = first({name: value for name, value in given.items() if name != path})
        assert after in (None, before), (path, before, after)


@pytest.mark.parametrize("number", range(len(examples())))
def test_another_card_comes_first_only_where_the_answer_is_open(number: int) -> None:
    """Without a fact on the data another option may lead; then it is not the answer yet."""
    given = examples()[number]
    before = ranked(answer(given))
    for path in [path for path in given if path.startswith("data.") and is_asked(path)]:
        less = {name: value for name, value in given.items() if name != path}
        after = ranked(answer(less))
        if before and after and after[0]["card_id"] != before[0]["card_id"]:
            bundle = book().bundle
            open_run = decide(bundle, Profile(less, {}, ""), {})
            found = recommend(open_run).to_dict()
            assert not next(one for one in found["status"] if one["decision"] == "hardware")[
                "known"
            ]
            assert path in {one["field"] for one in found["questions"] if one["headline"]}


def is_asked(path: str) -> bool:
    return book().bundle.book.facts[path].asked
