#!/usr/bin/env python3
"""A template for a login of your own with Flask: hosts/pyotp_login.py, around pyotp.

    PYTHON pyotp_login.py     with a Python that has Flask and pyotp
"""

import sqlite3
import sys
from importlib import metadata
from pathlib import Path

from adapter import serve
from web import WebLogin

HOST = Path(__file__).resolve().parent.parent / "hosts/pyotp_login.py"


class PyotpLogin(WebLogin):
    """Each session is a browser; each answer says whether the server let it in."""

    about = {"name": "pyotp", "version": metadata.version("pyotp"), "source": "PyPI", "time": "set", "servers": 2,
             "routes": ["login"],
             "configured": "the rule of its README, *Preventing replay attacks*, in a Flask login; it names throttling "
                           "as the caller's, so that the rows on guessing say what its recipe does not do"}

    def command(self, port):
        return [sys.executable, str(HOST), str(port), str(self.folder.data / "users.sqlite")]

    def prepare(self):
        sqlite3.connect(self.folder.data / "users.sqlite").execute("PRAGMA journal_mode = WAL")

    def user(self, user, password):
        self.passwords[user] = password
        self.browser().post("/sign-up", {"name": user, "password": password})

    def enroll(self, user):
        browser = self.owners[user] = self.browser()
        browser.post("/sign-in", {"name": user, "password": self.passwords[user]})
        return {"secret": browser.post("/enroll", {}).json()["secret"]}

    def confirm(self, user, code):
        page = self.owners[user].post("/confirm", {"code": code})
        return page.seen(page.status == 200)

    def begin(self, user, session, password, server=0):
        browser = self.sessions[session] = self.browser(server)
        page = browser.post("/sign-in", {"name": user, "password": password})
        return page.seen(False) | {"signed_in": browser.get("/").status == 200}

    def submit(self, session, code, route, server=None):
        browser = self.sessions[session]
        page = browser.post("/code", {"code": code})
        return page.seen(browser.get("/").status == 200)

    def replace(self, session):
        return {"refused": self.sessions[session].post("/enroll", {}).status != 200}


if __name__ == "__main__":
    serve(PyotpLogin())
