#!/usr/bin/env python3
"""privacyIDEA, by its REST API, on PostgreSQL. A user is a token; its PIN, the password.

    PYTHON privacyidea_server.py     with a Python that has privacyIDEA
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from adapter import WebLogin, WithoutSessions, pypi, serve

SETTINGS = """
SQLALCHEMY_DATABASE_URI = {database!r}
SECRET_KEY = PI_PEPPER = "of the suite only"
PI_ENCFILE = "{path}/enckey"
PI_AUDIT_KEY_PRIVATE, PI_AUDIT_KEY_PUBLIC = "{path}/private.pem", "{path}/public.pem"
PI_LOGFILE = "{logs}/privacyidea.log"
SUPERUSER_REALM = []
# What is tested is the second factor: the PINs' hash is quick.
PI_HASH_ALGO_PARAMS = {{"argon2__rounds": 1, "argon2__memory_cost": 8, "argon2__parallelism": 1}}
"""
SERVER = """
import sys
from privacyidea.app import create_app
from waitress import serve
app = create_app(config_name="production", config_file=sys.argv[1], silent=True)
serve(app, host="127.0.0.1", port=int(sys.argv[2]), threads=5)
"""


class PrivacyIDEA(WithoutSessions, WebLogin):
    """Tokens by an administrator, codes by /validate/check after the PIN, as one text."""

    about = pypi("privacyidea") | {
        "servers": 2,
        "configured": "on PostgreSQL, TOTP tokens with a PIN, and no policy, Argon2 at one round for the PINs, in "
                      "`waitress` with five threads; otherwise its defaults"}

    def prepare(self):
        self.new_database()
        (self.folder.path / "pi.cfg").write_text(SETTINGS.format(
            database=self.url("postgresql+psycopg"), path=self.folder.path, logs=self.folder.logs))
        manage = Path(sys.executable).parent / "pi-manage"
        for words in ("setup create_enckey", "setup create_audit_keys", "setup create_tables", "admin add -p a admin"):
            subprocess.run([manage, *words.split()], check=True, stdout=subprocess.DEVNULL,
                           env=os.environ | {"PRIVACYIDEA_CONFIGFILE": str(self.folder.path / "pi.cfg")})

    def command(self, port):
        return [sys.executable, "-c", SERVER, str(self.folder.path / "pi.cfg"), str(port)]

    def administer(self, path, **fields):
        browser = self.browser()
        said = browser.post_json("/auth", {"username": "admin", "password": "a"}).json()
        browser.headers["Authorization"] = said["result"]["value"]["token"]
        return browser.post_json(path, fields).json()

    def enroll(self, user):
        said = self.administer("/token/init", type="totp", genkey=1, serial=user, pin=self.passwords[user])
        return {"uri": said["detail"]["googleurl"]["value"]}

    def begin(self, user, session, password, server=0, client=None):
        super().begin(user, session, password)
        self.sessions[session] = user, self.browser(server, client)

    def submit(self, session, code, route):
        user, browser = self.sessions[session]
        page = browser.post_json("/validate/check", {"serial": user, "pass": self.passwords[user] + code})
        said = page.json() if page.text.startswith("{") else {"detail": {}, "result": {}}
        # Without the request's time and signature.
        page.text = json.dumps([said["detail"] and said["detail"].get("message"), said["result"]])
        return page.seen(said["result"].get("value") is True)

    def unlock(self, user):
        self.administer("/token/reset", serial=user)


if __name__ == "__main__":
    serve(PrivacyIDEA())
