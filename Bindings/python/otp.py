"""One-time passwords with libotp: HOTP (RFC 4226) and TOTP (RFC 6238) codes, verification, base32 and otpauth URIs.

    import otp

    with otp.Key.from_base32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") as key:
        match = key.verify_totp("287082", time=59)
        if match:
            store(match.step)  # and pass it as `after` the next time, so that each code is accepted at most once

The shared library is the one that the environment variable OTP_LIBRARY names, else the libotp.so.0 that the dynamic
loader finds. Python 3.9 or later, and nothing else.

Every function may be called from any number of threads; calls into the library let other Python threads run. A bad
argument raises `InvalidInput`, which is a ValueError, or `WrongType`, which is a TypeError; a failure of the machine
raises `Unavailable`, which is a RuntimeError. All are `OTPError` and have a `status`, and none repeats an argument. A
wrong code is not an error but a result.

The library wipes its copies of a secret. Python's own bytes and str cannot be wiped; keep them short-lived.
"""

from __future__ import annotations

import ctypes
import enum
import functools
import os
import time as clock
from dataclasses import dataclass
from typing import List, NamedTuple, NoReturn, Optional, Sequence, Union

__all__ = [
    "Hash", "HOTPRequest", "InvalidInput", "Key", "KeyType", "KeyURI", "LibraryInfo", "Match", "OTPError", "Result",
    "Status", "TOTPRequest", "Unavailable", "WrongType", "base32_decode", "base32_encode", "generate_secret", "info",
    "read_typed_code", "self_test", "verify_batch", "version",
]

BytesLike = Union[bytes, bytearray, memoryview]


class Hash(enum.IntEnum):
    """A hash function that HMAC is used with (RFC 6238, section 1.2)."""

    SHA1 = 1
    SHA256 = 2
    SHA512 = 3


class KeyType(enum.IntEnum):
    """The kind of codes that a key is for."""

    TOTP = 1
    HOTP = 2


class Result(enum.IntEnum):
    """The outcome of a verification."""

    REJECTED = 0
    ACCEPTED = 1
    REPLAYED = 2


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
    KEYRING_UNREADABLE = 100
    KEYRING_READABLE_BY_OTHERS = 101
    KEYRING_MALFORMED = 102
    KEYRING_CORRUPT = 103
    INVALID_KEY_NAME = 104
    INVALID_KEY = 105
    DUPLICATE_KEY_NAME = 106


class OTPError(Exception):
    """A failure, with the library's status and, if there is one, the part of a URI and the position of the byte."""

    def __init__(self, status: int, part: Optional[str] = None, position: Optional[int] = None,
                 text: Optional[str] = None) -> None:
        #: A `Status`, or a number that a later library added.
        self.status = Status(status) if status in Status.__members__.values() else status
        self.part = part
        self.position = position
        self._text = text
        text = text or _library.otp_status_string(status).decode()
        if part is not None:
            text += f" ({part})"
        if position is not None:
            text += f" at byte {position}"
        super().__init__(text)

    def __reduce__(self) -> tuple:
        return (type(self), (int(self.status), self.part, self.position, self._text))


class InvalidInput(OTPError, ValueError):
    """An invalid argument or text."""


class WrongType(OTPError, TypeError):
    """An argument of a wrong type."""


class Unavailable(OTPError, RuntimeError):
    """A failure of the machine, not of an argument, or a status that this module does not know."""


class Match(NamedTuple):
    """A verification's result, which is true if the code was accepted."""

    result: Result
    #: If accepted: the time step (TOTP) or counter (HOTP) whose code it is. Store it before acting on the match.
    step: int = 0
    #: If accepted: how far `step` is from the current step or the expected counter.
    offset: int = 0
    #: In a batch: why this request was not verified.
    error: Optional[OTPError] = None

    def __bool__(self) -> bool:
        return self.result == Result.ACCEPTED


# ---- The structures of otp.h -----------------------------------------------------------------------------------------

class _TOTPParams(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("digits", ctypes.c_uint), ("period", ctypes.c_int64),
                ("t0", ctypes.c_int64)]


class _Window(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("behind", ctypes.c_uint), ("ahead", ctypes.c_uint),
                ("has_after", ctypes.c_int), ("after", ctypes.c_uint64)]


class _Match(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("result", ctypes.c_int), ("status", ctypes.c_int),
                ("step", ctypes.c_uint64), ("offset", ctypes.c_int64)]


class _Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("type", ctypes.c_int), ("key", ctypes.c_void_p),
                ("code", ctypes.c_char_p), ("code_len", ctypes.c_size_t), ("unix_time", ctypes.c_int64),
                ("params", ctypes.POINTER(_TOTPParams)), ("window", ctypes.POINTER(_Window)),
                ("counter", ctypes.c_uint64), ("digits", ctypes.c_uint), ("look_ahead", ctypes.c_uint)]


class _ErrorInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("part", ctypes.c_char_p), ("position", ctypes.c_size_t)]


class _URI(ctypes.Structure):
    # The texts are addresses and lengths: c_char_p would stop at a NUL.
    _fields_ = [("size", ctypes.c_size_t), ("type", ctypes.c_int), ("hash", ctypes.c_int), ("digits", ctypes.c_uint),
                ("period", ctypes.c_int64), ("counter", ctypes.c_uint64),
                ("secret", ctypes.c_void_p), ("secret_len", ctypes.c_size_t),
                ("account", ctypes.c_void_p), ("account_len", ctypes.c_size_t),
                ("issuer", ctypes.c_void_p), ("issuer_len", ctypes.c_size_t),
                ("label_issuer", ctypes.c_void_p), ("label_issuer_len", ctypes.c_size_t)]


class _LibraryInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("version", ctypes.c_char * 32), ("openssl", ctypes.c_char * 96),
                ("cpu_features", ctypes.c_char * 128), ("instruction_set", ctypes.c_char * 32),
                ("backend", ctypes.c_char * 32), ("lanes", ctypes.c_int), ("midstate", ctypes.c_int),
                ("evp", ctypes.c_int)]


_URI_MAX = 2048
_URI_MEMORY = 4096
_BASE32_PADDING = 1
_BASE32_STRICT = 2
_URI_WRITE_DEFAULTS = 1
_URI_PLUS_IS_SPACE = 2
_URI_MISSING_COUNTER_IS_ZERO = 4
_URI_STRICT_BASE32 = 8
_NO_POSITION = ctypes.c_size_t(-1).value


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ.get("OTP_LIBRARY") or "libotp.so.0")
    size, pointer, text = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p
    unsigned, u64, i64, p = ctypes.c_uint, ctypes.c_uint64, ctypes.c_int64, ctypes.POINTER
    signatures = {
        "otp_key_create": [ctypes.c_int, pointer, size, p(pointer)],
        "otp_key_create_base32": [ctypes.c_int, text, size, p(pointer)],
        "otp_hotp": [pointer, u64, unsigned, text],
        "otp_totp": [pointer, i64, p(_TOTPParams), text],
        "otp_code_read_typed": [text, size, unsigned, text],
        "otp_totp_verify": [pointer, text, size, i64, p(_TOTPParams), p(_Window), p(_Match)],
        "otp_hotp_verify": [pointer, text, size, u64, unsigned, unsigned, p(_Match)],
        "otp_hotp_resynchronize": [pointer, p(text), size, u64, unsigned, unsigned, p(_Match)],
        "otp_verify_batch": [p(_Request), size, p(_Match)],
        "otp_secret_generate": [ctypes.c_int, pointer, p(size)],
        "otp_base32_encode": [pointer, size, unsigned, pointer, p(size)],
        "otp_base32_decode": [text, size, unsigned, pointer, p(size), p(_ErrorInfo)],
        "otp_uri_build": [p(_URI), unsigned, pointer, p(size), p(_ErrorInfo)],
        "otp_uri_parse": [text, size, unsigned, p(_URI), pointer, size, p(_ErrorInfo)],
        "otp_info": [p(_LibraryInfo)],
        "otp_self_test": [],
    }
    for name, arguments in signatures.items():
        getattr(library, name).argtypes = arguments
        getattr(library, name).restype = ctypes.c_int
    library.otp_key_destroy.argtypes = [pointer]
    library.otp_key_destroy.restype = None
    library.otp_status_string.argtypes = [ctypes.c_int]
    library.otp_status_string.restype = text
    library.otp_version.argtypes = []
    library.otp_version.restype = text
    return library


_library = _load()


# ---- Conversions of Python's arguments to C --------------------------------------------------------------------------

def _error(status: int, info: Optional[_ErrorInfo] = None) -> OTPError:
    is_input = Status.OK < status < Status.RANDOMNESS_UNAVAILABLE or \
        Status.MALFORMED_RECORD <= status <= Status.DUPLICATE_KEY_NAME
    kind = InvalidInput if is_input else Unavailable
    if info is None:
        return kind(status)
    return kind(status, info.part.decode() if info.part else None,
                None if info.position == _NO_POSITION else info.position)


def _fail(status: int, info: Optional[_ErrorInfo] = None) -> NoReturn:
    raise _error(status, info)


def _wrong_type(what: str, needed: str, value: object) -> WrongType:
    return WrongType(Status.INVALID_ARGUMENT, text=f"{what} must be {needed}, not {type(value).__name__}")


def _in_range(value: int, lowest: int, highest: int, status: Status) -> int:
    """The number, if C's type holds it: ctypes would reduce it modulo 2^32 or 2^64, and make 2^32 + 6 six digits."""
    # True is an int too, but as a number it is a mistake, such as `after=was_used`.
    if type(value) is not int and (not isinstance(value, int) or isinstance(value, bool)):
        raise _wrong_type("a number", "an int", value)
    if not lowest <= value <= highest:
        _fail(status)
    return value


def _unsigned(value: int, status: Status) -> int:
    return _in_range(value, 0, 0xFFFF_FFFF, status)


def _counter(value: int) -> int:
    return _in_range(value, 0, 0xFFFF_FFFF_FFFF_FFFF, Status.INVALID_COUNTER)


def _int64(value: int, status: Status = Status.INVALID_ARGUMENT) -> int:
    return _in_range(value, -0x8000_0000_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, status)


def _time(value: Optional[int]) -> int:
    return int(clock.time()) if value is None else _int64(value)


def _encoded(text: str, what: str, errors: str = "replace") -> bytes:
    if not isinstance(text, str):
        raise _wrong_type(what, "a str", text)
    return str.encode(text, "utf-8", errors)


def _code(code: str) -> bytes:
    """The code's bytes. A str that is not valid Unicode, such as half of a surrogate pair, is just a wrong code."""
    return _encoded(code, "a code")


def _view(data: BytesLike, what: str) -> memoryview:
    try:
        return memoryview(data)
    except TypeError:
        raise _wrong_type(what, "bytes", data) from None


def _pinned(data: BytesLike, what: str):
    """An object that ctypes takes as a pointer to the bytes. Bytes are copied only if it cannot point to them."""
    if isinstance(data, bytes):
        return data
    view = _view(data, what)
    if view.nbytes == 0 or view.readonly or not view.c_contiguous:
        return view.tobytes()
    return (ctypes.c_char * view.nbytes).from_buffer(data)


def _taken(buffer: ctypes.Array, length: int) -> bytes:
    """The bytes that the library wrote; the buffer is then wiped."""
    result = buffer.raw[:length]
    ctypes.memset(buffer, 0, len(buffer))
    return result


def _new_params(digits: int, period: int, t0: int) -> _TOTPParams:
    return _TOTPParams(ctypes.sizeof(_TOTPParams), _unsigned(digits, Status.INVALID_DIGITS),
                       _int64(period, Status.INVALID_PERIOD), _int64(t0))


# Shared between calls, which do not write to them.
_shared_params = functools.lru_cache(maxsize=64, typed=True)(_new_params)


def _params(digits: int, period: int, t0: int) -> _TOTPParams:
    try:
        return _shared_params(digits, period, t0)
    except TypeError:
        # Also for values that cannot be hashed, for which the cache would raise another error.
        return _new_params(digits, period, t0)


def _window(behind: int, ahead: int, after: Optional[int]) -> _Window:
    return _Window(_WINDOW_SIZE, _unsigned(behind, Status.INVALID_WINDOW), _unsigned(ahead, Status.INVALID_WINDOW),
                   0 if after is None else 1, 0 if after is None else _counter(after))


_WINDOW_SIZE = ctypes.sizeof(_Window)
_MATCH_SIZE = ctypes.sizeof(_Match)
_REJECTED = Match(Result.REJECTED)
_REPLAYED = Match(Result.REPLAYED)


def _outcome(match: _Match) -> Match:
    if match.result == Result.ACCEPTED:
        return Match(Result.ACCEPTED, match.step, match.offset)
    return _REPLAYED if match.result == Result.REPLAYED else _REJECTED


# ---- Keys ------------------------------------------------------------------------------------------------------------

class _Handle:
    """An otp_key, destroyed when the last call that uses it returns, whichever thread closes the key earlier."""

    __slots__ = ("_as_parameter_",)

    def __init__(self) -> None:
        self._as_parameter_ = ctypes.c_void_p()

    def __del__(self, _destroy=_library.otp_key_destroy) -> None:
        _destroy(self._as_parameter_)


class Key:
    """A secret prepared for HMAC. Preparing one costs as much as a few codes: keep it while it is in use."""

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, secret: BytesLike, hash: Hash = Hash.SHA1) -> None:
        """Prepares a secret of one byte or more. The library copies it."""
        pinned = _pinned(secret, "a secret")
        self._handle: Optional[_Handle] = None
        self._create(_library.otp_key_create, hash, pinned, len(pinned))

    @classmethod
    def from_base32(cls, text: str, hash: Hash = Hash.SHA1) -> Key:
        """Prepares a base32 secret as people type it: either case, spaces and hyphens, padding or none."""
        key = cls.__new__(cls)
        key._handle = None
        encoded = _encoded(text, "a base32 text")
        key._create(_library.otp_key_create_base32, hash, encoded, len(encoded))
        return key

    def _create(self, create, hash: Hash, data, length: int) -> None:
        handle = _Handle()
        status = create(_in_range(hash, 1, 3, Status.INVALID_ARGUMENT), data, length,
                        ctypes.byref(handle._as_parameter_))
        if status:
            _fail(status)
        self._handle = handle

    def close(self) -> None:
        """Wipes and releases the secret, once no other thread's call uses it. A second call does nothing."""
        self._handle = None

    def __enter__(self) -> Key:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<otp.Key>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Key is not copied or pickled")

    def _open(self) -> _Handle:
        handle = self._handle
        if handle is None:
            raise InvalidInput(Status.INVALID_ARGUMENT, text="the key is closed")
        return handle

    def hotp(self, counter: int, *, digits: int = 6) -> str:
        """The code of a counter (RFC 4226, section 5), 0 to 2^64-1."""
        handle, out = self._open(), ctypes.create_string_buffer(9)
        status = _library.otp_hotp(handle, _counter(counter), _unsigned(digits, Status.INVALID_DIGITS), out)
        if status:
            _fail(status)
        return out.value.decode()

    def totp(self, time: Optional[int] = None, *, digits: int = 6, period: int = 30, t0: int = 0) -> str:
        """The code at a Unix time in seconds; None means now (RFC 6238, section 4)."""
        handle, out = self._open(), ctypes.create_string_buffer(9)
        status = _library.otp_totp(handle, _time(time), _params(digits, period, t0), out)
        if status:
            _fail(status)
        return out.value.decode()

    def verify_totp(self, code: str, time: Optional[int] = None, *, behind: int = 1, ahead: int = 1,
                    after: Optional[int] = None, digits: int = 6, period: int = 30, t0: int = 0) -> Match:
        """Verifies a code over a window of steps (RFC 6238, section 5.2).

        time: Unix time in seconds; None means now.
        behind, ahead: the steps accepted before and after the current one, 0 to 10 each.
        after: the last accepted step; no step up to it is accepted again. Store `step` of a match and pass it here the
          next time, atomically: two simultaneous requests must not both read the old one.
        """
        handle, out, encoded = self._open(), _Match(_MATCH_SIZE), _code(code)
        status = _library.otp_totp_verify(handle, encoded, len(encoded), _time(time), _params(digits, period, t0),
                                          _window(behind, ahead, after), out)
        if status:
            _fail(status)
        return _outcome(out)

    def verify_hotp(self, code: str, counter: int, *, digits: int = 6, look_ahead: int = 0) -> Match:
        """Verifies the code of a counter or of one of the next `look_ahead` (0 to 1000) ones (RFC 4226, section 7.4).

        counter: the expected one, which is the last accepted plus one.
        """
        handle, out, encoded = self._open(), _Match(_MATCH_SIZE), _code(code)
        status = _library.otp_hotp_verify(handle, encoded, len(encoded), _counter(counter),
                                          _unsigned(digits, Status.INVALID_DIGITS),
                                          _unsigned(look_ahead, Status.INVALID_LOOK_AHEAD), out)
        if status:
            _fail(status)
        return _outcome(out)

    def resynchronize_hotp(self, codes: Sequence[str], counter: int, *, digits: int = 6,
                           look_ahead: int = 100) -> Match:
        """Finds a token that has run ahead, by two or three consecutive codes; `step` is the last one's counter."""
        handle, out = self._open(), _Match(_MATCH_SIZE)
        if isinstance(codes, str):
            raise _wrong_type("the codes", "a sequence of str", codes)
        # Otherwise a code would be truncated at a NUL, and the rest ignored.
        texts = [_code(code).replace(b"\0", b"?") for code in codes]
        status = _library.otp_hotp_resynchronize(handle, (ctypes.c_char_p * len(texts))(*texts), len(texts),
                                                 _counter(counter), _unsigned(digits, Status.INVALID_DIGITS),
                                                 _unsigned(look_ahead, Status.INVALID_LOOK_AHEAD), out)
        if status:
            _fail(status)
        return _outcome(out)


def read_typed_code(text: str, digits: int = 6) -> str:
    """The ASCII digits, which verifiers require, of a code as a person types it, such as "287 082" or a line of input.

    Spaces and hyphens are dropped, other ASCII white space at either end too, and a decimal digit of any script is read
    as its value. Anything else raises InvalidInput: respond as to a wrong code.
    """
    encoded, out = _code(text), ctypes.create_string_buffer(9)
    status = _library.otp_code_read_typed(encoded, len(encoded), _unsigned(digits, Status.INVALID_DIGITS), out)
    if status:
        _fail(status)
    return out.value.decode()


# ---- Many at once ----------------------------------------------------------------------------------------------------

class TOTPRequest(NamedTuple):
    """One TOTP verification of a batch; see Key.verify_totp()."""

    key: Key
    code: str
    time: int
    behind: int = 1
    ahead: int = 1
    after: Optional[int] = None
    digits: int = 6
    period: int = 30
    t0: int = 0


class HOTPRequest(NamedTuple):
    """One HOTP verification of a batch; see Key.verify_hotp()."""

    key: Key
    code: str
    counter: int
    digits: int = 6
    look_ahead: int = 0


def verify_batch(requests: Sequence[Union[TOTPRequest, HOTPRequest]]) -> List[Match]:
    """Verifies many requests at once, side by side in vector registers; the matches are in the requests' order.

    An error of one request, such as a closed key or an argument of a wrong type, is the `error` of its match, which is
    rejected, and does not affect the others. If two requests are for the same key and code, the caller must ensure
    that only one of them takes effect.
    """
    requests = list(requests)
    count = len(requests)
    if count == 0:
        return []
    array, results = (_Request * count)(), (_Match * count)()
    results[0].size = _MATCH_SIZE
    handles, errors = [], {}
    for index, request in enumerate(requests):
        entry = array[index]
        entry.size = ctypes.sizeof(_Request)
        try:
            handles.append(_fill(entry, request))
        except OTPError as error:
            # C cannot take this request. The library sees an entry without a key, which is an error too.
            entry.key = None
            # Without the traceback, whose frames retain the key, so that close() wipes it.
            errors[index] = error.with_traceback(None)
    status = _library.otp_verify_batch(array, count, results)
    del handles
    if status:
        _fail(status)
    matches = []
    for index, result in enumerate(results):
        error = errors.get(index) or (_error(result.status) if result.status else None)
        matches.append(_outcome(result) if error is None else Match(Result.REJECTED, error=error))
    return matches


def _fill(entry: _Request, request: Union[TOTPRequest, HOTPRequest]) -> _Handle:
    """Fills the entry in, and returns what must live until the library returns."""
    if not isinstance(request, (TOTPRequest, HOTPRequest)):
        raise _wrong_type("a request", "a TOTPRequest or an HOTPRequest", request)
    if not isinstance(request.key, Key):
        raise _wrong_type("the key of a request", "a Key", request.key)
    handle = request.key._open()
    entry.key = handle._as_parameter_
    entry.code = encoded = _code(request.code)
    entry.code_len = len(encoded)
    if isinstance(request, TOTPRequest):
        entry.type = KeyType.TOTP
        entry.unix_time = _time(request.time)
        entry.params = ctypes.pointer(_params(request.digits, request.period, request.t0))
        entry.window = ctypes.pointer(_window(request.behind, request.ahead, request.after))
    else:
        entry.type = KeyType.HOTP
        entry.counter = _counter(request.counter)
        entry.digits = _unsigned(request.digits, Status.INVALID_DIGITS)
        entry.look_ahead = _unsigned(request.look_ahead, Status.INVALID_LOOK_AHEAD)
    return handle


# ---- Secrets and base32 ----------------------------------------------------------------------------------------------

def generate_secret(hash: Hash = Hash.SHA1) -> bytes:
    """A new secret from OpenSSL's private generator, as long as the hash's tag: 20, 32 or 64 bytes."""
    out, length = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    status = _library.otp_secret_generate(_in_range(hash, 1, 3, Status.INVALID_ARGUMENT), out, length)
    if status:
        _fail(status)
    return _taken(out, length.value)


def base32_encode(data: BytesLike, *, padding: bool = False) -> str:
    """Bytes in base32 (RFC 4648, section 6), upper case."""
    pinned = _pinned(data, "what is encoded")
    room = (len(pinned) + 4) // 5 * 8 + 1
    out, length = ctypes.create_string_buffer(room), ctypes.c_size_t(room)
    status = _library.otp_base32_encode(pinned, len(pinned), _BASE32_PADDING if padding else 0, out, length)
    if status:
        _fail(status)
    return _taken(out, length.value).decode()


def base32_decode(text: str, *, strict: bool = False) -> bytes:
    """The bytes of a base32 text: as people type it or, if strict, by RFC 4648's rules only."""
    encoded = _encoded(text, "a base32 text")
    room = len(encoded) * 5 // 8 + 1
    out, length, info = ctypes.create_string_buffer(room), ctypes.c_size_t(room), _error_info()
    status = _library.otp_base32_decode(encoded, len(encoded), _BASE32_STRICT if strict else 0, out, length, info)
    if status:
        _fail(status, info)
    return _taken(out, length.value)


def _error_info() -> _ErrorInfo:
    return _ErrorInfo(ctypes.sizeof(_ErrorInfo), None, _NO_POSITION)


# ---- Key URIs --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, repr=False)
class KeyURI:
    """A key as an otpauth:// URI describes it. Its repr shows nothing."""

    secret: bytes
    #: Not empty, without a colon, and without a space at its beginning: such spaces are dropped when a URI is read.
    account: str
    #: Without a colon, to build a URI. When read: the parameter's if there is one, else the label's.
    issuer: Optional[str] = None
    type: KeyType = KeyType.TOTP
    hash: Hash = Hash.SHA1
    digits: int = 6
    #: TOTP: the length of a step in seconds.
    period: int = 30
    #: HOTP: the first counter.
    counter: int = 0
    #: When read: the issuer before the account. Not used in building.
    label_issuer: Optional[str] = None

    def __repr__(self) -> str:
        return "<otp.KeyURI>"

    def build(self, *, write_defaults: bool = False) -> str:
        """The URI, including the secret: show it only to the user who enrols, as a QR code."""
        # Half of a surrogate pair becomes bytes that are not UTF-8, which the library reports.
        account = _encoded(self.account, "the account", "surrogatepass")
        issuer = None if self.issuer is None else _encoded(self.issuer, "the issuer", "surrogatepass")
        # Not bytes(), which turns a 5 into five zero bytes.
        secret = self.secret if isinstance(self.secret, bytes) else _view(self.secret, "a secret").tobytes()
        numbers = (_in_range(self.type, 1, 2, Status.INVALID_ARGUMENT),
                   _in_range(self.hash, 1, 3, Status.INVALID_ARGUMENT), _unsigned(self.digits, Status.INVALID_DIGITS),
                   _int64(self.period, Status.INVALID_PERIOD), _counter(self.counter))
        kept = [ctypes.create_string_buffer(text, len(text) + 1) if text is not None else None
                for text in (secret, account, issuer)]
        addresses = [None if buffer is None else ctypes.addressof(buffer) for buffer in kept]
        uri = _URI(ctypes.sizeof(_URI), *numbers, addresses[0], len(secret), addresses[1], len(account),
                   addresses[2], 0 if issuer is None else len(issuer), None, 0)
        out, length = ctypes.create_string_buffer(_URI_MAX + 1), ctypes.c_size_t(_URI_MAX + 1)
        info = _error_info()
        status = _library.otp_uri_build(uri, _URI_WRITE_DEFAULTS if write_defaults else 0, out, length, info)
        ctypes.memset(kept[0], 0, len(kept[0]))
        if status:
            _fail(status, info)
        return _taken(out, length.value).decode()

    @classmethod
    def parse(cls, text: str, *, plus_is_space: bool = False, missing_counter_is_zero: bool = False,
              strict_base32: bool = False) -> KeyURI:
        """Reads a URI. Parameters that the format does not define are ignored."""
        flags = ((_URI_PLUS_IS_SPACE if plus_is_space else 0)
                 | (_URI_MISSING_COUNTER_IS_ZERO if missing_counter_is_zero else 0)
                 | (_URI_STRICT_BASE32 if strict_base32 else 0))
        encoded = _encoded(text, "a URI", "surrogatepass")
        uri, memory, info = _URI(ctypes.sizeof(_URI)), ctypes.create_string_buffer(_URI_MEMORY), _error_info()
        status = _library.otp_uri_parse(encoded, len(encoded), flags, uri, memory, _URI_MEMORY, info)
        try:
            if status:
                _fail(status, info)
            return cls(
                secret=ctypes.string_at(uri.secret, uri.secret_len), account=_text(uri.account, uri.account_len) or "",
                issuer=_text(uri.issuer, uri.issuer_len), type=KeyType(uri.type), hash=Hash(uri.hash),
                digits=uri.digits, period=uri.period, counter=uri.counter,
                label_issuer=_text(uri.label_issuer, uri.label_issuer_len))
        finally:
            ctypes.memset(memory, 0, _URI_MEMORY)


def _text(address: Optional[int], length: int) -> Optional[str]:
    return None if address is None else ctypes.string_at(address, length).decode("utf-8")


# ---- The library -----------------------------------------------------------------------------------------------------

class LibraryInfo(NamedTuple):
    """The library's version, and what it found on this machine."""

    version: str
    openssl: str
    cpu_features: str
    instruction_set: str
    backend: str


def version() -> str:
    """The library's version (semantic versioning)."""
    return _library.otp_version().decode()


def info() -> LibraryInfo:
    """The library's version and what it found. Runs any known-answer tests that have not run."""
    out = _LibraryInfo(ctypes.sizeof(_LibraryInfo))
    status = _library.otp_info(out)
    if status:
        _fail(status)
    return LibraryInfo(out.version.decode(), out.openssl.decode(), out.cpu_features.decode(),
                       out.instruction_set.decode(), out.backend.decode())


def self_test() -> None:
    """Runs the known-answer tests now instead of before the first code: for a server's start, and before it forks."""
    status = _library.otp_self_test()
    if status:
        _fail(status)
