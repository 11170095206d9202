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
    from otp._header import AnswerKind, Cause, Hash, KeyType, Policy, Reason, RecordKind, Result, Status
    from otp.engine import LibraryInfo, info, self_test, version
    from otp.errors import InvalidInputError, KeyringError, OTPError, RecordError, UnavailableError, WrongTypeError
    from otp.keyring import Keyring
    from otp.keys import Key, generate_secret, read_typed_code
    from otp.records import Answer, Diagnosis, Explanation, RecordDetails, replace_under
    from otp.texts import KeyURI, base32_decode, base32_encode
    from otp.verification import Match

__all__ = [
    "Answer", "AnswerKind", "Cause", "Diagnosis", "Explanation", "Hash", "InvalidInputError", "Key", "KeyType",
    "KeyURI", "Keyring", "KeyringError", "LibraryInfo", "Match", "OTPError", "Policy", "Reason", "RecordDetails",
    "RecordError", "RecordKind", "Result", "Status", "UnavailableError", "WrongTypeError", "base32_decode",
    "base32_encode", "generate_secret", "info", "read_typed_code", "replace_under", "self_test", "version",
]


def __getattr__(name: str) -> object:
    """Imports what has a name at its first use, and little else, since all takes longer than starting Python."""
    if name in __all__:
        # (_header, which has structures of such names, is not one of these.)
        for home in ("verification", "keys", "errors", "engine", "texts", "records", "keyring"):
            if name in vars(module := __import__(f"otp.{home}", fromlist=[name])):
                return globals().setdefault(name, vars(module)[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
