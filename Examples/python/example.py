#!/usr/bin/env python3
"""Enrols a user, verifies a code, and refuses it the second time.

    OTP_LIBRARY=.build-libotp/libotp.so.0 Examples/python/example.py
"""

import time

import otp


def main() -> None:
    print("libotp", otp.version(), "with", otp.info().backend)

    # Enrolment: make a secret, store it encrypted, and show its URI to the user as a QR code.
    secret = otp.generate_secret()
    uri = otp.KeyURI(secret, account="alice@example.com", issuer="Example").build()
    print("the URI has", len(uri), "characters")

    # Sign-in: verify what the user typed (here: what the user's app shows), and remember the step.
    now = int(time.time())
    last_step = None
    with otp.Key(secret) as key:
        code = key.totp(now)
        typed = f"{code[:3]} {code[3:]}\n"
        for _ in range(2):
            # A text that cannot be a code raises InvalidInput: respond as to a wrong code.
            match = key.verify_totp(otp.read_typed_code(typed), now, after=last_step)
            print(match.result.name.lower())
            if match:
                last_step = match.step


if __name__ == "__main__":
    main()
