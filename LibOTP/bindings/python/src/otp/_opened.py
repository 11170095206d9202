"""The shared library, opened."""

from __future__ import annotations

import os
from ctypes import CDLL


def _opened() -> CDLL:
    """The library that OTP_LIBRARY names, else the wheel's own, else the one that the dynamic loader finds."""
    own = os.path.join(os.path.dirname(__file__), "_lib", "libotp.so.0")
    path = os.environ.get("OTP_LIBRARY") or (own if os.path.exists(own) else "libotp.so.0")
    try:
        return CDLL(path)
    except OSError as error:
        # The wheel's library lacks libcrypto, which gets its security updates from the system.
        remedy = "install OpenSSL 3 (Debian: libssl3)" if "libcrypto" in str(error) else \
            "install libotp, or set OTP_LIBRARY to its path"
        raise ImportError(f"cannot load libotp: {error}; {remedy}", path=path) from error


library = _opened()
