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

    def sign_up(self, user, password):
        self.browser().post_json("/console", {"user": f"{user}@example.com", "password": password})

    def sign_in(self, browser, user, password):
        return browser.post_json("/login", {"email": f"{user}@example.com", "password": password})

    def is_account(self, page):
        return page.status == 200 and not page.json()["response"].get("tf_required")

    def enroll(self, user):
        browser = self.owner(user)
        browser.said = browser.post_json("/tf-setup", {"setup": "authenticator"}).json()["response"]
        return {"uri": browser.said["tf_authr_uri"]}

    def confirm(self, user, code):
        browser = self.owners[user]
        page = browser.post_json(f"/tf-setup/{browser.said['tf_state_token']}", {"code": code})
        if page.status == 200:
            self.codes[user] = browser.post_json("/mf-recovery-codes", {}).json()["response"]["recovery_codes"]
        return page.seen(page.status == 200)

    def submit(self, session, code, route):
        """Whether it let the browser in. (Any other page in between ends the login that waits for a code.)"""
        browser = self.sessions[session]
        page = browser.post_json("/mf-recovery" if route == "recovery" else "/tf-validate", {"code": code})
        return page.seen(page.status == 200 and browser.get("/").text == "signed in")

    def replace(self, session):
        return {"refused": self.sessions[session].post_json("/tf-setup", {"setup": "authenticator"}).status != 200}

    def remove(self, session, code=""):
        self.sessions[session].post_json("/tf-setup", {"setup": "disable"})


if __name__ == "__main__":
    serve(FlaskSecurity())
