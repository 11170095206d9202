#!/usr/bin/env python3
"""A template over HTTP: hosts/small_login.py in one of its modes.

    small_login.py right|no-mark|short-mark|memory|race|early|session-limit|rolling
"""

import sys

from adapter import HOSTS, WebLogin, serve


class SmallLogin(WebLogin):
    """Each session is a browser; each answer says whether the server let it in."""

    about = {"name": "small login", "version": "1", "source": "this repository", "servers": 2,
             "routes": ["login", "step-up"], "configured": "`hosts/small_login.py right`, for the tests' own sake"}

    def command(self, port):
        return [sys.executable, str(HOSTS / "small_login.py"), sys.argv[1], str(port), str(self.folder.data / "users")]

    def sign_up(self, user, password):
        self.browser().post("/sign-up", {"name": user, "password": password})

    def sign_in(self, browser, user, password):
        return browser.post("/sign-in", {"name": user, "password": password})

    def is_account(self, page):
        return page.status == 200 and page.json()["next"] == "account"

    def enroll(self, user):
        return {"secret": self.owner(user).post("/enroll", {}).json()["secret"]}

    def confirm(self, user, code):
        page = self.owners[user].post("/confirm", {"code": code})
        self.codes[user] = page.json().get("recovery", [])
        return page.seen(page.status == 200)

    def submit(self, session, code, route):
        page = self.sessions[session].post({"login": "/code"}.get(route, f"/{route}"), {"code": code})
        return page.seen(page.status == 200)

    def replace(self, session):
        return {"refused": self.sessions[session].post("/enroll", {}).status != 200}

    def remove(self, session, code=""):
        self.sessions[session].post("/remove", {"code": code})

    def reset(self, user, password):
        self.user(user, password)

    def unlock(self, user):
        self.browser().post("/unlock", {"name": user})


if __name__ == "__main__":
    serve(SmallLogin())
