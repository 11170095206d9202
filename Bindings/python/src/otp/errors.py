"""What can go wrong. No error repeats an argument, and a wrong code is not an error but a result."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """The status of a library function; otp.h describes each."""

    OK = 0
    INVALID_ARGUMENT = 1
    OUTPUT_TOO_SHORT = 2
    EMPTY_SECRET = 10
    INVALID_BASE32_CHARACTER = 11
    INVALID_BASE32_LENGTH = 12
    INVALID_BASE32_PADDING = 13
    NON_ZERO_BASE32_TRAILING_BITS = 14
    INVALID_ALGORITHM = 20
    INVALID_DIGITS = 21
    INVALID_PERIOD = 22
    INVALID_COUNTER = 23
    INVALID_WINDOW = 24
    INVALID_LOOK_AHEAD = 25
    TIME_BEFORE_T0 = 26
    MALFORMED_CODE = 27
    URI_TOO_LONG = 40
    INVALID_SCHEME = 41
    INVALID_TYPE = 42
    INVALID_AUTHORITY = 43
    UNEXPECTED_FRAGMENT = 44
    INVALID_CHARACTER = 45
    INVALID_PERCENT_ENCODING = 46
    INVALID_UTF8 = 47
    INVALID_ISSUER = 48
    INVALID_ACCOUNT = 49
    MISSING_PARAMETER = 50
    DUPLICATE_PARAMETER = 51
    INVALID_PARAMETER_NAME = 52
    RANDOMNESS_UNAVAILABLE = 60
    BACKEND_UNAVAILABLE = 61
    CRYPTOGRAPHY_FAILED = 62
    MALFORMED_RECORD = 80
    LATER_RECORD = 81
    WRONG_ENCODING = 82
    ANOTHER_SUBJECT = 83
    ANOTHER_KIND = 84
    UNKNOWN_KEY = 85
    NOT_AUTHENTIC = 86
    INVALID_SUBJECT = 87
    INVALID_SECRET = 88
    NOT_PENDING = 89
    INVALID_NAME = 90
    INVALID_TIME = 91
    KEYRING_UNREADABLE = 100
    KEYRING_READABLE_BY_OTHERS = 101
    KEYRING_MALFORMED = 102
    KEYRING_CORRUPT = 103
    INVALID_KEY_NAME = 104
    INVALID_KEY = 105
    DUPLICATE_KEY_NAME = 106


class OTPError(Exception):
    """A failure. Catch this to catch all of them."""

    def __init__(self, status: int, text: str, part: str | None = None, position: int | None = None) -> None:
        super().__init__(status, text, part, position)
        try:
            status = Status(status)
        except ValueError:
            pass
        #: A `Status`, or a number that a later library added.
        self.status = status
        self.text = text
        #: The part of a URI, and the position of a byte in a text, if the failure has one.
        self.part = part
        self.position = position

    def __str__(self) -> str:
        part = "" if self.part is None else f" ({self.part})"
        return self.text + part + ("" if self.position is None else f" at byte {self.position}")


class InvalidInputError(OTPError, ValueError):
    """An invalid argument or text."""


class RecordError(InvalidInputError):
    """A record that is not what it was, is of another subject or kind, or that this keyring cannot open."""


class KeyringError(InvalidInputError):
    """A keyring's file that is missing, damaged, or readable by others."""


class WrongTypeError(OTPError, TypeError):
    """An argument of a wrong type."""


class UnavailableError(OTPError, RuntimeError):
    """A failure of the machine, not of an argument, or a status that this package does not know."""


def kind_of(status: int) -> type[OTPError]:
    """The class of a status's error."""
    if status in (Status.INVALID_SUBJECT, Status.INVALID_SECRET, Status.INVALID_NAME, Status.INVALID_TIME):
        return InvalidInputError
    if Status.MALFORMED_RECORD <= status <= Status.NOT_PENDING:
        return RecordError
    if Status.KEYRING_UNREADABLE <= status <= Status.KEYRING_CORRUPT:
        return KeyringError
    is_input = Status.OK < status < Status.RANDOMNESS_UNAVAILABLE or \
        Status.INVALID_KEY_NAME <= status <= Status.DUPLICATE_KEY_NAME
    return InvalidInputError if is_input else UnavailableError
