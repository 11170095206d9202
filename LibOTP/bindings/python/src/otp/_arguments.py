"""Conversions between Python's values and C's. What C's types cannot hold is refused here: ctypes would reduce an int
modulo 2^32 or 2^64, and make 2^32 + 6 six digits."""

from __future__ import annotations

import ctypes
import functools
import time as clock

from otp import _header as c
from otp._header import Status
from otp._library import failure
from otp.errors import InvalidInputError, WrongTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Any, Union

    BytesLike = Union[bytes, bytearray, memoryview]
    #: A moment: Unix time in seconds, or a datetime with a time zone.
    Time = Union[int, datetime]

# Of what every verification makes: `of` takes as long as the rest of it.
_WINDOW_SIZE = ctypes.sizeof(c.Window)


def wrong_type(what: str, needed: str, value: object) -> WrongTypeError:
    return WrongTypeError(Status.INVALID_ARGUMENT, f"{what} must be {needed}, not {type(value).__name__}")


def in_range(value: int, lowest: int, highest: int, status: Status, what: str = "a number",
             needed: str = "an int") -> int:
    """The number itself: a subclass of int, such as an enumerator, compares and converts itself as it likes."""
    if type(value) is not int:
        # True is an int too, but as a number it is a mistake, such as `after=was_used`.
        if not issubclass(type(value), int) or type(value) is bool:
            raise wrong_type(what, needed, value)
        value = int.__index__(value)
    if not lowest <= value <= highest:
        # The library's text does not say which argument it means.
        is_named = status in (Status.INVALID_ARGUMENT, Status.INVALID_POLICY)
        raise InvalidInputError(status, f"{what} is out of range") if is_named else failure(status)
    return value


def unsigned(value: int, status: Status, what: str = "a number") -> int:
    return in_range(value, 0, 0xFFFF_FFFF, status, what)


def counter(value: int) -> int:
    return in_range(value, 0, 0xFFFF_FFFF_FFFF_FFFF, Status.INVALID_COUNTER)


def int64(value: int, status: Status = Status.INVALID_ARGUMENT, what: str = "a number", needed: str = "an int") -> int:
    return in_range(value, -0x8000_0000_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, status, what, needed)


def seconds(moment: Time) -> int:
    """The Unix time of a moment. A datetime without a time zone would mean another moment on each machine."""
    if not isinstance(moment, int):
        from datetime import datetime, timedelta
        if isinstance(moment, datetime):
            if moment.utcoffset() is None:
                raise InvalidInputError(Status.INVALID_ARGUMENT, "a datetime must have a time zone")
            moment = (moment - moment_of(0)) // timedelta(seconds=1)
    return int64(moment, Status.INVALID_ARGUMENT, "a time", "a whole number of seconds (an int) or a datetime")


def seconds_or_now(moment: Time | None) -> int:
    return int(clock.time()) if moment is None else seconds(moment)


def moment_of(unix_time: int) -> datetime:
    """A Unix time as a datetime, which ends with the year 9999: a later time is that year's end."""
    from datetime import datetime, timedelta, timezone
    try:
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=unix_time)
    except OverflowError:
        return datetime.max.replace(tzinfo=timezone.utc)


def encoded(text: str, what: str, errors: str = "replace") -> bytes:
    if not isinstance(text, str):
        raise wrong_type(what, "a str", text)
    return str.encode(text, "utf-8", errors)


def code_bytes(code: str) -> bytes:
    """The code's bytes. A str that is not valid Unicode, such as half of a surrogate pair, is just a wrong code."""
    return encoded(code, "a code")


def codes_array(codes: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    if isinstance(codes, str):
        raise wrong_type("the codes", "a sequence of str", codes)
    # Otherwise a code would be truncated at a NUL, and the rest ignored.
    texts = [code_bytes(code).replace(b"\0", b"?") for code in codes]
    return (ctypes.c_char_p * len(texts))(*texts)


def _view(data: BytesLike, what: str) -> memoryview:
    try:
        return memoryview(data)
    except TypeError:
        raise wrong_type(what, "bytes", data) from None


def as_bytes(data: BytesLike, what: str) -> bytes:
    # Not bytes(), which turns a 5 into five zero bytes. A subclass has its own idea of its length.
    return data if type(data) is bytes else _view(data, what).tobytes()


def pinned(data: BytesLike, what: str) -> Any:
    """An object that ctypes takes as a pointer to the bytes. Bytes are copied only if it cannot point to them."""
    if type(data) is bytes:
        return data
    view = _view(data, what)
    if view.nbytes == 0 or view.readonly or not view.c_contiguous:
        return view.tobytes()
    return (ctypes.c_char * view.nbytes).from_buffer(view)


def taken(buffer: ctypes.Array[ctypes.c_char], length: int) -> bytes:
    """The bytes that the library wrote; the buffer is then wiped."""
    result = ctypes.string_at(buffer, length)
    ctypes.memset(buffer, 0, len(buffer))
    return result


def _new_params(digits: int, period: int, t0: int) -> c.TotpParams:
    return c.TotpParams.of(unsigned(digits, Status.INVALID_DIGITS), int64(period, Status.INVALID_PERIOD),
                           int64(t0, what="t0"))


# Shared between calls, which do not write to them.
_shared_params = functools.lru_cache(maxsize=64)(_new_params)


def totp_params(digits: int, period: int, t0: int) -> c.TotpParams:
    # Only by numbers that hash and compare as such: True equals 1.
    if type(digits) is type(period) is type(t0) is int:
        return _shared_params(digits, period, t0)
    return _new_params(digits, period, t0)


def window(behind: int, ahead: int, after: int | None) -> c.Window:
    return c.Window(_WINDOW_SIZE, unsigned(behind, Status.INVALID_WINDOW), unsigned(ahead, Status.INVALID_WINDOW),
                    after is not None, 0 if after is None else counter(after))
