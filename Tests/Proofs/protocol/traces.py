"""Prints random runs of the model, one a line: its number, and its events: traces.py FIRST COUNT.

The same numbers give the same runs. None of the assertions counts in them, so that they also go where nothing is
promised: the product must do the same there.
"""
import pathlib
import subprocess
import sys

import variants

MODEL = pathlib.Path(__file__).with_name("protocol.pml")
KINDS = ["", "RESTORE=0", "RESTORE=1", "RESTORE=2", "COPY=2"]


def run(seed):
    """One run's events."""
    flags = variants.flags_of(KINDS[seed % len(KINDS)], ATTEMPTS=8, TICKS=5, PROMISES=0, RARELY_BROKEN=1,
                              TAKES=seed // len(KINDS) % 2, FAILOVERS=seed % 3)
    command = ["spin", f"-n{seed}", "-u4000", *flags, MODEL.name]
    output = subprocess.run(command, cwd=MODEL.parent, capture_output=True, text=True, check=True).stdout
    events = [line.split("EVENT ")[1] for line in output.splitlines() if "EVENT " in line]
    return [event for event in events if event.split()[0] not in ("clocks", "tick")]


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    for seed in range(first, first + count):
        print(f"{seed}: {'; '.join(run(seed))}")
