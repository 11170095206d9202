"""Many verifications at once, side by side in vector registers."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Union

from otp import _header as c
from otp._arguments import Time, code_bytes, counter, seconds, totp_params, unsigned, window, wrong_type
from otp._header import KeyType, Result, Status
from otp._library import failure, library
from otp._owner import Handle
from otp.errors import OTPError
from otp.keys import Key
from otp.verification import Match, match_of


@dataclass(frozen=True)
class TOTPRequest:
    """One TOTP verification of a batch; see Key.verify_totp()."""

    key: Key
    code: str = field(repr=False)
    time: Time
    behind: int = 1
    ahead: int = 1
    after: int | None = None
    digits: int = 6
    period: int = 30
    t0: int = 0


@dataclass(frozen=True)
class HOTPRequest:
    """One HOTP verification of a batch; see Key.verify_hotp()."""

    key: Key
    code: str = field(repr=False)
    counter: int
    digits: int = 6
    look_ahead: int = 0


Request = Union[TOTPRequest, HOTPRequest]


def verify_batch(requests: Iterable[Request]) -> list[Match]:
    """Verifies many requests at once; the matches are in the requests' order.

    An error of one request, such as a closed key or an argument of a wrong type, is the `error` of its match, which is
    rejected, and does not affect the others. If two requests are for the same key and code, the caller must ensure
    that only one of them takes effect.
    """
    requests = list(requests)
    if not requests:
        return []
    entries, results = (c.Request * len(requests))(), (c.Match * len(requests))()
    results[0].size = ctypes.sizeof(c.Match)
    # What must live until the library returns.
    handles: list[Handle] = []
    errors: dict[int, OTPError] = {}
    for index, request in enumerate(requests):
        entry = entries[index]
        entry.size = ctypes.sizeof(c.Request)
        try:
            handles.append(_fill(entry, request))
        except OTPError as error:
            # C cannot take this request. The library sees an entry without a key, which is an error too.
            # Without the traceback, whose frames retain the key, so that close() wipes it.
            errors[index] = error.with_traceback(None)
    library.otp_verify_batch(entries, len(requests), results)
    matches = []
    for index, result in enumerate(results):
        error_here = errors.get(index) or (failure(result.status) if result.status else None)
        matches.append(Match(Result.REJECTED, error=error_here) if error_here else match_of(result))
    return matches


def _fill(entry: c.Request, request: Request) -> Handle:
    """Fills the entry in, and returns the handle that it points to."""
    if not isinstance(request, (TOTPRequest, HOTPRequest)):
        raise wrong_type("a request", "a TOTPRequest or an HOTPRequest", request)
    if not isinstance(request.key, Key):
        raise wrong_type("the key of a request", "a Key", request.key)
    handle = request.key._open()
    entry.code = data = code_bytes(request.code)
    entry.code_len = len(data)
    if isinstance(request, TOTPRequest):
        entry.type = KeyType.TOTP
        entry.unix_time = seconds(request.time)
        entry.params = ctypes.pointer(totp_params(request.digits, request.period, request.t0))
        entry.window = ctypes.pointer(window(request.behind, request.ahead, request.after))
    else:
        entry.type = KeyType.HOTP
        entry.counter = counter(request.counter)
        entry.digits = unsigned(request.digits, Status.INVALID_DIGITS)
        entry.look_ahead = unsigned(request.look_ahead, Status.INVALID_LOOK_AHEAD)
    # Last, so that a request that is refused leaves no pointer to a key that nothing keeps.
    entry.key = handle._as_parameter_
    return handle
