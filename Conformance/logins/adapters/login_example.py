#!/usr/bin/env python3
"""Servers' login-example: two processes on one PostgreSQL database, if $OTP_POSTGRESQL names a server.

    login_example.py PROGRAM
"""

import os
import re
import sys
import time

from adapter import Cannot, serve
from web import WebLogin, new_database


class LoginExample(WebLogin):
    """Its own pages throughout; the links that it would mail are in its log."""

    about = {"name": "login-example", "version": "0.1.0", "source": "this repository", "time": "set",
             "routes": ["login"], "configured": "with `--attempts 100000`, since its limit by address is another one"}

    def __init__(self, program):
        super().__init__()
        self.program, self.store = program, []
        self.processes_wanted = 2 if "OTP_POSTGRESQL" in os.environ else 1
        self.about = self.about | {"servers": self.processes_wanted}

    def prepare(self):
        parts = new_database()
        if parts:
            self.store = ["--store", f"postgres://{parts['user']}@/{parts['dbname']}?host={parts['host']}"]

    def command(self, port):
        return [self.program, "--port", str(port), "--data", str(self.folder.data), "--attempts", "100000", *self.store]

    def user(self, user, password):
        self.passwords[user] = password
        email, browser = f"{user}@example.com", self.browser()
        browser.fill("/sign-up", email=email, password=password)
        for _ in range(200):
            text = (self.folder.logs / "log").read_text(encoding="utf-8", errors="replace")
            links = re.findall(rf"To {re.escape(email)}: http://[^/]+(/verify\?\S+)", text)
            if links:
                browser.fill(links[-1], password=password)
                return
            time.sleep(0.05)
        raise RuntimeError("no mail")

    def log_in(self, user, password, server=0):
        browser = self.browser(server)
        return browser, browser.fill("/sign-in", email=f"{user}@example.com", password=password)

    def enroll(self, user):
        browser, _ = self.owners[user] = self.log_in(user, self.passwords[user])
        self.owners[user] = browser
        page = browser.get("/factors/add")
        browser.page = page.text
        return {"secret": re.search(r'id="key"[^>]*>([A-Z2-7 ]+)<', page.text)[1]}

    def confirm(self, user, code):
        browser = self.owners[user]
        csrf = re.search(r'name="csrf" value="([^"]*)"', browser.page)[1]
        page = browser.post("/factors/add", {"csrf": csrf, "name": "App", "code": code})
        self.codes[user] = re.findall(r"<code>([A-Z2-7-]{29})</code>", page.text)
        return page.seen(page.status == 200)

    def begin(self, user, session, password, server=0):
        self.sessions[session], page = self.log_in(user, password, server)
        self.sessions[session].page = page.text
        return page.seen(False) | {"signed_in": page.path == "/account"}

    def send(self, session, path, code):
        if not isinstance(code, str):
            raise Cannot("a code is a field of a form")
        browser = self.sessions[session]
        hidden = dict(re.findall(r'<input type="hidden" name="(csrf|factor)" value="([^"]*)"', browser.page))
        page = browser.post(path, hidden | {"code": code})
        if 'name="csrf"' in page.text:
            browser.page = page.text
        return page.seen(page.path == "/account")

    def submit(self, session, code, route, server=None):
        return self.send(session, "/second-factor", code)

    def recovery_codes(self, user):
        return {"codes": self.codes[user]}

    def recovery(self, session, code, route=None):
        return self.send(session, "/recovery", code)

    def replace(self, session):
        return {"refused": 'id="key"' not in self.sessions[session].get("/factors/add").text}

    def remove(self, session, code=""):
        browser = self.sessions[session]
        page = browser.get("/account").text
        hidden = dict(re.findall(r'<input type="hidden" name="(csrf|factor)" value="([^"]*)"',
                                 page if "/factors/remove" in page else browser.page))
        browser.post("/factors/remove", hidden)


if __name__ == "__main__":
    serve(LoginExample(sys.argv[1]))
