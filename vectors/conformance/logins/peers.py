"""The logins of the table: how each adapter is started, and what its documentation says about a failure."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from runner.peers import Peer  # noqa: E402

ROOT = HERE.parents[2]
PYTHON = ("/usr/bin/python3", ROOT / "LibOTP/examples/own-table/python/main.py")

ALLAUTH = {"secret-at-rest": "its documentation of `DefaultMFAAdapter.encrypt` says “This hook can be used to encrypt "
                             "those so that they are not stored in the clear in the database”"}
FLASK_SECURITY = {
    "replay-": "its documentation of `Totp` says “Flask-Security doesn't implement any replay-attack protection out of "
               "the box”, and how a subclass adds it",
    "old-session-": "its documentation of `SECURITY_FRESHNESS` requires a sign-in within the last 24 hours"}


def peers(build: Path) -> list[Peer]:
    """All of them, in the table's order; `build` has what run.sh has made."""
    programs, table = build / "logins-programs", "own_table.py"

    def ours(name: str, adapter: str, *arguments: str | Path, python: str | Path = "/usr/bin/python3",
             **known: Any) -> Peer:
        return Peer(name, [str(word) for word in (python, HERE / "adapters" / adapter, *arguments)], **known)

    def peer(*words: str, packages: str = "logins", **known: Any) -> Peer:
        return ours(*words, python=build / packages / "bin/python", **known)

    return [
        ours("own-table, Python", table, *PYTHON),
        ours("own-table, Go", table, "--own-clock", programs / "own-table-go"),
        ours("own-table, Swift", table, programs / "OwnTable"),
        ours("own-table, C", table, programs / "own-table-c"),
        ours("own-table, Rust", table, "env", f"LD_LIBRARY_PATH={ROOT}/.build-libotp", programs / "own-table-rust"),
        # Node has SQLite from version 22 on only.
        ours("own-table, Node", table, "--postgresql", "env", f"NODE_PATH={programs}/nodejs", f"OTP={programs}/otp",
             "node", ROOT / "LibOTP/examples/own-table/node/main.mjs"),
        ours("record serve", table, "/usr/bin/python3", ROOT / "Tests/Checks/doors/served.py", programs / "otp"),
        ours("login-example", "login_example.py", programs / "login-example"),
        ours("api-example", "api_example.py", programs / "api-example"),
        ours("auth-emulator", "auth_emulator.py", programs / "auth-emulator"),
        ours("pam_otp", "pam.py", "otp", programs),
        peer("libpam-google-authenticator", "pam.py", "google-authenticator", package="libpam-google-authenticator"),
        peer("libpam-oath", "pam.py", "oath", package="libpam-oath"),
        peer("rlm_totp", "freeradius.py", package="freeradius", seen={
            "3.2.10": "a used code is refused in its step and at once, but not in the next step, nor after a restart"}),
        peer("privacyIDEA", "privacyidea_server.py", packages="logins-privacyidea", package="privacyidea"),
        peer("django-otp", "django_site.py", "otp", package="django-otp"),
        peer("django-allauth", "django_site.py", "allauth", documented=ALLAUTH, package="django-allauth",
             seen={"65.22.1": "yes"}),
        peer("Flask-Security", "flask_security_site.py", documented=FLASK_SECURITY, package="Flask-Security"),
        ours("small login", "small_login.py", "right"),
    ]
