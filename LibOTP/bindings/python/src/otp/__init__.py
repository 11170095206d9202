"""One-time passwords with libotp: HOTP (RFC 4226) and TOTP (RFC 6238) codes, and records that a server keeps.

All that a server must remember about a user's second factor is a record, sealed, in one column:

    keyring = otp.Keyring.open("/etc/example/keyring")
    record = keyring.enroll("user 42")                                  # one column of your table
    show_qr_code(keyring.uri("user 42", record, issuer="Example", account="alice@example.com"))
    answer = keyring.confirm("user 42", record, typed)                  # and, to sign in:
    answer = keyring.verify("user 42", record, typed)

There is one rule, the same for every outcome: replace the record that you read with `answer.record`, if it is still
there; act on the answer only if that succeeded; otherwise read again. `replace_under` does that.

    UPDATE users SET otp = %(new)s WHERE id = %(id)s AND otp = %(old)s

A record is `bytes`, opens only with its keyring and for its subject, and is never shown to the client.

Codes without records, for a caller that remembers the accepted steps itself:

    with otp.Key.from_base32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") as key:
        match = key.verify_totp("287082", time=59)
        if match:
            store(match.step)  # and pass it as `after` the next time, so that each code is accepted at most once

The shared library is the one that the environment variable OTP_LIBRARY names, else the wheel's own, else the
libotp.so.0 that the dynamic loader finds.

Every function may be called from any number of threads; calls into the library let other Python threads run. A bad
argument raises `InvalidInputError`, which is a ValueError, or `WrongTypeError`, which is a TypeError; a record or a
keyring's file that is not what it was, `RecordError` or `KeyringError`; a failure of the machine, `UnavailableError`,
which is a RuntimeError. All are `OTPError` and have a `status`, and none repeats an argument. A wrong code is not an
error but a result.

The library wipes its copies of a secret. Python's own bytes and str cannot be wiped; keep them short-lived.
"""

from otp import _opened as _opened  # a library that is missing is an error now, and not at a first sign-in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from otp._public import *
    from otp._public import __all__ as __all__


def __getattr__(name: str) -> object:
    """Imports everything else at the first use of a name, since that takes longer than starting Python."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import otp._public as public
    globals().update({each: getattr(public, each) for each in ["__all__", *public.__all__]})
    if name not in globals():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


def __dir__() -> list[str]:
    import otp._public as public
    return sorted({*globals(), *public.__all__})
