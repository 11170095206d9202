"""HMAC (RFC 2104) over CPython's own hash modules.

`hashlib` and `hmac` would use OpenSSL, which is what the engine under test uses too; these modules do not.
"""

from __future__ import annotations

import _sha1  # type: ignore[import-not-found]
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

try:
    import _sha256  # type: ignore[import-not-found]
    import _sha512  # type: ignore[import-not-found]
except ImportError:  # Python 3.12 has both in one module
    import _sha2 as _sha256  # type: ignore[import-not-found]
    import _sha2 as _sha512

_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))


@dataclass(frozen=True)
class Algorithm:
    """A hash function as HMAC uses it; sizes are in bytes."""

    name: str
    new: Callable[[bytes], Any]
    block_size: int

    def digest(self, data: bytes) -> bytes:
        """The plain hash of `data`."""
        result: bytes = self.new(data).digest()
        return result


SHA1 = Algorithm("SHA1", _sha1.sha1, 64)
SHA256 = Algorithm("SHA256", _sha256.sha256, 64)
SHA512 = Algorithm("SHA512", _sha512.sha512, 128)
ALGORITHMS = (SHA1, SHA256, SHA512)


def hmac(algorithm: Algorithm, key: bytes, message: bytes) -> bytes:
    """The full-length HMAC of `message` under `key`."""
    if len(key) > algorithm.block_size:
        key = algorithm.digest(key)
    block = key.ljust(algorithm.block_size, b"\0")
    inner = algorithm.digest(block.translate(_INNER_PAD) + message)
    return algorithm.digest(block.translate(_OUTER_PAD) + inner)
