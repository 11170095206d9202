"""The structures and numbers of otp.h."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, Structure, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64, \
    c_void_p, sizeof
from typing import Any, ClassVar, TypeVar

URI_MAX = 2048
URI_MEMORY = 4096
BASE32_PADDING = 1
BASE32_STRICT = 2
URI_WRITE_DEFAULTS = 1
URI_PLUS_IS_SPACE = 2
URI_MISSING_COUNTER_IS_ZERO = 4
URI_STRICT_BASE32 = 8
RECORD_MAX = 1536
RECOVERY_CODE_LENGTH = 29
NO_POSITION = c_size_t(-1).value


_Sized = TypeVar("_Sized", bound="Sized")


class Sized(Structure):
    """A structure that begins with its size, which the library compares with its own."""

    _fields_: ClassVar[Sequence[tuple[str, Any]]] = [("size", c_size_t)]

    @classmethod
    def of(cls: type[_Sized], *values: Any) -> _Sized:
        return cls(sizeof(cls), *values)


class TOTPParams(Sized):
    _fields_ = [("digits", c_uint), ("period", c_int64), ("t0", c_int64)]


class Window(Sized):
    _fields_ = [("behind", c_uint), ("ahead", c_uint), ("has_after", c_int), ("after", c_uint64)]


class Match(Sized):
    _fields_ = [("result", c_int), ("status", c_int), ("step", c_uint64), ("offset", c_int64)]


class Request(Sized):
    _fields_ = [("type", c_int), ("key", c_void_p), ("code", c_char_p), ("code_len", c_size_t), ("unix_time", c_int64),
                ("params", POINTER(TOTPParams)), ("window", POINTER(Window)), ("counter", c_uint64),
                ("digits", c_uint), ("look_ahead", c_uint)]


class ErrorInfo(Sized):
    _fields_ = [("part", c_char_p), ("position", c_size_t)]


class URI(Sized):
    # The texts are addresses and lengths: c_char_p would stop at a NUL.
    _fields_ = [("type", c_int), ("hash", c_int), ("digits", c_uint), ("period", c_int64), ("counter", c_uint64),
                ("secret", c_void_p), ("secret_len", c_size_t), ("account", c_void_p), ("account_len", c_size_t),
                ("issuer", c_void_p), ("issuer_len", c_size_t),
                ("label_issuer", c_void_p), ("label_issuer_len", c_size_t)]


class LibraryInfo(Sized):
    _fields_ = [("version", c_char * 32), ("openssl", c_char * 96), ("cpu_features", c_char * 128),
                ("instruction_set", c_char * 32), ("backend", c_char * 32), ("lanes", c_int), ("midstate", c_int),
                ("evp", c_int)]


class NamedKey(Sized):
    _fields_ = [("name", c_char_p), ("name_len", c_size_t), ("key", c_char_p), ("key_len", c_size_t)]


class Policy(Sized):
    _fields_ = [("adjacent_intervals", c_uint), ("drift_limit", c_uint), ("resynchronization_steps", c_uint),
                ("look_ahead", c_uint), ("resynchronization_look_ahead", c_uint), ("failures_until_lock", c_uint),
                ("lock_seconds", c_int64), ("first_delayed_failure", c_uint), ("initial_delay_seconds", c_int64)]


class Answer(Sized):
    _fields_ = [("kind", c_int), ("status", c_int), ("reason", c_int), ("changed", c_int), ("step", c_uint64),
                ("drift", c_int64), ("has_until", c_int), ("until", c_int64)]


class Enrollment(Sized):
    _fields_ = [("type", c_int), ("hash", c_int), ("digits", c_uint), ("period", c_int64), ("t0", c_int64),
                ("counter", c_uint64), ("secret", c_char_p), ("secret_len", c_size_t), ("is_confirmed", c_int),
                ("has_after", c_int), ("after", c_uint64)]


class Diagnosis(Sized):
    _fields_ = [("found", c_int), ("hash", c_int), ("digits", c_uint), ("period", c_int64), ("clock_offset", c_int64),
                ("counter_offset", c_int64)]


class RecordDetails(Sized):
    _fields_ = [("kind", c_int), ("is_pending", c_int), ("hash", c_int), ("digits", c_uint), ("period", c_int64),
                ("t0", c_int64), ("has_weak_secret", c_int), ("has_last_accepted", c_int), ("last_accepted", c_uint64),
                ("drift", c_int64), ("failures", c_uint64), ("acceptances", c_uint64), ("enrollment_time", c_int64),
                ("has_last_attempt", c_int), ("last_attempt_time", c_int64), ("unused_codes", c_uint32),
                ("key_name", c_char * 33)]


# For what every verification makes: without a call of `of`, which takes as long as the rest of it.
WINDOW_SIZE = sizeof(Window)
MATCH_SIZE = sizeof(Match)


def error_info() -> ErrorInfo:
    return ErrorInfo.of(None, NO_POSITION)
