#!/usr/bin/env python3
"""Writes the table of Sources/OTP/Text/DecimalDigit.swift: the zero of each script's ten decimal digits.

    python3 Scripts/decimal-digits.py

Takes Python's own Unicode data, or that of the package `unicodedata2` if it is installed; the table never goes back to
an older version of Unicode than it has.
"""

import pathlib
import re
import sys

try:
    import unicodedata2 as unicode
except ImportError:
    import unicodedata as unicode

FILE = pathlib.Path(__file__).parent.parent / "Sources/OTP/Text/DecimalDigit.swift"


def zeros():
    """The zeros. Each has its script's other digits behind it, in order (The Unicode Standard, section 4.6)."""
    digits = {ord(text): unicode.decimal(text) for text in map(chr, range(0x110000)) if unicode.category(text) == "Nd"}
    found = [scalar for scalar, value in digits.items() if value == 0]
    assert digits == {zero + value: value for zero in found for value in range(10)}, "ten digits that are not in a row"
    # TypedDigits takes how a digit's UTF-8 begins for public: it must not depend on the value.
    assert all(chr(zero).encode()[:-1] == chr(zero + 9).encode()[:-1] for zero in found), "digits of unlike bytes"
    return found


def main():
    text = FILE.read_text(encoding="utf-8")
    recorded = re.search(r"Unicode (\d+)\.(\d+)", text)
    version = unicode.unidata_version.split(".")[:2]
    if [int(number) for number in version] < [int(number) for number in recorded.groups()]:
        sys.exit(f"the table is of {recorded.group()}, and here is Unicode {'.'.join(version)}: install unicodedata2")
    lines, line = [], "   "
    for zero in zeros():
        number = f" 0x{zero:04X},"
        if len(line + number) > 120:
            lines.append(line)
            line = "   "
        line += number
    table = "\n".join([*lines, line])
    text = text.replace(recorded.group(), f"Unicode {'.'.join(version)}")
    text = re.sub(r"(= \[\n).*?(\n  \]\n)", lambda found: found.group(1) + table + found.group(2), text, flags=re.S)
    FILE.write_text(text, encoding="utf-8")


main()
