"""The suite for running logins, on logins whose verdicts are known (vectors/conformance/logins/README.md): the small
login and LibOTP/examples/own-table in Python fail no test that they can express, four broken logins fail exactly the
tests that are named after what they lack, and a rolling window's rate is measured."""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LOGINS = ROOT / "vectors/conformance/logins"
TABLE = f"{LOGINS}/adapters/own_table.py /usr/bin/python3 {ROOT}/LibOTP/examples/own-table/python/main.py"
NOTHING = "-c 'from adapter import Adapter, serve; Adapter.about = {\"version\": \"0\"}; serve(Adapter())'"
ONCE = ["replay-in-its-step", "replay-after-a-restart", "replay-after-a-kill"]
WANTED = [*ONCE, "guesses-in-one-session", "guesses-over-sessions"]
# Which tests are run on the small login in each mode, and which of them it must fail.
BROKEN = {"no-mark": (WANTED, ONCE), "memory": (WANTED, ONCE[1:]), "session-limit": (WANTED, ["guesses-over-sessions"]),
          "race": (["replay-at-once", *WANTED], ["replay-at-once"])}
# A test that stops testing shows in the counts.
COUNTS = {"right": {"passed": 43, "differs": 2, "not expressible": 2},
          "own-table": {"passed": 29, "differs": 2, "not expressible": 16}}


def suite(*arguments):
    return subprocess.run([sys.executable, LOGINS / "run.py", *arguments], capture_output=True, text=True, check=False)


def results(adapter, *tests):
    """The counts, and each test's outcome, of a login. A planted race must be won."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        chosen = ("--seconds", "10", "--test", *tests) if tests else ("--seconds", "1")
        run = suite("--quiet", "--adapter", f"python3 {adapter}", "--json", report, *chosen)
        assert os.path.exists(report), run.stdout + run.stderr
        with open(report, encoding="utf-8") as file:
            return json.load(file)["results"][0]


def small(mode, *tests):
    return results(f"{LOGINS}/adapters/small_login.py {mode}", *tests)


# At the same time, since both wait.
with ThreadPoolExecutor(2) as pool:
    found = dict(zip(COUNTS, pool.map(results, (f"{LOGINS}/adapters/small_login.py right", TABLE))))
for name, counts in COUNTS.items():
    assert found[name]["counts"] == counts, found[name]
for mode, (tests, wanted) in BROKEN.items():
    failed = [test["name"] for test in small(mode, *tests)["tests"] if test["outcome"] in ("failed", "crashed")]
    assert sorted(failed) == sorted(wanted), (mode, failed)
# Half of the guesses of one each 30 seconds are refused by a limit of five in five minutes, which a success clears.
note = small("rolling", "patient-guesser")["tests"][0]["note"]
assert "one each 60 seconds; at that rate a year of guessing has odds of 79 %" in note, note
# An adapter that cannot do something passes nothing by that, and one that does not start fails.
for adapter in (f"python3 {NOTHING}", "false"):
    assert suite("--adapter", adapter).returncode != 0, adapter
assert suite("--list").returncode == 0
print("the small login and own-table in Python fail nothing, four broken logins are refused")
