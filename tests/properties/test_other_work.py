"""Facts of other work change nothing, are listed as unused and are never asked for or assumed."""

from __future__ import annotations

from typing import Any

import pytest

from engine.run.pipeline import belonging
from tests.properties.worlds import EXAMPLES, Given, book, examples

NAMES = [path.stem for path in sorted(EXAMPLES.glob("*.yaml"))]
ANSWER = ("status", "needs", "options", "placement", "billing", "region", "isolation", "money",
          "checks", "plan", "conflicts", "assumed", "questions")  # fmt: skip
KEPT = {  # one fact that belongs to each kind of work, so that no condition shuts out its own
    "inference": "serving.concurrency", "embedding": "serving.input_tokens",
    "lora": "training.lora_rank", "qlora": "training.micro_batch", "pretrain": "model.layers",
    "full_finetune": "parallelism.tensor", "rendering": "render.frames",
    "transcoding": "transcode.streams", "scientific": "science.size",
    "classical_ml": "tabular.rows", "data_processing": "tabular.columns",
    "speech": "speech.audio_hours", "diffusion_inference": "image.steps",
    "diffusion_training": "training.samples", "development": "tabular.working_set_gib",
}  # fmt: skip


def other_work(given: Given) -> dict[str, Any]:
    """A value for every fact that is of other work than the given one."""
    bundle, found = book().bundle, {}
    belongs = belonging(bundle, given)
    for path, fact in bundle.book.facts.items():
        if belongs(path):
            continue
        if fact.kind == "date":
            found[path] = "2027-06-30"
        elif fact.type.kind == "number":
            found[path] = min(max(fact.type.low, 3.0), fact.type.high)
        elif fact.type.kind == "boolean":
            found[path] = True
        elif fact.kind == "enumeration" and fact.type.values:
            found[path] = fact.type.values[-1]
    return found


OF_SOME_WORK = ("model", "training", "serving", "image", "render", "transcode", "science",
                "tabular", "speech")  # fmt: skip


@pytest.mark.parametrize("group", OF_SOME_WORK)
def test_a_fact_of_some_work_says_of_which(group: str) -> None:
    """Else, stated beside other work, it could change that answer unnoticed."""
    facts = [
        fact for path, fact in book().bundle.book.facts.items() if path.startswith(group + ".")
    ]
    labels = book().bundle.book.report["labels"]
    assert len(facts) > 3
    assert not [one.path for one in facts if one.relevant is None and one.path not in labels]


@pytest.mark.parametrize("task", KEPT)
def test_its_own_facts_belong_to_work(task: str) -> None:
    tasks = book().bundle.book.facts["task"].type.values or ()
    assert set(KEPT) == set(tasks)
    assert belonging(book().bundle, {"task": task})(KEPT[task])


@pytest.mark.parametrize("number", range(0, len(NAMES), 3), ids=NAMES[::3])
def test_facts_of_other_work_are_set_aside(number: int) -> None:
    given = {path: value for path, value in examples()[number].items() if path != "as_of"}
    profile = {
        path: value for path, value in given.items() if isinstance(value, str | bool | float)
    }
    more = other_work(given)
    assert len(more) > 30
    before = book().recommend(profile).to_dict()
    after = book().recommend({**profile, **more}).to_dict()
    for key in ANSWER:
        assert after[key] == before[key], key
    unused = {one["field"] for one in after["unused"]}
    assert set(more) <= unused
    assert not set(more) & {one["field"] for one in (*after["assumed"], *after["questions"])}
    assert after["profile"]["task"] == given["task"]


def test_training_tokens_are_no_hours_of_a_service() -> None:
    """They once gave a service, which has no end, ninety million hours."""
    service = {"task": "inference", "model": {"name": "llama-3.1-8b"}}
    found = book().recommend({**service, "training": {"tokens_b": 1_000_000}}).to_dict()
    assert {one["hours"] for one in found["options"]} == {None}
    assert [one["field"] for one in found["unused"]] == ["training.tokens_b"]
