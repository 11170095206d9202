"""What the base32 files share: how a text that decodes, and one that does not, become tests."""

from __future__ import annotations

from base64 import b32decode

from .. import base32
from ..document import Group
from ..errors import ensure


def base32_group(comment: str, decoder: str = "lenient") -> Group:
    """An empty `base32` group for a `lenient` or a `strict` decoder."""
    return Group("base32", {"decoder": decoder}, comment)


def _decode(group: Group, text: str) -> bytes:
    return base32.decode_strict(text) if group.header["decoder"] == "strict" else base32.decode(text)


def add_valid(group: Group, text: str, data: bytes, comment: str | None = None) -> None:
    """Append a text that decodes to `data`, confirmed by our decoder and by Python's."""
    ensure(_decode(group, text) == data, f"base32 {text!r}: decodes to {base32.decode(text).hex()}")
    canonical = base32.encode(data)
    padded = canonical + "=" * (-len(canonical) % 8)
    ensure(b32decode(padded) == data, f"base32 {text!r}: Python reads its canonical form differently")
    group.add({"text": text, "hex": data.hex(), "canonical": canonical, "result": "valid"}, comment)


def add_invalid(group: Group, text: str, reason: str, comment: str) -> None:
    """Append a text that must not decode; `reason` is what our decoder must say, so that it fails for that alone."""
    try:
        data = _decode(group, text)
    except base32.Base32Error as error:
        ensure(error.reason == reason, f"base32 {text!r}: refused for its {error.reason}, not its {reason}")
        group.add({"text": text, "result": "invalid"}, comment)
    else:
        ensure(False, f"base32 {text!r}: decodes to {data.hex()}, but should be refused")
