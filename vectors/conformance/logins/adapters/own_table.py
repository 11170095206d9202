#!/usr/bin/env python3
"""The programs of LibOTP/examples/own-table, on SQLite: a line for each request on their standard input.

    own_table.py [--own-clock] COMMAND...     --own-clock: restarts it with CLOCK_OFFSET, if hosts/clock.c cannot set it
"""

import base64
import hashlib
import queue
import secrets
import sqlite3
import subprocess
import sys
import threading

from adapter import Cannot, WithoutSessions, end, ours, serve, start


def keyring_file(path):
    """A keyring's file, as `otp keyring new` writes it."""
    one, two = (base64.b64encode(secrets.token_bytes(32)).decode() for _ in range(2))
    body = f'{{"format":"otp-keyring/1","active":"k1","keys":[\n{{"name":"k1","key":"{one}"}}],\n"hashKey":"{two}",\n'
    path.touch(mode=0o600)
    path.write_text(f'{body}"sha256":"{hashlib.sha256(body.encode()).hexdigest()}"}}\n', encoding="ascii")


class Program:
    """A running program; answers are matched with requests by their number."""

    def __init__(self, command, environment, log):
        self.process = start(command, log, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.lock, self.count, self.waiting = threading.Lock(), 0, {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            number, _, answer = line.decode("utf-8", "replace").rstrip("\n").partition(" ")
            self.waiting.pop(int(number)).put(answer.strip())
        for waiting in list(self.waiting.values()):
            waiting.put("error the program has ended")

    def ask(self, request):
        answer = queue.Queue()
        with self.lock:
            self.count += 1
            self.waiting[self.count] = answer
            self.process.stdin.write(f"{self.count} {request}\n".encode("utf-8", "surrogatepass"))
            self.process.stdin.flush()
        return answer.get(timeout=60)


class OwnTable(WithoutSessions):
    """Two programs on one table. They know no password."""

    about = ours("own-table") | {"servers": 2, "configured": "`LibOTP/examples/own-table` on SQLite, two processes"}

    def __init__(self, command, own_clock):
        super().__init__()
        self.command, self.own_clock, self.offset = command, own_clock, 0
        self.programs, self.lock = {}, threading.Lock()

    def start(self):
        self.files = [str(self.folder.data / "users.sqlite"), str(self.folder.path / "keyring")]
        keyring_file(self.folder.path / "keyring")
        self.run("CREATE TABLE users (id INTEGER PRIMARY KEY, otp BLOB NOT NULL)")

    def run(self, statement, *values):
        with sqlite3.connect(self.files[0], timeout=60) as connection:
            connection.execute(statement, values)
        connection.close()

    def program(self, number=0):
        """A program with 40 threads, started when it is needed."""
        with self.lock:
            if number not in self.programs:
                clock = {"CLOCK_OFFSET": f"{self.offset}s"} if self.own_clock else {}
                self.programs[number] = Program([*self.command, *self.files, "40"], self.folder.environment() | clock,
                                                self.folder.logs / "log")
            return self.programs[number]

    def together(self, requests):
        # A program ends with the thread that has started it, so it is not one of those that send the requests.
        for number in {self.sessions[request["session"]][1] for request in requests}:
            self.program(number)
        return super().together(requests)

    def end_all(self, how):
        for program in self.programs.values():
            end(program.process, how)
        self.programs = {}

    def time(self, offset):
        self.offset = offset
        if self.own_clock:
            self.restart()
        else:
            super().time(offset)

    def user(self, user, password):
        self.run("INSERT INTO users VALUES (?, ?)", int(user[4:]), b"")

    def enroll(self, user):
        return {"uri": self.program().ask(f"enroll {user[4:]}")}

    def asked(self, request, user, code, server=0):
        if not code or any(char.isspace() for char in code):
            raise Cannot("a code is a word of a line")
        kind = self.program(server).ask(f"{request} {user[4:]} {code}")
        if kind.startswith("error"):
            raise RuntimeError(kind)
        return {"accepted": kind in ("accepted", "enrolled"), "status": 200 if kind == "accepted" else 403,
                "body": kind}

    def confirm(self, user, code):
        return self.asked("confirm", user, code)

    def begin(self, user, session, password, server=0, client=None):
        super().begin(user, session, password)
        self.sessions[session] = user, server

    def submit(self, session, code, route):
        user, server = self.sessions[session]
        return self.asked("sign-in", user, code, server)

    def replace(self, session):
        return {"refused": self.program().ask(f"enroll {self.sessions[session][0][4:]}") == ""}


if __name__ == "__main__":
    own = sys.argv[1] == "--own-clock"
    serve(OwnTable(sys.argv[2:] if own else sys.argv[1:], own))
