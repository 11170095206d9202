"""What people type and paste instead of a code's ASCII digits, by the names and categories of Unicode."""

from __future__ import annotations

import unicodedata

UNSEEN = {"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"}
"""Characters of no width."""

DIRECTION = {"\u061c", "\u200e", "\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
"""Unicode's Bidi_Control."""

ENDS = "\t\n\v\f\r"
"""White space that is dropped only at the ends."""


def is_separator(character: str) -> bool:
    """Whether a character is dropped wherever it is."""
    return character == "-" or unicodedata.category(character) == "Zs" or character in UNSEEN | DIRECTION


def read(text: str) -> str | None:
    """The ASCII digits of what was typed; None if it is no code, or has more than 64 characters."""
    if len(text) > 64:
        return None
    kept = "".join(character for character in text if not is_separator(character)).strip(ENDS)
    if not all(unicodedata.category(character) == "Nd" for character in kept):
        return None
    return "".join(str(unicodedata.decimal(character)) for character in kept)


def is_typed(text: str) -> bool:
    """Whether a text has digits that only this reading finds."""
    digits = read(text)
    return bool(digits) and digits != text
