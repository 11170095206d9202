#!/usr/bin/env python3
"""Plants each fault of the lists in the sources, and runs the command that must notice it.

    run.py [--list FILE] [--only TEXT] [--sample N | --matrix | --texts]

A list has, for each fault, a line that says what is wrong, and below it, two spaces to the right, the text of the
source with the change in the form of git's word diffs: `if a [-<-]{+<=+} b`. The text is there exactly once. `in FILE`
and `by COMMAND` hold for the faults after them. A fault that does not compile is an error, not a noticed fault; one
that makes the command hang is noticed. Logs are in .build-logs/faults.

Faults of the library are planted together, behind switches (switches.py), and one build serves all of them; any other
costs a build. `--sample` builds all of the former and runs N of them, others on each day. `--matrix` runs the unit
tests on each of the former, instead of its command (matrix.py). `--texts` only looks for the texts.
"""
import argparse
import concurrent.futures
import contextlib
import datetime
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import matrix
import switches

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / ".build-logs/faults"
CHANGE = re.compile(r"\[-(.*?)-\]\{\+(.*?)\+\}", re.S)
COMPILER = re.compile(
    r"^\S+\.(swift|c|h):\d+:\d+: error: |error: emit-module command failed|^\S+\.go:\d+:\d+: |^error: could not compile"
    r"|^(Syntax|Indentation)Error: ", re.M)
# How the commands of the library's faults begin, and what builds for them.
BUILDS = {
    "Scripts/unit.sh library": "Scripts/unit.sh library --filter TokenTests",
    "Tests/Checks/every-run/": "Tests/Checks/build.sh every-run-check",
}
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
# Whether a signal has come, the running commands, and the texts of changed files before that: None of new ones.
is_stopped = threading.Event()
running = set()
originals = {}


@dataclass
class Fault:
    what: str
    file: pathlib.Path
    command: str
    text: str = ""

    @property
    def change(self):
        """What stands before it, what it replaces, with what, and what follows."""
        return CHANGE.split(self.text, maxsplit=1)

    @property
    def old(self):
        before, old, _, after = self.change
        return before + old + after

    @property
    def new(self):
        before, _, new, after = self.change
        return before + new + after

    @property
    def is_of_library(self):
        return self.command.startswith(tuple(BUILDS))


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


def verdict(command, log, **environment):
    """What the command says of the fault that is planted."""
    environment = os.environ | {"OTP_FAULT": "0"} | environment
    limit = "240" if environment["OTP_FAULT"] != "0" else "1800"
    if is_stopped.is_set():
        return "STOPPED"
    with open(log, "w") as output:
        run = subprocess.Popen(["timeout", limit, "bash", "-c", command], cwd=ROOT, env=environment,
                               stdout=output, stderr=subprocess.STDOUT)
    running.add(run)
    if is_stopped.is_set():
        run.terminate()
    run.wait()
    running.discard(run)
    if COMPILER.search(log.read_text(errors="replace")):
        return "DOES NOT COMPILE"
    return {0: "NOT NOTICED", 124: "noticed by a hang"}.get(run.returncode, "noticed")


def result(run):
    while not run.done():
        time.sleep(0.2)  # A wait for the run would not be interrupted by a signal that another thread gets.
    return run.result()


@contextlib.contextmanager
def changed(texts):
    """Gives files other texts, until the end."""
    try:
        for file, text in texts.items():
            originals[file] = file.read_text() if file.exists() else None
            file.write_text(text)
        yield
    finally:
        restore()


def restore():
    for file, text in list(originals.items()):
        if text is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(text)
        del originals[file]


def stop(number, _):
    """Ends the running commands, and with an exception this program, which restores the sources."""
    for ignored in SIGNALS:
        signal.signal(ignored, lambda *_: None)
    is_stopped.set()
    for run in list(running):
        run.terminate()
    sys.exit(128 + number)


def plant_alone(fault, log):
    with changed({fault.file: fault.file.read_text().replace(fault.old, fault.new)}):
        return verdict(fault.command, log)


@contextlib.contextmanager
def built(chosen):
    """Plants faults, by their numbers, behind switches, and builds; gives those that no switch can hold."""
    texts, left_out = switches.planted(
        ROOT / "Sources", [(number, fault.file, *fault.change) for number, fault in chosen.items()])
    with changed(texts):
        for start, build in BUILDS.items():
            if any(fault.command.startswith(start) for fault in chosen.values()):
                if verdict(build, LOGS / "build.log") != "NOT NOTICED":
                    sys.exit((LOGS / "build.log").read_text(errors="replace") + "faults: the build of all fails")
        yield left_out


def plant_together(chosen, tried):
    """Plants faults together; gives each number to be tried with its verdict."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool, built(chosen) as left_out:

        def started(command, name, number=0):
            return pool.submit(verdict, command, LOGS / f"{name}.log", OTP_FAULT=str(number), OTP_BUILT="1")

        chosen = {number: fault for number, fault in chosen.items() if number in tried}
        commands = {fault.command for fault in chosen.values()}
        runs = {command: started(command, f"without-{index}") for index, command in enumerate(commands)}
        without = {command: result(run) for command, run in runs.items()}
        runs = {}
        for number, fault in chosen.items():
            if without[fault.command] != "NOT NOTICED":
                yield number, "FAILS WITHOUT A FAULT"
            elif number not in left_out:
                runs[number] = started(fault.command, number, number)
        for number, run in runs.items():
            yield number, result(run)
    for number in tried.intersection(left_out):
        yield number, plant_alone(chosen[number], LOGS / f"{number}.log")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=pathlib.Path, action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--matrix", action="store_true")
    parser.add_argument("--texts", action="store_true")
    options = parser.parse_args()
    chosen = [fault for path in options.list or sorted(pathlib.Path(__file__).parent.glob("*.txt"))
              for fault in faults(path) if options.only in fault.what]
    tried = set(range(1, len(chosen) + 1))
    if options.sample:
        of_library = [number for number in tried if chosen[number - 1].is_of_library]
        first = datetime.date.today().toordinal() * options.sample % len(of_library)
        tried = set((of_library + of_library)[first : first + options.sample])
    LOGS.mkdir(parents=True, exist_ok=True)
    noticed, wrong, together, alone = [], [], {}, {}

    def report(number, said):
        (noticed if said.startswith("noticed") else wrong).append(number)
        print(f"{number:4} {said}: {chosen[number - 1].what}", flush=True)

    for number, fault in enumerate(chosen, 1):
        count = fault.file.read_text().count(fault.old)
        if count != 1:
            report(number, f"STANDS {count} TIMES in {fault.file.relative_to(ROOT)}")
        elif fault.is_of_library:
            together[number] = fault
        elif number in tried:
            alone[number] = fault
    if options.texts:
        sys.exit(1 if wrong else 0)
    if options.matrix:
        with built(together) as left_out:
            matrix.write(LOGS, {number: fault.what for number, fault in together.items() if number not in left_out})
        return
    for number, said in plant_together(together, tried):
        report(number, said)
    without = {}
    for number, fault in alone.items():
        if fault.command not in without:
            without[fault.command] = verdict(fault.command, LOGS / "without.log")
        report(number, plant_alone(fault, LOGS / f"{number}.log") if without[fault.command] == "NOT NOTICED"
               else "FAILS WITHOUT A FAULT")
    print(f"faults: {len(noticed)} noticed, {len(wrong)} not; {len(together)} built together")
    sys.exit(1 if wrong or not noticed else 0)


if __name__ == "__main__":
    # One server for all tests of the library, as Scripts/unit.sh would start it. Other commands start their own.
    if "OTP_POSTGRESQL" not in os.environ and "--texts" not in sys.argv:
        os.environ["POSTGRESQL_OPTIONS"] = "-c fsync=off"
        os.execv(ROOT / "Scripts/postgresql.sh", ["postgresql.sh", sys.executable, *sys.argv])
    os.environ.pop("POSTGRESQL_OPTIONS", None)
    for number in SIGNALS:
        signal.signal(number, stop)
    try:
        main()
    finally:
        restore()
