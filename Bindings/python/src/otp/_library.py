"""The shared library, with its functions declared: a call whose status is not OTP_OK raises an OTPError."""

from __future__ import annotations

import os
from ctypes import CDLL, POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from otp import _structures as c
from otp.errors import OTPError, kind_of


def failure(status: int, info: c.ErrorInfo | None = None) -> OTPError:
    """A status's error, with the library's text."""
    text = library.otp_status_string(status).decode()
    if info is None:
        return kind_of(status)(status, text)
    return kind_of(status)(status, text, info.part.decode() if info.part else None,
                           None if info.position == c.NO_POSITION else info.position)


def _check(status: int, _: object, arguments: tuple[Any, ...]) -> None:
    if status:
        raise failure(status, arguments[-1] if arguments and isinstance(arguments[-1], c.ErrorInfo) else None)


def _opened() -> CDLL:
    """The library that OTP_LIBRARY names, else the wheel's own, else the one that the dynamic loader finds."""
    own = Path(__file__).with_name("_lib") / "libotp.so.0"
    path = os.environ.get("OTP_LIBRARY") or (str(own) if own.exists() else "libotp.so.0")
    try:
        return CDLL(path)
    except OSError as error:
        # The wheel's library lacks libcrypto, which gets its security updates from the system.
        remedy = "install OpenSSL 3 (Debian: libssl3)" if "libcrypto" in str(error) else \
            "install libotp, or set OTP_LIBRARY to its path"
        raise ImportError(f"cannot load libotp: {error}; {remedy}", path=path) from error


def _declared(library: CDLL) -> CDLL:
    size, pointer, text, p = c_size_t, c_void_p, c_char_p, POINTER
    of = [pointer, text, size]  # keyring, subject
    held, into = [text, size], [pointer, p(size)]
    submitted = [*of, *held, text, size, c_int64, p(c.Policy), *into, p(c.Answer)]
    functions = {
        "key_create": [c_int, pointer, size, p(pointer)],
        "key_create_base32": [c_int, text, size, p(pointer)],
        "hotp": [pointer, c_uint64, c_uint, text],
        "totp": [pointer, c_int64, p(c.TOTPParams), text],
        "code_read_typed": [text, size, c_uint, text],
        "totp_verify": [pointer, text, size, c_int64, p(c.TOTPParams), p(c.Window), p(c.Match)],
        "hotp_verify": [pointer, text, size, c_uint64, c_uint, c_uint, p(c.Match)],
        "hotp_resynchronize": [pointer, p(text), size, c_uint64, c_uint, c_uint, p(c.Match)],
        "verify_batch": [p(c.Request), size, p(c.Match)],
        "secret_generate": [c_int, pointer, p(size)],
        "base32_encode": [pointer, size, c_uint, pointer, p(size)],
        "base32_decode": [text, size, c_uint, pointer, p(size), p(c.ErrorInfo)],
        "uri_build": [p(c.URI), c_uint, pointer, p(size), p(c.ErrorInfo)],
        "uri_parse": [text, size, c_uint, p(c.URI), pointer, size, p(c.ErrorInfo)],
        "keyring_create": [p(c.NamedKey), size, p(pointer)],
        "keyring_open": [text, p(pointer)],
        "keyring_create_unsealed": [p(pointer)],
        "record_enroll": [*of, p(c.Enrollment), *held, c_int64, *into],
        "record_recovery_codes": [*of, size, c_int64, pointer, size, *into],
        "record_uri": [*of, *held, text, size, text, size, *into],
        "record_confirm": submitted,
        "record_verify": submitted,
        "record_resynchronize": [*of, *held, p(text), size, c_int64, p(c.Policy), *into, p(c.Answer)],
        "record_diagnose": [*of, *held, text, size, c_int64, p(c.Diagnosis)],
        "record_unlock": [*of, *held, c_int64, *into],
        "record_spend": [*of, *held, c_int64, p(c.Policy), *into],
        "record_reseal": [*of, *held, *into],
        "record_info": [*of, *held, p(c.RecordDetails)],
        "info": [p(c.LibraryInfo)],
        "self_test": [],
    }
    for name, arguments in functions.items():
        function = getattr(library, f"otp_{name}")
        function.argtypes, function.restype, function.errcheck = arguments, c_int, _check
    for name in "key", "keyring":
        function = getattr(library, f"otp_{name}_destroy")
        function.argtypes, function.restype = [pointer], None
    library.otp_status_string.argtypes, library.otp_status_string.restype = [c_int], text
    library.otp_version.argtypes, library.otp_version.restype = [], text
    return library


try:
    library = _declared(_opened())
except AttributeError as error:
    raise ImportError(f"this libotp is older than the package: {error}") from error
