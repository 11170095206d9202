"""Base32, and the otpauth:// URIs that authenticator apps read from QR codes."""

from __future__ import annotations

import ctypes
from otp import _header as c
from otp._arguments import as_bytes, counter, encoded, int64, pinned, taken, unsigned
from otp._header import Hash, KeyType, Status
from otp._library import library
from otp._values import dataclass
from otp.keys import hash_number, type_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from otp._arguments import BytesLike


def base32_encode(data: BytesLike, *, padding: bool = False) -> str:
    """Bytes in base32 (RFC 4648, section 6), upper case."""
    source = pinned(data, "what is encoded")
    room = (len(source) + 4) // 5 * 8 + 1
    out, length = ctypes.create_string_buffer(room), ctypes.c_size_t(room)
    library.otp_base32_encode(source, len(source), c.BASE32_PADDING if padding else 0, out, length)
    return taken(out, length.value).decode()


def base32_decode(text: str, *, strict: bool = False) -> bytes:
    """The bytes of a base32 text: as people type it or, if strict, by RFC 4648's rules only."""
    source = encoded(text, "a base32 text")
    room = len(source) * 5 // 8 + 1
    out, length = ctypes.create_string_buffer(room), ctypes.c_size_t(room)
    library.otp_base32_decode(source, len(source), c.BASE32_STRICT if strict else 0, out, length, c.ErrorInfo.of())
    return taken(out, length.value)


@dataclass(frozen=True)
class KeyURI:
    """A key as an otpauth:// URI describes it. Its repr shows nothing."""

    secret: bytes
    #: Not empty, without a colon, and without a space at its beginning: such spaces are dropped when a URI is read.
    account: str
    #: Without a colon, to build a URI. When read: the parameter's if there is one, else the label's.
    issuer: str | None = None
    type: KeyType = KeyType.TOTP
    hash: Hash = Hash.SHA1
    digits: int = 6
    #: TOTP: the length of a step in seconds.
    period: int = 30
    #: HOTP: the first counter.
    counter: int = 0
    #: When read: the issuer before the account. Not used in building.
    label_issuer: str | None = None

    def __repr__(self) -> str:
        return "<otp.KeyURI>"

    def build(self, *, write_defaults: bool = False) -> str:
        """The URI, including the secret: show it only to the user who enrolls, as a QR code."""
        # Half of a surrogate pair becomes bytes that are not UTF-8, which the library reports.
        account = encoded(self.account, "the account", "surrogatepass")
        issuer = None if self.issuer is None else encoded(self.issuer, "the issuer", "surrogatepass")
        secret = as_bytes(self.secret, "a secret")
        kept = [None if data is None else ctypes.create_string_buffer(data, len(data) + 1)
                for data in (secret, account, issuer)]
        pointers = [value for buffer in kept
                    for value in ((None, 0) if buffer is None else (ctypes.addressof(buffer), len(buffer) - 1))]
        try:
            uri = c.Uri.of(type_number(self.type), hash_number(self.hash),
                           unsigned(self.digits, Status.INVALID_DIGITS),
                           int64(self.period, Status.INVALID_PERIOD), counter(self.counter), *pointers)
            out, length = ctypes.create_string_buffer(c.URI_MAX + 1), ctypes.c_size_t(c.URI_MAX + 1)
            library.otp_uri_build(uri, c.URI_WRITE_DEFAULTS if write_defaults else 0, out, length, c.ErrorInfo.of())
            return taken(out, length.value).decode()
        finally:
            for buffer in filter(None, kept):
                ctypes.memset(buffer, 0, len(buffer))

    @classmethod
    def parse(cls, text: str, *, plus_is_space: bool = False, missing_counter_is_zero: bool = False,
              strict_base32: bool = False) -> KeyURI:
        """Reads a URI. Parameters that the format does not define are ignored."""
        flags = ((c.URI_PLUS_IS_SPACE if plus_is_space else 0)
                 | (c.URI_MISSING_COUNTER_IS_ZERO if missing_counter_is_zero else 0)
                 | (c.URI_STRICT_BASE32 if strict_base32 else 0))
        source = encoded(text, "a URI", "surrogatepass")
        uri, memory = c.Uri.of(), ctypes.create_string_buffer(c.URI_MEMORY)
        try:
            library.otp_uri_parse(source, len(source), flags, uri, memory, len(memory), c.ErrorInfo.of())
            return cls(
                secret=ctypes.string_at(uri.secret, uri.secret_len), account=_text(uri.account, uri.account_len) or "",
                issuer=_text(uri.issuer, uri.issuer_len), type=KeyType(uri.type), hash=Hash(uri.hash),
                digits=uri.digits, period=uri.period, counter=uri.counter,
                label_issuer=_text(uri.label_issuer, uri.label_issuer_len))
        finally:
            ctypes.memset(memory, 0, len(memory))


def _text(address: int | None, length: int) -> str | None:
    return None if address is None else ctypes.string_at(address, length).decode()
