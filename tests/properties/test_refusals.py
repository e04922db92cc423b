"""A refusal and its reason agree: no card "fits" what it cannot do, no figure refutes itself."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.report.render import as_text
from engine.report.style import Style
from engine.run.pipeline import Run
from tests.properties.test_every_task import DATA, FIT, run_of
from tests.properties.worlds import EXAMPLES, OPTIONS, Given, book, decision, examples, rows

CANNOT = {"precision_unsupported", "precision_too_slow", "no_encoder", "no_av1_encoder",
          "no_decoder", "bit_depth_unsupported", "stream_too_fast", "code_unsupported",
          "library_unsupported", "toolkit_dropped", "renderer_unsupported",
          "no_graphics"}  # fmt: skip
STREAM: Given = {
    "transcode.codec_in": "h264", "transcode.codec_out": "av1", "transcode.width": 1920,
    "transcode.height": 1080, "transcode.frames_per_s": 30, "transcode.bit_depth": 8,
    "transcode.streams": 8, "transcode.preset": "medium",
}  # fmt: skip
WORK: dict[str, tuple[str, Given, str]] = {
    "an H100 has no encoder": ("transcoding", STREAM, "h100-sxm"),
    "a T4 encodes no AV1": ("transcoding", STREAM, "t4"),
    "no engine keeps up with 10,000 frames a second": (
        "transcoding", {**STREAM, "transcode.frames_per_s": 10_000}, "l4"),
    "an A100 has no FP8": (
        "inference", {"model.name": "llama-3.1-8b", "precision.weights": "fp8"}, "a100-sxm-80"),
    "a gaming card is weak in double precision": (
        "scientific", {"science.precision_needed": "fp64", "science.working_set_gib": 10},
        "rtx4090"),
}  # fmt: skip
EXCEED = re.compile(r"([\d.,]+) GiB exceed ([\d.,]+) GiB")
QWEN: Given = {"model.name": "qwen2.5-7b", "serving.concurrency": 8}  # 28 heads


def work(task: str, **facts: Any) -> Run:
    return run_of(task, {**DATA, **facts})


@pytest.mark.parametrize("name", WORK)
def test_a_card_that_cannot_do_the_work_does_not_fit(name: str) -> None:
    task, facts, card = WORK[name]
    named = run_of(task, {**DATA, **facts, "hardware.gpu": card})
    assert decision(named.outcome, FIT) == "does_not_fit"
    refused = [row for row in rows(run_of(task, {**DATA, **facts}).outcome, OPTIONS)
               if row["reason"] in CANNOT]  # fmt: skip
    assert refused
    assert {row["fit"] for row in refused} == {"does_not_fit"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_memory_that_exceeds_is_more(path: Any) -> None:
    """A16: "14.2 GiB exceed 14.7 GiB" stood where the engine's pool was too small."""
    given = examples()[sorted(EXAMPLES.glob("*.yaml")).index(path)]
    profile = {
        name: value for name, value in given.items() if isinstance(value, str | bool | float)
    }
    profile.pop("as_of", None)
    for option in book().recommend(profile, top=50).to_dict()["options"]:
        said = EXCEED.search((option["why_not"] or {}).get("because", ""))
        if said:
            needed, usable = (float(part.replace(",", "")) for part in said.groups())
            assert needed >= usable, option["gpu"]


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt_llm"])
def test_no_option_splits_a_head(engine: str) -> None:
    """Such engines refuse to start where the heads do not divide over the cards."""
    found = rows(work("inference", **QWEN, **{"serving.engine": engine}).outcome, OPTIONS)
    assert {row["tensor"] for row in found if row["reason"] == "none"} <= {1, 2, 4}
    assert {row["fit"] for row in found if row["tensor"] == 8} == {"does_not_fit"}
    free = rows(work("inference", **QWEN, **{"serving.engine": "llama_cpp"}).outcome, OPTIONS)
    assert "fits" in {row["fit"] for row in free if row["tensor"] == 8}


def test_a_stated_split_of_heads_is_refused_aloud() -> None:
    profile = {"task": "inference", **DATA, **QWEN, "parallelism.tensor": 3}
    found = book().recommend(profile).to_dict()
    assert not [one for one in found["options"] if one["rank"] is not None]
    assert [one["id"] for one in found["conflicts"]] == ["heads_do_not_divide"]


@pytest.mark.parametrize(("language", "said"), [("en", "has no offer"), ("zh", "相符的报价")])
def test_no_offer_at_all_is_not_called_open(language: str, said: str) -> None:
    """Nothing is left to answer: "cannot be said yet" stood there with the status 0."""
    split = {"hardware.gpu": "rtx4090", "hardware.count": 3, "hardware.nodes": 2}
    answer = book().recommend({"task": "inference", **DATA, **QWEN, **split}, language=language)
    first = as_text(book().bundle.book.report, answer.to_dict(), language, Style()).splitlines()[0]
    assert answer.complete and not answer.to_dict()["options"]
    assert said in first


@pytest.mark.parametrize("sharding", ["zero1", "zero2", "zero3", "fsdp"])
def test_sharding_is_over_several_cards(sharding: str) -> None:
    """Stated alone it once stood for one card, over which nothing is shared."""
    facts = {"model.name": "llama-2-7b", "training.tokens_b": 0.02}
    run = work("full_finetune", **facts, **{"parallelism.sharding": sharding})
    kept = [row for row in rows(run.outcome, OPTIONS) if row["reason"] == "none"]
    assert kept and min(row["cards"] for row in kept) > 1
    meant = "zero3" if sharding == "fsdp" else sharding
    assert {row["sharding"] for row in kept} == {meant}


@pytest.mark.parametrize(("card", "warned"), [("t4", True), ("a100-sxm-80", False)])
def test_layers_shared_over_slots_are_warned_of_in_the_first_option(
    card: str, warned: bool
) -> None:
    """Only a stated machine was warned of, and "no link needed" stood beside four shared T4."""
    model = {"model.name": "qwen2.5-32b", "precision.weights": "int4", "precision.format": "awq"}
    profile = {"task": "inference", **DATA, **model, "constraints.gpus": [card]}
    answer = book().recommend({**profile, "parallelism.tensor": 4}).to_dict()
    assert answer["options"][0]["parallelism"]["tensor"] == 4
    assert ("option_in_slots" in {one["id"] for one in answer["checks"]}) == warned
    assert "no link needed" not in as_text(book().bundle.book.report, answer, "en", Style())
