"""Faults that must be refused: planted in the formulas, for the theorems, and in the sources, for what ties the two."""
import dataclasses


@dataclasses.dataclass
class FormulaFault:
    name: str
    old: str
    new: str
    theorem: str  # a word of the theorem that refuses it
    is_compared: bool = False  # whether few random inputs must show it, too


@dataclasses.dataclass
class SourceFault:
    name: str
    path: str
    old: str
    new: str
    is_compared: bool = False


FORMULA_FAULTS = [
    FormulaFault("time wraps before t0", "return (unixTime >= t0, divide", "return (unixTime >= 0, divide", "floor"),
    FormulaFault("a period of 0", "return period >= 1", "return period >= 0", "floor"),
    FormulaFault("a step is counted from 1970", "bitPattern(unixTime.minus(t0))", "bitPattern(unixTime)", "floor"),
    FormulaFault("one step too few behind", "lower = current - minimum(current, UInt64(behind))",
                 "lower = current - minimum(current, UInt64(behind).minus(1))", "window"),
    FormulaFault("one step too many ahead", "minimum(literal(-1) - current, UInt64(ahead))",
                 "minimum(literal(-1) - current, UInt64(ahead).plus(1))", "window", is_compared=True),
    FormulaFault("below step 0 unchecked", "current - minimum(current, UInt64(behind))", "current - UInt64(behind)",
                 "window"),
    FormulaFault("above 2^64-1 unchecked", "current + minimum(literal(-1) - current, UInt64(ahead))",
                 "current + UInt64(ahead)", "window"),
    FormulaFault("a wider window", "ahead >= 0, ahead <= 10", "ahead >= 0, ahead <= 11", "window"),
    FormulaFault("the floor is ignored", "return index >= Int(spentCount)", "return index >= 0", "totp task",
                 is_compared=True),
    FormulaFault("the last accepted step is live", "return index >= Int(spentCount)",
                 "return index >= Int(spentCount) - 1", "totp task"),
    FormulaFault("the first live step is spent", "return index >= Int(spentCount)",
                 "return index > Int(spentCount)", "totp task"),
    FormulaFault("a floor above the window overflows", "UInt16(minimum(last, upper) - lower) + 1",
                 "UInt16(last - lower) + 1", "totp task"),
    FormulaFault("a floor at the window's start", "last >= lower", "last > lower", "totp task"),
    FormulaFault("the look-ahead wraps", "Int(minimum(literal(-1) - counter, UInt64(lookAhead))) + 1",
                 "lookAhead + 1", "hotp task"),
    FormulaFault("a look-ahead of 65,536", "lookAhead >= 0, lookAhead <= 1000", "lookAhead >= 0, lookAhead <= 65536",
                 "hotp task"),
    FormulaFault("the latest counter", "task(closedRange(counter, last), counter, nothing) + (z3.BoolVal(False),)",
                 "task(closedRange(counter, last), counter, nothing) + (z3.BoolVal(True),)", "hotp task",
                 is_compared=True),
    FormulaFault("the offset from the first step", "return (first + UInt64(index), index - Int(currentIndex))",
                 "return (first + UInt64(index), index)", "totp task"),
    FormulaFault("less instead of at most", "UInt64(right).minus(UInt64(left)).shiftRight(63).minus(1)",
                 "UInt64(right).minus(1).minus(UInt64(left)).shiftRight(63).minus(1)", "masks"),
    FormulaFault("the lower bound is outside", "UInt64(lowerBound).minus(1).minus(UInt64(byte))",
                 "UInt64(lowerBound).minus(UInt64(byte))", "masks"),
    FormulaFault("a wrong inverse", "0x68C2_6139", "0x68C2_6138", "multiples", is_compared=True),
    FormulaFault("a quotient too many", "0xAE8D_46A5, 7, 429", "0xAE8D_46A5, 7, 430", "multiples"),
    FormulaFault("a quotient too few", "0x22E9_0E21, 8, 42", "0x22E9_0E21, 8, 41", "multiples"),
    FormulaFault("a shift instead of a rotation",
                 "product.shiftRight(twos) | product.shiftLeft(literal(32, 32).minus(twos))",
                 "product.shiftRight(twos)", "multiples"),
    FormulaFault("the code is added", "truncatedValue.plus(complement(multiples, code))",
                 "truncatedValue.plus(code)", "remainder"),
    FormulaFault("the earliest is the latest", "pick(takesLatest, live, live & ~hasLive)", "live", "scan finds"),
    FormulaFault("the latest is the earliest", "pick(takesLatest, live, live & ~hasLive)", "live & ~hasLive",
                 "scan finds"),
    FormulaFault("a spent match is live", "live = match & mask(isLive)", "live = match", "scan finds"),
    FormulaFault("a live match is forgotten", "hasLive = hasLive | live\n", "hasLive = live\n", "scan finds"),
    FormulaFault("a replay is not noticed", "hasSpent = hasSpent | (match & mask(z3.Not(isLive)))",
                 "hasSpent = hasSpent", "scan finds"),
    FormulaFault("index 0 is no match", "select(hasLive, liveIndex.plus(2),", "select(hasLive, liveIndex.plus(1),",
                 "scan finds"),
    FormulaFault("8 is a symbol", "digit = ascii.plus(bytes8(0x80 - 0x32)) & ~ascii.plus(bytes8(0x7F - 0x37))",
                 "digit = ascii.plus(bytes8(0x80 - 0x32)) & ~ascii.plus(bytes8(0x7F - 0x38))", "decoded"),
    FormulaFault("8-bit characters are symbols", " & ~characters & bytes8(0x80)", " & bytes8(0x80)", "decoded"),
    FormulaFault("strict takes lower case", "pick(strict, literal(0), lower)", "lower", "decoded"),
    FormulaFault("digits are one too high", "isDigit.times(9)", "isDigit.times(10)", "decoded"),
    FormulaFault("digits are written from 3 on", "0x41 + 26 - 0x32", "0x41 + 26 - 0x33", "encoded"),
    FormulaFault("overflow of a shift unchecked", "z3.Or(multiplied, added, time < t0)", "z3.Or(multiplied, time < t0)",
                 "shifts"),
    FormulaFault("a shift to before t0", "z3.Or(multiplied, added, time < t0)", "z3.Or(multiplied, added)", "shifts"),
    FormulaFault("drift without a limit", "return (start, clamped(limit, start + offset))",
                 "return (start, start + offset)", "learned"),
    FormulaFault("a loss spends without the drift that can be learned",
                 "found.plus(driftLimit).plus(adjacentIntervals)", "found.plus(adjacentIntervals)", "loss"),
]

SOURCE_FAULTS = [
    SourceFault("one step too many behind", "OTP/Verification/VerificationWindow.swift",
                "min(current, UInt64(behind))", "min(current, UInt64(behind) + 1)", is_compared=True),
    SourceFault("the floor is ignored", "OTP/Verification/VerificationTask.swift", "isLive: index >= Int(spentCount)",
                "isLive: true", is_compared=True),
    SourceFault("the last accepted step is live", "OTP/Verification/VerificationTask.swift",
                "UInt16(min(after, counters.upperBound) - counters.lowerBound) + 1",
                "UInt16(min(after, counters.upperBound) - counters.lowerBound)"),
    SourceFault("after, not from", "OTP/Verification/VerificationTask.swift",
                "if let after, after >= counters.lowerBound", "if let after, after > counters.lowerBound"),
    SourceFault("the earliest step", "OTP/Verification/VerificationTask.swift", "takesLatest: true",
                "takesLatest: false",
                is_compared=True),
    SourceFault("a wrong greatest quotient", "OTP/ConstantTime/Multiples.swift", "greatestQuotient: 4294)",
                "greatestQuotient: 4295)"),
    SourceFault("a wrong inverse", "OTP/ConstantTime/Multiples.swift", "0x22E9_0E21", "0x22E9_0E23", is_compared=True),
    SourceFault("the latest and the earliest exchanged", "OTP/Verification/MatchScan.swift",
                "takesLatest ? live : live & !hasLive", "takesLatest ? live & !hasLive : live"),
    SourceFault("a mask that compares otherwise", "OTP/ConstantTime/Mask.swift",
                "(UInt64(right) &- UInt64(left)) >> 63) &- 1", "(UInt64(left) &- UInt64(right)) >> 63) &- 1"),
    SourceFault("another alphabet", "OTP/Secrets/Base32Group.swift", "Self.bytes(0x7F - 0x37)",
                "Self.bytes(0x7F - 0x38)",
                is_compared=True),
    SourceFault("a period of 0", "OTP/Codes/TimeStep.swift", "guard period >= 1", "guard period >= 0"),
    SourceFault("a drift that is not limited", "FactorRecord/FactorRecord+Match.swift",
                "learned: max(-limit, min(limit, learned + offset))", "learned: learned + offset"),
    SourceFault("a shift to before t0", "FactorRecord/FactorRecord+Match.swift",
                "multiplied || added || time < timeStep.t0",
                "multiplied || added"),
    SourceFault("a loss that spends less", "FactorRecord/FactorRecord+Spend.swift",
                "drift.found &+ policy.driftLimit &+ policy.adjacentIntervals",
                "drift.found &+ policy.adjacentIntervals"),
]
