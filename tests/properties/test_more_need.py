"""Asking for more never makes work fit a machine it did not fit."""

from __future__ import annotations

import pytest

from tests.generators.choices import Seeded
from tests.properties.worlds import LAYOUTS, OPTIONS, Given, answer, book, profile, rows

# What a profile may ask more of, and what is asked when it does not say. More layers of the same
# parameters in all are no greater need: each is thinner.
NEEDS: dict[str, float] = {
    "model.parameters_b": 7.0, "model.vocab_size": 32000.0, "training.sequence_length": 2048.0,
    "training.micro_batch": 1.0,
    "training.lora_rank": 16.0, "serving.context_tokens": 2048.0, "serving.concurrency": 8.0,
    "serving.input_tokens": 512.0, "serving.output_tokens": 256.0, "serving.batch": 4.0,
    "serving.users": 10.0, "serving.target_tokens_per_s": 300.0,
    "serving.target_requests_per_s": 1.0,
    "render.scene_memory_gib": 12.0, "render.frames": 500.0, "transcode.streams": 20.0,
    "transcode.width": 1920.0, "transcode.frames_per_s": 30.0, "science.working_set_gib": 20.0,
    "science.size": 1e8, "tabular.rows": 1e7, "tabular.columns": 100.0,
}  # fmt: skip
ARCHITECTURE = (
    "parameters_b", "active_parameters_b", "layers", "hidden_size", "heads", "kv_heads", "head_dim",
    "intermediate_size", "vocab_size",
)  # fmt: skip
# Needs of other work are asked more of in work that has them, described so far that it has answers.
TASKS = {"render": "rendering", "transcode": "transcoding", "science": "scientific",
         "tabular": "classical_ml"}  # fmt: skip
STATED: dict[str, Given] = {
    "rendering": {
        "render.engine": "cycles", "render.splittable": False, "render.scene_memory_gib": 12.0,
    },
    "transcoding": {
        "transcode.codec_in": "h264", "transcode.codec_out": "hevc", "transcode.height": 1080.0,
        "transcode.width": 1920.0, "transcode.frames_per_s": 30.0, "transcode.bit_depth": 8.0,
        "transcode.streams": 20.0, "transcode.preset": "medium",
    },
    "scientific": {"science.precision_needed": "fp64", "science.code": "fluidx3d"},
    "classical_ml": {"tabular.library": "xgboost", "tabular.rows": 1e7, "tabular.columns": 100.0},
}  # fmt: skip
ORDER = {"fits": 0, "tight": 1, "does_not_fit": 2}
KEYS = {
    LAYOUTS: ("card_id", "layout_id"),
    OPTIONS: ("card_id", "cards", "tensor", "pipeline", "sharding", "provider", "instance",
              "region", "offer_kind"),
}  # fmt: skip


def pair(need: str, seed: int) -> tuple[Given, Given] | None:
    """A profile, and the same with more of one need; None when the need is at its end."""
    choices = Seeded(f"{need} {seed}")
    given = profile(choices)
    if task := TASKS.get(need.split(".")[0]):
        given = {**given, **STATED[task], "task": task}
    facts = answer(given)["facts"]
    # What follows from the name of the model stays as it is while one figure grows.
    for name in ARCHITECTURE:
        if facts.get(f"model.{name}") is not None:
            given[f"model.{name}"] = facts[f"model.{name}"]
    fact = book().bundle.book.facts[need]
    now = float(given.get(need) or facts.get(need) or NEEDS[need])
    more = now * choices.real(1.3, 8.0)
    more = min(float(round(more)) if fact.type.integer else more, fact.type.high)
    return ({**given, need: now}, {**given, need: more}) if more > now else None


@pytest.mark.parametrize("need", NEEDS)
def test_what_does_not_fit_never_fits_when_more_is_asked(need: str) -> None:
    compared = worse = 0
    for seed in range(3):
        both = pair(need, seed)
        if both is None:
            continue
        before, after = (answer(given) for given in both)
        for relation, key in KEYS.items():
            fits = {tuple(row[part] for part in key): row["fit"] for row in rows(after, relation)}
            for row in rows(before, relation):
                found = fits.get(tuple(row[part] for part in key))
                if row["fit"] in ORDER and found in ORDER:
                    compared += 1
                    worse += ORDER[found] > ORDER[row["fit"]]
                    assert ORDER[found] >= ORDER[row["fit"]], (need, both, row)
    assert compared > 100
