"""`python -m engine`, and the command `gpuwise`."""

import gc
import sys


def run() -> int:
    """One command as a process of its own; returns the exit status.

    A short run makes a few hundred thousand objects and hardly a cycle among them: collecting
    before a million, and once more at the exit, would cost a fifth of its time for nothing.
    """
    gc.set_threshold(1_000_000)
    try:
        from engine.cli.main import main

        status = main()
    except KeyboardInterrupt:  # while the program itself is still being read
        return 130
    gc.freeze()
    return status


if __name__ == "__main__":
    sys.exit(run())
