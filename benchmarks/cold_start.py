"""How long a cold command takes, and how much memory it needs.

    python -m benchmarks.cold_start [PROFILE]

Medians over 20 processes, each a fresh interpreter that finds bytecode and compiled book; the first
compile starts from empty caches. A cold `recommend` should stay within 150 ms and 80 MB, the first
compile within 3 s, a first decision within 30 ms of a bare `import yaml`. The fastest run stands
beside the median: on a busy machine it says more. Start it where `import engine` finds the engine
to be measured.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

EXAMPLE = "docs/examples/lora-7b-one-card.yaml"
WITH_A_LIST = "docs/examples/university-queue.yaml"  # what needs the YAML library to be read
RUNS, COMPILES = 20, 3

# The profile is admitted beforehand: the door is part of `recommend`, not of a decision.
ADMITTED = """
import json, sys
from engine.readers.document import read_document
from engine.readers.profile import admit
from engine.run.bundle import open_bundle
bundle = open_bundle()
profile = admit(read_document(sys.argv[1], "en"), bundle.book.facts, bundle.catalog.tables)
print(json.dumps(profile.given))
"""
FIRST_DECISION = """
import gc
gc.set_threshold(1_000_000)  # as the command does
import json, sys
import yaml
from engine.book.store import cached_code, open_run_data
data = open_run_data()
program = {}
exec(cached_code(data.digest, "book.py", lambda: sys.exit("not compiled")), program)
program["evaluate"](json.loads(sys.argv[1]), data.parameters, data.tables)
gc.freeze()
"""


@dataclass(frozen=True)
class Measured:
    """One process: seconds on the clock and of processor time, its largest memory in MB."""

    wall: float
    processor: float
    memory: float


def process(command: Sequence[str], environment: Mapping[str, str]) -> Measured:
    """Runs a command to its end. Raises RuntimeError when it fails."""
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *command], env=dict(environment),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3):  # 3: answered, and something is unknown
        raise RuntimeError(f"{' '.join(command[:3])}: {said.decode()}")
    scale = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, KiB elsewhere
    return Measured(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / scale)


@contextmanager
def own_caches() -> Iterator[dict[str, str]]:
    """An environment with empty caches of its own, for bytecode and for compiled books."""
    without = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name not in without}
        yield kept | {
            "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
            "GPUWISE_CACHE": f"{folder}/compiled",
        }


def line(name: str, runs: Sequence[Measured]) -> str:
    """Medians, and the fastest run in brackets."""
    wall = [run.wall * 1e3 for run in runs]
    processor = [run.processor * 1e3 for run in runs]
    memory = statistics.median(run.memory for run in runs)
    return (
        f"{name:34}{statistics.median(wall):8.1f} ms [{min(wall):6.1f}]"
        f"{statistics.median(processor):8.1f} ms [{min(processor):6.1f}]{memory:7.1f} MB"
    )


def main() -> None:
    recommend = ["-m", "engine", "recommend", sys.argv[1] if len(sys.argv) > 1 else EXAMPLE]
    print(f"{'':34}{'clock':>11} [  best]{'processor':>11} [  best]     peak")
    with own_caches() as environment:
        compiles = []
        for number in range(COMPILES):
            own = {**environment, "GPUWISE_CACHE": f"{environment['GPUWISE_CACHE']}-{number}"}
            compiles.append(process(recommend, own))
        given = subprocess.run(
            [sys.executable, "-c", ADMITTED, recommend[-1]],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        commands = {
            "python -c pass": ["-c", "pass"],
            "python -c 'import yaml'": ["-c", "import yaml"],
            "import yaml and a first decision": ["-c", FIRST_DECISION, given],
            "recommend": recommend,
            "recommend --format json": [*recommend, "--format", "json"],
            "recommend, a profile with a list": [*recommend[:-1], WITH_A_LIST],
            "explain placement": ["-m", "engine", "explain", "placement", recommend[-1]],
        }
        for name, command in commands.items():
            process(command, environment)  # now everything is cached
            print(line(name, [process(command, environment) for _ in range(RUNS)]), flush=True)
        print(line("recommend, the book not compiled", compiles[1:]))  # all but bytecode is new


if __name__ == "__main__":
    main()
