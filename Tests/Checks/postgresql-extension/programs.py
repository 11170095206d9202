"""Programs in other languages, each of which reads requests, and prints the answers."""

import collections
import contextlib
import itertools
import os
import random
import secrets
import subprocess
import time

import otp
from extension import administrator, connected, enrolled, require, rows, servers

clients = "LibOTP/postgresql/clients"
port = os.environ.get("PGPORT", "")
environment = {**os.environ, "PGHOST": "127.0.0.1", "PGUSER": "app", "PGDATABASE": "postgres"}
commands = {
    "Node": ["node", f"{clients}/login.mjs"], "PHP": ["php", f"{clients}/login.php"],
    "Ruby": ["ruby", f"{clients}/login.rb"],
    "Java": ["java", "-cp", "/usr/share/java/postgresql.jar", f"{clients}/Login.java",
             f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=app"],
    "Erlang": ["escript", f"{clients}/login.erl", "127.0.0.1", port, "app", "postgres"],
}


class Client:
    """A running program, to which requests are written."""

    def __init__(self, name):
        self.process = subprocess.Popen(commands[name], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)

    def send(self, requests):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("".join(f"{number} {request}\n" for number, request in enumerate(requests)))
            self.process.stdin.flush()

    def read(self):
        """The next answers, each after the number of its request."""
        for line in self.process.stdout:
            number, _, answered = line.partition(" ")
            # The last line of a program that lost its server may be cut off.
            if number.isdigit() and answered.strip() and line[-1] == "\n":
                yield int(number), answered.strip()

    def ask(self, request):
        self.send([request])
        return next(self.read())[1]

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        answers = list(self.read())
        self.process.wait(60)
        return answers


def life(name):
    client, subject = Client(name), f"life-{secrets.token_hex(4)}"
    app_of = lambda uri: otp.Key(otp.KeyURI.parse(uri).secret)  # noqa: E731
    first, uri = client.ask(f"enroll {subject}"), client.ask(f"enroll {subject}")
    now, app = int(time.time()), app_of(uri)
    require(first != uri, f"{name}: a pending enrollment is not replaced")
    for request, at, expected in (("verify", 0, "rejected"), ("confirm", 0, "enrolled"), ("verify", 0, "rejected"),
                                  ("verify", 30, "accepted"), ("verify", 30, "rejected")):
        found = client.ask(f"{request} {subject} {app.totp(now + at)}")
        require(found == expected, f"{name}: {request} at {at} is {found}, not {expected}")
    client.end()


def package():
    """The package for Node: what it does in a table (the check record-service)."""
    subprocess.run(["node", "Tests/Checks/postgresql-extension/package.mjs"], env={**environment, "PGUSER": "auditor"},
                   check=True)


def submit_by(name):
    def submit(subject, code, count):
        client = Client(name)
        client.send([f"verify {subject} {code}"] * count)
        return [answered for _, answered in client.end()]
    return submit


def killed(name):
    """A backend, and then the server, is killed while the program submits wrong codes; then it starts again. Each call
    that was answered has one event, and any other one at most."""
    subjects, asked, answered = [enrolled()[0] for _ in range(60)], [], []
    for kill in (servers.kill_backend, servers.kill):
        client = Client(name)
        requests = [random.choice((random.choice(subjects), f"none-{secrets.token_hex(8)}")) for _ in range(100)]
        client.send([f"verify {subject} 000000" for subject in requests])
        found = list(itertools.islice(client.read(), random.randint(15, 40)))
        time.sleep(random.uniform(0, 0.02))
        kill()
        found += client.end()
        asked += requests
        answered += [requests[place] for place, _ in found]
    require(len(answered) >= 20, f"{name}: only {len(answered)} calls were answered")
    with connected(administrator) as connection:
        recorded = collections.Counter(rows(
            connection, "SELECT subject, reason FROM otp.events('-infinity') WHERE kind = 'refused'"))
        counted = dict(rows(connection, "SELECT subject, failures FROM otp.list()"))
    for subject in set(asked):
        found = sum(recorded[subject, reason] for reason in ("wrong", "wait", "locked", "none"))
        require(answered.count(subject) <= found <= asked.count(subject), f"{name}: {found} events of {subject}")
        require(counted.get(subject, 0) == recorded[subject, "wrong"], f"{name}: failures are not those of the events")
