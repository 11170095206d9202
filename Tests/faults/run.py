#!/usr/bin/env python3
"""Plants each fault of a list in the sources, one at a time, and runs the command that must notice it.

    run.py [--list FILE] [--only TEXT] [--sample N]

A list has blocks separated by empty lines: a line that says what is wrong, `in FILE`, the text that is there (lines
with `- `, found exactly once) and the text that replaces it (lines with `+ `). `by COMMAND` holds for the faults after
it, or in a block for that fault. A fault that does not compile is an error, not a noticed fault. `--sample` takes N
faults, others on each day. Logs are in .build-logs/faults.
"""
import argparse
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / ".build-logs/faults"
COMPILER = re.compile(r"^\S+\.(swift|c|h):\d+:\d+: error: |error: emit-module command failed", re.M)


def faults(path):
    command = None
    for block in re.split(r"\n{2,}", path.read_text()):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        own = next((line[3:] for line in lines if line.startswith("by ")), None)
        if own and len(lines) == 1:
            command = own
        elif lines:
            text = {mark: "\n".join(line[2:] for line in lines if line.startswith(mark)) for mark in ("- ", "+ ")}
            file = next(line[3:] for line in lines if line.startswith("in "))
            yield lines[0], ROOT / file, text["- "], text["+ "], own or command


def plant(name, file, old, new, command, log):
    original = file.read_text()
    if original.count(old) != 1:
        return f"its text stands {original.count(old)} times in {file.relative_to(ROOT)}"
    file.write_text(original.replace(old, new))
    try:
        with open(log, "w") as output:
            status = subprocess.run(command, shell=True, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT).returncode
    finally:
        file.write_text(original)
    if COMPILER.search(log.read_text()):
        return "does not compile"
    return None if status else "NOT NOTICED"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=pathlib.Path, action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int)
    options = parser.parse_args()
    lists = options.list or sorted(pathlib.Path(__file__).parent.glob("*.txt"))
    chosen = [fault for path in lists for fault in faults(path) if options.only in fault[0]]
    if options.sample:
        first = datetime.date.today().toordinal() * options.sample % len(chosen)
        chosen = (chosen + chosen)[first : first + min(options.sample, len(chosen))]
    LOGS.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for number, fault in enumerate(chosen, 1):
        problem = plant(*fault, LOGS / f"{number}.log")
        wrong += problem is not None
        print(f"{number:4} {'FAIL' if problem else 'ok  '} {': '.join(filter(None, (fault[0], problem)))}", flush=True)
    print(f"faults: {len(chosen) - wrong} noticed, {wrong} not")
    sys.exit(1 if wrong or not chosen else 0)


if __name__ == "__main__":
    main()
