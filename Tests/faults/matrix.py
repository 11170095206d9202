"""Which unit tests notice which faults of the library, and so which tests are needed for none of them.

Writes .build-logs/faults/matrix.json, which is for each fault the tests that notice it, and prints the faults that only
one test notices and the tests that could go together with each fault still noticed. A test that takes over a quarter of
a second is not asked: 449 runs of all of them take a day. A fault that only those notice has no test here.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOW = 0.25
# Several processes may not share the server of the PostgreSQL store's tests.
SKIPPED = ["MultiFactorPostgreSQLTests"]


def run(log, number, skipped, width):
    """Runs the tests on a fault; gives those that failed, and the seconds that each took. After a crash the tests that
    were running have failed, and the others are not known."""
    program, = (ROOT / ".build-test/release").glob("*.xctest")
    events = log.with_suffix(".events")
    skips = [word for name in skipped for word in ("--skip", re.sub(r"\W", ".", name))]
    environment = os.environ | {"OTP_FAULT": str(number), "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": str(width),
                                "SWT_SWIFT_ERROR_BACKTRACING_ENABLED": "0"}
    subprocess.run(["timeout", "--signal=KILL", "240", program, "--testing-library", "swift-testing", *skips,
                    "--event-stream-output-path", events, "--event-stream-version", "0"],
                   cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started, seconds, failed = {}, {}, set()
    for line in events.read_text(errors="replace").splitlines():
        try:
            event = json.loads(line)["payload"]
        except ValueError:
            break  # The process ended while it wrote this.
        name, _, _ = event.get("testID", "").rpartition("/")
        if "/" not in name:
            continue  # A suite's.
        if event["kind"] == "testStarted":
            started[name] = event["instant"]["absolute"]
        elif event["kind"] == "testEnded":
            seconds[name] = event["instant"]["absolute"] - started.pop(name)
            if event["messages"][0]["symbol"] == "fail":
                failed.add(name)
    events.unlink()
    return failed | started.keys(), seconds


def write(logs, faults):
    failed, seconds = run(logs / "matrix-0.log", 0, SKIPPED, 1)
    skipped = SKIPPED + sorted(name for name in seconds if seconds[name] > SLOW or name in failed)
    asked = seconds.keys() - skipped
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = {what: pool.submit(run, logs / f"matrix-{number}.log", number, skipped, 4)
                for number, what in faults.items()}
        noticed = {what: sorted(one.result()[0]) for what, one in runs.items()}
    (logs / "matrix.json").write_text(json.dumps({"asked": sorted(asked), "noticed": noticed}, indent=1))
    # The fewest tests, nearly: again and again the one that notices most of what is left.
    needed, left = [], {what: set(tests) for what, tests in noticed.items() if tests}
    while left:
        best = collections.Counter(sorted(test for tests in left.values() for test in tests)).most_common(1)[0][0]
        needed.append(best)
        left = {what: tests for what, tests in left.items() if best not in tests}
    for what, tests in noticed.items():
        if len(tests) < 2:
            print(f"{tests[0] if tests else 'no quick test'}: {what}")
    for test in sorted(asked.difference(needed)):
        print(f"needed for no fault: {test}")
    print(f"matrix: {len(faults)} faults, {len(asked)} tests; {len(needed)} of them notice all that any do")
