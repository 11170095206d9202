"""Trials of LibOTP/examples/own-table's programs, each on PostgreSQL and on SQLite.

    trials.py FOLDER NAME=COMMAND...      with OTP_POSTGRESQL set; FOLDER is for the keyring's and SQLite's files

For each program: a factor's life; 200 requests at once with one right code; 500 wrong ones; SIGKILL at random moments;
two servers whose clocks are an hour apart. Then all programs together on one column.
"""

import os
import pathlib
import random
import secrets
import shlex
import signal
import sqlite3
import subprocess
import sys
import time

import psycopg2

import otp
from own_table import keyring_file

WORKERS = 40
random.seed(int(os.environ.get("OTP_SEED", "1")))
checks = 0


def require(condition, what):
    global checks
    if not condition:
        sys.exit(f"own-table: {what}")
    checks += 1


class Table:
    """The table of users, as an administrator sees it."""

    def __init__(self, place):
        self.place, self.last = place, 0
        if "host=" in place:
            self.connection, self.mark = psycopg2.connect(place), "%s"
            self.connection.autocommit = True
            self.run("DROP TABLE IF EXISTS users")
            self.run("CREATE TABLE users (id integer PRIMARY KEY, otp bytea NOT NULL)")
        else:
            self.connection, self.mark = sqlite3.connect(place, isolation_level=None, timeout=60), "?"
            self.run("CREATE TABLE users (id INTEGER PRIMARY KEY, otp BLOB NOT NULL)")

    def run(self, statement, *values):
        cursor = self.connection.cursor()
        cursor.execute(statement.replace("?", self.mark), values)
        return cursor

    def add(self, record=b""):
        """A new user."""
        self.last += 1
        self.run("INSERT INTO users VALUES (?, ?)", self.last, record)
        return self.last

    def enrolled(self, now):
        """A new user with a confirmed factor, and the app."""
        user, secret = self.last + 1, secrets.token_bytes(20)
        self.add(keyring.enroll(f"user {user}", secret=secret, is_confirmed=True, time=now))
        return user, otp.Key(secret)

    def read(self, user):
        return bytes(self.run("SELECT otp FROM users WHERE id = ?", user).fetchone()[0])

    def details(self, user):
        return keyring.info(f"user {user}", self.read(user))


class Server:
    """A process of a program, to which requests are written."""

    def __init__(self, command, table, offset=0, workers=WORKERS, place=None):
        environment = {**os.environ, "CLOCK_OFFSET": f"{offset}s"}
        self.process = subprocess.Popen(
            [*shlex.split(command), place or table.place, folder / "keyring", str(workers)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def next(self):
        """The next answer, with its request's number."""
        number, _, answer = self.process.stdout.readline().partition(" ")
        return int(number), answer.strip()

    def ask(self, request):
        """The answer to one request."""
        self.send([request])
        return self.next()[1]

    def send(self, requests):
        """Writes requests, numbered by their index, to be served at once."""
        self.process.stdin.write("".join(f"{index} {request}\n" for index, request in enumerate(requests)))
        self.process.stdin.flush()

    def end(self):
        """The remaining answers, by number, after the last request."""
        output, _ = self.process.communicate()
        require(self.process.returncode in (0, -signal.SIGKILL), f"a server ended with {self.process.returncode}")
        # A killed server's last line may be cut off.
        return [(int(number), answer) for number, answer in
                (line.split(maxsplit=1) for line in output.split("\n")[:-1])]


def count(answers, kind):
    unexpected = [answer for _, answer in answers if answer not in ("accepted", "rejected", "wait", "locked")]
    require(not unexpected, f"answers such as {unexpected[:1]}")
    return sum(answer == kind for _, answer in answers)


def life(name, command, table):
    server, user = Server(command, table), table.add()
    code_at = lambda uri, at: otp.Key(otp.KeyURI.parse(uri).secret).totp(at)  # noqa: E731
    first, uri = server.ask(f"enroll {user}"), server.ask(f"enroll {user}")
    now = int(time.time())
    require(first != uri, f"{name}: a pending enrollment is not replaced")
    require(server.ask(f"sign-in {user} {code_at(uri, now)}") == "rejected", f"{name}: a pending factor signs in")
    require(server.ask(f"confirm {user} {code_at(uri, now)}") == "enrolled", f"{name}: not confirmed")
    require(server.ask(f"enroll {user}") == "", f"{name}: a confirmed factor is replaced")
    require(server.ask(f"sign-in {user} {code_at(uri, now)}") == "rejected", f"{name}: the code was not spent")
    require(server.ask(f"sign-in {user} {code_at(uri, now + 30)}") == "accepted", f"{name}: the next is refused")
    require(table.details(user).acceptances == 1, f"{name}: nothing was written")
    server.end()


def one_code(name, commands, table):
    now = int(time.time())
    user, app = table.enrolled(now)
    servers = [Server(command, table) for command in commands]
    for server in servers:
        server.send([f"sign-in {user} {app.totp(now)}"] * (200 // len(servers)))
    answers = [answer for server in servers for answer in server.end()]
    require(len(answers) == 200 // len(servers) * len(servers), f"{name}: {len(answers)} answers")
    require(count(answers, "accepted") == 1, f"{name}: {count(answers, 'accepted')} of {len(answers)} with one code")


def guesses(name, command, table):
    started = time.time()
    user, _ = table.enrolled(int(started))
    server = Server(command, table)
    server.send([f"sign-in {user} 000000"] * 500)
    answers = server.end()
    looked, allowed, waited = count(answers, "rejected"), 4, 1
    # From the fourth failure on, a guess more after 1, 2, 4 ... seconds.
    while waited <= time.time() - started + 1 and allowed < 10:
        allowed, waited = allowed + 1, 2 * waited + 1
    require(len(answers) == 500 and looked <= allowed, f"{name}: {looked} of {len(answers)} guesses were looked at")
    require(table.details(user).failures == looked, f"{name}: of {looked}, {table.details(user).failures} were counted")


def killed(name, command, table):
    answered = {}
    users = [table.enrolled(int(time.time()))[0] for _ in range(60)]
    rounds = 0
    # A busy machine answers few before the end.
    while rounds < 4 or (sum(answered.values()) < 20 and rounds < 40):
        rounds += 1
        server = Server(command, table, workers=8)
        # Long enough to start; the end comes anywhere.
        requests = [f"sign-in {random.choice(users)} 000000" for _ in range(3000)]
        server.send(requests[:1])
        answers = [server.next()]
        server.send(requests)
        time.sleep(random.uniform(0.005, 0.15))
        server.process.kill()
        for number, answer in answers + server.end():
            if answer == "rejected":
                user = int(requests[number].split()[1])
                answered[user] = answered.get(user, 0) + 1
    require(sum(answered.values()) >= 20, f"{name}: only {sum(answered.values())} failures were answered")
    for user, failures in answered.items():
        found = table.details(user).failures
        require(found >= failures, f"{name}: of {failures} answered failures, {found} are left")


def clocks(name, command, table):
    now = int(time.time())
    user, app = table.enrolled(now - 7200)
    fast, slow = Server(command, table, offset=3600), Server(command, table)
    code = app.totp(now + 3600)
    require(fast.ask(f"sign-in {user} {code}") == "accepted", f"{name}: by the fast clock")
    require(slow.ask(f"sign-in {user} {app.totp(now)}") == "rejected", f"{name}: an earlier code, by the slow one")
    require(fast.ask(f"sign-in {user} {code}") == "rejected", f"{name}: a replay, by the fast clock")
    user, app = table.enrolled(now - 7200)
    for _ in range(4):
        require(fast.ask(f"sign-in {user} 000000") == "rejected", f"{name}: a guess")
    require(slow.ask(f"sign-in {user} 000000") == "wait", f"{name}: a slow clock shortens a delay")
    fast.end()
    slow.end()


folder = pathlib.Path(sys.argv[1])
keyring_file(folder / "keyring")
keyring = otp.Keyring.open(str(folder / "keyring"))
if __name__ == "__main__":
    programs = dict(argument.split("=", 1) for argument in sys.argv[2:])
    tables = {"PostgreSQL": Table(os.environ["OTP_POSTGRESQL"]), "SQLite": Table(str(folder / "users.sqlite"))}
    for database, table in tables.items():
        for name, command in programs.items():
            for trial in (life, guesses, killed, clocks):
                trial(f"{name}, {database}", command, table)
            one_code(f"{name}, {database}", [command], table)
        one_code(f"together, {database}", list(programs.values()), table)
    print(f"{checks} expectations of {len(programs)} programs on {len(tables)} databases")
