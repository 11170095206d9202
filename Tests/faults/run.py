#!/usr/bin/env python3
"""Plants each fault of a list in the sources, and runs the command that must notice it.

    run.py [--list FILE] [--only TEXT] [--sample N] [--together]

A list has blocks separated by empty lines: a line that says what is wrong, `in FILE`, the text that is there (lines
with `- `, found exactly once) and the text that replaces it (lines with `+ `). `by COMMAND` holds for the faults after
it, or in a block for that fault. A fault that does not compile is an error, not a noticed fault; one that makes the
command hang is noticed. `--sample` takes N faults, others on each day. Logs are in .build-logs/faults.

One at a time, each fault costs a build. `--together` plants those of the library behind switches (switches.py) and
builds once for all of them.
"""
import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys

import switches

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / ".build-logs/faults"
COMPILER = re.compile(r"^\S+\.(swift|c|h):\d+:\d+: error: |error: emit-module command failed", re.M)
OF_LIBRARY = re.compile(r"Scripts/unit\.sh library|Tests/Checks/every-run/")


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


def problem(command, log, number=0):
    """What is wrong if a command is to notice the fault that is planted, by this number if behind a switch."""
    environment = os.environ | {"OTP_FAULT": str(number)}
    with open(log, "w") as output:
        run = subprocess.run(
            ["timeout", "900", "sh", "-c", command], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    if COMPILER.search(log.read_text(errors="replace")):
        return "does not compile"
    return None if run.returncode else "NOT NOTICED"


def plant_alone(fault, log):
    _, file, old, new, command = fault
    original = file.read_text()
    file.write_text(original.replace(old, new))
    try:
        return problem(command, log)
    finally:
        file.write_text(original)


def plant_together(chosen):
    """Plants faults, by their numbers, behind switches; gives each number with what is wrong."""
    with switches.planted(ROOT / "Sources", [(number, *fault[1:4]) for number, fault in chosen.items()]) as left_out:
        without = {command: problem(command, LOGS / "0.log") for command in {fault[4] for fault in chosen.values()}}
        for number, fault in chosen.items():
            if without[fault[4]] != "NOT NOTICED":
                yield number, without[fault[4]] or "its command fails without a fault"
            elif number not in left_out:
                yield number, problem(fault[4], LOGS / f"{number}.log", number)
    for number in left_out:
        yield number, plant_alone(chosen[number], LOGS / f"{number}.log")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=pathlib.Path, action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--together", action="store_true")
    options = parser.parse_args()
    chosen = [fault for path in options.list or sorted(pathlib.Path(__file__).parent.glob("*.txt"))
              for fault in faults(path) if options.only in fault[0]]
    if options.sample:
        first = datetime.date.today().toordinal() * options.sample % len(chosen)
        chosen = (chosen + chosen)[first : first + min(options.sample, len(chosen))]
    LOGS.mkdir(parents=True, exist_ok=True)
    wrong, together = [], {}
    def report(number, what):
        wrong.extend([number] if what else [])
        print(f"{number:4} {f'FAIL {what}:' if what else 'ok  '} {chosen[number - 1][0]}", flush=True)
    for number, (_, file, old, _, command) in enumerate(chosen, 1):
        count = file.read_text().count(old)
        if count != 1:
            report(number, f"its text stands {count} times in {file.relative_to(ROOT)}")
        elif options.together and OF_LIBRARY.match(command):
            together[number] = chosen[number - 1]
        else:
            report(number, plant_alone(chosen[number - 1], LOGS / f"{number}.log"))
    for number, what in plant_together(together):
        report(number, what)
    print(f"faults: {len(chosen) - len(wrong)} noticed, {len(wrong)} not")
    sys.exit(1 if wrong or not chosen else 0)


if __name__ == "__main__":
    main()
