"""Base32 to the letter of RFC 4648: what a strict decoder takes, and what it refuses."""

from __future__ import annotations

from .. import base32
from ..document import Group, VectorFile
from .base32_files import add_invalid, add_valid, base32_group
from .rfc4648_base32 import ROWS


def build() -> VectorFile:
    """What is taken in one group, then a group for each reason to refuse."""
    source = "swift-otp: base32 to the letter of RFC 4648"
    return VectorFile("base32-strict.json", source, [_taken(), _symbols(), _padding(), _trailing_bits()])


def _taken() -> Group:
    group = base32_group("upper case, whole padding, unused bits zero", "strict")
    for data, text in ROWS:
        add_valid(group, text, data, "empty" if not data else None)
    for length in (20, 32, 61, 64, 128):
        data = bytes((place * 151 + length) % 256 for place in range(length))
        text = base32.encode(data)
        add_valid(group, text + "=" * (-len(text) % 8), data, f"{length} bytes")
    return group


def _symbols() -> Group:
    group = base32_group("characters outside the alphabet", "strict")
    for text, comment in (
        ("mzxw6ytb", "lower case"), ("MzXW6YTB", "one letter in lower case"), ("MZXW 6YTB", "a space"),
        ("MZXW-6YTB", "a hyphen"), (" MZXW6YTB", "a space in front"), ("MZXW6YTB ", "a space behind"),
        ("MZXW6== =", "a space inside the padding"), ("MZXW6YTB\n", "a newline behind"),
        ("MZXW\t6YTB", "a tab"), ("MZXW6YT0", "a zero"), ("MZXW6YT1", "a one"), ("MZXW6YT8", "an eight"),
        ("MZXW6YT9", "a nine"), ("MZXW6YT!", "an exclamation mark"), ("MZXW6YT\u0131", "a dotless i"),
        ("MZXW6YT\uff21", "a full-width A"),
    ):
        add_invalid(group, text, "symbol", comment)
    return group


def _padding() -> Group:
    group = base32_group("padding that is not whole", "strict")
    for text, comment in (
        ("MY", "none of six"), ("MZXQ", "none of four"), ("MZXW6", "none of three"), ("MZXW6YQ", "none of one"),
        ("MY=====", "five of six"), ("MZXQ===", "three of four"), ("MZXW6==", "two of three"),
        ("MZXW6====", "four for three"), ("MZXW6YTB=", "one for none"), ("MZXW6YTB========", "eight for none"),
        ("=MZXW6YT", "in front"), ("MZXW=6YT", "in the middle"), ("MY======MY======", "two padded texts joined"),
        ("========", "alone"),
    ):
        add_invalid(group, text, "padding", comment)
    for text in ("A=======", "ABC=====", "ABCDEF=="):
        add_invalid(group, text, "length", f"{len(text.rstrip('='))} symbols: no number of bytes has that length")
    return group


def _trailing_bits() -> Group:
    group = base32_group("unused bits that are not zero, which a strict decoder MAY refuse and ours does", "strict")
    for text, length in (("MZ======", 2), ("M7======", 2), ("MZXR====", 4), ("MZXW7===", 5), ("MZXW6YR=", 7)):
        add_invalid(group, text, "trailing bits", f"{length} symbols")
    for test in group.tests:
        test |= {"result": "acceptable", "ours": "invalid"}
    return group
