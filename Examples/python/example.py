#!/usr/bin/env python3
"""Enrolls a user, verifies a code, and refuses it the second time, with the user's state in one column.

With the wheel installed, or from a checkout:

    PYTHONPATH=Bindings/python/src OTP_LIBRARY=.build-libotp/libotp.so.0 Examples/python/example.py
"""

import secrets
from datetime import datetime, timedelta, timezone
from typing import Callable

import otp
from otp import Answer, AnswerKind, Keyring

USER = "user 42"


class Column:
    """The user's column. In a real server: UPDATE users SET otp = new WHERE id = 42 AND otp = old."""

    def __init__(self, record: bytes) -> None:
        self.record = record

    def replace(self, old: bytes, new: bytes) -> bool:
        if self.record != old:
            return False
        self.record = new
        return True


def main() -> None:
    print("libotp", otp.version(), "with", otp.info().backend)
    # In a real server: Keyring.open() with the file that `otp keyring new` has written, for as long as it runs.
    with Keyring({"2026-11": secrets.token_bytes(32)}) as keyring:
        enroll_and_sign_in(keyring)


def enroll_and_sign_in(keyring: Keyring) -> None:
    # Enrollment: make a pending record, show its URI to the user as a QR code, and confirm it by a code.
    column = Column(keyring.enroll(USER))
    uri = keyring.uri(USER, column.record, issuer="Example", account="alice@example.com")
    print("the URI has", len(uri), "characters")
    app, now = otp.Key(otp.KeyURI.parse(uri).secret), datetime.now(timezone.utc)  # stands for the user's app

    def submit(method: Callable[..., Answer], typed: str, at: datetime) -> Answer:
        return otp.replace_under(lambda: column.record, lambda record: method(USER, record, typed, time=at),
                                 column.replace)

    assert submit(keyring.confirm, app.totp(now), now).kind == AnswerKind.ENROLLED

    # Sign-in, twice with the next code. Give the client only the kind of an answer, and when to try again.
    later = now + timedelta(seconds=30)
    code = app.totp(later)
    for _ in range(2):
        print(submit(keyring.verify, f"{code[:3]} {code[3:]}\n", later).kind.name.lower())


if __name__ == "__main__":
    main()
