"""Runs a rule book on random profiles in every runtime and compares the answers bit for bit."""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from tests.differential.report import Report
from tests.differential.run import Plan, run

FIXED_SEED = 20261130


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("--book", type=Path, default=here, help="folder with rules/ and catalog/")
    parser.add_argument(
        "--profiles",
        type=int,
        default=100_000,
        help="how many in all: half from a fixed seed, half from a fresh one",
    )
    parser.add_argument("--seed", type=int, help="one seed for all profiles instead")
    parser.add_argument("--rows", type=int, default=4, help="catalog rows per table and batch")
    parser.add_argument(
        "--reference", type=int, default=2, help="profiles of each batch it runs as a whole"
    )
    parser.add_argument("--batch", type=int, default=1250, help="profiles on one choice of rows")
    parser.add_argument("--targets", default="python,javascript,sql,reference")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--reach", type=float, default=0.95, help="least share of rows reached")
    parser.add_argument(
        "--minutes", type=float, default=60, help="fails after these, with where it was"
    )
    arguments = parser.parse_args()
    seeds = [FIXED_SEED, random.SystemRandom().randrange(2**32)]
    if arguments.seed is not None:
        seeds = [arguments.seed]
    started = time.monotonic()
    plan = Plan(
        arguments.book,
        tuple(seeds),
        arguments.profiles,
        arguments.rows,
        arguments.reference,
        arguments.batch,
        tuple(arguments.targets.split(",")),
    )
    print(f"seeds {', '.join(map(str, seeds))}: {plan.profiles:,} profiles", flush=True)
    total = run(plan, arguments.jobs, arguments.minutes)
    return report(total, time.monotonic() - started, arguments.reach)


def report(total: Report, seconds: float, least: float) -> int:
    """Prints what was found; 1 when something differs or too little was reached."""
    compared = ", ".join(f"{name} {count:,}" for name, count in total.compared.items())
    print(f"{total.profiles:,} profiles, {total.values:,} values in {seconds:.0f} s ({compared})")
    print("  ".join(f"{name} {spent:.1f} s" for name, spent in total.seconds.items()))
    reached = {kind: total.reached(kind) for kind in ("row", "branch")}
    for kind, (count, of) in reached.items():
        print(f"{kind}: {count} of {of} reached" + (f" ({count / of:.1%})" if of else ""))
    for mark in total.missed() if least else ():
        print(f"  not reached: {mark}")
    for mismatch in total.mismatches[:10]:
        print(f"DIFFERS {mismatch}")
    print(f"{len(total.mismatches)} mismatches")
    rows, of = reached["row"]
    # Zero profiles compared must not look like agreement.
    failed = bool(total.mismatches) or not total.profiles or rows < least * of
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
