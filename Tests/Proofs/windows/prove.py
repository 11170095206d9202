"""Proves the theorems about the sources' IR, and refuses faults planted in the sources: prove.py quick|all FOLDER"""
import inspect
import pathlib
import re
import subprocess
import sys
import time

import z3

import records
import theorems
from artifacts import plant
from llvm import Module

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[2] / "Sources/Core"

# Rounds of faults that are planted together: what it is; file, text and what replaces it; and a pattern of the query
# that refuses it.
FAULTS = [
    [
        ("one step too many behind", "OTP/Verification/VerificationWindow.swift", "min(current, UInt64(behind))",
         "min(current, UInt64(behind) + 1)", "window"),
        ("the first live step is spent", "OTP/Verification/VerificationTask.swift",
         "isLive: index >= Int(spentCount)", "isLive: index > Int(spentCount)", "totp.*a match"),
        ("the latest and the earliest exchanged", "OTP/Verification/MatchScan.swift",
         "takesLatest ? live : live & !hasLive", "takesLatest ? live & !hasLive : live", "scan"),
        ("8 is a symbol", "OTP/Secrets/Base32Group.swift", "UInt64.bytes(0x7F - 0x37)", "UInt64.bytes(0x7F - 0x38)",
         "decoded"),
        ("digits are written from 3 on", "OTP/Secrets/Base32Group.swift", "0x41 + 26 - 0x32", "0x41 + 26 - 0x33",
         "encoded"),
    ],
    [
        ("time before t0 has a step", "OTP/Codes/TimeStep.swift",
         "guard unixTime >= t0 else { throw OTPError(.timeBeforeT0) }\n    return divide",
         "guard unixTime >= 0 else { throw OTPError(.timeBeforeT0) }\n    return divide", "floor"),
        ("above 2^64-1 unchecked", "OTP/Verification/VerificationWindow.swift",
         "current + min(.max - current, UInt64(ahead))", "current + UInt64(ahead)", "window"),
        ("the look-ahead wraps", "OTP/Verification/HOTP+Verify.swift",
         "Int(min(.max - counter, UInt64(lookAhead))) + 1", "lookAhead + 1", "hotp.*covers"),
        ("a replay is not noticed", "OTP/Verification/MatchScan.swift", "match & Mask(!isLive)", "match & Mask.never",
         "scan"),
        ("8-bit characters are symbols", "OTP/Secrets/Base32Group.swift", " & ~characters & UInt64",
         " & UInt64", "decoded"),
    ],
    [
        ("a period of 0", "OTP/Codes/TimeStep.swift", "guard period >= 1", "guard period >= 0", "floor"),
        ("a wider window", "OTP/Verification/VerificationWindow.swift", "0...10\n", "0...11\n", "window"),
        ("a shift to before t0", "FactorRecord/FactorRecord+Match.swift", "multiplied || added || time < timeStep.t0",
         "multiplied || added", "drift"),
        ("the earliest step", "OTP/Verification/VerificationTask.swift", "takesLatest: true", "takesLatest: false",
         "totp.*the latest"),
        ("a look-ahead of 1001", "OTP/Verification/HOTP+Verify.swift", "{ 0...1000 }", "{ 0...1001 }", "hotp"),
        ("a spent match is live", "OTP/Verification/MatchScan.swift", "let live = match & Mask(isLive)",
         "let live = match", "scan"),
        ("strict takes lower case", "OTP/Secrets/Base32Group.swift", "strict ? 0 : lower", "lower", "decoded"),
    ],
    [
        ("a step is counted from 1970", "OTP/Codes/TimeStep.swift", "bitPattern: unixTime &- t0",
         "bitPattern: unixTime", "floor"),
        ("a floor at the window's start", "OTP/Verification/VerificationTask.swift", "after >= counters.lowerBound",
         "after > counters.lowerBound", "totp.*a match"),
        ("overflow of a shift unchecked", "FactorRecord/FactorRecord+Match.swift", "multiplied || added ||",
         "multiplied ||", "drift"),
        ("the latest counter", "OTP/Verification/VerificationTask.swift", "takesLatest: false", "takesLatest: true",
         "hotp.*the earliest"),
        ("index 0 is no match", "OTP/Verification/MatchScan.swift", "liveIndex &+ 2", "liveIndex &+ 1", "scan"),
        ("digits are one too high", "OTP/Secrets/Base32Group.swift", "isDigit &* 9", "isDigit &* 10", "decoded"),
    ],
]

# The same for the rules of records.
RECORD_FAULTS = [
    [
        ("two failures for one", "FactorRecord/Attempts.swift", "failures += 1", "failures += 2",
         "sign in.*exactly one"),
        ("a loss that goes back", "FactorRecord/FactorRecord+Spend.swift", "spend(max(lastAccepted ?? 0, last))",
         "spend(last)", "loss spends.*never decreases"),
        ("100 failures are unlocked", "FactorRecord/Attempts.swift", "if !needNewEnrollment { failures = 0 }",
         "failures = 0", "unlocking.*below"),
        ("delays doubled too often", "FactorRecord/Attempts.swift", "? initialMilliseconds << doublings",
         "? initialMilliseconds << (doublings + 1)", "the delay is.*doubled"),
        ("failures that a replacement forgets", "FactorRecord/FactorRecord+Enroll.swift",
         "isNewStart ? 0 : attempts.failures", "0", "replacement.*failures stay"),
    ],
    [
        ("a lock that changes the record", "FactorRecord/FactorRecord+Verify.swift",
         "refusal(now: now, under: policy.attempts) { return refusal }",
         "refusal(now: now, under: policy.attempts) { attempts.latest = now; return refusal }", "sign in.*no byte"),
        ("a confirmation that goes on", "FactorRecord/FactorRecord+Enroll.swift", "    isPending = false\n", "",
         "confirmation.*enrolled"),
        ("a delay that is a millisecond too long", "FactorRecord/Attempts.swift", "now >= end ? .admitted",
         "now > end ? .admitted", "refused until.*must wait"),
        ("a secret that comes back", "FactorRecord/SpentSecret.swift", "$0 < last }) ?? true { spend(last) }",
         "$0 < last }) ?? false { spend(last) }", "replacement.*known"),
        ("an attempt that a replacement dates", "FactorRecord/FactorRecord+Enroll.swift",
         "max(new.attempts.latest ?? latest, latest)", ".max", "replacement.*latest attempt"),
    ],
    [
        ("a step that is accepted twice", "FactorRecord/FactorRecord+Match.swift",
         "try task(policy.adjacentSteps, after: lastAccepted)", "try task(policy.adjacentSteps, after: nil)",
         "sign in.*never decreases"),
        ("a confirmation that fails counts", "FactorRecord/FactorRecord+Enroll.swift",
         "else { return answer }\n    is", "else { attempts.failures += 1; return answer }\n    is",
         "confirmation.*anything else"),
        ("a wait without an end", "FactorRecord/FactorRecord+Spend.swift", "current <= spent else",
         "current != spent else", "end of a loss.*traps"),
    ],
    [
        ("a counter after the last", "FactorRecord/FactorRecord+Match.swift",
         "lastAccepted < .max ? lastAccepted + 1 : nil", "lastAccepted + 1", "sign in.*traps"),
        ("another step than the accepted one", "FactorRecord/FactorRecord+Match.swift",
         "spend(acceptance.movingFactor) }", "spend(acceptance.movingFactor / 2) }", "sign in.*as the record says"),
    ],
    [
        ("the last counter again", "FactorRecord/FactorRecord+Match.swift",
         "lastAccepted < .max ? lastAccepted + 1 : nil", "lastAccepted", "sign in.*later than"),
        ("a sign-in by a pending factor", "FactorRecord/FactorRecord+Verify.swift",
         "guard !isPending else { return .rejected(.pending) }\n    switch", "switch", "sign in.*while pending"),
    ],
]


class Refused(Exception):
    pass


def compiled(module, sources, folder, modules, *more):
    """The IR of one of the modules among these sources, compiled together with more files into a folder."""
    files = sorted((sources / module).glob("*.swift" if module == "FactorRecord" else "**/*.swift"))
    output = folder / f"{module}.ll"
    command = ["swiftc", "-O", "-wmo", "-swift-version", "6", "-package-name", "swift-otp", "-parse-as-library",
               "-module-name", module, "-I", SOURCES / "COTPSupport/include", "-I", SOURCES / "CLibcrypto",
               "-I", modules, "-emit-module", "-emit-module-path", folder / f"{module}.swiftmodule", "-emit-ir",
               "-o", output, *files, *more]
    subprocess.run(command, check=True, capture_output=True)
    return Module(output.read_text(encoding="utf-8"))


def read(sources, folder):
    """The IR of the engine, and of one function of a record."""
    text = (sources / "FactorRecord/FactorRecord+Match.swift").read_text(encoding="utf-8")
    shifted = re.search(r"  static func shifted\(.*?\n  }\n", text, re.S)[0]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Shifted.swift").write_text(f"enum FactorRecord {{\n{shifted}}}\n", encoding="utf-8")
    return compiled("OTP", sources, folder, folder, folder / "Shifted.swift", HERE / "Subjects.swift")


def read_records(sources, folder, modules):
    """The IR of records."""
    return compiled("FactorRecord", sources, folder, modules, HERE / "Records.swift")


def query(name, assumed, claim):
    """Whether a claim follows: no values satisfy the assumptions and not the claim."""
    # An assumption that nothing satisfies would imply everything.
    if solve(*assumed).check() != z3.sat:
        raise Refused(f"{name}: its assumptions contradict each other")
    for part in claim.children() if z3.is_and(claim) else [claim]:
        solver = solve(*assumed, z3.Not(part))
        answer = solver.check()
        if answer != z3.unsat:
            values = " ".join(str(solver.model()).split())[:300] if answer == z3.sat else solver.reason_unknown()
            raise Refused(f"{name}: not for {values}")


def solve(*conditions):
    solver = z3.Solver()
    solver.set("timeout", 300_000)
    solver.add(*conditions)
    return solver


def theorems_of(proofs):
    """Titles and queries of the theorems: generators whose only argument is `module`."""
    return [(name.replace("_", " "), function) for name, function in vars(proofs).items()
            if inspect.isgeneratorfunction(function) and [*inspect.signature(function).parameters] == ["module"]]


def prove(proofs, module, pattern=""):
    """Asks the queries with such names (of a title, and perhaps of a query). Returns how many there are."""
    count = 0
    for title, queries in theorems_of(proofs):
        if re.search(pattern.split(".*")[0], title):
            for name, assumed, claim in queries(module):
                if re.search(pattern, f"{title}: {name}"):
                    query(f"{title}: {name}", assumed, claim)
                    count += 1
    return count


def refuse_faults(proofs, faults, folder, *modules):
    """Plants faults in a copy of the sources, and expects a theorem to refuse each."""
    plant(folder, ("OTP", "FactorRecord"), *faults)
    module = read_records(folder, folder, *modules) if modules else read(folder, folder)
    for name, *_, pattern in faults:
        try:
            prove(proofs, module, pattern)
        except Refused as refusal:
            print(f"  refused: {name}: {str(refusal)[:150]}")
            continue
        sys.exit(f"windows: the fault '{name}' was proved right")


def main():
    rounds, folder = slice(1 if sys.argv[1] == "quick" else None), pathlib.Path(sys.argv[2])
    modules, changed = folder / "modules", folder / "changed"
    # Those of the other form, too, are still in the sources.
    for faults in FAULTS + RECORD_FAULTS:
        plant(changed, ("OTP", "FactorRecord"), *faults)
    began = time.monotonic()
    try:
        queries = prove(theorems, read(SOURCES, modules))
        compiled("Keyring", SOURCES, modules, modules)
        queries += prove(records, read_records(SOURCES, modules, modules))
    except Refused as refusal:
        sys.exit(f"windows: {refusal}")
    proved = time.monotonic() - began
    for faults in FAULTS[rounds]:
        refuse_faults(theorems, faults, changed)
    for faults in RECORD_FAULTS[rounds]:
        refuse_faults(records, faults, changed, modules)
    count = len(theorems_of(theorems) + theorems_of(records))
    if count != 16:
        sys.exit(f"windows: {count} theorems, not 16")
    print(f"windows: {count} theorems by {queries} queries in {proved:.0f} s; "
          f"{sum(map(len, FAULTS[rounds] + RECORD_FAULTS[rounds]))} changed sources were refused")


if __name__ == "__main__":
    main()
