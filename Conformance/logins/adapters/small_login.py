#!/usr/bin/env python3
"""A template over HTTP: hosts/small_login.py, right or broken in one of four ways, or with pyotp's own recipe.

    small_login.py right|no-mark|memory|race|session-limit|pyotp
"""

import sys

from adapter import HOSTS, Cannot, WebLogin, pypi, serve


class SmallLogin(WebLogin):
    """Each session is a browser; each answer says whether the server let it in."""

    about = {"name": "small login", "version": "1", "source": "this repository", "servers": 2,
             "routes": ["login", "step-up"], "configured": "`hosts/small_login.py right`, for the tests' own sake"}

    def command(self, port):
        return [sys.executable, str(HOSTS / "small_login.py"), sys.argv[1], str(port), str(self.folder.data / "users")]

    def user(self, user, password):
        self.passwords[user] = password
        self.browser().post("/sign-up", {"name": user, "password": password})

    def enroll(self, user):
        browser = self.owners[user] = self.browser()
        browser.post("/sign-in", {"name": user, "password": self.passwords[user]})
        return {"secret": browser.post("/enroll", {}).json()["secret"]}

    def confirm(self, user, code):
        page = self.owners[user].post("/confirm", {"code": code})
        self.codes[user] = page.json().get("recovery", [])
        return page.seen(page.status == 200)

    def begin(self, user, session, password, server=0, client=None):
        browser = self.sessions[session] = self.browser(server, client)
        page = browser.post("/sign-in", {"name": user, "password": password})
        return page.seen(False) | {"signed_in": page.status == 200 and page.json()["next"] == "account"}

    def submit(self, session, code, route):
        page = self.sessions[session].post({"login": "/code"}.get(route, f"/{route}"), {"code": code})
        return page.seen(page.status == 200)

    def recovery(self, session, code, route=None):
        return self.submit(session, code, "recovery")

    def replace(self, session):
        return {"refused": self.sessions[session].post("/enroll", {}).status != 200}

    def remove(self, session, code=""):
        self.sessions[session].post("/remove", {"code": code})

    def reset(self, user, password):
        self.user(user, password)

    def unlock(self, user):
        self.browser().post("/unlock", {"name": user})


class Pyotp(SmallLogin):
    """Without what is the host's own work, such as its pages."""

    confirm = recovery_codes = replace = remove = reset = unlock = kept = pages = None

    def hello(self):
        self.about = pypi("pyotp") | {
            "servers": 2, "configured": "the recipe of its README, *Preventing replay attacks*, in "
            "`hosts/small_login.py`, outside its transactions; without any limit, which the README leaves to callers"}
        return super().hello()

    def begin(self, user, session, password, server=0, client=None):
        if password.startswith("not "):
            raise Cannot("passwords are the host's work")
        return super().begin(user, session, password, server, client)

    def submit(self, session, code, route):
        if len(code) > 10_000:
            raise Cannot("the host refuses it")
        return {"accepted": super().submit(session, code, route)["accepted"]}


if __name__ == "__main__":
    serve(Pyotp() if sys.argv[1] == "pyotp" else SmallLogin())
