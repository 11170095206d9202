#!/usr/bin/env python3
"""Runs every vector on each implementation, and writes the results as Markdown and JSON.

    run.py --build FOLDER [--tool PATH] [--only NAME ...] [--claims FILE] [--output FOLDER]
    run.py --adapter 'COMMAND ARGUMENT ...'     only on your own implementation: prints what to mend, in that order
    run.py --exact 'COMMAND ARGUMENT ...'       on libotp or a binding, which must do all that we do; with --records,
                                                only what is about records
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True

from runner import exact, table  # noqa: E402
from runner.ask import request, stated  # noqa: E402
from runner.judge import CRASHED, DIFFERS, FAILED, VECTORS, judge  # noqa: E402
from runner.peers import HERE, OURS, Peer, peers  # noqa: E402
from runner.process import Adapter  # noqa: E402
from runner.report import merged, render  # noqa: E402
from runner.verdict import verdict  # noqa: E402


def groups() -> tuple[str, list[dict[str, Any]]]:
    """The data's version, and the groups of all files, without sealed records: no adapter can be given a nonce, and the
    check `vectors` lets the generator's implementation read what libotp has sealed.
    """
    files = [json.loads(path.read_text(encoding="ascii")) for path in sorted(VECTORS.glob("*.json"))
             if path.name != "schema.json"]
    if {file["format"] for file in files} != {"otp-vectors/2"}:
        raise SystemExit("conformance: the vectors have another format")
    rows = [group for file in files for group in file["groups"]]
    return files[0]["version"], [group for group in rows if group["type"] != "record-format"]


def without_memory() -> tuple[str, list[dict[str, Any]]]:
    """The same without records: other implementations are functions that remember nothing."""
    version, rows = groups()
    return version, [group for group in rows if not group["type"].startswith("record-")]


def ask_all(peer: Peer, adapter: Adapter, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Every test that applies to `peer`."""
    said = adapter.ask("hello")
    if not said.startswith("ok "):
        raise SystemExit(f"conformance: {peer.name} does not start: {said}")
    counts: Counter[str] = Counter()
    failures = []
    for group in rows:
        if group["type"] == "uri-build" and peer.source != OURS:
            continue  # this engine's own form; others' writing is judged by uri-round-trip
        for test in group["tests"]:
            asked = request(group, test)
            judged = judge(group, test, adapter.ask(asked))
            counts[judged.outcome] += 1
            if judged.outcome in (FAILED, CRASHED):
                failures.append({"group": group["id"], "type": group["type"], "test": test["id"],
                                 "flags": test["flags"], "outcome": judged.outcome, "request": asked,
                                 "answer": judged.answer, "expected": stated(group, test),
                                 "comment": test.get("comment", "")})
    return {"name": peer.name, "source": peer.source, "said": said.removeprefix("ok ").rpartition(" ")[0],
            "version": said.split()[-1], "counts": dict(counts), "failures": failures}


def counts_of(result: dict[str, Any]) -> str:
    """The counts in a line."""
    return ", ".join(f"{count} {name}" for name, count in sorted(result["counts"].items()))


def is_claimed(claim: dict[str, Any], failure: dict[str, Any]) -> bool:
    """Whether a claim names a failure's group, as GROUP, the beginning of several, or its test, as GROUP/TEST."""
    test = f"{failure['group']}/{failure['test']}"
    return any(test == group if "/" in group else test.startswith(group) for group in claim["groups"])


def apply(claim: dict[str, Any], result: dict[str, Any]) -> None:
    """Counts the failures that a claim is about: those that are a documented decision, or left open by the standards,
    as differing.
    """
    # A crash is never a decision.
    claimed = [failure for failure in result["failures"] if is_claimed(claim, failure)
               and ("bug" in claim or failure["outcome"] == FAILED)]
    claim["failing"] = len(claimed)
    if "differs" in claim:
        for failure in claimed:
            failure["outcome"] = DIFFERS
        result["counts"][FAILED] -= len(claimed)
        result["counts"][DIFFERS] = result["counts"].get(DIFFERS, 0) + len(claimed)


def check_claims(claims: list[dict[str, Any]], results: list[dict[str, Any]], build: Path) -> list[str]:
    """A line for each claim that this run does not reproduce; applies each."""
    wrong = []
    by_name = {result["name"]: result for result in results}
    for claim in claims:
        apply(claim, by_name[claim["peer"]])
        ran = subprocess.run(claim["repeat"], shell=True, capture_output=True, text=True, check=False,
                             env={"PATH": f"{build}/venv/bin:{build}:/usr/bin:/bin"}, cwd=HERE)
        # The whole output; if there is none, the exception that ended it.
        printed = ran.stdout.strip() or ran.stderr.strip().rpartition("\n")[2]
        if not claim["failing"] or claim["prints"] != printed:
            wrong.append(f"{claim['peer']}: {table.text_of(claim)}: {claim['failing']} tests; the line prints "
                         f"{printed!r}")
    return wrong


def run_own(command: str, claims: list[dict[str, Any]]) -> int:
    """Every test on one adapter, and what to mend first. What is claimed of its name counts as in the table."""
    peer = Peer("yours", shlex.split(command))
    adapter = Adapter(peer.command)
    try:
        result = ask_all(peer, adapter, without_memory()[1])
    except OSError as error:
        raise SystemExit(f"conformance: the adapter does not start: {error}") from error
    adapter.close()
    for claim in (claim for claim in claims if claim["peer"] == result["said"]):
        apply(claim, result)
    result["failures"] = [failure for failure in result["failures"] if failure["outcome"] != DIFFERS]
    for line in verdict(result):
        print(line)
    print(f"conformance: {command} ({result['version']}): {counts_of(result)}")
    return 1 if result["failures"] else 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--adapter", metavar="COMMAND")
    parser.add_argument("--exact", metavar="COMMAND")
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--build", type=Path)
    parser.add_argument("--tool", type=Path, default=Path("otp"))
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--claims", type=Path, default=HERE / "claims.json")
    parser.add_argument("--output", type=Path, default=HERE / "results")
    options = parser.parse_args()
    all_claims = json.loads(options.claims.read_text(encoding="utf-8"))
    if options.adapter:
        return run_own(options.adapter, all_claims)
    if options.exact:
        rows = [group for group in groups()[1] if not options.records or group["type"].startswith("record-")]
        return exact.run(options.exact, rows)
    if not options.build:
        parser.error("--build, --adapter or --exact is needed")
    version, rows = without_memory()
    all_peers, results = peers(options.build, options.tool), []
    for peer in all_peers:
        if not options.only or peer.name in options.only:
            adapter = Adapter(peer.command)
            results.append(ask_all(peer, adapter, rows) | {"run": f"{date.today()}, {version}"})
            adapter.close()
            print(f"{peer.name}: {counts_of(results[-1])}", flush=True)
    claims = [claim for claim in all_claims if claim["peer"] in {result["name"] for result in results}]
    wrong = check_claims(claims, results, options.build)
    options.output.mkdir(parents=True, exist_ok=True)
    report = options.output / "conformance.md"
    new = {result["name"]: table.part(result, claims) for result in results}
    report.write_text(render(table.HEAD, merged(report, new, (peer.name for peer in all_peers)), table.SECTIONS),
                      encoding="utf-8")
    for result in results:
        for failure in result["failures"]:
            del failure["expected"], failure["comment"]
    (options.output / "conformance.json").write_text(
        json.dumps({"format": "otp-conformance/1", "vectors": version, "results": results, "claims": claims}, indent=1)
        + "\n", encoding="utf-8")
    ours = [result["name"] for result in results if result["source"] == OURS and result["failures"]]
    print("\n".join([*wrong, *(f"{name}, which is ours, fails" for name in ours)]))
    print(f"conformance: {len(results)} implementations, {len(claims) - len(wrong)} of {len(claims)} claims shown; "
          f"wrote {options.output}")
    return 1 if wrong or ours else 0


if __name__ == "__main__":
    sys.exit(main())
