"""How many profiles one core decides in a second, over every option of the catalog.

    python -m benchmarks.recommendations_per_second [PROFILE …]

For each profile: rows of the relation of options, full evaluations of the book (every decision,
relation and ranking) and whole answers (with reasons, flips and sources) per second of processor
time. The aim is 100 evaluations a second with 1,500 option rows.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from engine.readers.document import read_document
from engine.readers.profile import admit
from engine.run.bundle import Bundle, open_bundle
from engine.run.pipeline import Run, decide
from engine.run.recommendation import recommend

EXAMPLES = Path("docs/examples")
SECONDS = 1.0  # of measuring, for each figure


def per_second(work: Callable[[], object]) -> float:
    """Median rate over single calls, in calls per second of processor time."""
    work()
    times: list[float] = []
    until = time.process_time() + SECONDS
    while time.process_time() < until:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1.0 / statistics.median(times)


def run_of(bundle: Bundle, path: Path) -> Run:
    """A profile from its file, decided."""
    document = read_document(str(path), "en")
    return decide(bundle, admit(document, bundle.book.facts, bundle.catalog.tables), {})


def ranked_rows(bundle: Bundle, run: Run) -> int:
    """Rows of the relation that the report ranks first."""
    first = next(iter(bundle.book.report["rows"].values()))
    ranking = first if isinstance(first, str) else first[0]
    return len(run.outcome["relations"][bundle.book.rankings[ranking].relation] or ())


def main() -> None:
    paths = [Path(text) for text in sys.argv[1:]] or sorted(EXAMPLES.glob("*.yaml"))
    bundle = open_bundle()
    print(f"{'profile':34}{'rows':>7}{'evaluations':>14}{'answers':>10}{'rows decided':>15}")
    for path in paths:
        run = run_of(bundle, path)
        rows = ranked_rows(bundle, run)
        evaluations = per_second(lambda run=run: run.again({}))  # type: ignore[misc]
        answers = per_second(lambda path=path: recommend(run_of(bundle, path)))  # type: ignore[misc]
        print(
            f"{path.stem:34}{rows:7,d}{evaluations:12.1f}/s{answers:8.1f}/s"
            f"{rows * evaluations:13,.0f}/s",
            flush=True,
        )


if __name__ == "__main__":
    main()
