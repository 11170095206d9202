#!/usr/bin/env python3
"""Enrols a user, verifies a code, and refuses it the second time, with the user's state in one column.

    OTP_LIBRARY=.build-libotp/libotp.so.0 Examples/python/example.py
"""

import secrets
import time

import otp
from otp_record import Answer, AnswerKind, Keyring, replaced_under

USER = "user 42"


class Column:
    """The user's column. In a real server: UPDATE users SET otp = new WHERE id = 42 AND otp = old."""

    def __init__(self, record: bytes) -> None:
        self.record = record

    def replace(self, new: bytes, old: bytes) -> bool:
        if self.record != old:
            return False
        self.record = new
        return True


def main() -> None:
    print("libotp", otp.version(), "with", otp.info().backend)
    # In a real server: Keyring.open() with the file that `otp keyring new` has written.
    keyring = Keyring({"2026-11": secrets.token_bytes(32)})

    # Enrolment: make a pending record, show its URI to the user as a QR code, and confirm it by a code.
    column = Column(keyring.enroll(USER))
    uri = keyring.uri(USER, column.record, issuer="Example", account="alice@example.com")
    print("the URI has", len(uri), "characters")
    app, now = otp.Key(otp.KeyURI.parse(uri).secret), int(time.time())  # stands for the user's app

    def submit(function, typed: str, at: int) -> Answer:
        return replaced_under(lambda: column.record, lambda record: function(USER, record, typed, time=at),
                              column.replace)

    assert submit(keyring.confirm, app.totp(now), now).kind == AnswerKind.ENROLLED

    # Sign-in, twice with the next code. Tell the client only the kind of an answer, and when to try again.
    code = app.totp(now + 30)
    for _ in range(2):
        print(submit(keyring.verify, f"{code[:3]} {code[3:]}\n", now + 30).kind.name.lower())


if __name__ == "__main__":
    main()
