"""Keys: the codes of HOTP (RFC 4226) and TOTP (RFC 6238), and their verification."""

from __future__ import annotations

import ctypes

from otp import _header as c
from otp._arguments import code_bytes, codes_array, counter as counter_of, encoded, in_range, pinned, seconds_or_now, \
    taken, totp_params, unsigned, window
from otp._header import Hash, KeyType, Status
from otp._library import library
from otp._owner import Owner
from otp.verification import Match, match_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from otp._arguments import BytesLike, Time

# Without `of`, which takes as long as the rest of a verification.
_MATCH_SIZE = ctypes.sizeof(c.Match)


def hash_number(hash: Hash) -> int:
    return in_range(hash, 1, 3, Status.INVALID_ARGUMENT)


def type_number(type: KeyType) -> int:
    return in_range(type, 1, 2, Status.INVALID_ARGUMENT)


class Key(Owner):
    """A secret prepared for HMAC, and a context manager that wipes it.

    Preparing one costs as much as a few codes: keep it while it is in use. Any number of threads may use one at once.
    Where a `time` is wanted: Unix time in seconds, or a datetime with a time zone; None means now.
    """

    __slots__ = ()
    _destroy = library.otp_key_destroy

    def __init__(self, secret: BytesLike, hash: Hash = Hash.SHA1) -> None:
        """Prepares a secret of one byte or more. The library copies it."""
        data = pinned(secret, "a secret")
        self._create(library.otp_key_create, hash_number(hash), data, len(data))

    @classmethod
    def from_base32(cls, text: str, hash: Hash = Hash.SHA1) -> Key:
        """Prepares a base32 secret as people type it: either case, spaces and hyphens, padding or none."""
        data = encoded(text, "a base32 text")
        return cls.__new__(cls)._create(library.otp_key_create_base32, hash_number(hash), data, len(data))

    def hotp(self, counter: int, *, digits: int = 6) -> str:
        """The code of a counter (RFC 4226, section 5), 0 to 2^64-1."""
        out = ctypes.create_string_buffer(9)
        library.otp_hotp(self._open(), counter_of(counter), unsigned(digits, Status.INVALID_DIGITS), out)
        return out.value.decode()

    def totp(self, time: Time | None = None, *, digits: int = 6, period: int = 30, t0: int = 0) -> str:
        """The code at a moment (RFC 6238, section 4)."""
        out = ctypes.create_string_buffer(9)
        library.otp_totp(self._open(), seconds_or_now(time), totp_params(digits, period, t0), out)
        return out.value.decode()

    def verify_totp(self, code: str, time: Time | None = None, *, behind: int = 1, ahead: int = 1,
                    after: int | None = None, digits: int = 6, period: int = 30, t0: int = 0) -> Match:
        """Verifies a code over a window of steps (RFC 6238, section 5.2).

        behind, ahead: the steps accepted before and after the current one, 0 to 10 each.
        after: the last accepted step; no step up to it is accepted again. Store `step` of a match and pass it here the
          next time, atomically: two simultaneous requests must not both read the old one.
        """
        out, data = c.Match(_MATCH_SIZE), code_bytes(code)
        library.otp_totp_verify(self._open(), data, len(data), seconds_or_now(time), totp_params(digits, period, t0),
                                window(behind, ahead, after), out)
        return match_of(out)

    def verify_hotp(self, code: str, counter: int, *, digits: int = 6, look_ahead: int = 0) -> Match:
        """Verifies the code of a counter or of one of the next `look_ahead` (0 to 1000) ones (RFC 4226, section 7.4).

        counter: the expected one, which is the last accepted plus one.
        """
        out, data = c.Match(_MATCH_SIZE), code_bytes(code)
        library.otp_hotp_verify(self._open(), data, len(data), counter_of(counter),
                                unsigned(digits, Status.INVALID_DIGITS),
                                unsigned(look_ahead, Status.INVALID_LOOK_AHEAD), out)
        return match_of(out)

    def resynchronize_hotp(self, codes: Sequence[str], counter: int, *, digits: int = 6,
                           look_ahead: int = 100) -> Match:
        """Finds a token that has run ahead, by two or three consecutive codes; `step` is the last one's counter."""
        out, texts = c.Match(_MATCH_SIZE), codes_array(codes)
        library.otp_hotp_resynchronize(self._open(), texts, len(texts), counter_of(counter),
                                       unsigned(digits, Status.INVALID_DIGITS),
                                       unsigned(look_ahead, Status.INVALID_LOOK_AHEAD), out)
        return match_of(out)


def generate_secret(hash: Hash = Hash.SHA1) -> bytes:
    """A new secret from OpenSSL's private generator, as long as the hash's tag: 20, 32 or 64 bytes."""
    out, length = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    library.otp_secret_generate(hash_number(hash), out, length)
    return taken(out, length.value)


def read_typed_code(text: str, digits: int = 6) -> str:
    """The ASCII digits, which verifiers require, of a code as a person types it, such as "287 082" or a line of input.

    Spaces and hyphens are dropped, other ASCII white space at either end too, and a decimal digit of any script is read
    as its value. Anything else raises InvalidInputError: respond as to a wrong code.
    """
    data, out = code_bytes(text), ctypes.create_string_buffer(9)
    library.otp_code_read_typed(data, len(data), unsigned(digits, Status.INVALID_DIGITS), out)
    return out.value.decode()
