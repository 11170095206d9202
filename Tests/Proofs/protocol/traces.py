"""Prints random runs of the model, one a line: its number, and its events: traces.py FIRST COUNT.

The same numbers give the same runs. None of the assertions counts in them, so that they also go where nothing is
promised: the product must do the same there.
"""
import pathlib
import subprocess
import sys

MODEL = pathlib.Path(__file__).with_name("protocol.pml")
KINDS = [[], ["-DRESTORE=0"], ["-DRESTORE=1"], ["-DRESTORE=2"], ["-DCOPY=2"]]


def run(seed):
    """One run's events."""
    flags = ["-DATTEMPTS=8", "-DTICKS=5", "-DPROMISES=0", "-DRARELY_BROKEN"]
    flags += [f"-DTAKES={seed // len(KINDS) % 2}", f"-DFAILOVERS={seed % 3}"]
    command = ["spin", f"-n{seed}", "-u4000", *flags, *KINDS[seed % len(KINDS)], MODEL.name]
    output = subprocess.run(command, cwd=MODEL.parent, capture_output=True, text=True, check=True).stdout
    events = [line.split("EVENT ")[1] for line in output.splitlines() if "EVENT " in line]
    return [event for event in events if event.split()[0] not in ("clocks", "tick")]


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    for seed in range(first, first + count):
        print(f"{seed}: {'; '.join(run(seed))}")
