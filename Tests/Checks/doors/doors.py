"""Every door of ours meets the suite for running logins (vectors/conformance/logins), and fails nothing that it can
express. So do broken ones, which must be refused.

    doors.py FOLDER [NAME...]     FOLDER gets each login's history, and has the broken programs; only these of the parts

Each history is judged again from its file.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from otp import Keyring

ROOT = Path(__file__).resolve().parents[3]
LOGINS = ROOT / "vectors/conformance/logins"
sys.path.insert(0, str(LOGINS))
from peers import PYTHON, peers  # noqa: E402
from suite import history  # noqa: E402
from suite.codes import Key  # noqa: E402

FOLDER, NAMES = Path(sys.argv[1]), sys.argv[2:]
OURS = {peer.name: peer.command for peer in peers(ROOT / ".build-conformance")}
ADAPTERS = LOGINS / "adapters"
ETCD = ["/usr/bin/python3", f"{ROOT}/Tests/Checks/doors/etcd.py"]
TABLE, SMALL = OURS["own-table, Python"][:2], ["/usr/bin/python3", f"{ADAPTERS}/small_login.py"]
NOTHING = "from adapter import Adapter, serve; Adapter.about = {'version': '0'}; serve(Adapter())"
RULES = {"window": 1, "drift": 5, "delayed": 4, "lock": 10, "locked": 3600}
ORDER = "answers-in-an-order"
# A test that stops testing shows in the counts: passed, differs, not expressible. Not in those whose seconds are the
# machine's, or that need a log in which something happens to be.
MACHINES = ["ten-megabytes", "secret-in-logs"]
COUNTS = {"small login": (45, 2, 2), "login-example": (40, 3, 6), "api-example": (42, 2, 5),
          "auth-emulator": (27, 4, 18), "pam_otp": (25, 2, 22)}
TABLES = [name for name in OURS if name.startswith("own-table, ") or name == "record serve"]
ON_SQLITE = [name for name in TABLES if "--postgresql" not in OURS[name]]
# On another database, and in several languages on one column, what depends on that.
SHARED = ["replay-at-once", "replay-at-two-servers", "replay-after-a-kill", "replay-after-a-kill-amid-others",
          "replay-by-a-slower-clock", "guesses-at-once", "guesses-at-two-servers", "guesses-after-a-kill",
          "guesses-until-a-kill-amid-others", "guesses-by-a-slower-clock", "wrong-code-confirms-nothing",
          "pending-secret-signs-nobody-in", "enrollment-needs-the-factor", ORDER]
CALLED = [f"CALL by {language}" for language in ("Node", "PHP", "Ruby", "Erlang", "Java", "all five")]
ONCE = ["replay-in-its-step", "replay-after-a-restart", "replay-after-a-kill"]
WANTED = [*ONCE, "guesses-in-one-session", "guesses-over-sessions"]
# Which tests are run on a broken login, and which of them it must fail, besides RACES, which may not be won.
RACES = ["replay-at-once", "replay-after-a-kill-amid-others", "replay-after-a-restart"]
BROKEN = {
    "no-mark": ([*SMALL, "no-mark"], [*WANTED, ORDER], [*ONCE, ORDER]),
    "short-mark": ([*SMALL, "short-mark"], ["replay-of-the-next-steps-code", ORDER],
                   ["replay-of-the-next-steps-code", ORDER]),
    "memory": ([*SMALL, "memory"], [*WANTED, ORDER], [*ONCE[1:], ORDER]),
    "session-limit": ([*SMALL, "session-limit"], [*WANTED, ORDER], ["guesses-over-sessions"]),
    "race": ([*SMALL, "race"], ["replay-at-once", *WANTED, ORDER], [ORDER]),
    "early": ([*SMALL, "early"], [*ONCE, ORDER], [ONCE[2], ORDER]),
    "replaces-anything": ([*TABLE, "/usr/bin/python3", f"{FOLDER}/replaces-anything/main.py"],
                          ["replay-at-once", ORDER], [ORDER]),
    "answers-always": ([*TABLE, "/usr/bin/python3", f"{FOLDER}/answers-always/main.py"], ["replay-at-once", ORDER],
                       [ORDER]),
    "compares-nothing": ([*ETCD, "killed", "/usr/bin/python3", f"{FOLDER}/compares-nothing/main.py"],
                         ["replay-at-once", ORDER], [ORDER]),
    "unknown-is-success": ([*ETCD, "killed", "/usr/bin/python3", f"{FOLDER}/unknown-is-success/main.py"],
                           ["replay-at-two-servers", ORDER], ["replay-at-two-servers", ORDER]),
    "sees-the-latest": ([*ETCD, "killed", "/usr/bin/python3", f"{FOLDER}/sees-the-latest/main.py"],
                        ["replay-at-two-servers", "guesses-at-once", ORDER], [ORDER]),
}


def suite(*arguments):
    return subprocess.run([sys.executable, LOGINS / "run.py", *arguments], capture_output=True, text=True, check=False)


def results(name, command, tests=(), seconds=1):
    """Each test's outcome, and the history's verdict by its file."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report, calls = f"{folder}/report", FOLDER / f"{name}.history"
        adapter = " ".join(f"'{word}'" for word in command)
        ran = suite("--quiet", "--adapter", adapter, "--json", report, "--history", str(calls), "--seconds",
                    str(seconds), *(["--test", *tests] if tests else []))
        assert Path(report).exists(), (name, ran.stdout + ran.stderr)
        found = json.loads(Path(report).read_text(encoding="utf-8"))["results"][0]
    judged = subprocess.run([sys.executable, LOGINS / "suite/history.py", calls], check=False).returncode
    outcomes = {test["name"]: test["outcome"] for test in found["tests"]}
    assert (judged == 0) == (outcomes.get(ORDER, "passed") == "passed"), (name, "the judge differs")
    print(f"doors: {name}, {time.monotonic() - started:.0f} s: {ran.stdout.strip().splitlines()[-1]}", flush=True)
    return found, outcomes


def counted(name):
    _, outcomes = results(name, OURS[name])
    for test in MACHINES:
        assert outcomes.pop(test) in ("passed", "differs", "not expressible"), (name, outcomes)
    expected = dict(zip(("passed", "differs", "not expressible"), COUNTS.get(name, (32, 2, 15))))
    assert Counter(outcomes.values()) == expected, (name, outcomes)


def shared(name):
    """On etcd; on PostgreSQL; or all together, on either database."""
    if name.startswith("etcd"):
        command = [*ETCD, name.split()[-1], *map(str, PYTHON)]
        _, outcomes = results(name, command, [test for test in SHARED if "clock" not in test])
        assert set(outcomes.values()) == {"passed"}, (name, outcomes)
        return
    together = {"together": ON_SQLITE, "together on PostgreSQL": TABLES}
    doors = together.get(name, [name.removesuffix(" on PostgreSQL")])
    commands = [[word for word in OURS[each][2:] if word != "--postgresql"] for each in doors]
    words = [word for command in commands for word in ("--and", *command)]
    flags = ["--postgresql"] if name.endswith("PostgreSQL") else []
    _, outcomes = results(name, [*TABLE, *flags, *words[1:]], SHARED)
    assert set(outcomes.values()) == {"passed"}, (name, outcomes)


def lost(name):
    """Changes that were carried out, of which the program does not hear, and that others replace before it looks."""
    command, tests, _ = BROKEN["sees-the-latest"]
    _, outcomes = results(name, [*command[:-1], f"{FOLDER}/loses-answers/main.py"], tests, seconds=10)
    assert set(outcomes.values()) == {"passed"}, (name, outcomes)


def lines(name):
    """A line that is not a request gets an error, and so does a column that is NULL. All answers precede the end."""
    command = [word for word in OURS[name.removesuffix(", lines")][2:] if word[:2] != "--"]
    server, database = os.environ["OTP_POSTGRESQL"], f"lines{list(PARTS).index(name)}"
    place = server.replace("dbname=postgres", f"dbname={database}")
    subprocess.run(["psql", "--quiet", server, "-c", f"CREATE DATABASE {database}"], check=True)
    table = "CREATE TABLE users (id, otp) AS VALUES (1, ''::bytea), (2, NULL)"
    subprocess.run(["psql", "--quiet", place, "-c", table], check=True)
    Keyring.create_file(f"{FOLDER}/{name}")
    ran = subprocess.run([*command, place, f"{FOLDER}/{name}", "1"], capture_output=True, text=True, check=True,
                         input="\n0 enroll\n1 enroll 2\n2 enroll 1\n", timeout=60)
    found = sorted(" ".join(line.split(" ")[:2])[:9] for line in ran.stdout.splitlines())
    assert found == [" error", "0 error", "1 error", "2 otpauth"], (name, ran.stdout)


def called(name):
    """CALL otp.verify by a driver, or by all, on a server with the extension (see call.py)."""
    clients, address = ROOT / "LibOTP/postgresql/clients", ["127.0.0.1", os.environ["PGPORT"], "app", "postgres"]
    commands = {"Node": ["node", clients / "login.mjs"], "PHP": ["php", clients / "login.php"],
                "Ruby": ["ruby", clients / "login.rb"], "Erlang": ["escript", clients / "login.erl", *address],
                "Java": ["java", "-cp", "/usr/share/java/postgresql.jar", clients / "Login.java",
                         "jdbc:postgresql://{0}:{1}/{3}?user={2}".format(*address)]}
    languages = commands if name == CALLED[-1] else [name.removeprefix("CALL by ")]
    words = [word for language in languages for word in ("--and", *map(str, commands[language]))][1:]
    tests = [test for test in SHARED if "clock" not in test and test != "enrollment-needs-the-factor"]
    _, outcomes = results(name, ["/usr/bin/python3", f"{ROOT}/Tests/Checks/doors/call.py", *words], tests)
    assert set(outcomes.values()) == {"passed"}, (name, outcomes)


def broken(name):
    command, tests, wanted = BROKEN[name]
    # A planted race must be won; it may be that no write's outcome was unknown.
    for _ in range(5):
        _, outcomes = results(name, command, tests, seconds=10)
        failed = {test for test, outcome in outcomes.items() if outcome in ("failed", "crashed")}
        if failed - set(RACES) == set(wanted) - set(RACES):
            return
    raise AssertionError(name, outcomes)


def rolling(name):
    """Half of the guesses of one each 30 seconds are refused by a limit of five in five minutes, which a success
    clears."""
    found, _ = results(name, [*SMALL, "rolling"], ["patient-guesser"])
    note = found["tests"][0]["note"]
    assert "one each 60 seconds; at that rate a year of guessing has odds of 79 %" in note, note


def nothing(_):
    """An adapter that cannot do something passes nothing by that, and one that does not start fails."""
    for adapter in (f'/usr/bin/python3 -c "{NOTHING}"', "false"):
        assert suite("--adapter", adapter).returncode != 0, adapter
    assert suite("--list").returncode == 0


def judge(_):
    """Histories by hand, most of which no order explains. A call is (code, seconds, outcome, the clock's seconds)."""
    key, now = Key(b"12345678901234567890"), 1_000_000_020
    at, wrong = lambda seconds: key.at_step(key.step(now + seconds)), key.wrong(now, 1)  # noqa: E731
    nine = [(wrong, 120 * number, "rejected", 0) for number in range(9)]
    four = [(wrong, number, "rejected", 3600) for number in range(4)]
    for calls, is_explained in (
            ([(at(0), 0, "accepted", 0), (at(0), 1, "rejected", 0), (at(30), 30, "accepted", 0)], True),
            ([(at(0), 0, "accepted", 0), (at(0), 1, "accepted", 0)], False),
            ([(at(0), 0, "rejected", 0)], False),
            ([(at(3600), 0, "accepted", 3600), (at(0), 1, "rejected", 0)], True),
            ([(at(3600), 0, "accepted", 3600), (at(0), 1, "accepted", 0)], False),
            ([*four, (at(0), 5, "wait", 0)], True), ([*four, (at(0), 5, "accepted", 0)], False),
            ([*four, (at(0), 5, "accepted", 3600)], False), ([*four, (at(3605), 5, "accepted", 3600)], True),
            ([*four, (wrong, 4, "rejected", 3600), (wrong, 4, "rejected", 3600)], False),
            ([*nine, (at(1200), 1200, "accepted", 0)], True),
            ([*nine, (wrong, 1080, "unknown", 0), (at(1200), 1200, "accepted", 0)], True),
            ([*nine, (wrong, 1080, "unknown", 0), (at(1200), 1200, "locked", 0)], True),
            ([*nine, (wrong, 1080, "rejected", 0), (at(1200), 1200, "accepted", 0)], False),
            ([*nine, (wrong, 1080, "refused", 0), (at(1200), 1200, "accepted", 0)], False)):
        found = history.explain([history.Call("submit", code, now + second, now + second + 0.1, clock, outcome)
                                 for code, second, outcome, clock in calls], history.Record(key, RULES, False))
        assert (found == "") == is_explained, (calls, found)


PARTS = ({name: counted for name in (*TABLES, *COUNTS)}
         | {f"{name} on PostgreSQL": shared for name in ON_SQLITE}
         | {f"{name}, lines": lines for name in TABLES if name != "record serve"}
         | dict.fromkeys(("together", "together on PostgreSQL", "etcd killed", "etcd frozen", "etcd cut-off"), shared)
         | {"etcd, a third of its answers lost": lost}
         | dict.fromkeys(BROKEN, broken) | {"rolling": rolling, "nothing": nothing, "judge": judge})
if "OTP_CALL_CLOCK" in os.environ:
    PARTS = dict.fromkeys(CALLED, called)
wanted = {name: part for name, part in PARTS.items() if not NAMES or name in NAMES}
assert wanted, f"no such door: {NAMES}"
# At the same time, since both wait; but not if one's SIGKILL ends the other's server.
with ThreadPoolExecutor(1 if "OTP_CALL_CLOCK" in os.environ else 2) as pool:
    list(pool.map(lambda item: item[1](item[0]), wanted.items()))
calls = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in FOLDER.glob("*.history"))
print(f"doors: {len(wanted)} doors and broken ones got the verdicts that they deserve, in histories of {calls} calls")
