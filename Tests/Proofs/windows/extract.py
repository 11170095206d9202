"""Prints the declarations that the check's program takes out of files with more than it needs: extract.py SOURCES."""
import pathlib
import sys

import source

EXTRACTED = [
    ("package enum HOTP", "OTP/Verification/HOTP+Verify.swift", (
        "static var lookAheadLimits: ClosedRange<Int>", "package static func check(lookAhead: Int)",
        "static func counterCount(from counter: UInt64, lookAhead: Int)")),
    ("enum FactorRecord", "FactorRecord/FactorRecord+Match.swift", (
        "static func shifted(_ unixTime: Int64, by drift: Int, _ timeStep: TimeStep)",)),
]
for owner, path, starts in EXTRACTED:
    texts = [source.declaration(path, start, pathlib.Path(sys.argv[1])) for start in starts]
    print("\n".join([owner + " {", *texts, "}"]))
