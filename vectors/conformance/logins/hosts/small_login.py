#!/usr/bin/env python3
"""A small login with a second factor, as right as a small one can be; broken in one of six ways; or with a limit that
is a rolling window.

    small_login.py right|no-mark|short-mark|memory|race|early|session-limit|rolling PORT DATABASE

It is for the suite: it has no protection of its forms, and anyone may reset a password and unlock a user.
"""

import base64
import contextlib
import hashlib
import hmac
import http.cookies
import http.server
import json
import secrets
import sqlite3
import struct
import sys
import time
import urllib.parse

LIMIT = 10
TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, salt BLOB, password BLOB, secret BLOB, pending BLOB,
  mark INTEGER NOT NULL DEFAULT -1, failures INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, user TEXT, full BOOLEAN, failures INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS recovery (user TEXT, hash BLOB)"""
MODE, PORT, DATABASE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
IN_MEMORY = {}
WRONG = 403, {"error": "wrong"}


def code_at(secret, step):
    """RFC 6238's code of a step."""
    digest = hmac.new(secret, struct.pack(">Q", step), "sha1").digest()
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset:offset + 4], 'big') & 0x7FFFFFFF) % 10**6:06}"


def matched(secret, typed):
    """The latest step of the window with that code."""
    step = int(time.time()) // 30
    return next((at for at in (step + 1, step, step - 1) if hmac.compare_digest(
        code_at(secret, at).encode(), typed.encode("utf-8", "replace"))), None)


def hashed(password, salt):
    """Weak, so that tests are quick: what is tested is the second factor."""
    return hashlib.scrypt(password.encode(), salt=salt, n=16, r=8, p=1)


class Request:
    """One request: unless the mode is race, a transaction from the first statement until the answer is stored."""

    def __init__(self, database, session):
        self.database, self.id = database, session

    def row(self, statement, *values):
        """The first row of a statement."""
        return self.database.execute(statement, values).fetchone()

    def user(self, full=True):
        """The session's user, if it has verified both factors (or, for False, the password)."""
        found = self.row("SELECT user, full FROM sessions WHERE id = ?", self.id)
        return found[0] if found and (found[1] or not full) else None

    def may_guess(self, user):
        """Counts an attempt, before it is looked at; whether there are not too many."""
        if MODE == "rolling":  # five in five minutes, and what is refused is not counted
            recent = IN_MEMORY[user, "attempts"] = [
                at for at in IN_MEMORY.get((user, "attempts"), []) if at > time.time() - 300]
            return len(recent) < 5 and recent.append(time.time()) is None
        table, key = ("sessions", "id") if MODE == "session-limit" else ("users", "name")
        value = self.id if MODE == "session-limit" else user
        failures, = self.row(f"SELECT failures FROM {table} WHERE {key} = ?", value)
        self.row(f"UPDATE {table} SET failures = failures + 1 WHERE {key} = ?", value)
        return failures < LIMIT

    def verify(self, user, typed):
        """Whether a code is right, unused and within the limit."""
        secret, mark = self.row("SELECT secret, mark FROM users WHERE name = ?", user)
        if not self.may_guess(user) or secret is None or not (step := matched(secret, typed)):
            return False
        if MODE == "memory":
            mark = IN_MEMORY.get(user, -1)
        if MODE == "race":
            time.sleep(0.02)  # as long as a password hash or a mail would take, between the look and the mark
        if MODE == "short-mark" and IN_MEMORY.get((user, "used"), 0) < time.time() - 30:
            mark = -1  # it has lasted as long as a step, but the code is right in three
        if step <= mark and MODE != "no-mark":
            return False
        IN_MEMORY[user, "used"] = time.time()
        IN_MEMORY[user] = step
        IN_MEMORY.pop((user, "attempts"), None)
        self.row("UPDATE users SET mark = ?, failures = 0 WHERE name = ?", step, user)
        return True

    def spend_recovery(self, user, typed):
        """Whether a recovery code was there; it is not afterward. Wrong ones count as wrong codes do."""
        return self.may_guess(user) and self.database.execute(
            "DELETE FROM recovery WHERE user = ? AND hash = ?", (user, digest(typed))).rowcount == 1

    def sign_in(self, user, full):
        """A new session, in place of the old one."""
        self.row("DELETE FROM sessions WHERE id = ?", self.id)
        self.id = secrets.token_urlsafe()
        self.row("INSERT INTO sessions (id, user, full) VALUES (?, ?, ?)", self.id, user, full)
        return 200, {"next": "account" if full else "code"}


def digest(code):
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()


def sign_up(request, name, password):
    salt = secrets.token_bytes(16)
    request.row("INSERT INTO users (name, salt, password) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
                "salt = excluded.salt, password = excluded.password", name, salt, hashed(password, salt))
    return 200, {}


def sign_in(request, name, password):
    found = request.row("SELECT salt, password, secret FROM users WHERE name = ?", name)
    if not found or not hmac.compare_digest(found[1], hashed(password, found[0])):
        return WRONG
    return request.sign_in(name, full=found[2] is None)


def enroll(request):
    user = request.user()
    if user is None or request.row("SELECT secret FROM users WHERE name = ?", user)[0]:
        return WRONG
    secret = secrets.token_bytes(20)
    request.row("UPDATE users SET pending = ? WHERE name = ?", secret, user)
    return 200, {"secret": base64.b32encode(secret).decode()}


def confirm(request, code):
    user = request.user()
    pending = user and request.row("SELECT pending FROM users WHERE name = ?", user)[0]
    step = matched(pending, code) if pending else None
    if not step:
        return WRONG
    IN_MEMORY[user] = step
    request.row("UPDATE users SET secret = pending, pending = NULL, mark = ?, failures = 0 WHERE name = ?", step, user)
    codes = [secrets.token_hex(10) for _ in range(10)]
    for recovery in codes:
        request.row("INSERT INTO recovery VALUES (?, ?)", user, digest(recovery))
    return 200, {"recovery": codes}


def code(request, code):
    user = request.user(full=False)
    return request.sign_in(user, full=True) if user and request.verify(user, code) else WRONG


def step_up(request, code):
    user = request.user()
    return (200, {}) if user and request.verify(user, code) else WRONG


def recovery(request, code):
    user = request.user(full=False)
    return request.sign_in(user, full=True) if user and request.spend_recovery(user, code) else WRONG


def remove(request, code):
    user = request.user()
    if user is None or not request.verify(user, code):
        return WRONG
    request.row("UPDATE users SET secret = NULL WHERE name = ?", user)
    return 200, {}


def unlock(request, name):
    request.row("UPDATE users SET failures = 0 WHERE name = ?", name)
    return 200, {}


ROUTES = {"/" + action.__name__.replace("_", "-"): action
          for action in (sign_up, sign_in, enroll, confirm, code, step_up, recovery, remove, unlock)}


class Handler(http.server.BaseHTTPRequestHandler):
    """HTTP: a form in, JSON out."""

    def do_POST(self):
        action = ROUTES.get(self.path)
        length = int(self.headers.get("Content-Length", 0))
        if action is None or length > 20_000:
            return self.answer(413 if action else 404, {"error": "no"})
        form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode("utf-8", "replace"), True))
        wanted = action.__code__.co_varnames[1:action.__code__.co_argcount]
        cookie = http.cookies.SimpleCookie(self.headers.get("Cookie", "")).get("session")
        with contextlib.closing(sqlite3.connect(DATABASE, timeout=60, isolation_level=None)) as database:
            if MODE != "race":
                database.execute("BEGIN IMMEDIATE")
            request = Request(database, cookie.value if cookie else "")
            status, said = action(request, *(form.get(name, "") for name in wanted))
            if MODE == "early":  # the answer comes before what it says is stored
                self.answer(status, said, request.id)
                time.sleep(0.1)
            if MODE != "race":
                database.execute("COMMIT")
        return self.answer(status, said, request.id) if MODE != "early" else None

    def answer(self, status, said, session=""):
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Set-Cookie", f"session={session}; HttpOnly; SameSite=Strict; Path=/")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


with contextlib.closing(sqlite3.connect(DATABASE, timeout=60)) as connection:
    connection.executescript(TABLES)
http.server.ThreadingHTTPServer.request_queue_size = 256
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
