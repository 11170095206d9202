"""The logins of the table: how each adapter is started, and what its documentation says about a failure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

NO_REPLAY_MARK = ("its documentation of `Totp` says “Flask-Security doesn't implement any replay-attack protection "
                  "out of the box”, and how a subclass adds it")
THROTTLE = "its README's checklist leaves “Throttle (rate limit) brute-force attacks” to its callers"


@dataclass(frozen=True)
class Peer:
    """A login: its name in the table, its adapter's command, and the beginnings of tests that it documents."""

    name: str
    command: list[str]
    is_ours: bool = False
    documented: dict[str, str] = field(default_factory=dict)


def peers(build: Path) -> list[Peer]:
    """All of them, in the table's order; `build` has what run.sh has made."""
    adapters, programs = HERE / "adapters", build / "logins-programs"

    def peer(name: str, adapter: str, *arguments: str, **fields: object) -> Peer:
        return Peer(name, [str(build / "logins/bin/python"), str(adapters / adapter), *arguments], **fields)

    return [
        peer("own-table, Python", "own_table.py", "/usr/bin/python3", str(ROOT / "Examples/own-table/python/main.py"),
             is_ours=True),
        peer("own-table, Go", "own_table.py", "--own-clock", str(programs / "own-table-go"), is_ours=True),
        peer("own-table, Swift", "own_table.py", str(programs / "OwnTable"), is_ours=True),
        peer("login-example", "login_example.py", str(programs / "login-example"), is_ours=True),
        peer("pam_otp", "pam.py", "otp", str(programs), is_ours=True),
        peer("libpam-google-authenticator", "pam.py", "google-authenticator"),
        peer("libpam-oath", "pam.py", "oath"),
        peer("django-otp", "django_site.py", "otp"),
        peer("django-allauth", "django_site.py", "allauth"),
        peer("Flask-Security", "flask_security_site.py", documented={"replay-": NO_REPLAY_MARK}),
        peer("pyotp", "pyotp_login.py", documented={"guesses-": THROTTLE}),
        peer("small login", "small_login.py", "right"),
    ]
