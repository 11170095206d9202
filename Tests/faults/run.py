#!/usr/bin/env python3
"""Plants each fault of the lists in the sources, and runs the command that must notice it.

    run.py [--list FILE] [--only TEXT] [--sample N]

A list has, for each fault, a line that says what is wrong, and below it, two spaces to the right, the text of the
source with the change in the form of git's word diffs: `if a [-<-]{+<=+} b`. The text is there exactly once. `in FILE`
and `by COMMAND` hold for the faults after them. A fault that does not compile is an error, not a noticed fault; one
that makes the command hang is noticed. Logs are in .build-logs/faults.

Faults of the library are planted together, behind switches (switches.py), and one build serves all of them; any other
costs a build. `--sample` takes N of the former, others on each day.
"""
import argparse
import concurrent.futures
import datetime
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

import switches

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / ".build-logs/faults"
CHANGE = re.compile(r"\[-(.*?)-\]\{\+(.*?)\+\}", re.S)
COMPILER = re.compile(r"^\S+\.(swift|c|h):\d+:\d+: error: |error: emit-module command failed", re.M)


@dataclass
class Fault:
    what: str
    file: pathlib.Path
    command: str
    text: str = ""

    @property
    def old(self):
        return CHANGE.sub(r"\1", self.text, count=1)

    @property
    def new(self):
        return CHANGE.sub(r"\2", self.text, count=1)

    @property
    def is_of_library(self):
        return self.command.startswith(("Scripts/unit.sh library", "Tests/Checks/every-run/"))


def faults(path):
    file = command = None
    found = []
    for line in path.read_text().splitlines():
        if line.startswith("  "):
            found[-1].text += ("\n" if found[-1].text else "") + line[2:]
        elif line.startswith("in "):
            file = ROOT / line[3:]
        elif line.startswith("by "):
            command = line[3:]
        elif line and not line.startswith("#"):
            found.append(Fault(line, file, command))
    return found


def problem(command, log, **environment):
    """What is wrong if a command is to notice the fault that is planted."""
    environment = os.environ | {"OTP_FAULT": "0"} | environment
    with open(log, "w") as output:
        limit = "240" if "OTP_BUILT" in environment else "900"
        run = subprocess.run(["timeout", limit, "bash", "-c", command], cwd=ROOT, env=environment,
                             stdout=output, stderr=subprocess.STDOUT)
    if COMPILER.search(log.read_text(errors="replace")):
        return "does not compile"
    return None if run.returncode else "NOT NOTICED"


def plant_alone(fault, log):
    original = fault.file.read_text()
    fault.file.write_text(original.replace(fault.old, fault.new))
    try:
        return problem(fault.command, log)
    finally:
        fault.file.write_text(original)


def plant_together(chosen):
    """Plants faults, by their numbers, behind switches; gives each number with what is wrong."""
    planted = [(number, fault.file, fault.old, fault.new) for number, fault in chosen.items()]
    with switches.planted(ROOT / "Sources", planted) as left_out, concurrent.futures.ThreadPoolExecutor(2) as pool:
        commands = {fault.command for fault in chosen.values()}
        without = {command: problem(command, LOGS / "0.log") for command in commands}
        runs = {}
        for number, fault in chosen.items():
            if without[fault.command] != "NOT NOTICED":
                yield number, without[fault.command] or "its command fails without a fault"
            elif number not in left_out:
                runs[number] = pool.submit(
                    problem, fault.command, LOGS / f"{number}.log", OTP_FAULT=str(number), OTP_BUILT="1")
        for number, run in runs.items():
            yield number, run.result()
    for number in left_out:
        yield number, plant_alone(chosen[number], LOGS / f"{number}.log")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=pathlib.Path, action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int)
    options = parser.parse_args()
    chosen = [fault for path in options.list or sorted(pathlib.Path(__file__).parent.glob("*.txt"))
              for fault in faults(path) if options.only in fault.what]
    if options.sample:
        chosen = [fault for fault in chosen if fault.is_of_library]
        first = datetime.date.today().toordinal() * options.sample % len(chosen)
        chosen = (chosen + chosen)[first : first + min(options.sample, len(chosen))]
    LOGS.mkdir(parents=True, exist_ok=True)
    wrong, together = [], {}

    def report(number, what):
        wrong.extend([number] if what else [])
        print(f"{number:4} {f'FAIL {what}:' if what else 'ok  '} {chosen[number - 1].what}", flush=True)

    for number, fault in enumerate(chosen, 1):
        count = fault.file.read_text().count(fault.old)
        if count != 1:
            report(number, f"its text stands {count} times in {fault.file.relative_to(ROOT)}")
        elif fault.is_of_library:
            together[number] = fault
        else:
            report(number, plant_alone(fault, LOGS / f"{number}.log"))
    for number, what in plant_together(together):
        report(number, what)
    print(f"faults: {len(chosen) - len(wrong)} noticed, {len(wrong)} not")
    sys.exit(1 if wrong or not chosen else 0)


if __name__ == "__main__":
    # One server for all tests of the library, as Scripts/unit.sh would start it. Other commands start their own.
    if "OTP_POSTGRESQL" not in os.environ:
        os.environ["POSTGRESQL_OPTIONS"] = "-c fsync=off"
        os.execv(ROOT / "Scripts/postgresql.sh", ["postgresql.sh", sys.executable, *sys.argv])
    os.environ.pop("POSTGRESQL_OPTIONS", None)
    main()
