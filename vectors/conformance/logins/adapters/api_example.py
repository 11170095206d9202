#!/usr/bin/env python3
"""Servers' api-example: two processes on one SQLite file, which knows no passwords: all users have one.

    api_example.py PROGRAM
"""

import subprocess
import sys

from adapter import WebLogin, ours, serve


class ApiExample(WebLogin):
    """A session is a browser with what continues the sign-in, and later with the handle."""

    about = ours("api-example") | {"servers": 2, "features": ["json"], "configured": "on SQLite, two processes"}
    password = "correct horse battery staple"

    def __init__(self, program):
        super().__init__()
        self.program = program

    def command(self, port):
        return ["env", f"PORT={port}", f"DEMO_PASSWORD={self.password}", "LOG_LEVEL=debug", self.program]

    def prepare(self):
        subprocess.run([self.program, "create"], cwd=self.folder.path, check=True)

    def sign_up(self, user, password):
        """There is nothing to do: whoever knows the password is a user."""

    def call(self, browser, path, method="POST", **fields):
        page = browser.post_json(f"/{path}", fields, method)
        said = page.json() if page.text else {}
        if "token" in said:
            browser.headers["Authorization"] = f"Bearer {said['token']}"
        if said.get("error", {}).get("resolver"):
            browser.step = {"resolver": said["error"]["resolver"], "factor": said["error"]["factors"][0]["uid"]}
        return page

    def sign_in(self, browser, user, password):
        return self.call(browser, "sign-in", email=user, password=password)

    def is_account(self, page):
        return page.status == 200

    def enroll(self, user):
        browser = self.owner(user)
        browser.begun = self.call(browser, "enrollment").json()
        return {"uri": browser.begun["uri"]}

    def confirm(self, user, code):
        page = self.call(self.owners[user], "enrollment/confirmation", secret=self.owners[user].begun["secret"],
                         code=code, name="App")
        if page.status == 200:
            self.codes[user] = self.call(self.owners[user], "recovery-codes").json()["codes"]
        return page.seen(page.status == 200)

    def submit(self, session, code, route):
        browser = self.sessions[session]
        step = browser.step | ({"factor": None} if route == "recovery" else {})
        page = self.call(browser, "second-factor", code=code, **step)
        return page.seen(page.status == 200)

    def replace(self, session):
        return {"refused": self.call(self.sessions[session], "enrollment").status != 200}

    def remove(self, session, code=""):
        browser = self.sessions[session]
        self.call(browser, f"factors/{browser.step['factor']}", "DELETE")

    def pages(self, session):
        return {"pages": [self.sessions[session].post_json("/factors", {}, "GET").seen(True)]}

    def kept(self):
        return super().kept() | {"data": [str(self.folder.path / "factors.sqlite")]}


if __name__ == "__main__":
    serve(ApiExample(sys.argv[1]))
