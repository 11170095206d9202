"""Searches every variant of the model: search.py quick|all.

A search is exhaustive within its bounds. What is not promised must have a counterexample, which `all` prints, and so
must every planted fault.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import variants

MODEL = pathlib.Path(__file__).with_name("protocol.pml")
MEGABYTES = 1900
SECONDS = 1800  # a search that takes longer than this does not end


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        sys.exit(f"protocol: {' '.join(map(str, command))} failed\n{done.stdout}{done.stderr}")
    return done.stdout


def search(variant, is_expected_to_hold, mode):
    """The number of states, the seconds, and the events of a counterexample if there is one."""
    small = {"ATTEMPTS": 2} if mode == "quick" else {}
    if not is_expected_to_hold:
        # A counterexample needs little.
        small = {"ATTEMPTS": 2, "TICKS": 1, "OFFERS": {1: 1, 2: 2, 4: 4, 8: 8, 16: 1}[variant.promises]}
    flags = variants.flags_of(variant.flags, **small, PROMISES=variant.promises)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(MODEL, folder)
        run(["spin", "-a", *flags, MODEL.name], folder)
        kind = "-O2" if is_expected_to_hold else "-O0"
        run(["gcc", "-w", kind, "-DSAFETY", "-DNOFAIR", f"-DMEMLIM={MEGABYTES}", "-o", "pan", "pan.c"], folder)
        began = time.monotonic()
        output = run(["./pan", "-E", "-n", "-m100000"], folder)
        seconds = time.monotonic() - began
        states = int(re.search(r"(\d+) states, stored", output).group(1))
        has_failed = int(re.search(r"errors: (\d+)", output).group(1)) > 0
        if has_failed != ("assertion violated" in output):
            sys.exit(f"protocol: '{variant.name}' ended by something else than an assertion\n{output}")
        if not has_failed and re.search(r"not completed|too small|out of memory|max search depth", output):
            sys.exit(f"protocol: the search of '{variant.name}' is incomplete\n{output}")
        events = run(["spin", "-t", *flags, MODEL.name], folder) if has_failed else ""
    return states, seconds, [line.split("EVENT ")[1] for line in events.splitlines() if "EVENT " in line]


def check(group, is_expected_to_hold, mode, must_fail):
    """Searches a group, and returns how many searches and states that took."""
    count = total = 0
    for variant in group:
        if mode == "quick" and not variant.is_quick:
            continue
        states, seconds, events = search(variant, is_expected_to_hold, mode)
        if bool(events) == is_expected_to_hold:
            sys.exit(f"protocol: '{variant.name}' {must_fail}\n" + "\n".join(events))
        print(f"  {variant.name}: {states:,} states, {seconds:.1f} s", flush=True)
        if mode == "all" and events:
            print("    " + "; ".join(event for event in events if not event.startswith("state")))
        count, total = count + 1, total + states
    return count, total


def main():
    mode = sys.argv[1]
    held = check(variants.PROMISED, True, mode, "does not hold:")
    broken = check(variants.NOT_PROMISED, False, mode, "holds, although it is not promised")
    found = check(variants.FAULTS, False, mode, "was not found")
    print(f"protocol: {held[0]} searches hold, over {held[1]:,} states; {broken[0]} things that are not promised have "
          f"a counterexample; {found[0]} planted faults were found")


if __name__ == "__main__":
    main()
