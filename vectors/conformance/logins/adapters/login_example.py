#!/usr/bin/env python3
"""Servers' login-example: two processes on one PostgreSQL database.

    login_example.py PROGRAM
"""

import re
import sys
import time

from adapter import WebLogin, ours, serve


class LoginExample(WebLogin):
    """Its own pages throughout; the links that it would mail are in its log."""

    about = ours("login-example") | {"servers": 2, "configured": "on PostgreSQL, with `--attempts 100000`, since its "
                                     "limit by address is another one"}
    account = ["/account", "/factors/add"]
    prepare = WebLogin.new_database

    def environment(self, server=0):
        return super().environment(server) | {"OTP_LOGINS_WEAK": "1"}

    def command(self, port):
        return [sys.argv[1], "--port", str(port), "--data", str(self.folder.data), "--attempts", "100000", "--store",
                self.url("postgres")]

    def sign_up(self, user, password):
        browser = self.browser()
        browser.fill("/sign-up", email=f"{user}@example.com", password=password)
        for _ in range(200):
            log = (self.folder.logs / "log").read_text(encoding="utf-8", errors="replace")
            links = re.findall(rf"To {user}@example.com: http://[^/]+(/verify\?\S+)", log)
            if links:
                browser.fill(links[-1], password=password)
                return
            time.sleep(0.05)
        raise RuntimeError("no mail")

    def sign_in(self, browser, user, password):
        return browser.fill("/sign-in", email=f"{user}@example.com", password=password)

    def is_account(self, page):
        return page.path == "/account"

    def enroll(self, user):
        browser = self.owner(user)
        browser.page = browser.get("/factors/add")
        return {"secret": re.search(r'id="key"[^>]*>([A-Z2-7 ]+)<', browser.page.text)[1]}

    def confirm(self, user, code):
        browser = self.owners[user]
        page = browser.post("/factors/add", browser.page.hidden() | {"name": "App", "code": code})
        self.codes[user] = re.findall(r"<code>([A-Z2-7-]{29})</code>", page.text)
        return page.seen(page.status == 200)

    def submit(self, session, code, route):
        browser = self.sessions[session]
        path = "/recovery" if route == "recovery" else "/second-factor"
        page = browser.post(path, browser.page.hidden() | {"code": code})
        if "csrf" in page.hidden():
            browser.page = page
        return page.seen(self.is_account(page))

    def replace(self, session):
        return {"refused": 'id="key"' not in self.sessions[session].get("/factors/add").text}

    def remove(self, session, code=""):
        browser = self.sessions[session]
        factor = re.search(r"/factors/remove\?factor=[^\"]+", browser.get("/account").text)
        page = browser.get(factor[0]) if factor else browser.page
        browser.post("/factors/remove", page.hidden())


if __name__ == "__main__":
    serve(LoginExample())
