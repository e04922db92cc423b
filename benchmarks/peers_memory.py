"""Memory estimates beside those of five other calculators, on the measured rows they cover.

    python -m benchmarks.peers_memory FOLDER [FILE]

FOLDER gets a virtual environment with the pinned calculators (kept between runs); FILE holds
measured rows (default: the rows shipped with the tests). Every calculator is given the facts of
a row completed as the rule book completes them, parameters and architecture included, so that
only the formulas are compared. A row with settings that a calculator has no word for is left to
it all the same; the second line of a kind shows the rows it can state in full.

For each kind and calculator: rows and groups, rows it answers, and the mean absolute error of both
on the rows that both answer, every group of rows counting once. Rows of compute buffers, longest
sequences and loss kernels alone are nobody's but ours and are left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.readers.measurements import read_measurements
from engine.readers.profile import Profile
from engine.run.bundle import open_bundle
from engine.run.pipeline import decide
from engine.run.score import Estimate, Scorer
from engine.run.score_figures import Judged, figures

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "tests" / "measurements" / "memory.jsonl"
PEERS = {
    "fitcheck": ("fitcheck-llm==0.3.1", "huggingface-hub", "rich", "click"),
    "vramcalc": ("vramcalc==0.1.2",),
    "hf_vram_calc": ("hf-vram-calc==1.0.9", "rich", "requests"),
    "ftuneai": ("ftuneai==0.4.1", "pyyaml"),
    "iaexplore": ("iaexplore-llm-profiler==1.0.0",),
}
ALONE = {"hf_vram_calc"}  # installed without what it depends on: see its module
KINDS = ("train_lora", "train_qlora", "train_full", "inference", "kv_cache_tokens")
SHARED = {
    "peak_allocated", "peak_reserved", "peak_process", "peak_process_rounded",
    "peak_total_all_cards", "weights", "weights_reserved", "kv_cache_gib",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A row, our estimate of it, and the facts that everybody is given."""

    ours: Estimate
    facts: Mapping[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", nargs="?", default=str(ROWS))
    parser.add_argument("--refusals", action="store_true", help="why rows are not answered")
    arguments = parser.parse_args()
    asked = rows(arguments.file)
    print(f"{len(asked)} rows of high or medium confidence in {arguments.file}\n")
    print(f"{'kind':16}{'calculator':14}{'rows':>5}{'groups':>7}{'answered':>9}{'share':>7}"
          f"{'ours':>7}{'both':>6}{'its MAPE':>10}{'our MAPE':>10}")  # fmt: skip
    missing = {}
    for name in PEERS:
        python, reason = installed(arguments.folder, name)
        answers = [] if reason else answered(python, name, asked)
        if reason:
            missing[name] = reason
            continue
        table(name, asked, answers)
        if arguments.refusals:
            for why, count in Counter(
                str(one["refused"])[:90] for one in answers if "refused" in one
            ).most_common(8):
                print(f"    {count:4} {why}")
    for name, reason in missing.items():
        print(f"{name}: not compared, {reason}")
    print("\npre-training, diffusion and serving pools: none of them has an estimate.")
    return 0


# ------------------------------------------------------------------------------ asking


def rows(path: str) -> list[Asked]:
    """Rows that several calculators could know, with our estimates and the completed facts."""
    file, bundle = read_measurements(path), open_bundle()
    kept = [
        row
        for row in file.rows
        if row.kind in KINDS
        and row.metric in SHARED
        and row.confidence in ("high", "medium")
        and not (row.kind == "inference" and row.metric == "kv_cache_gib")  # what an engine leaves
    ]
    scorer = Scorer(bundle, "memory", {})
    scorer.enter(file, kept)
    found = []
    for row in kept:
        profile = scorer.completed(row)
        facts = decide(bundle, profile, {}).outcome["facts"]
        found.append(Asked(scorer.estimate(row), _plain(profile, facts)))
    return found


def _plain(profile: Profile, facts: Mapping[str, Any]) -> dict[str, Any]:
    known = {path: value for path, value in facts.items() if not isinstance(value, tuple)}
    return {**known, "model.name": profile.given.get("model.name")}


def installed(folder: Path, name: str) -> tuple[Path, str]:
    """The interpreter of a calculator's environment, or why there is none."""
    place = folder / name
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
    done = place / "installed"
    if done.exists() and done.read_text(encoding="utf-8") == " ".join(PEERS[name]):
        return python, ""
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = [[PEERS[name][0], "--no-deps"], list(PEERS[name][1:])] if name in ALONE else [
        list(PEERS[name])]  # fmt: skip
    for step in steps:
        ran = subprocess.run([*install, *step], capture_output=True, text=True, check=False)
        if ran.returncode:
            return python, "pip could not install it: " + ran.stderr.strip().splitlines()[-1]
    done.write_text(" ".join(PEERS[name]), encoding="utf-8")
    return python, ""


def answered(python: Path, name: str, asked: Sequence[Asked]) -> list[dict[str, Any]]:
    """What a calculator says of each row, without a network."""
    question = json.dumps(
        [{"kind": one.ours.row.kind, "metric": one.ours.row.metric, "facts": one.facts}
         for one in asked]
    )  # fmt: skip
    ran = subprocess.run(
        [str(python), "-m", "benchmarks.peers", name],
        input=question, capture_output=True, text=True, cwd=ROOT, check=False,
        env={"HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    if ran.returncode:
        last = ran.stderr.strip().splitlines()[-1]
        return [{"refused": f"it ended with {last}"} for _ in asked]
    found: list[dict[str, Any]] = json.loads(ran.stdout)
    return found


# ------------------------------------------------------------------------------ comparing


def table(name: str, asked: Sequence[Asked], answers: Sequence[Mapping[str, Any]]) -> None:
    pairs = list(zip(asked, answers, strict=True))
    for kind in KINDS:
        of_kind = [pair for pair in pairs if pair[0].ours.row.kind == kind]
        said = [pair for pair in of_kind if "gib" in pair[1]]
        if not said:
            continue
        _line(kind, name, of_kind, said)
        stated = [pair for pair in said if not pair[1]["unsaid"]]
        if 0 < len(stated) < len(said):
            _line("  stated in full", "", of_kind, stated)


Pair = tuple[Asked, Mapping[str, Any]]


def _line(kind: str, name: str, of_kind: Sequence[Pair], said: Sequence[Pair]) -> None:
    both = [pair for pair in said if not pair[0].ours.reason]
    groups = {pair[0].ours.row.group for pair in both}
    ours = sum(1 for pair in of_kind if not pair[0].ours.reason)
    its = _error((pair[0], pair[1]["gib"]) for pair in both)
    mine = _error((pair[0], pair[0].ours.expected) for pair in both)
    print(f"{kind:16}{name:14}{len(of_kind):5}{len(groups):7}{len(said):9}"
          f"{len(said) / len(of_kind):7.0%}{ours / len(of_kind):7.0%}{len(both):6}"
          f"{its:>10}{mine:>10}")  # fmt: skip


def _error(estimates: Iterable[tuple[Asked, float]]) -> str:
    judged = [
        Judged(one.ours.row.group, "cost", one.ours.row.value, gib, None) for one, gib in estimates
    ]
    error = figures(judged, len(judged))["mape"]
    return "" if error is None else f"{100 * error:.1f} %"


if __name__ == "__main__":
    sys.exit(main())
