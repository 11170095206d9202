"""HMAC (RFC 2104) over CPython's own hash modules.

`hashlib` and `hmac` would use OpenSSL, which is what the engine under test uses too; these modules do not.
"""

from __future__ import annotations

import _sha1  # type: ignore[import-not-found]
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
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
    digest_size: int

    def digest(self, data: bytes) -> bytes:
        """The plain hash of `data`."""
        result: bytes = self.new(data).digest()
        return result


SHA1 = Algorithm("SHA1", _sha1.sha1, 64, 20)
SHA256 = Algorithm("SHA256", _sha256.sha256, 64, 32)
SHA512 = Algorithm("SHA512", _sha512.sha512, 128, 64)
ALGORITHMS = (SHA1, SHA256, SHA512)


@lru_cache(maxsize=256)
def _midstates(algorithm: Algorithm, key: bytes) -> tuple[Any, Any]:
    """The inner and outer hash objects after their key block."""
    if len(key) > algorithm.block_size:
        key = algorithm.digest(key)
    block = key.ljust(algorithm.block_size, b"\0")
    return algorithm.new(block.translate(_INNER_PAD)), algorithm.new(block.translate(_OUTER_PAD))


def hmac(algorithm: Algorithm, key: bytes, message: bytes) -> bytes:
    """The full-length HMAC of `message` under `key`."""
    inner_state, outer_state = _midstates(algorithm, key)
    inner = inner_state.copy()
    inner.update(message)
    outer = outer_state.copy()
    outer.update(inner.digest())
    result: bytes = outer.digest()
    return result
