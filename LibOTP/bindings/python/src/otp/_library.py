"""The shared library, whose functions are declared: a call whose status is not OTP_OK raises an OTPError."""

from __future__ import annotations

from ctypes import CDLL, c_int

from otp import _header as c, _opened
from otp.errors import OTPError, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def failure(status: int, info: c.ErrorInfo | None = None) -> OTPError:
    """A status's error, with the library's text."""
    text = library.otp_status_string(status).decode()
    if info is None:
        return kind_of(status)(status, text)
    return kind_of(status)(status, text, info.part.decode() if info.part else None,
                           None if info.position == c.ErrorInfo.INIT[1] else info.position)


def _check(status: int, _: object, arguments: tuple[Any, ...]) -> None:
    if status:
        raise failure(status, arguments[-1] if arguments and isinstance(arguments[-1], c.ErrorInfo) else None)


def _declared(library: CDLL) -> CDLL:
    for name, (result, arguments) in c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
        if result is c_int:
            function.errcheck = _check
    return library


try:
    library = _declared(_opened.library)
except AttributeError as error:
    raise ImportError(f"this libotp is older than the package: {error}") from error
