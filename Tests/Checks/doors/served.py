"""A program like those of LibOTP/examples/own-table, in Python without libotp: it asks `otp record serve`, as any
language can.

    served.py OTP DATABASE KEYRING WORKERS < requests
"""

import base64
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time

import psycopg2


class Factors:
    """The factors in a database, by one connection and one service."""

    def __init__(self, program, database, keyring):
        self.service = subprocess.Popen([program, "record", "serve", keyring], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        if "host=" in database:
            self.connection, self.mark = psycopg2.connect(database), "%s"
            self.connection.autocommit = True
        else:
            self.connection, self.mark = sqlite3.connect(database, timeout=60, isolation_level=None), "?"
            self.run("PRAGMA synchronous = EXTRA")

    def run(self, statement, *values):
        cursor = self.connection.cursor()
        cursor.execute(statement.replace("?", self.mark), values)
        return cursor

    def ask(self, **request):
        self.service.stdin.write(json.dumps({"id": 1} | request).encode() + b"\n")
        self.service.stdin.flush()
        answer = json.loads(self.service.stdout.readline())
        if answer.get("error") == "enrolled":
            return {}
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def under_the_rule(self, user, request):
        while True:
            old = bytes(self.run("SELECT otp FROM users WHERE id = ?", user).fetchone()[0])
            answer = request(base64.b64encode(old).decode())
            new = base64.b64decode(answer.get("record", ""))
            if not answer.get("changed") or 1 == self.run(
                    "UPDATE users SET otp = ? WHERE id = ? AND otp = ?", new, user, old).rowcount:
                return answer

    def serve(self, number, operation, user, code=""):
        now, subject = int(time.time()) + int(os.environ.get("CLOCK_OFFSET", "0s").rstrip("s")), f"user {user}"

        def enroll(old):
            previous = {"previous": old} if old else {}
            return self.ask(op="enroll", subject=subject, issuer="Example", account=user, time=now, **previous)
        if operation == "enroll":
            return f"{number} {self.under_the_rule(int(user), enroll).get('uri', '')}"
        name = "confirm" if operation == "confirm" else "verify"
        answer = self.under_the_rule(
            int(user), lambda old: self.ask(op=name, subject=subject, record=old, code=code, time=now))
        return f"{number} {answer['answer']}"


def work(lock, *places):
    factors = Factors(*places)
    while True:
        with lock:
            line = sys.stdin.readline()
        if not line:
            return
        try:
            answer = factors.serve(*line.split())
        except ValueError as error:
            answer = f"{line.split()[0]} error {error}"
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


lock = threading.Lock()
for _ in range(int(sys.argv[4])):
    threading.Thread(target=work, args=(lock, *sys.argv[1:4])).start()
