#!/usr/bin/env python3
"""The programs of LibOTP/examples/own-table: a line for each request on their standard input.

    own_table.py [--postgresql] [--own-clock] COMMAND... [--and [--own-clock] COMMAND...]

--own-clock: restarts it with CLOCK_OFFSET, if hosts/clock.c cannot set it. --postgresql: on the server that
Scripts/postgresql.sh has started, and not on SQLite. --and: several programs on one table.
"""

import itertools
import queue
import sqlite3
import subprocess
import sys
import threading

import otp
from adapter import Cannot, WithoutSessions, end, ours, serve, start

ROWS = "WITH RECURSIVE rows(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM rows WHERE id < 20000)"


class Program:
    """A running program; answers are matched with requests by their number."""

    def __init__(self, command, environment, log):
        self.process = start(command, log, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.lock, self.count, self.waiting, self.has_ended = threading.Lock(), 0, {}, False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if not line.endswith(b"\n"):  # the last one of a program that was killed
                break
            number, _, answer = line.decode("utf-8", "replace").rstrip("\n").partition(" ")
            if number.isdigit():  # a driver may write, too, such as p1_pgsql that its connection is closed
                self.waiting.pop(int(number)).put(answer.strip())
        with self.lock:
            self.has_ended = True
        for waiting in self.waiting.values():
            waiting.put("error the program has ended")

    def ask(self, request):
        answer = queue.Queue()
        with self.lock:
            if self.has_ended:
                return "error the program has ended"
            self.count += 1
            self.waiting[self.count] = answer
            self.process.stdin.write(f"{self.count} {request}\n".encode("utf-8", "surrogatepass"))
            self.process.stdin.flush()
        return answer.get(timeout=60)


class OwnTable(WithoutSessions):
    """Programs on one table, two if there is one command. They know no password."""

    about = ours("own-table") | {
        "rules": {"window": 1, "drift": 5, "delayed": 4, "lock": 10, "locked": 3600}, "features": ["clocks"]}

    def __init__(self, commands, postgresql=False):
        super().__init__()
        self.commands, self.postgresql = commands, postgresql
        self.about = {"configured": "`LibOTP/examples/own-table`, or a program with its requests, two processes on "
                      + ("PostgreSQL" if postgresql else "SQLite")} | self.about | {"servers": max(2, len(commands))}
        self.offsets, self.programs, self.lock, self.is_up = [0] * 8, {}, threading.Lock(), True

    def start(self):
        statements = ("CREATE TABLE users (id INTEGER PRIMARY KEY, otp {} NOT NULL)",
                      f"{ROWS} INSERT INTO users SELECT id, '' FROM rows")
        if self.postgresql:
            self.new_database()
            for statement in statements:
                subprocess.run(["psql", "--quiet", self.place(), "--command", statement.format("bytea")], check=True)
        else:
            with sqlite3.connect(self.place()) as connection:
                for statement in statements:
                    connection.execute(statement.format("BLOB").replace("''", "x''"))
            connection.close()
        otp.Keyring.create_file(str(self.folder.path / "keyring"))

    def place(self, number=0):
        """Where a program finds the table."""
        if not self.postgresql:
            return str(self.folder.data / "users.sqlite")
        return "host={host} user={user} dbname={dbname}".format(**self.database)

    def arguments(self, number):
        """What follows a program's command."""
        return self.place(number), self.folder.path / "keyring", "16"

    def command(self, number):
        """A program's command, and whether its clock is its own."""
        command = self.commands[number % len(self.commands)]
        return command[0] == "--own-clock", command[command[0] == "--own-clock":]

    def program(self, number=0):
        """A program with 16 threads, started when it is needed."""
        with self.lock:
            if not self.is_up:
                raise RuntimeError("the program was killed")
            if number not in self.programs:
                own, command = self.command(number)
                clock = {"CLOCK_OFFSET": f"{self.offsets[number]}s"} if own else {}
                self.programs[number] = Program([*command, *self.arguments(number)],
                                                self.folder.environment(number) | clock, self.folder.logs / "log")
            return self.programs[number]

    def together(self, requests, kill=0):
        # A program ends with the thread that has started it, so it is not one of those that send the requests.
        for number in {self.sessions[request["session"]][1] for request in requests}:
            self.program(number)
        return super().together(requests, kill)

    def kill(self):
        self.is_up = False
        super().kill()

    def restart(self):
        super().restart()
        self.is_up = True

    def end_all(self, how):
        for program in self.programs.values():
            end(program.process, how)
        self.programs = {}

    def time(self, offset, server=None):
        for number in range(len(self.offsets)) if server is None else [server]:
            if self.command(number)[0] and self.offsets[number] != offset and number in self.programs:
                end(self.programs.pop(number).process)
            self.offsets[number] = offset
        super().time(offset, server)

    def user(self, user, password):
        """The table has a row for each."""

    def line(self, request, user, code=""):
        """A request as the programs read it, after its number. A door with other words overrides this."""
        return f"{request} {user[4:]} {code}".rstrip()

    def enroll(self, user):
        return {"uri": self.program().ask(self.line("enroll", user))}

    def asked(self, request, user, code, server=0):
        if not code or any(char.isspace() for char in code):
            raise Cannot("a code is a word of a line")
        kind = self.program(server).ask(self.line(request, user, code))
        if kind in ("error usage", "error tooLong"):  # a line of ten megabytes, or with a NUL
            return {"accepted": False, "status": 400, "body": kind, "kind": "rejected"}
        if kind.startswith("error"):
            raise RuntimeError(kind)
        return {"accepted": kind in ("accepted", "enrolled"), "status": 200 if kind == "accepted" else 403,
                "body": kind, "kind": kind.replace("enrolled", "accepted")}

    def confirm(self, user, code):
        return self.asked("confirm", user, code)

    def submit(self, session, code, route):
        user, server = self.sessions[session]
        return self.asked("sign-in", user, code, server)

    def replace(self, session):
        return {"refused": self.program().ask(self.line("enroll", self.sessions[session][0])) == ""}


if __name__ == "__main__":
    words = sys.argv[1:]
    on_postgresql = words[0] == "--postgresql"
    parts = itertools.groupby(words[on_postgresql:], lambda word: word == "--and")
    serve(OwnTable([list(part) for is_end, part in parts if not is_end], on_postgresql))
