#!/usr/bin/env python3
"""Tests the second factor of running logins, each through its adapter.

    run.py --adapter 'COMMAND ARGUMENT ...' [--test NAME ...] [--json FILE]      your own login
    run.py --peers [--only NAME ...] [--test NAME ...] [--output FOLDER]         those of peers.py
    run.py --list                                                                the tests

Exits 1 if a test failed or crashed; with --output, only if one of ours failed, or any crashed.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True

from suite import once, guessing, reading, enrolling, telling  # noqa: E402, F401 (in the report's order)
from suite import report  # noqa: E402
from suite.catalog import CRASHED, DIFFERS, FAILED, TESTS, Test, Verdict, judge  # noqa: E402
from suite.login import Cannot, Crashed, Login  # noqa: E402
from runner.report import merged  # noqa: E402
from peers import Peer, peers  # noqa: E402

HERE = Path(__file__).resolve().parent
BUILD, ADAPTERS = HERE.parents[2] / ".build-conformance", HERE / "adapters"


def chosen(names: list[str] | None) -> list[Test]:
    """The tests of these names or groups."""
    unknown = set(names or []) - {case.name for case in TESTS} - {case.group for case in TESTS}
    if unknown:
        raise SystemExit(f"logins: no test or group is named {', '.join(sorted(unknown))}")
    return [case for case in TESTS if not names or case.name in names or case.group in names]


def run(peer: Peer, tests: list[Test], options: argparse.Namespace) -> dict[str, Any]:
    """One login's results."""
    verdicts = []
    try:
        login = Login(peer.command, options.patience, options.seconds)
    except (Cannot, Crashed) as error:
        raise SystemExit(f"logins: {peer.name}: {error}") from None
    try:
        login.start()
        for case in tests:
            started = time.monotonic()
            verdicts.append(decided(peer, judge(case, login)))
            if not options.quiet or verdicts[-1].outcome in (FAILED, CRASHED):
                print(f"{peer.name}: {report.line(verdicts[-1])} [{time.monotonic() - started:.1f} s]", flush=True)
            if verdicts[-1].outcome == CRASHED:  # the server may be stopped, or the adapter hang
                login.close()
                login.start()
    except (Cannot, Crashed) as error:
        verdicts.append(Verdict(tests[min(len(verdicts), len(tests) - 1)], CRASHED, f"it does not work: {error}"))
        print(f"{peer.name}: {report.line(verdicts[-1])}", flush=True)
    finally:
        login.close()
    if options.history:
        options.history.write_text("".join(json.dumps(line) + "\n" for line in login.history), encoding="utf-8")
    found = report.result(login.about, peer.name, verdicts)
    print(f"logins: {peer.name} {login.about['version']}: {report.counts(found)}", flush=True)
    return found


def decided(peer: Peer, verdict: Verdict) -> Verdict:
    """What the login documents as its decision is no failure, but differs, and its words are cited."""
    for beginning, says in peer.documented.items():
        if verdict.outcome in (FAILED, DIFFERS) and verdict.test.name.startswith(beginning):
            return replace(verdict, outcome=DIFFERS, documented=says)
    return verdict


def write_table(output: Path, results: list[dict[str, Any]]) -> None:
    """Writes the table with these results, which keeps the rows of all other logins."""
    file, new = output / "logins.md", {found["name"]: report.part(found) for found in results}
    file.write_text(report.markdown(merged(file, new, (peer.name for peer in peers(BUILD)))), encoding="utf-8")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", metavar="COMMAND")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--test", nargs="*")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--history", type=Path, help="the calls, which suite/history.py or another checker judges")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="logins that are tested at the same time")
    parser.add_argument("--patience", type=int, default=300,
                        help="seconds that a test may wait for a clock that cannot be set")
    parser.add_argument("--seconds", type=int, default=3, help="how long a test of a race tries to win it")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    tests = chosen(options.test)
    if options.list:
        print("\n".join(f"{case.name:36} {case.severity:7} {case.about} ({case.sentence.source})" for case in TESTS))
        return 0
    if options.adapter:
        wanted = [Peer("yours", shlex.split(options.adapter))]
    elif options.peers:
        wanted = [peer for peer in peers(BUILD) if not options.only or peer.name in options.only]
    else:
        parser.error("--adapter, --peers or --list is needed")
    # So that an adapter can stand anywhere.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ADAPTERS), os.environ.get("PYTHONPATH")]))
    if not wanted:
        parser.error("peers.py has no login of that name")
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda peer: run(peer, tests, options), wanted))
    if options.output:
        write_table(options.output, results)
    if options.json:
        options.json.write_text(json.dumps({"format": "otp-logins/1", "results": results}, indent=1) + "\n",
                                encoding="utf-8")
    # A table of others' failures is a success.
    failed = [found for found in results if not options.output or found["source"] == "this repository"]
    return 1 if any(found["counts"].get(FAILED) for found in failed) or any(
        found["counts"].get(CRASHED) for found in results) else 0


if __name__ == "__main__":
    sys.exit(main())
