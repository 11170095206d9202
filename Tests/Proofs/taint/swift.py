"""Follows secrets through the Swift that scans for matches, reduces codes, and decodes and encodes groups of base32.

    python3 swift.py FOLDER

The sources are the engine's; the module around them is swift/harness.swift, and `otp_declassify` stays a call, so that
what it makes public can be told from the rest. Compiled as Embedded Swift, as libotp is, at -O and at -Osize.
Base32Decoder is not among them: its structure mixes the secret bits with counts, and an object is secret as a whole
here.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from program import File
from taint import analyze_swift

HERE = Path(__file__).resolve().parent
ENGINE = HERE.parents[2] / "Sources/OTP"
SOURCES = ["ConstantTime/Mask.swift", "ConstantTime/Multiples.swift", "ConstantTime/SmallDivisor.swift",
           "Verification/MatchScan.swift", "Secrets/Base32Group.swift"]
# The outcome of a scan, and whether a group has only symbols.
DECLASSIFIED = 2

# What it is; the file, its text, and what replaces it; what must be reported.
FAULTS = [
    ("a branch on a match", "Verification/MatchScan.swift", "    hasLive = hasLive | live\n",
     "    hasLive = hasLive | live\n    if live.keep(1) == 1 { declassify(.init(start: nil, count: 0)) }\n",
     "a branch"),
    ("a division", "ConstantTime/SmallDivisor.swift",
     "UInt32(truncatingIfNeeded: (UInt64(value) &* reciprocal) &>> shift)",
     "value / UInt32(truncatingIfNeeded: divisor ^ UInt64(value & 1))", "a division"),
    ("a table", "Secrets/Base32Group.swift", "UInt8(truncatingIfNeeded: characters &>> UInt64(56 &- 8 &* offset))",
     "output[Int(truncatingIfNeeded: characters & 7)]", "an address"),
]


def report(engine, level, ir):
    """What taint.py finds in the IR of these sources: faults, and two counts."""
    done = subprocess.run(
        ["swiftc", "-enable-experimental-feature", "Embedded", "-wmo", level, "-swift-version", "6",
         "-parse-as-library", "-module-name", "OTP", "-I", HERE / "swift/COTPSupport", "-emit-ir",
         *(engine / name for name in SOURCES),
         HERE / "swift/harness.swift", "-o", ir], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"swift: {done.stderr[-2000:]}")
    return analyze_swift(File(str(ir)))


def is_found(folder, file, old, new, wanted):
    copy = folder / "swift"
    shutil.rmtree(copy, ignore_errors=True)
    for name in SOURCES:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ENGINE / name, copy / name)
    text = (copy / file).read_text(encoding="utf-8")
    if text.count(old) != 1:
        sys.exit(f"swift: {file} has not exactly one: {old}")
    (copy / file).write_text(text.replace(old, new), encoding="utf-8")
    return any(wanted in fault for fault in report(copy, "-O", folder / "planted.ll")[0])


def main():
    folder = Path(sys.argv[1])
    for level in ("-O", "-Osize"):
        faults, declassified, count = report(ENGINE, level, folder / f"swift{level}.ll")
        for text in faults:
            print(f"swift: {text}", file=sys.stderr)
        if faults or declassified != DECLASSIFIED:
            sys.exit(f"swift: {len(faults)} depend on secrets; {declassified} values are declassified")
        print(f"swift {level}: {count} functions: nothing depends on secrets; {declassified} values are declassified")
    missed = [what for what, *fault in FAULTS if not is_found(folder, *fault)]
    for what in missed:
        print(f"swift: not found: {what}", file=sys.stderr)
    print(f"swift: {len(FAULTS) - len(missed)} of {len(FAULTS)} planted leaks were found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
