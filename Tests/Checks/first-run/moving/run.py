#!/usr/bin/env python3
"""Moves 200 users of each system by the programs of docs/moving-in.md, into a store and into records.

    run.py OTP FOLDER SYSTEM=INTERPRETER...      users.py and users.rb make the users

What each user had used a moment ago is refused here, what failed is counted, what was pending is, and the next code is
accepted.
"""
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from users import code

HERE = pathlib.Path(__file__).resolve().parent
OTP, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
# Of the users who sign in to a store, which costs a process each.
SIGNED_IN = 40


def write_programs():
    """Writes the programs of the page, whose first lines have their names; those that are not run must compile."""
    page = (HERE.parents[3] / "docs/moving-in.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```(?:python|ruby|php)\n((?:# |<\?php // )(\w+\.\w+)\n.*?)^```", page, re.S | re.M)
    assert len(programs) == 9, [name for _, name in programs]
    for text, name in programs:
        (FOLDER / name).write_text(text, encoding="utf-8")
        if name.endswith(".py"):
            compile(text, name, "exec")
    subprocess.run(["php", "-l", FOLDER / "from_fortify.php"], check=True, stdout=subprocess.DEVNULL)


def make_users(system, interpreter, folder):
    """Users of a system, and the page's table of them."""
    environment = os.environ | {"SYSTEM": system, "MOVING": str(folder), "DJANGO_SETTINGS_MODULE": "django_settings",
                                "PYTHONPATH": f"{FOLDER}:{HERE}", "PRIVACYIDEA_CONFIGFILE": f"{folder}/pi.cfg"}

    def output(*command):
        return subprocess.run([interpreter, *command], check=True, env=environment, stdout=subprocess.PIPE,
                              text=True).stdout

    users = output(HERE / "users.rb") if system == "devise" else output(HERE / "users.py", system, folder)
    program, files = FOLDER / f"from_{system}.{'rb' if system == 'devise' else 'py'}", []
    if system == "google_authenticator":
        files = sorted((folder / "files").iterdir())
    table = output(HERE / "users.rb", program) if system == "devise" else output(program, *files)
    path = folder / "keys.csv"
    path.touch(mode=0o600)
    path.write_text(table, encoding="utf-8")
    return list(map(json.loads, users.splitlines())), path


class Moved:
    """A system's users, in a store and as records."""

    def __init__(self, system, interpreter):
        self.system, self.folder = system, FOLDER / system
        self.folder.mkdir()
        self.users, table = make_users(system, interpreter, self.folder)
        with open(table, encoding="utf-8") as file:
            self.keys = {row["account"]: row for row in csv.DictReader(file)}
        self.store = ["--store", str(self.folder / "factors.sqlite")]
        pending = sum(not user["confirmed"] for user in self.users)
        self.expect(len(self.users) == 200 and self.keys.keys() == {user["account"] for user in self.users}, "users")
        self.otp("store", "create", *self.store)
        said = self.otp("import", str(table), "--format", "csv", "--partial", *self.store, status=int(pending > 0))
        self.expect(said.endswith(f"imported keys={200 - pending} present=0 refused={pending} weak=0\n"), said)
        self.expect(said.count("field=confirmation reason=missing") == pending, said)
        keyring = self.folder / "keyring.json"
        rows = self.otp("record", "import", str(keyring), str(table), "--format", "csv").splitlines()
        self.records = {row["account"]: row for row in csv.DictReader(rows)}
        self.service = subprocess.Popen([OTP, "record", "serve", keyring], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE)

    def expect(self, is_right, what):
        if not is_right:
            sys.exit(f"moving: {self.system}: {what}")

    def otp(self, *words, status=0):
        run = subprocess.run([OTP, *words], capture_output=True, check=False, text=True)
        self.expect(run.returncode == status, (words, run))
        return run.stdout

    def ask(self, op, account, **more):
        request = {"op": op, "subject": account, "encoding": "hex", "record": self.records[account]["record"]} | more
        self.service.stdin.write(json.dumps(request) + "\n")
        self.service.stdin.flush()
        answer = json.loads(self.service.stdout.readline())
        if answer.get("changed"):
            self.records[account]["record"] = answer["record"]
        return answer

    def first_word(self, *words):
        run = subprocess.run([OTP, *words, *self.store], capture_output=True, check=False, text=True)
        return re.match(r"\w*", run.stdout)[0]

    def stored(self):
        return [user for user in self.users if user["confirmed"]]

    def check_kept(self):
        """At once: what the other system knew."""
        for user in self.users:
            kept = self.ask("info", user["account"])
            self.expect(kept["failures"] == user["failures"] and kept["kind"] == user["type"], (user, kept))
            self.expect(kept["state"] == ("active" if user["confirmed"] else "pending"), (user, kept))
            self.expect(self.records[user["account"]]["name"] == user.get("name", ""), (user, self.records))
            # At the time when it was used: here it may be later.
            at = user.get("factor", 0) * 30 + 29 if user["type"] == "totp" and user["confirmed"] else int(time.time())
            used = user.get("code", code(bytes.fromhex(user["key"]), at // 30))
            said = self.ask("verify", user["account"], code=used, time=at)
            self.expect(said["answer"] == "rejected", (user, said))
            self.expect(said["reason"] == ("replayed" if user["confirmed"] else "pending"), (user, said))
        for user in self.stored():
            if user["failures"]:
                self.expect(f" failures={user['failures']} " in self.otp("factors", user["account"], *self.store), user)

        def explained(user):
            return self.first_word("explain", user["account"], user["code"], "--at", str(user["factor"] * 30 + 29))

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            # A used code of a counter can look like one of other parameters.
            said = set(pool.map(explained, (user for user in self.stored() if user["type"] == "totp")))
        self.expect(said == {"used"}, said)
        said = {self.first_word("authenticate", user["account"], user["code"]) for user in self.stored()[:SIGNED_IN]}
        self.expect(said == {"rejected"}, said)

    def check_next(self):
        """Later: the next code."""
        for number, user in enumerate(self.stored()):
            row = self.keys[user["account"]]
            following = int(row["counter"]) if user["type"] == "hotp" else int(row["last-step"]) + 1
            if user["type"] == "totp":
                # A window has one step ahead.
                while (now := int(time.time()) // 30) + 1 < following:
                    time.sleep(0.5)
                following = max(following, now)
            typed = code(bytes.fromhex(user["key"]), following)
            said = self.ask("verify", user["account"], code=typed)
            self.expect(said["answer"] == "accepted", (user, said))
            if number < SIGNED_IN:
                self.expect(self.first_word("authenticate", user["account"], typed) == "accepted", user)
        self.service.stdin.close()
        self.service.wait()


write_programs()
systems = [Moved(*words.split("=")) for words in sys.argv[3:]]
for moved in systems:
    moved.check_kept()
for moved in systems:
    moved.check_next()
print(f"moving: 200 users each of {', '.join(moved.system for moved in systems)}: no code twice, nothing lost")
