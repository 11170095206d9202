"""RFC 4648 section 10, typed in and confirmed by two decoders."""

from ..document import VectorFile
from .base32_files import add_valid, base32_group

ROWS = [
    (b"", ""),
    (b"f", "MY======"),
    (b"fo", "MZXQ===="),
    (b"foo", "MZXW6==="),
    (b"foob", "MZXW6YQ="),
    (b"fooba", "MZXW6YTB"),
    (b"foobar", "MZXW6YTBOI======"),
]


def build() -> VectorFile:
    """The seven rows as they stand, then without their padding where they have some."""
    padded = base32_group("as the RFC prints them")
    for data, text in ROWS:
        add_valid(padded, text, data, "empty" if not data else None)
    bare = base32_group("without their padding")
    for data, text in ROWS:
        if text.endswith("="):
            add_valid(bare, text.rstrip("="), data)
    return VectorFile("rfc4648-base32.json", "RFC 4648 section 10", [padded, bare])
