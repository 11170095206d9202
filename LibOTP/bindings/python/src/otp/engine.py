"""The library itself: its version, and what it found on this machine."""

from __future__ import annotations

from otp import _header as c
from otp._library import library
from otp._values import dataclass


@dataclass(frozen=True)
class LibraryInfo:
    """The library's version, and what it found on this machine."""

    version: str
    openssl: str
    cpu_features: str
    instruction_set: str
    backend: str


def version() -> str:
    """The library's version (semantic versioning)."""
    text: bytes = library.otp_version()
    return text.decode()


def info() -> LibraryInfo:
    """The library's version and what it found. Runs any known-answer tests that have not run."""
    out = c.LibraryInfo.of()
    library.otp_info(out)
    return LibraryInfo(out.version.decode(), out.openssl.decode(), out.cpu_features.decode(),
                       out.instruction_set.decode(), out.backend.decode())


def self_test() -> None:
    """Runs the known-answer tests now instead of before the first code: for a server's start, and before it forks.

    Then it may fork while other threads use keyrings and records; otp.h says what else to mind.
    """
    library.otp_self_test()
