#!/usr/bin/env python3
"""django-otp or django-allauth in hosts/django_site.py, on PostgreSQL if $OTP_POSTGRESQL names one, or on SQLite.

    PYTHON django_site.py otp|allauth
"""

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from adapter import Cannot, serve
from browser import Browser
from web import WebLogin, new_database

HOST = Path(__file__).resolve().parent.parent / "hosts/django_site.py"
ACCOUNTS = "/accounts/2fa"


class Site(WebLogin):
    """What both have in common."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def command(self, port):
        return [sys.executable, str(HOST), self.kind, str(port)]

    def prepare(self):
        parts = new_database()
        if parts:
            database = {"ENGINE": "django.db.backends.postgresql", "NAME": parts["dbname"], "HOST": parts["host"],
                        "USER": parts["user"]}
        else:
            database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(self.folder.data / "site.sqlite"),
                        "OPTIONS": {"timeout": 60, "transaction_mode": "IMMEDIATE"}}
        self.database = {"DATABASE": json.dumps(database)}
        subprocess.run(self.command("prepare"), check=True, env={**os.environ, **self.environment()},
                       stdout=sys.stderr)

    def environment(self):
        return super().environment() | self.database

    def console(self, do, **fields):
        return Browser(self.ports[0]).post_json("/console", {"do": do} | fields).json()

    def user(self, user, password):
        self.passwords[user] = password
        self.console("user", user=user, password=password)

    def kept(self):
        self.console("backup", file=str(self.folder.data / "backup.json"))
        return super().kept()


class DjangoOTP(Site):
    """django-otp: devices by an administrator, the token on a page after the password's or with it on one page."""

    about = {"name": "django-otp", "version": metadata.version("django-otp"), "source": "PyPI", "time": "set",
             "servers": 2, "routes": ["login", "one-form"],
             "configured": "its `LoginView` after Django's, `otp_totp` and `otp_static` with their defaults, "
                           "`otp_required`; on PostgreSQL"}

    def enroll(self, user):
        return self.console("enroll", user=user)

    def begin(self, user, session, password, server=0):
        browser = self.sessions[session] = self.browser(server)
        browser.name = user
        page = browser.fill("/password", username=user, password=password)
        browser.devices = page.text
        return page.seen(False) | {"signed_in": page.text == "signed in"}

    def submit(self, session, code, route, server=None, device="totp"):
        browser = self.sessions[session]
        found = re.search(rf'value="(otp_{device}[^"]*)"', browser.devices)
        fields = {"otp_token": code, "otp_device": found[1] if found else ""}
        if route == "one-form":
            page = Browser(browser.port).fill("/form", username=browser.name, password=self.passwords[browser.name],
                                              **fields)
        else:
            page = browser.post_token("/code", **fields)
        return page.seen(page.text == "signed in")

    def recovery_codes(self, user):
        return self.console("recovery-codes", user=user)

    def recovery(self, session, code, route=None):
        return self.submit(session, code, "login", device="static")

    def unlock(self, user):
        self.console("unlock", user=user)


class Allauth(Site):
    """django-allauth: its own pages throughout."""

    about = {"name": "django-allauth", "version": metadata.version("django-allauth"), "source": "PyPI", "time": "set",
             "servers": 2, "routes": ["login", "reauthenticate"],
             "configured": "`allauth.account` and `allauth.mfa` with their defaults, on PostgreSQL, with a cache in "
                           "the database, since its limits and its marks of used codes are in the cache"}

    def enroll(self, user):
        browser = self.owners[user] = self.browser()
        browser.fill("/accounts/login/", login=user, password=self.passwords[user])
        page = browser.get(f"{ACCOUNTS}/totp/activate/")
        if "reauthenticate" in page.path:
            page = browser.fill(page.url, password=self.passwords[user])
        return {"secret": re.search(r"[A-Z2-7]{32}", page.text)[0]}

    def confirm(self, user, code):
        browser = self.owners[user]
        # The page makes another secret each time it is shown, so its form is sent as it is, with the cookie's token.
        page = browser.post_token(f"{ACCOUNTS}/totp/activate/", code=code)
        accepted = "/recovery-codes/" in page.path or page.path.endswith("/2fa/")
        if accepted:
            self.codes[user] = re.findall(r"^\s*(\d{8})\s*$", browser.get(f"{ACCOUNTS}/recovery-codes/").text, re.M)
        return page.seen(accepted)

    def begin(self, user, session, password, server=0):
        browser = self.sessions[session] = self.browser(server)
        page = browser.fill("/accounts/login/", login=user, password=password)
        return page.seen(False) | {"signed_in": page.text == "signed in"}

    def submit(self, session, code, route, server=None):
        browser = self.sessions[session]
        if route == "login":
            page = browser.post_token(f"{ACCOUNTS}/authenticate/", code=code)
            return page.seen(page.text == "signed in")
        page = browser.fill(f"{ACCOUNTS}/reauthenticate/", code=code)
        return page.seen(page.status == 200 and page.path != f"{ACCOUNTS}/reauthenticate/")

    def recovery_codes(self, user):
        if not self.codes.get(user):
            raise Cannot("it shows none")
        return {"codes": self.codes[user]}

    def recovery(self, session, code, route=None):
        return self.submit(session, code, "login")

    def replace(self, session):
        page = self.sessions[session].get(f"{ACCOUNTS}/totp/activate/")
        return {"refused": not page.path.endswith("/totp/activate/")}

    def remove(self, session, code=""):
        browser = self.sessions[session]
        page = browser.fill(f"{ACCOUNTS}/totp/deactivate/")
        if code and "reauthenticate" in page.path:
            browser.post_token(f"{ACCOUNTS}/reauthenticate/", code=code)
            browser.fill(f"{ACCOUNTS}/totp/deactivate/")


if __name__ == "__main__":
    serve(DjangoOTP("otp") if sys.argv[1] == "otp" else Allauth("allauth"))
