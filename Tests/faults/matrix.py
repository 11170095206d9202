"""Which unit tests notice which faults of the library, and so which tests are needed for none of them.

Writes .build-logs/faults/matrix.json, which is for each fault the tests that notice it, and prints the faults that only
one test notices and the tests that could go together with each fault still noticed. Tests are known by their names. One
that takes over a tenth of a second is not asked: some 480 runs of all of them take a day. A fault that only those
notice has no test here.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOW = 0.1
# They share a server, which several processes may not.
SKIPPED = ["MultiFactorPostgreSQLTests"]
NAME = r' Test (?:case passing .* to )?("[^\n]*?"|[^" (]+)(?:\(\))?'
ENDED = re.compile(f"^[✔✘]{NAME}(?: with [0-9]+ test cases?)? (passed|failed) after ([0-9.]+) seconds", re.M)
FAILED = re.compile(f"^✘{NAME}(?: with .*?)? recorded an issue", re.M)
STARTED = re.compile(f"^◇{NAME} started[.]", re.M)


def tests(number, skipped, *options, width=4):
    """Runs the tests on a fault; gives what they print, and whether they came to their end."""
    program, = (ROOT / ".build-test/release").glob("*.xctest")
    names = [re.sub(r"\W", ".", name.strip('"')) for name in skipped]
    skips = [word for name in names for word in ("--skip", f"(^|[`/]){name}[`(.]")]
    environment = os.environ | {"OTP_FAULT": str(number), "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": str(width),
                                "SWT_SWIFT_ERROR_BACKTRACING_ENABLED": "0", "NO_COLOR": "1"}
    run = subprocess.run(["timeout", "--signal=KILL", "600", program, "--testing-library", "swift-testing", *skips,
                          *options], cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace")
    return run.stdout + run.stderr, run.returncode in (0, 1)


def failed(number, skipped):
    """The tests that notice a fault. If it ends the process, the one that was running has, and the others after it are
    not known."""
    printed, is_whole = tests(number, skipped, "--quiet")
    if not is_whole:
        printed, _ = tests(number, skipped, width=1)
        return {name for name in STARTED.findall(printed)}.difference(name for name, _, _ in ENDED.findall(printed))
    return set(FAILED.findall(printed))


def write(logs, faults):
    printed, _ = tests(0, SKIPPED, width=1)
    ends = ENDED.findall(printed)
    skipped = SKIPPED + [name for name, result, seconds in ends if result == "failed" or float(seconds) > SLOW]
    asked = {name for name, _, _ in ends}.difference(skipped)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = {what: pool.submit(failed, number, skipped) for number, what in faults.items()}
        noticed = {}
        for what, one in runs.items():
            noticed[what] = sorted(one.result())
            # What there is, if it is stopped.
            (logs / "matrix.json").write_text(json.dumps({"asked": sorted(asked), "noticed": noticed}, indent=1))
    # The fewest tests, nearly: again and again the one that notices most of what is left.
    needed, left = [], {what: set(those) for what, those in noticed.items() if those}
    while left:
        best = collections.Counter(sorted(test for those in left.values() for test in those)).most_common(1)[0][0]
        needed.append(best)
        left = {what: those for what, those in left.items() if best not in those}
    for what, those in noticed.items():
        if len(those) < 2:
            print(f"{those[0] if those else 'no quick test'}: {what}")
    for test in sorted(asked.difference(needed)):
        print(f"needed for no fault: {test}")
    print(f"matrix: {len(faults)} faults, {len(asked)} tests; {len(needed)} of them notice all that any do")
