#!/usr/bin/env python3
"""Flask-Security in hosts/flask_security_site.py, by its JSON; on PostgreSQL if $OTP_POSTGRESQL names one.

    PYTHON flask_security_site.py
"""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

from adapter import Cannot, serve
from web import WebLogin, new_database

HOST = Path(__file__).resolve().parent.parent / "hosts/flask_security_site.py"


class FlaskSecurity(WebLogin):
    """Its documented routes: /login, /tf-setup, /tf-validate, /mf-recovery."""

    about = {"name": "Flask-Security", "version": metadata.version("Flask-Security"), "source": "PyPI", "time": "set",
             "servers": 2, "routes": ["login"], "features": ["json"],
             "configured": "on PostgreSQL, `SECURITY_TWO_FACTOR` with an authenticator and recovery codes, otherwise "
                           "its defaults: without the subclass of `Totp` by which its documentation stops replays"}

    def prepare(self):
        parts = new_database()
        self.database = (f"postgresql+psycopg://{parts['user']}@/{parts['dbname']}?host={parts['host']}" if parts
                         else f"sqlite:///{self.folder.data / 'users.sqlite'}?timeout=60")

    def command(self, port):
        return [sys.executable, str(HOST), str(port), self.database]

    def kept(self):
        if self.database.startswith("postgresql"):
            dumped = subprocess.run(["pg_dump", self.database.replace("+psycopg", "")], capture_output=True, check=True)
            (self.folder.data / "backup.sql").write_bytes(dumped.stdout)
        return super().kept()

    def user(self, user, password):
        self.passwords[user] = password
        self.browser().post_json("/console", {"do": "user", "user": user, "password": password})

    def signed_in(self, browser, page):
        # (Any other page in between ends the login that waits for a code.)
        return page.seen(page.status == 200 and browser.get("/").text == "signed in")

    def log_in(self, user, password, server=0):
        browser = self.browser(server)
        page = browser.post_json("/login", {"email": f"{user}@example.com", "password": password})
        return browser, page

    def enroll(self, user):
        browser, _ = self.log_in(user, self.passwords[user])
        page = browser.post_json("/tf-setup", {"setup": "authenticator"})
        said = page.json()["response"]
        self.owners[user] = browser, said.get("tf_setup_state_token") or ""
        return {"secret": said["tf_authr_key"]}

    def confirm(self, user, code):
        browser, token = self.owners[user]
        path = f"/tf-setup/{token}" if token else "/tf-validate"
        page = browser.post_json(path, {"code": code})
        if page.status == 200:
            codes = browser.post_json("/mf-recovery-codes", {})
            self.codes[user] = codes.json()["response"].get("recovery_codes", []) if codes.status == 200 else []
        return page.seen(page.status == 200)

    def begin(self, user, session, password, server=0):
        self.sessions[session], page = self.log_in(user, password, server)
        waits = page.status != 200 or page.json()["response"].get("tf_required")
        return page.seen(False) | {"signed_in": not waits}

    def submit(self, session, code, route, server=None):
        browser = self.sessions[session]
        return self.signed_in(browser, browser.post_json("/tf-validate", {"code": code}))

    def recovery_codes(self, user):
        if not self.codes.get(user):
            raise Cannot("it shows none")
        return {"codes": self.codes[user]}

    def recovery(self, session, code, route=None):
        browser = self.sessions[session]
        return self.signed_in(browser, browser.post_json("/mf-recovery", {"code": code}))

    def replace(self, session):
        return {"refused": self.sessions[session].post_json("/tf-setup", {"setup": "authenticator"}).status != 200}

    def remove(self, session, code=""):
        self.sessions[session].post_json("/tf-setup", {"setup": "disable"})


if __name__ == "__main__":
    serve(FlaskSecurity())
