#!/usr/bin/env python3
"""django-otp or django-allauth in hosts/django_site.py, on PostgreSQL.

    PYTHON django_site.py otp|allauth
"""

import json
import re
import subprocess
import sys

from adapter import HOSTS, WebLogin, pypi, serve

MFA = "/accounts/2fa"


class Site(WebLogin):
    """What both have in common."""

    def command(self, port):
        return [sys.executable, str(HOSTS / "django_site.py"), sys.argv[1], str(port)]

    def prepare(self):
        self.new_database()
        subprocess.run(self.command("prepare"), check=True, env=self.environment(), stdout=sys.stderr)

    def environment(self, server=0):
        return super().environment(server) | {"DATABASE": json.dumps(self.database)}

    def console(self, do, **fields):
        return self.browser().post_json("/console", {"do": do} | fields).json()

    def sign_up(self, user, password):
        self.console("user", user=user, password=password)

    def sign_in(self, browser, user, password):
        browser.name = user
        return browser.fill(self.sign_in_page, **{self.name_field: user, "password": password})

    def is_account(self, page):
        return page.text == "signed in"

    def post(self, browser, path, **fields):
        """Sends a form with the token of the cookie, without reading the form again."""
        return browser.post(path, fields | {"csrfmiddlewaretoken": browser.cookie("csrftoken")})


class DjangoOTP(Site):
    """django-otp: devices by an administrator, the token on a page after the password's or with it on one page."""

    sign_in_page, name_field, account = "/password", "username", ["/", "/form"]
    about = pypi("django-otp") | {
        "servers": 2, "routes": ["login", "one-form"],
        "configured": "its `LoginView` after Django's, `otp_totp` and `otp_static` with their defaults, "
                      "`otp_required`; on PostgreSQL, with MD5 for passwords and Werkzeug's server"}

    def enroll(self, user):
        return self.console("enroll", user=user)

    def submit(self, session, code, route):
        browser, device = self.sessions[session], "static" if route == "recovery" else "totp"
        found = re.search(rf'value="(otp_{device}[^"]*)"', browser.page.text)
        fields = {"otp_token": code, "otp_device": found[1] if found else ""}
        if route == "one-form":
            page = self.browser(self.ports.index(browser.port)).fill(
                "/form", username=browser.name, password=self.passwords[browser.name], **fields)
        else:
            page = self.post(browser, "/code", **fields)
        return page.seen(self.is_account(page))

    def recovery_codes(self, user):
        return self.console("recovery-codes", user=user)

    def unlock(self, user):
        self.console("unlock", user=user)


class Allauth(Site):
    """django-allauth: its own pages throughout."""

    sign_in_page, name_field, account = "/accounts/login/", "login", ["/", f"{MFA}/", f"{MFA}/recovery-codes/"]
    about = pypi("django-allauth") | {
        "servers": 2, "routes": ["login", "reauthenticate"],
        "configured": "`allauth.account` and `allauth.mfa` with their defaults, on PostgreSQL, with a cache in the "
                      "database, since its limits and its marks of used codes are in the cache; with MD5 for "
                      "passwords and Werkzeug's server"}

    def enroll(self, user):
        return {"secret": re.search(r"[A-Z2-7]{32}", self.activation(self.owner(user)).text)[0]}

    def activation(self, browser):
        """The page that enrolls, after the password if it is asked for again."""
        page = browser.get(f"{MFA}/totp/activate/")
        return browser.fill(page.url, password=self.passwords[browser.name]) if "reauth" in page.path else page

    def confirm(self, user, code):
        browser = self.owners[user]
        # The page makes another secret each time it is shown, so its form is not read again.
        page = self.post(browser, f"{MFA}/totp/activate/", code=code)
        accepted = "/recovery-codes/" in page.path or page.path.endswith("/2fa/")
        if accepted:
            self.codes[user] = re.findall(r"^\s*(\d{8})\s*$", browser.get(f"{MFA}/recovery-codes/").text, re.M)
        return page.seen(accepted)

    def submit(self, session, code, route):
        browser = self.sessions[session]
        if route != "reauthenticate":
            page = self.post(browser, f"{MFA}/authenticate/", code=code)
            return page.seen(self.is_account(page))
        page = browser.fill(f"{MFA}/reauthenticate/", code=code)
        return page.seen(page.status == 200 and page.path != f"{MFA}/reauthenticate/")

    def replace(self, session):
        return {"refused": not self.activation(self.sessions[session]).path.endswith("/totp/activate/")}

    def remove(self, session, code=""):
        browser = self.sessions[session]
        page = browser.fill(f"{MFA}/totp/deactivate/")
        if code and "reauthenticate" in page.path:
            self.post(browser, f"{MFA}/reauthenticate/", code=code)
            browser.fill(f"{MFA}/totp/deactivate/")


if __name__ == "__main__":
    serve(DjangoOTP() if sys.argv[1] == "otp" else Allauth())
