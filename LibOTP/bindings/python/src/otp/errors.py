"""What can go wrong. No error repeats an argument, and a wrong code is not an error but a result."""

from __future__ import annotations

from otp._header import Status


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
    if status in (Status.INVALID_SUBJECT, Status.INVALID_SECRET, Status.INVALID_NAME, Status.INVALID_TIME,
                  Status.INVALID_POLICY):
        return InvalidInputError
    if Status.MALFORMED_RECORD <= status <= Status.NOT_PENDING or status == Status.ENROLLED:
        return RecordError
    if Status.KEYRING_UNREADABLE <= status <= Status.KEYRING_CORRUPT or status in (Status.KEYRING_EXISTS,
                                                                                   Status.KEYRING_UNWRITABLE):
        return KeyringError
    is_input = Status.OK < status < Status.RANDOMNESS_UNAVAILABLE or \
        Status.INVALID_KEY_NAME <= status <= Status.DUPLICATE_KEY_NAME
    return InvalidInputError if is_input else UnavailableError
