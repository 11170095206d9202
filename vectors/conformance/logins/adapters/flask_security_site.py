#!/usr/bin/env python3
"""Flask-Security in hosts/flask_security.py, by its JSON, on PostgreSQL.

    PYTHON flask_security_site.py
"""

import sys

from adapter import HOSTS, WebLogin, pypi, serve


class FlaskSecurity(WebLogin):
    """Its documented routes: /login, /tf-setup, /tf-validate, /mf-recovery."""

    about = pypi("Flask-Security") | {
        "servers": 2, "features": ["json"],
        "configured": "on PostgreSQL, `SECURITY_TWO_FACTOR` with an authenticator and recovery codes, passwords in "
                      "plaintext, CSRF protection off, Flask's development server; otherwise its defaults: without "
                      "the subclass of `Totp` that stops replays, and without `is_locked`, which it leaves to hosts"}
    account = ["/", "/tf-setup", "/mf-recovery-codes"]
    prepare = WebLogin.new_database

    def command(self, port):
        return [sys.executable, str(HOSTS / "flask_security.py"), str(port), self.url("postgresql+psycopg")]

    def user(self, user, password):
        self.passwords[user] = password
        self.browser().post_json("/console", {"user": f"{user}@example.com", "password": password})

    def seen(self, browser, page):
        """Whether it let the browser in. (Any other page in between ends the login that waits for a code.)"""
        return page.seen(page.status == 200 and browser.get("/").text == "signed in")

    def log_in(self, user, password, server=0, client=None):
        browser = self.browser(server, client)
        return browser, browser.post_json("/login", {"email": f"{user}@example.com", "password": password})

    def enroll(self, user):
        browser, _ = self.log_in(user, self.passwords[user])
        said = browser.post_json("/tf-setup", {"setup": "authenticator"}).json()["response"]
        self.owners[user] = browser, said["tf_state_token"]
        return {"uri": said["tf_authr_uri"]}

    def confirm(self, user, code):
        browser, token = self.owners[user]
        page = browser.post_json(f"/tf-setup/{token}", {"code": code})
        if page.status == 200:
            self.codes[user] = browser.post_json("/mf-recovery-codes", {}).json()["response"]["recovery_codes"]
        return page.seen(page.status == 200)

    def begin(self, user, session, password, server=0, client=None):
        self.sessions[session], page = self.log_in(user, password, server, client)
        waits = page.status != 200 or page.json()["response"].get("tf_required")
        return page.seen(False) | {"signed_in": not waits}

    def submit(self, session, code, route, path="/tf-validate"):
        browser = self.sessions[session]
        return self.seen(browser, browser.post_json(path, {"code": code}))

    def recovery(self, session, code, route=None):
        return self.submit(session, code, route, "/mf-recovery")

    def replace(self, session):
        return {"refused": self.sessions[session].post_json("/tf-setup", {"setup": "authenticator"}).status != 200}

    def remove(self, session, code=""):
        self.sessions[session].post_json("/tf-setup", {"setup": "disable"})


if __name__ == "__main__":
    serve(FlaskSecurity())
